"""What a terminal or a reader of JSON may be shown: harmless text, colour if wanted, and how wide it is. Pure.

Paths and file contents are a stranger's. A control character among them could move the cursor, set the title or hide
what stands beside it, and a bidirectional override could turn code around before the reader's eyes: all are shown
escaped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ragit.records import Record

_UNSAFE = (
    "\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
)
_ESCAPED = re.compile(f"[{_UNSAFE}]")
_NAMED = {"\n": "\\n", "\r": "\\r", "\ufeff": "\\ufeff"}


class RenderOptions(Record):
    """How an answer is to look; what a face knows about its terminal arrives here."""

    color: bool = False
    width: int = 0
    """Columns of the terminal; 0 where there is none, and lines are cut only when absurdly long."""
    full: bool = False
    """Show the whole chunk."""
    context: int = 0
    """Lines to show around each line that matches."""
    explain: bool = False
    """Say why each hit is where it is."""
    meanings: Mapping[str, str] = MappingProxyType({})
    """What each signal is, in words, for whoever asked to explain."""


PLAIN = RenderOptions()


def visible(text: str) -> str:
    """The text on one line with nothing in it that a terminal would obey; a tab stays a tab."""
    return _ESCAPED.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    if char in _NAMED:
        return _NAMED[char]
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a path that is no UTF-8, as surrogateescape keeps it
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def plain(text: str) -> str:
    """Text that any JSON reader accepts: bytes that were no UTF-8 become U+FFFD (path_bytes keeps them)."""
    return text if text.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", text)


class Paint(NamedTuple):
    """Colours by meaning. Only the sixteen that every terminal's theme defines, so that they fit light and dark."""

    color: bool

    def _with(self, codes: str, text: str) -> str:
        return f"\x1b[{codes}m{text}\x1b[0m" if self.color and text else text

    def path(self, text: str) -> str:
        """Where a hit lies."""
        return self._with("35", text)

    def line(self, text: str) -> str:
        """A line number that matters."""
        return self._with("32", text)

    def match(self, text: str) -> str:
        """A word of the query."""
        return self._with("1;31", text)

    def name(self, text: str) -> str:
        """What the eye looks for first."""
        return self._with("1", text)

    def score(self, text: str) -> str:
        """A figure."""
        return self._with("36", text)

    def good(self, text: str) -> str:
        """All is well; raised."""
        return self._with("32", text)

    def bad(self, text: str) -> str:
        """Something to mend; lowered."""
        return self._with("33", text)

    def faint(self, text: str) -> str:
        """There for who looks for it."""
        return self._with("2", text)


def cells(text: str) -> int:
    """Columns that a text without control characters takes; a Chinese, Japanese or Korean character takes two."""
    if text.isascii():
        return len(text)
    from unicodedata import east_asian_width  # a megabyte of tables, for the few lines that need it

    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 file, 6,519 files."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def money(cost: float) -> str:
    """Dollars for a person; below one, two figures of them, however small: $1,234.50, $0.13, $0.0013."""
    if cost >= 1 or not cost:
        return f"${cost:,.2f}"
    if cost < 1e-6:
        return "less than $0.000001"
    power = int(f"{cost:.1e}".partition("e")[2])
    return f"${cost:.{max(2, 1 - power)}f}"


def priced(cost: float | None, unpriced: Sequence[str]) -> str:
    """What something cost; or whose price is not known."""
    if cost is not None:
        return f"{money(cost)} by `pricing`"
    if not unpriced:
        return "the server does not count all tokens, so that they have no price"
    return f"no price for {' and '.join(map(visible, unpriced))} under `pricing`"


def sized(number: int) -> str:
    """Bytes for a person: 900 bytes, 23.4 MB."""
    size = float(number)
    for unit in ("bytes", "kB", "MB", "GB"):
        if abs(size) < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} TB"
