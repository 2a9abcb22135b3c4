"""Orders: from a cart to a confirmed order."""

from orders.service import Order, OrderService

__all__ = ["Order", "OrderService"]
