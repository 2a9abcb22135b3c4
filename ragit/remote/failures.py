"""Failures of a remote service. Each has a message and a hint; none ever holds a key.

RemoteFailed                (ragit.errors: what other packages catch)
├── Unreachable             no connection, or every try failed; later it may work
│   └── TimedOut            no answer in time; the server may still be working on it
├── Refused                 the server refused: the same request will be refused again
│   ├── KeyRefused          401 or 403
│   ├── TooLong             a text, or all texts together, are too long
│   ├── TooMany             too many texts in one request, however short they are
│   └── ParameterRefused    the server does not take a parameter, which `parameter` names
└── WrongAnswer             the answer is not what the protocol promises
"""

from __future__ import annotations

from ragit.errors import RemoteFailed


class Unreachable(RemoteFailed):
    """No connection, or no usable answer within the allowed tries and time."""


class TimedOut(Unreachable):
    """No answer in time. The server may still be working on the request."""


class Refused(RemoteFailed):
    """The server refused the request. `status` is the HTTP status."""

    def __init__(self, message: str, hint: str, *, status: int = 0) -> None:
        super().__init__(message, hint)
        self.status = status


class KeyRefused(Refused):
    """The key is missing or wrong."""


class TooLong(Refused):
    """A text, or all texts together, are too long."""


class TooMany(Refused):
    """Too many texts for one request, whatever their length."""


class ParameterRefused(Refused):
    """The server does not take a parameter of the request."""

    def __init__(self, message: str, hint: str, *, status: int = 0, parameter: str = "") -> None:
        super().__init__(message, hint, status=status)
        self.parameter = parameter


class WrongAnswer(RemoteFailed):
    """The answer breaks the protocol."""
