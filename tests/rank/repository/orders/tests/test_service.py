"""Tests of the order service."""

from orders.service import OrderService


def test_create_order_charges_the_card(stock, gateway, clock, cart, card):
    service = OrderService(stock, gateway, clock)
    order = service.create_order(cart, card)
    assert order.paid
    assert gateway.charged == [(card, cart.total())]


def test_cancel_order_refunds(service, gateway):
    service.cancel_order(1)
    assert gateway.refunded
