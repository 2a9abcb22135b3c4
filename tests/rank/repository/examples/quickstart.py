"""Place an order in ten lines."""

from orders.cart import Cart
from orders.service import OrderService

cart = Cart()
cart.add_line("tea", 2, 450)
service = OrderService(stock=None, gateway=None, clock=None)
order = service.create_order(cart, card="4242")
print(order.number)
