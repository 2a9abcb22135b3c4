"""The old order service, kept for imports of 2019."""


class OrderService:
    """Deprecated: use orders.service.OrderService."""

    def create_order(self, cart, card):
        """Deprecated."""
        return cart, card
