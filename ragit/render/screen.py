"""Escapes untrusted text for terminals, colours it and measures its width. Pure.

Paths and file contents are untrusted. A control character in them could move the cursor or set the
window title, a bidirectional override could reorder code on the screen, and characters without
width could carry text that only a program reads. All of them are shown escaped.
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
"""Characters that have no width or reorder text: Unicode's Default_Ignorable_Code_Point without
joiners and emoji's selectors, line separators, bidirectional controls and annotation marks. As
the inside of a regular expression's class.
"""

_JOINING = (
    "\u0600-\u06ff\u0750-\u077f\u0840-\u109f\u1780-\u18af\ua840-\ua87f\ufb50-\ufdff\ufe70-\ufefc"
)
"""Arabic, Indic and South-East Asian letters: joiners between them decide how they are written."""

_PICTURES = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
"""Ranges that hold all emoji, which joiners and selectors make up."""

_STRAY = (
    f"(?<![{_JOINING}])\u200c|(?<![{_JOINING}{_PICTURES}\ufe0f])\u200d"
    f"|(?<![{_PICTURES}#*0-9])[\ufe0e\ufe0f]"
)
"""Joiners and variation selectors where no script and no emoji needs them."""

UNSEEN = f"[{INVISIBLE}]|{_STRAY}"
_ESCAPED = f"[{_CONTROL}]|{UNSEEN}"
"""Compiled by `re` when it is first needed, which takes 1 ms: most output is ASCII."""
_NAMED = {"\n": "\\n", "\r": "\\r"}


class RenderOptions(Record):
    """The options of rendering, from the command line and its terminal."""

    color: bool = False
    ascii: bool = False
    """The output takes no UTF-8: JSON escapes all other characters."""
    width: int = 0
    """Columns of the terminal; 0 where there is none, and lines are cut only when absurdly long."""
    full: bool = False
    """Show the whole chunk."""
    context: int = 0
    """Lines to show around each line that matches."""
    syntax: bool = False
    """Colour code by its syntax."""
    explain: bool = False
    """Say why each hit is where it is."""
    meanings: Mapping[str, str] = MappingProxyType({})
    """The meaning of each signal, for `explain`."""
    folder: str = ""
    """The current folder below the top of the repository: paths for people and editors count from
    there.
    """
    root: str = ""
    """The top of the working tree, for programs; empty for a bare repository."""
    max_lines: int = 0
    """Lines of one hit at most; 0 for the format's own number."""
    max_tokens: int = 0
    """Tokens of the whole output at most; 0 for any number."""


PLAIN = RenderOptions()


def visible(text: str) -> str:
    """Return text on one line, with everything that controls a terminal or cannot be seen escaped.
    A tab stays a tab.
    """
    if text.isascii() and text.replace("\t", "").isprintable():
        return text
    return re.sub(_ESCAPED, _escape, text)


def tree_name(tree: str) -> str:
    """Return the beginning of a tree's id, called what it is: beside a revision it would be taken
    for a commit's.
    """
    return f"tree {tree[:10]}"


def in_tree(ref: str, tree: str) -> str:
    """Return the name by which a tree was asked for, with the tree that it stands for."""
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
    """Return a path of the tree as one from the current folder, as git grep and rg print it."""
    if not options.folder:
        return path
    return posixpath.relpath(f"/{path}", f"/{options.folder}")


def plain(text: str) -> str:
    """Return text that any JSON reader accepts: bytes that were not UTF-8 become U+FFFD."""
    return text if text.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", text)


class Paint(NamedTuple):
    """Colours by meaning. Only the sixteen that every terminal's theme defines, so that they fit
    light and dark.
    """

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
        """Colour a literal text in code."""
        return self._with("32", text)

    def number(self, text: str) -> str:
        """Colour a number in code."""
        return self._with("36", text)

    def keyword(self, text: str) -> str:
        """Colour a keyword of code."""
        return self._with("34", text)

    def definition(self, text: str) -> str:
        """Emphasise a name that code defines."""
        return self._with("1", text)

    def styled(self, style: str, text: str) -> str:
        """Colour text by the name of one of these methods; an empty one leaves it plain."""
        return str(getattr(self, style)(text)) if style else text

    def name(self, text: str) -> str:
        """Emphasise a name."""
        return self._with("1", text)

    def score(self, text: str) -> str:
        """Colour a figure."""
        return self._with("36", text)

    def good(self, text: str) -> str:
        """Colour what is well, or raises a score."""
        return self._with("32", text)

    def bad(self, text: str) -> str:
        """Colour what has to be repaired, or lowers a score."""
        return self._with("33", text)

    def faint(self, text: str) -> str:
        """Show text faintly."""
        return self._with("2", text)


def cells(text: str) -> int:
    """Return the columns that text without control characters takes; East Asian wide characters
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
    """Return a time for a person: 42 ms, 3.4 s, 2 min 5 s, 1 h 12 min."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def money(cost: float) -> str:
    """Return dollars for a person, with two significant figures below one: $1,234.50, $0.13,
    $0.0013.
    """
    if cost >= 1 or not cost:
        return f"${cost:,.2f}"
    if cost < 1e-6:
        return "less than $0.000001"
    power = int(f"{cost:.1e}".partition("e")[2])
    return f"${cost:.{max(2, 1 - power)}f}"


def priced(cost: float | None, unpriced: Sequence[str]) -> str:
    """Return the cost of something, or which price is not known."""
    if cost is not None:
        return f"{money(cost)} by `pricing`"
    if not unpriced:
        return "the server does not count all tokens, so that they have no price"
    return f"no price for {' and '.join(map(visible, unpriced))} under `pricing`"


def sized(number: int) -> str:
    """Return bytes for a person: 900 bytes, 23.4 MB."""
    size = float(number)
    for unit in ("bytes", "kB", "MB", "GB"):
        if abs(size) < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} TB"
