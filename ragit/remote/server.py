"""Where a service is and how it is spoken to: the value that a client is made of. Checked once, never shown whole."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from ragit.errors import ConfigError

_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
"""A header's name, by RFC 9110."""

_LONGEST = 4000
"""Characters of a message that are looked at, and shown at most."""

_PIECE = 8
"""Letters and digits of a key in a row that no message shows. Fewer tell little, and many words are as long."""

_VALUE = r"[\t\x20-\x7e\x80-\xff]*"
"""A header's value: no line end, which would begin another header."""


class Server(NamedTuple):
    """One service. Its repr shows neither key nor header values nor what a URL's query holds."""

    base_url: str
    """Up to and including the version, for example https://api.openai.com/v1. A query (?api-version=...) is kept."""
    key: str = ""
    key_header: str = "Authorization"
    """Authorization sends `Bearer KEY`; any other header, as Azure's api-key, the key alone."""
    key_hint: str = ""
    """Where the key is looked for, in words: what a person is told who has none, or a wrong one. Empty: nowhere."""
    headers: tuple[tuple[str, str], ...] = ()
    """Further headers of every request."""
    timeout: float = 30.0
    """Seconds for one answer, from the first byte sent to the last one received."""
    concurrency: int = 1
    """Most requests under way at once."""
    proxy: str = ""
    """http://[user:password@]host:port; "none" for none; empty: as the environment says (HTTPS_PROXY, NO_PROXY)."""
    ca_file: str = ""
    """Certificates to trust beside the system's, in a PEM file."""
    section: str = "embedding"
    """The table of settings that names this server: what hints point to."""

    def __repr__(self) -> str:
        return f"Server({masked(self.base_url)}, key {'set' if self.key else 'not set'})"

    @property
    def secrets(self) -> tuple[str, ...]:
        """All that no message may repeat."""
        values = (
            self.key,
            *(value for _, value in self.headers),
            urlsplit(self.proxy).password or "",
        )
        queries = (part.partition("=")[2] for part in urlsplit(self.base_url).query.split("&"))
        return tuple(value for value in (*values, *queries) if len(value) > 3)

    def hide(self, words: str) -> str:
        """What a server said, without keys and without pieces of them, however they are spelt and set apart."""
        words = words[:_LONGEST]
        for secret in self.secrets:
            words = _without_pieces(words.replace(secret, "***"), secret)
        return words


def _without_pieces(words: str, secret: str) -> str:
    """Words without runs of a secret's letters and digits; what stands between these does not break a run."""
    places = [at for at, letter in enumerate(words) if letter.isalnum()]
    said, key = _letters(words), _letters(secret)
    pieces = {key[at : at + _PIECE] for at in range(len(key) - _PIECE + 1)}
    gone: set[int] = set()
    for at in range(len(said) - _PIECE + 1):
        if said[at : at + _PIECE] in pieces:
            gone.update(range(places[at], places[at + _PIECE - 1] + 1))
    kept = "".join("\0" if at in gone else letter for at, letter in enumerate(words))
    return re.sub("\0+", "***", kept) if gone else words


def _letters(text: str) -> str:
    """Letters and digits, one for one, in lower case where that is one letter, too."""
    return "".join(
        letter.lower() if letter.isascii() else letter for letter in text if letter.isalnum()
    )


def masked(url: str) -> str:
    """A URL that may be shown: no user, no password, no values in its query."""
    address, mark, query = url.partition("?")
    scheme, slashes, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    pairs = "&".join(pair.partition("=")[0] + "=***" for pair in query.split("&"))
    return f"{scheme}{slashes}{host.rpartition('@')[2]}{slash}{path}{mark}{pairs if query else ''}"


def origin(url: str) -> tuple[str, str]:
    """Scheme and host with its port: what a key belongs to."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.scheme, parts.netloc.rpartition("@")[2]


def on_this_machine(url: str) -> bool:
    """Whether an address never leaves this machine: the loopback interface."""
    host = origin(url)[1]
    name = host.partition("]")[0].strip("[") if host.startswith("[") else host.partition(":")[0]
    try:
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:  # a name, which may lead anywhere, whatever it begins with
        return False


def checked(server: Server) -> SplitResult:
    """The parts of the server's address. ConfigError for what cannot be an address, a header or a proxy."""
    parts = _address(server.base_url)
    if parts is None:
        raise ConfigError(
            f"{server.section}.baseUrl {masked(server.base_url)!r} is not the address of a server",
            "for example http://localhost:11434/v1",
        )
    if parts.username or parts.password:
        hint = f"Name a variable of the environment instead: {server.section}.apiKeyEnv or {server.section}.headers"
        raise ConfigError(f"{server.section}.baseUrl holds a user or a password", hint)
    if server.proxy not in ("", "none"):
        proxy = _address(server.proxy)
        if proxy is None or proxy.scheme != "http":
            hint = 'for example http://proxy.example.org:3128, or "none"'
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
