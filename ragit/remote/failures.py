"""What a remote service can do other than answer. Each carries a sentence and a hint; none ever holds a key.

RemoteFailed                (ragit.errors: what other rooms catch)
├── Unreachable             no connection, or every try failed; later it may work
├── Refused                 the server understood and said no; the same request will fail again
│   ├── KeyRefused          401 or 403
│   ├── TooLong             a text, or all of them together, is more than the model or the server takes
│   ├── TooMany             a request holds more texts than the server takes at once, however short they are
│   └── ParameterRefused    the server does not take a parameter, which `parameter` names
└── WrongAnswer             what came back is not what the protocol promises
"""

from __future__ import annotations

from ragit.errors import RemoteFailed


class Unreachable(RemoteFailed):
    """No connection, or no answer worth having within the tries and the time that were allowed."""


class Refused(RemoteFailed):
    """The server said no. `status` is HTTP's number for it."""

    def __init__(self, message: str, hint: str, *, status: int = 0) -> None:
        super().__init__(message, hint)
        self.status = status


class KeyRefused(Refused):
    """No key, or not the right one."""


class TooLong(Refused):
    """A text, or all of them together, is too long."""


class TooMany(Refused):
    """More texts than one request may hold: fewer will do, and shorter ones will not."""


class ParameterRefused(Refused):
    """The server does not take a parameter of the request."""

    def __init__(self, message: str, hint: str, *, status: int = 0, parameter: str = "") -> None:
        super().__init__(message, hint, status=status)
        self.parameter = parameter


class WrongAnswer(RemoteFailed):
    """The answer is not what the protocol promises."""
