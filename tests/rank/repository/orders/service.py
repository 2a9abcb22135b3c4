"""The order service: reserves stock, charges the card, remembers the order."""

from dataclasses import dataclass, field

from orders.errors import EmptyCartError
from payments.gateway import PaymentGateway

MAX_LINES_PER_ORDER = 50


@dataclass
class Order:
    """A confirmed order."""

    number: int
    lines: list = field(default_factory=list)
    paid: bool = False


class OrderService:
    """Turns carts into orders."""

    def __init__(self, stock, gateway: PaymentGateway, clock):
        self._stock = stock
        self._gateway = gateway
        self._clock = clock
        self._orders = {}

    def create_order(self, cart, card):
        """Reserve what is in a cart, charge the card and remember the order."""
        if not cart.lines:
            raise EmptyCartError("cannot place an order for an empty cart")
        if len(cart.lines) > MAX_LINES_PER_ORDER:
            raise ValueError(f"an order may hold at most {MAX_LINES_PER_ORDER} lines")
        reservation = self._stock.reserve(cart.lines)
        try:
            self._gateway.charge(card, cart.total())
        except Exception:
            self._stock.release(reservation)
            raise
        order = Order(len(self._orders) + 1, list(cart.lines), paid=True)
        self._orders[order.number] = order
        return order

    def cancel_order(self, number):
        """Give a customer the money back and the stock its goods."""
        order = self._orders.pop(number)
        self._gateway.refund(order)
        self._stock.release(order.lines)

    def find_order(self, number):
        """Look an order up by its number; None if there is none."""
        return self._orders.get(number)
