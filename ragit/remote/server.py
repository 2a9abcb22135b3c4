"""Describes a server: its address, key, headers and limits.

Checks them once, and hides secrets in messages.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from ragit.errors import ConfigError
from ragit.records import NamedTuple

_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
"""Name of a header, by RFC 9110."""

_LONGEST = 4000
"""Limit of characters read and shown of a message."""

_PIECE = 8
"""Most consecutive letters and digits of a key that a message may show. Shorter pieces tell little,
and are as long as many words.
"""

_VALUE = r"[\t\x20-\x7e\x80-\xff]*"
"""Value of a header: no line end, which would begin another header."""


class Server(NamedTuple):
    """One service. Its repr shows no key, header values or query values."""

    base_url: str
    """Up to and including the version, for example https://api.openai.com/v1; may have a query
    (?api-version=...).
    """
    key: str = ""
    key_header: str = "Authorization"
    """Header of the key. Authorization sends `Bearer KEY`; any other header, such as Azure's
    api-key, only the key.
    """
    key_hint: str = ""
    """Place of the key in words, for a message; empty if none."""
    headers: tuple[tuple[str, str], ...] = ()
    """Further headers of every request."""
    timeout: float = 30.0
    """Seconds for one answer, from the first byte sent to the last received."""
    concurrency: int = 1
    """Limit of concurrent requests."""
    proxy: str = ""
    """http://[user:password@]host:port; "none" for none; empty to follow the environment
    (HTTPS_PROXY, NO_PROXY).
    """
    ca_file: str = ""
    """PEM file of certificates to trust besides the system's."""
    section: str = "embedding"
    """Section of this server's settings, for hints."""

    def __repr__(self) -> str:
        return f"Server({masked(self.base_url)}, key {'set' if self.key else 'not set'})"

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values that no message may repeat."""
        values = (
            self.key,
            *(value for _, value in self.headers),
            urlsplit(self.proxy).password or "",
        )
        queries = (part.partition("=")[2] for part in urlsplit(self.base_url).query.split("&"))
        return tuple(value for value in (*values, *queries) if len(value) > 3)

    def hide(self, words: str) -> str:
        """Return a server's message without keys and pieces of them."""
        words = words[:_LONGEST]
        for secret in self.secrets:
            words = _without_pieces(words.replace(secret, "***"), secret)
        return words


def _without_pieces(words: str, secret: str) -> str:
    """Replace runs of a secret's letters and digits; other characters do not break a run."""
    places = [at for at, letter in enumerate(words) if letter.isalnum()]
    letters, key = _letters(words), _letters(secret)
    pieces = {key[at : at + _PIECE] for at in range(len(key) - _PIECE + 1)}
    gone: set[int] = set()
    for at in range(len(letters) - _PIECE + 1):
        if letters[at : at + _PIECE] in pieces:
            gone.update(range(places[at], places[at + _PIECE - 1] + 1))
    kept = "".join("\0" if at in gone else letter for at, letter in enumerate(words))
    return re.sub("\0+", "***", kept) if gone else words


def _letters(text: str) -> str:
    """Return the letters and digits, one for one; ASCII in lower case."""
    return "".join(
        letter.lower() if letter.isascii() else letter for letter in text if letter.isalnum()
    )


def masked(url: str) -> str:
    """Return a URL without user, password and query values, safe to show."""
    address, mark, query = url.partition("?")
    scheme, slashes, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    pairs = "&".join(pair.partition("=")[0] + "=***" for pair in query.split("&"))
    return f"{scheme}{slashes}{host.rpartition('@')[2]}{slash}{path}{mark}{pairs if query else ''}"


def origin(url: str) -> tuple[str, str]:
    """Return the scheme, and the host with its port, to which a key belongs."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.scheme, parts.netloc.rpartition("@")[2]


def on_this_machine(url: str) -> bool:
    """Return whether an address is on the loopback interface."""
    host = origin(url)[1]
    name = host.partition("]")[0].strip("[") if host.startswith("[") else host.partition(":")[0]
    try:
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:  # a name may lead anywhere, whatever it begins with
        return False


def checked(server: Server) -> SplitResult:
    """Return the parts of the server's address.

    Raises ConfigError for an invalid address, header or proxy.
    """
    parts = _address(server.base_url)
    if parts is None:
        raise ConfigError(
            f"{server.section}.baseUrl {masked(server.base_url)!r} is not the address of a server",
            "For example http://localhost:11434/v1",
        )
    if parts.username or parts.password:
        hint = (
            f"Name a variable of the environment instead: {server.section}.apiKeyEnv or "
            f"{server.section}.headers"
        )
        raise ConfigError(f"{server.section}.baseUrl holds a user or a password", hint)
    if server.proxy not in ("", "none"):
        proxy = _address(server.proxy)
        if proxy is None or proxy.scheme != "http":
            hint = 'For example http://proxy.example.org:3128, or "none"'
            raise ConfigError(f"{server.section}.proxy is not the address of an HTTP proxy", hint)
    for name, value in (*server.headers, (server.key_header, server.key)):
        if not re.fullmatch(_NAME, name) or not re.fullmatch(_VALUE, value):
            what = (
                "the key"
                if name == server.key_header
                else f"{server.section}.headers: {name[:40]!r}"
            )
            raise ConfigError(
                f"{what} cannot be sent in a header", "One line of text, without control characters"
            )
    return parts


def _address(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    printable = url.isascii() and url.isprintable() and " " not in url
    return parts if usable and printable else None
