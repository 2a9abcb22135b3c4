"""Carts: what a customer wants to buy."""


class Cart:
    """Lines with quantities."""

    def __init__(self):
        self.lines = []

    def add_line(self, sku, quantity, price):
        """Add some of an article."""
        if quantity < 1:
            raise ValueError("quantity must be a positive number")
        self.lines.append((sku, quantity, price))

    def total(self):
        """Sum of all lines in cents."""
        return sum(quantity * price for _, quantity, price in self.lines)


def merge_carts(first, second):
    """Join two carts of one customer, for a login amid shopping."""
    merged = Cart()
    merged.lines = [*first.lines, *second.lines]
    return merged
