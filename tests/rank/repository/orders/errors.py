"""Errors of the order service."""


class OrderError(Exception):
    """Base of all errors about orders."""


class EmptyCartError(OrderError):
    """A cart without lines was confirmed."""
