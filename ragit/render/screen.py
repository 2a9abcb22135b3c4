"""Escapes untrusted text for terminals, colours it and measures its width. Pure.

Paths and file contents are untrusted. A control character could move the cursor or set the window
title, a bidirectional override could reorder code, and invisible characters could carry text that
only a program reads. All of them are shown escaped.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ragit.records import NamedTuple, Record

_CONTROL = "\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff"

INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Characters that have no width or reorder text, as part of a regular expression's class: Unicode's
Default_Ignorable_Code_Point without joiners and emoji's selectors, line separators, bidirectional
controls and annotation marks.
"""

_JOINING = (
    "\u0600-\u06ff\u0750-\u077f\u0840-\u109f\u1780-\u18af\ua840-\ua87f\ufb50-\ufdff\ufe70-\ufefc"
)
"""Arabic, Indic and South-East Asian letters, whose form depends on joiners between them."""

_PICTURES = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
"""Ranges with all emoji, which may contain joiners and selectors."""

_STRAY = (
    f"(?<![{_JOINING}])\u200c|(?<![{_JOINING}{_PICTURES}\ufe0f])\u200d"
    f"|(?<![{_PICTURES}#*0-9])[\ufe0e\ufe0f]"
)
"""Joiners and variation selectors that no script or emoji needs."""

UNSEEN = f"[{INVISIBLE}]|{_STRAY}"
_ESCAPED = f"[{_CONTROL}]|{UNSEEN}"
"""Compiled by `re` on first use, which takes 1 ms: most output is ASCII."""
_NAMED = {"\n": "\\n", "\r": "\\r"}


class RenderOptions(Record):
    """Options of rendering, from the command line and its terminal."""

    color: bool = False
    ascii: bool = False
    """Escape all other characters in JSON."""
    width: int = 0
    """Columns of the terminal; 0 if none, and only absurdly long lines are cut."""
    full: bool = False
    """Show whole chunks."""
    context: int = 0
    """Lines to show around each matching line."""
    syntax: bool = False
    """Colour code by its syntax."""
    explain: bool = False
    """Explain the rank of each hit."""
    meanings: Mapping[str, str] = MappingProxyType({})
    """Meaning of each signal, for `explain`."""
    folder: str = ""
    """Current folder below the top of the repository. Paths for people and editors start there."""
    root: str = ""
    """Top of the working tree, for programs; empty for a bare repository."""
    max_lines: int = 0
    """Limit of lines of one hit; 0 for the format's default."""
    max_tokens: int = 0
    """Limit of tokens of the output; 0 for none."""


PLAIN = RenderOptions()


def visible(text: str) -> str:
    """Return text on one line, with control and invisible characters escaped, except tabs."""
    if text.isascii() and text.replace("\t", "").isprintable():
        return text
    return re.sub(_ESCAPED, _escape, text)


def tree_name(tree: str) -> str:
    """Return the beginning of a tree's id, marked as one, since it resembles a commit's."""
    return f"tree {tree[:10]}"


def in_tree(ref: str, tree: str) -> str:
    """Return the requested name of a tree, with the beginning of its id."""
    return f"{visible(ref)} ({tree_name(tree)})"


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    if char in _NAMED:
        return _NAMED[char]
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a path that is no UTF-8, as surrogateescape keeps it
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def from_here(path: str, options: RenderOptions) -> str:
    """Return a path of the tree relative to the current folder, as git grep and rg print it."""
    if not options.folder:
        return path
    return posixpath.relpath(f"/{path}", f"/{options.folder}")


def plain(text: str) -> str:
    """Return text that any JSON reader accepts: bytes that are not UTF-8 become U+FFFD."""
    return text if text.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", text)


class Paint(NamedTuple):
    """Colours by meaning, from the sixteen of every terminal's theme, for light and dark."""

    color: bool

    def _with(self, codes: str, text: str) -> str:
        return f"\x1b[{codes}m{text}\x1b[0m" if self.color and text else text

    def path(self, text: str) -> str:
        """Colour a path."""
        return self._with("35", text)

    def line(self, text: str) -> str:
        """Colour the number of a line that matches."""
        return self._with("32", text)

    def match(self, text: str) -> str:
        """Colour a word of the query."""
        return self._with("1;31", text)

    def comment(self, text: str) -> str:
        """Colour a comment of code."""
        return self._with("2", text)

    def string(self, text: str) -> str:
        """Colour a string literal."""
        return self._with("32", text)

    def number(self, text: str) -> str:
        """Colour a number in code."""
        return self._with("36", text)

    def keyword(self, text: str) -> str:
        """Colour a keyword of code."""
        return self._with("34", text)

    def definition(self, text: str) -> str:
        """Emphasise the name of a definition."""
        return self._with("1", text)

    def styled(self, style: str, text: str) -> str:
        """Colour text by the name of one of these methods; an empty style leaves it plain."""
        return str(getattr(self, style)(text)) if style else text

    def name(self, text: str) -> str:
        """Emphasise a name."""
        return self._with("1", text)

    def score(self, text: str) -> str:
        """Colour a figure."""
        return self._with("36", text)

    def good(self, text: str) -> str:
        """Colour a good state, or a part that raises a score."""
        return self._with("32", text)

    def bad(self, text: str) -> str:
        """Colour a fault, or a part that lowers a score."""
        return self._with("33", text)

    def faint(self, text: str) -> str:
        """Show text faintly."""
        return self._with("2", text)


def cells(text: str) -> int:
    """Return the columns of text without control characters; East Asian wide characters
    take two.
    """
    if text.isascii():
        return len(text)
    from unicodedata import east_asian_width  # a megabyte of tables, for the few lines that need it

    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: 1 file, 6,519 files."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """Format a time: 42 ms, 3.4 s, 2 min 5 s, 1 h 12 min."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def money(cost: float) -> str:
    """Format dollars, below one with two significant figures: $1,234.50, $0.13, $0.0013."""
    if cost >= 1 or not cost:
        return f"${cost:,.2f}"
    if cost < 1e-6:
        return "less than $0.000001"
    power = int(f"{cost:.1e}".partition("e")[2])
    return f"${cost:.{max(2, 1 - power)}f}"


def priced(cost: float | None, unpriced: Sequence[str]) -> str:
    """Return a cost, or which price is unknown."""
    if cost is not None:
        return f"{money(cost)} by `pricing`"
    if not unpriced:
        return "the server does not count all tokens, so that they have no price"
    return f"no price for {' and '.join(map(visible, unpriced))} under `pricing`"


def sized(number: int) -> str:
    """Format bytes: 900 bytes, 23.4 MB."""
    size = float(number)
    for unit in ("bytes", "kB", "MB", "GB"):
        if abs(size) < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} TB"
