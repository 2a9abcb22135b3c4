"""Prepare Rich Text for striprtf: mark its structure, and remove parts that striprtf cannot handle.

striprtf decodes letters by fonts, code pages and Unicode, and gives one text without structure. It
shows hidden text, drops notes, headers and boxes, and its expressions for fonts, links and pictures
take hours on hostile input. So the source is parsed before (RTF 1.9.1), and only text and fonts are
left in it.
"""

from __future__ import annotations

import codecs
import re
from copy import copy

from ragit.chunk.documents.block import Bounds, Unreadable

MOST_GROUPS = 5_000
"""Limit of nested groups. Those of ordinary files stay below 50."""
_MOST_ASIDE = 4
"""Limit of nested notes, boxes and headers; deeper ones are part of the innermost one."""
_MOST_TOKENS = 1_000_000
"""Limit of words, groups and runs of text."""

PARAGRAPH, CELL, ROW, ASIDE_BEGINS, ASIDE_ENDS, LABEL_BEGINS, LABEL_ENDS = map(
    chr, range(0xFDD0, 0xFDD7)
)
"""Marks in striprtf's output: noncharacters of Unicode, which no text may contain.

A letter that encodes a number follows PARAGRAPH and ASIDE_BEGINS (`number_in`).
"""
_NUMBERS = 0xE000
_DEPTHS = 32

ASIDE = {
    "footnote": "note",
    "annotation": "note",
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "header"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "footer"),
    **dict.fromkeys(("shptxt", "dptxbxtext"), "text"),
}
"""Groups that are not part of the surrounding sentence, and their kind of block."""
KINDS = ("note", "header", "footer", "text")

_SKIPPED = frozenset(
    "colortbl info pict objdata objclass objname fldinst nonshppict shprslt sp upr tc tcn xe "
    "rxe bkmkstart bkmkend listtable listoverridetable revtbl rsidtbl generator xmlnstbl "
    "themedata colorschememapping datastore latentstyles filetbl pn pnseclvl private template "
    "comment docvar nonesttables atnid atnauthor atntime atndate atnref atnicn annotationref "
    "passwordhash userprops mmathPr htmltag ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn "
    "background".split()
)
"""Groups whose text is not shown, or repeated elsewhere."""
_KEPT = frozenset("ud shpinst shptxt annotation footnote flymaincnt flyhorz shppict".split())
"""Groups with text that older programs leave out."""
_LETTERS = frozenset(
    "tab line emdash endash bullet lquote rquote ldblquote rdblquote "
    "emspace enspace qmspace".split()
)
"""Words for letters that striprtf knows."""
_SYMBOLS = {"~": " ", "_": "-", "{": "\\{", "}": "\\}", "\\": "\\\\", "\t": "\\tab "}

_CHARSETS = {
    "cp1252": 0,
    "mac_roman": 77,
    "cp932": 128,
    "cp949": 129,
    "johab": 130,
    "cp936": 134,
    "cp950": 136,
    "cp1253": 161,
    "cp1254": 162,
    "cp1258": 163,
    "cp1255": 177,
    "cp1256": 178,
    "cp1257": 186,
    "cp1251": 204,
    "cp874": 222,
    "cp1250": 238,
    "cp437": 254,
    "cp850": 255,
}
"""Numbers of fonts' character sets by codec, as far as both striprtf and Python know them."""
_CODECS = {number: codec for codec, number in _CHARSETS.items()} | {
    2: "cp1252",
    78: "cp932",
    79: "cp949",
    80: "cp936",
    81: "cp950",
}
_PAGES = {
    10000: "mac_roman",
    65001: "utf-8",
    10007: "mac_cyrillic",
    10006: "mac_greek",
    1361: "johab",
}
_DOUBLE = frozenset(("cp932", "cp949", "johab", "cp936", "cp950"))
"""Codecs of one or two bytes a letter; the second byte may be written as a plain letter."""

_TOKEN = re.compile(
    r"\\([A-Za-z]{1,32})(-?[0-9]{1,10})?[ ]?"  # a control word
    r"|\\'([0-9A-Fa-f]{2})"  # a byte
    r"|\\(.)"  # a control symbol
    r"|([{}])"
    r"|([^\\{}]+)",
    re.DOTALL,
)
_IGNORED = str.maketrans("", "", "\r\n\0")
_HIGH = re.compile("[\x80-\xff]")
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)


def number_in(letter: str) -> int:
    """Return the number in the letter after a mark."""
    return ord(letter) - _NUMBERS


def level_and_depth(letter: str) -> tuple[int, int]:
    """Return a paragraph's level of titles and depth of lists, both from 0; -1 for none."""
    level, depth = divmod(number_in(letter), _DEPTHS)
    return level - 1, depth - 1


class _State:
    """The properties of a group, which end with it."""

    __slots__ = (
        "aside",
        "depth",
        "font",
        "hidden",
        "in_table",
        "label",
        "nested",
        "outline",
        "role",
        "skipped",
        "style",
    )

    def __init__(self) -> None:
        self.role = ""
        """fonts or styles, whose words are descriptions; empty for text."""
        self.skipped = False
        self.aside = self.label = False
        """The group is a note, box or header, or the number of a list item."""
        self.nested = 0
        """Asides around the text."""
        self.font = 0
        self.hidden = False
        self.style = 0
        self.outline = -1
        """The paragraph's own level of titles from 0; 9 for none."""
        self.depth = -1
        """Depth of a list item."""
        self.in_table = False

    def within(self) -> _State:
        """Return the state in which a nested group begins."""
        inner = copy(self)
        inner.aside = inner.label = False
        return inner


class Marker:
    """One document being prepared. `marked` and `encoding` are arguments of striprtf."""

    def __init__(self, text: str, bounds: Bounds) -> None:
        """Read the document, whose letters are its bytes."""
        self.encoding = "cp1252"
        self.cut = False
        """A limit cut the document."""
        self._out: list[str] = []
        self._groups: list[_State] = []
        self._state = _State()
        self._fonts: dict[int, str] = {}
        self._default_font = 0
        self._levels: dict[int, int] = {}
        """Levels of titles by paragraph style."""
        self._described = 0
        """Font or style that the current words describe."""
        self._name = ""
        self._first = self._starred = False
        """The group has just begun; its first word, or a star, will tell its kind."""
        self._read(text, bounds)

    @property
    def marked(self) -> str:
        """The source for striprtf."""
        fonts = "".join(
            rf"{{\f{number}\fcharset{_CHARSETS[codec]} x;}}"
            for number, codec in self._fonts.items()
            if codec in _CHARSETS
        )
        return f"{{{{\\fonttbl{fonts}}}{''.join(self._out)}}}"

    def _read(self, text: str, bounds: Bounds) -> None:
        at = text.index("{")
        tokens = size = 0
        while found := _TOKEN.match(text, at):
            before = len(self._out)
            at = found.end() + self._token(found)
            tokens += 1
            size += sum(map(len, self._out[before:]))
            self.cut = tokens > _MOST_TOKENS or size > 2 * bounds.text
            if self.cut or not self._groups:
                break
        while self._groups:
            self._close()
        self._mark(PARAGRAPH, self._paragraph())

    def _token(self, found: re.Match[str]) -> int:
        """Read one token; return how many characters to leave out after it."""
        word, number, byte, symbol, brace, run = found.groups()
        if brace == "{":
            self._open()
        elif brace:
            self._close()
        elif word == "bin":
            return max(0, int(number or 0))
        elif self._state.skipped and not (self._first and (word == "ud" or symbol == "*")):
            self._first = False
        elif word:
            self._word(word, int(number) if number else None)
        elif symbol:
            self._symbol(symbol)
        else:
            self._text(run, byte)
        return 0

    # -- groups -----------------------------------------------------------------------------------

    def _open(self) -> None:
        if len(self._groups) >= MOST_GROUPS:
            raise Unreadable("nested too deeply")
        self._groups.append(self._state)
        self._state = self._state.within()
        self._first, self._starred = True, False
        self._out.append("{")

    def _close(self) -> None:
        ended, self._state = self._state, self._groups.pop()
        self._first = False
        if ended.role == "styles":
            self._end_style()
        if ended.aside:
            self._mark(PARAGRAPH, self._paragraph(ended))
            self._mark(ASIDE_ENDS)
        elif ended.label:
            self._mark(LABEL_ENDS)
        self._out.append("}")

    def _destination(self, word: str) -> bool:
        """Set the kind of a group by its first word; return False if that is an ordinary word."""
        state = self._state
        if word in ("fonttbl", "stylesheet"):
            state.role = "fonts" if word == "fonttbl" else "styles"
        elif word in ("listtext", "pntext"):
            state.label = True
            self._mark(LABEL_BEGINS)
        elif word in ASIDE:
            if state.nested < _MOST_ASIDE:
                state.aside = True
                state.nested += 1
                self._mark(ASIDE_BEGINS, KINDS.index(ASIDE[word]))
            state.in_table, state.style, state.outline, state.depth = False, 0, -1, -1
        elif word in _SKIPPED or (self._starred and word not in _KEPT):
            state.skipped = True
        else:
            return False
        return True

    # -- words ------------------------------------------------------------------------------------

    def _word(self, word: str, number: int | None) -> None:
        first, self._first = self._first, False
        if first and word == "ud":  # Unicode beside its fallback in bytes, which is skipped
            self._state.skipped = False
        elif first and self._destination(word):
            return
        elif self._state.role:
            self._describe(word, number or 0)
        else:
            self._act(word, number)

    def _act(self, word: str, number: int | None) -> None:
        """Read a control word."""
        if word in ("par", "sect", "page", "column"):
            self._end_paragraph()
        elif word in ("cell", "row"):
            self._mark(CELL if word == "cell" else ROW)
        elif word in ("nestcell", "nestrow"):
            self._out.append("\\x  ")
        elif word in ("f", "plain", "v", "deleted"):
            self._letters_change(word, number)
        elif word in _LETTERS or word in ("u", "uc"):
            self._letter(word, number or 0)
        else:
            self._set(word, number or 0)

    def _letter(self, word: str, number: int) -> None:
        """Write the letter of a control word, or set the number of fallback characters
        after one.
        """
        if word == "uc":
            self._out.append(f"\\uc{max(0, min(number, 20))} ")
        elif not self._state.hidden and word == "u":
            code = number % 0x10000
            self._out.append(f"\\u{32 if 0xFDD0 <= code <= 0xFDEF else code} ")
        elif not self._state.hidden:
            self._out.append(f"\\{word} ")

    def _describe(self, word: str, number: int) -> None:
        """Read a word of the table of fonts or of styles."""
        if word == ("f" if self._state.role == "fonts" else "s"):
            self._described = number
        elif word in ("cs", "ds", "ts"):
            self._described = -1  # a style, but not of paragraphs
        elif word == "fcharset" and number in _CODECS:
            self._fonts[self._described] = _CODECS[number]
        elif word == "cpg" and _codec_of(number):
            self._fonts[self._described] = _codec_of(number)
        elif word == "outlinelevel" and 0 <= number < 9 and self._state.role == "styles":
            self._levels[self._described] = number + 1

    def _end_style(self) -> None:
        """Store a style whose name is complete."""
        if not self._name.strip():
            return
        title = _HEADING.search(self._name)
        if title:
            self._levels.setdefault(self._described, int(title[1]))
        elif self._name.strip(" ;").lower() == "title":
            self._levels.setdefault(self._described, 0)
        self._name, self._described = "", 0

    def _letters_change(self, word: str, number: int | None) -> None:
        """Change the font, or whether text is hidden."""
        state = self._state
        if word in ("v", "deleted"):
            state.hidden = number != 0
            return
        if word == "plain":
            state.hidden = False
        state.font = self._default_font if word == "plain" else max(0, number or 0)
        self._out.append(f"\\f{state.font} ")

    def _set(self, word: str, number: int) -> None:
        """Change properties from here on."""
        state = self._state
        if word == "pard":
            state.style, state.outline, state.depth, state.in_table = 0, -1, -1, False
        elif word == "s":
            state.style = number
        elif word == "outlinelevel":
            state.outline = number
        elif word == "ilvl":
            state.depth = max(0, min(number, 20))
        elif word == "intbl":
            state.in_table = True
        elif word == "deff":
            self._default_font = state.font = max(0, number)
            self._out.append(f"\\f{state.font} ")
        elif word in ("ansicpg", "mac", "pc", "pca"):
            page = {"mac": 10000, "pc": 437, "pca": 850}.get(word, number)
            self.encoding = _codec_of(page) or self.encoding

    def _end_paragraph(self) -> None:
        if self._state.in_table:
            self._out.append("\\x  ")
        else:
            self._mark(PARAGRAPH, self._paragraph())

    def _paragraph(self, state: _State | None = None) -> int:
        """Return the level and depth of the paragraph that ends, as one number."""
        state = state or self._state
        level = state.outline + 1 if state.outline >= 0 else self._levels.get(state.style, -1)
        return (level + 1 if level <= 9 else 0) * _DEPTHS + state.depth + 1

    # -- text -------------------------------------------------------------------------------------

    def _mark(self, mark: str, number: int | None = None) -> None:
        # The word ends a search for the fallback of a letter, which would take the mark.
        self._out.append(f"\\x {mark}{'' if number is None else chr(_NUMBERS + number)}")

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._starred = self._first
        elif symbol in "\r\n":
            self._word("par", None)
        elif symbol in _SYMBOLS and not self._state.hidden and not self._state.role:
            self._out.append(_SYMBOLS[symbol])
        self._first = self._first and symbol == "*"

    def _text(self, run: str | None, byte: str | None) -> None:
        """Write text, or one byte of it."""
        text = (run or "").translate(_IGNORED)
        self._first = self._first and not text and not byte
        if self._state.role == "styles":
            self._name = (self._name + text)[:100]
        elif self._state.role or self._state.hidden:
            return
        elif byte:
            self._out.append(f"\\'{byte}")
        elif self._fonts.get(self._state.font) in _DOUBLE:
            self._out.append("".join(f"\\'{ord(letter):02x}" for letter in text))
        else:
            self._out.append(_HIGH.sub(lambda found: f"\\'{ord(found[0]):02x}", text))


def _codec_of(page: int) -> str:
    """Return Python's name for a code page; empty if it has none."""
    if not 0 <= page < 1 << 16:
        return ""
    try:
        return codecs.lookup(_PAGES.get(page, f"cp{page}")).name
    except LookupError:
        return ""
