"""Rich Text Format (.rtf): titles, paragraphs, lists, tables, notes; pages are nowhere in it.

Read by rules of its own: striprtf, the library there is, gives a text without titles, reads pictures as words and drops
what lies beyond the first 65,536 characters of Unicode. What is read is written down in RTF 1.9.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragit.chunk.documents.block import Block, Bounds, Unreadable
from ragit.chunk.documents.rtf_flow import Flow
from ragit.chunk.documents.rtf_words import (
    ASIDE,
    CODE_PAGES,
    KEPT,
    LETTERS,
    PARAGRAPH_ENDS,
    SKIPPED,
    SYMBOLS,
    codec_of,
)

MOST_GROUPS = 5_000
"""Groups within each other. Those that programs write stay below 50."""
_MOST_ASIDE = 4
"""Texts beside each other's that stand apart; what is within the last of them is a part of it."""

_TOKEN = re.compile(
    r"\\([A-Za-z]{1,32})(-?[0-9]{1,10})?[ ]?"  # a control word
    r"|\\'([0-9A-Fa-f]{2})"  # a byte
    r"|\\(.)"  # a control symbol
    r"|([{}])"
    r"|([^\\{}]+)",
    re.DOTALL,
)
_LINE_ENDS = str.maketrans("", "", "\r\n\0")
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)


def read(data: bytes, bounds: Bounds) -> Iterator[Block]:
    """Paragraphs under their titles, and the rows of tables with their first row above them."""
    if not data.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{\\rtf"):
        raise Unreadable("no rtf file")
    reader = _Reader(bounds)
    text = data.decode("latin-1")
    at = text.index("{")
    while found := _TOKEN.match(text, at):
        at = found.end() + reader.token(found)
        yield from reader.main.taken()
        if not reader.groups:
            break
    reader.end()
    yield from reader.main.taken()


class _State:
    """What holds within a group and ends with it."""

    __slots__ = (
        *(
            "skipped",
            "role",
            "flow",
            "beside",
            "font",
            "fallback",
            "hidden",
            "style",
            "outline",
            "depth",
            "in_table",
        ),
    )

    def __init__(self, flow: Flow) -> None:
        self.skipped = False
        self.role = ""
        """fonttbl or stylesheet, whose words describe; mark, whose text is a list item's number."""
        self.flow = flow
        self.beside = 0
        """How many texts beside others this one is within: a note in a box in a header."""
        self.font = 0
        self.fallback = 1
        """Characters that follow one of Unicode for programs that do not know it."""
        self.hidden = False
        self.style = 0
        self.outline = -1
        """The paragraph's own level of titles from 0; 9 says that it is none."""
        self.depth = -1
        """Of an item in its list."""
        self.in_table = False

    def copy(self) -> _State:
        other = _State(self.flow)
        for name in self.__slots__:
            setattr(other, name, getattr(self, name))
        return other


class _Reader:
    """One document being read."""

    def __init__(self, bounds: Bounds) -> None:
        self.main = Flow("", bounds)
        self.groups: list[_State] = []
        self._state = _State(self.main)
        self._bounds = bounds
        self._codec = "cp1252"
        self._codecs: dict[int, str] = {}
        """Of fonts: each may have letters of its own."""
        self._default_font = 0
        self._levels: dict[int, int] = {}
        """Of paragraphs' styles, as far as they are titles."""
        self._raw = bytearray()
        self._to_skip = 0
        self._starred = False
        self._first = False
        """The group has just begun: what comes says what it is."""
        self._described = 0
        """Of tables of fonts or styles, which one."""
        self._name = ""

    def token(self, found: re.Match[str]) -> int:
        """Takes one token in; how many characters to leave out behind it."""
        word, number, byte, symbol, brace, run = found.groups()
        if run is not None:
            self._plain(run.translate(_LINE_ENDS))
        elif brace == "{":
            self._begin()
        elif brace:
            self._close()
        elif word:
            return self._word(word, int(number) if number else None)
        elif self._to_skip:
            self._to_skip -= 1
        elif byte:
            self._plain(chr(int(byte, 16)))
        else:
            self._symbol(symbol)
        return 0

    def end(self) -> None:
        """The file is over, with or without the ends of its groups."""
        while len(self.groups) > 1:
            self._close()
        self._settle()
        self._end_paragraph()
        self.main.end()

    # -- groups --------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._settle()
        self._to_skip = 0
        if len(self.groups) >= MOST_GROUPS:
            raise Unreadable("nested too deeply")
        self.groups.append(self._state)
        self._state = self._state.copy()
        self._first, self._starred = True, False

    def _close(self) -> None:
        self._settle()
        self._to_skip = 0
        ended, self._state = self._state, self.groups.pop() if self.groups else self._state
        if ended.role == "stylesheet":
            self._named()
        if ended.flow is not self._state.flow:
            ended.flow.end_paragraph()
            ended.flow.end()
            self._state.flow.beside(ended.flow.taken())
        self._first = False

    def _named(self) -> None:
        """The name of a style is complete."""
        if not self._name.strip():
            return
        title = _HEADING.search(self._name)
        if title:
            self._levels.setdefault(self._described, int(title[1]))
        elif self._name.strip(" ;").lower() == "title":
            self._levels.setdefault(self._described, 0)
        self._name, self._described = "", 0

    def _destination(self, word: str) -> bool:
        """What a group is, by its first word. False if that is a word like any other."""
        state = self._state
        if word in ("fonttbl", "stylesheet"):
            state.role = word
        elif word in ("listtext", "pntext"):
            state.role = "mark"
        elif word in ASIDE:
            if state.beside < _MOST_ASIDE:
                state.flow = Flow(ASIDE[word], self._bounds)
                state.beside += 1
            state.in_table, state.style, state.outline, state.depth = False, 0, -1, -1
        elif word in SKIPPED or (self._starred and word not in KEPT):
            state.skipped = True
        else:
            return False
        return True

    # -- words ---------------------------------------------------------------------------------------------------------

    def _word(self, word: str, number: int | None) -> int:
        if word == "bin":
            return max(0, number or 0)
        if (
            self._first and word == "ud"
        ):  # what stands in Unicode beside its like in bytes, which was left out
            self._state.skipped = False
        if self._first and not self._state.skipped and self._destination(word):
            self._first = False
            return 0
        self._first = False
        if self._to_skip:
            self._to_skip -= 1
        elif self._state.role in ("fonttbl", "stylesheet"):
            self._describe(word, number or 0)
        elif not self._state.skipped:
            self._act(word, number)
        return 0

    def _describe(self, word: str, number: int) -> None:
        if word in ("f", "s") and self._state.role == ("fonttbl" if word == "f" else "stylesheet"):
            self._described = number
        elif word in ("cs", "ds", "ts"):
            self._described = -1  # a style, but no paragraph's
        elif word == "fcharset" and str(number) in CODE_PAGES:
            self._codecs[self._described] = CODE_PAGES[str(number)]
        elif word == "cpg" and codec_of(number):
            self._codecs[self._described] = codec_of(number)
        elif word == "outlinelevel" and 0 <= number < 9 and self._state.role == "stylesheet":
            self._levels[self._described] = number + 1

    def _act(self, word: str, number: int | None) -> None:
        state = self._state
        if word == "u":
            self._settle()
            self._add(chr((number or 0) % 0x10000))
            self._to_skip = state.fallback
        elif word in LETTERS:
            self._settle()
            self._add(LETTERS[word])
        elif word in PARAGRAPH_ENDS:
            self._settle()
            self._end(word)
        elif word in ("f", "plain"):
            self._settle()
            state.font = self._default_font if word == "plain" else number or 0
            state.hidden = state.hidden and word != "plain"
        elif word in ("v", "deleted"):
            self._settle()
            state.hidden = number != 0
        else:
            self._set(word, number)

    def _set(self, word: str, number: int | None) -> None:
        """Words that change what holds from here on."""
        state, value = self._state, number or 0
        if word == "pard":
            state.style, state.outline, state.depth, state.in_table = 0, -1, -1, False
        elif word == "s":
            state.style = value
        elif word == "outlinelevel":
            state.outline = value
        elif word == "ilvl":
            state.depth = max(0, min(value, 20))
        elif word == "intbl":
            state.in_table = True
        elif word == "uc":
            state.fallback = max(0, min(value, 20))
        elif word == "deff":
            self._default_font = state.font = value
        elif word in ("ansicpg", "mac", "pc", "pca"):
            self._codec = (
                codec_of({"mac": 10000, "pc": 437, "pca": 850}.get(word, value)) or self._codec
            )

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._starred = self._first
        elif symbol in "\r\n":
            self._word("par", None)
        elif symbol in SYMBOLS:
            self._plain(SYMBOLS[symbol])

    # -- text ----------------------------------------------------------------------------------------------------------

    def _plain(self, text: str) -> None:
        """Bytes, which are letters once it is known where they end: two may be one."""
        self._first = self._first and not text
        if self._to_skip:
            left = text[self._to_skip :]
            self._to_skip -= min(len(text), self._to_skip)
            text = left
        if text and not self._state.skipped and not self._state.hidden:
            self._raw += text.encode("latin-1")

    def _settle(self) -> None:
        """The bytes so far are in one font."""
        if self._raw:
            codec = self._codecs.get(self._state.font, self._codec)
            text = self._raw.decode(codec, "replace")
            self._raw.clear()
            self._add(text)

    def _add(self, text: str) -> None:
        state = self._state
        if state.role == "stylesheet":
            self._name = (self._name + text)[:100]
        elif state.role == "mark":
            state.flow.mark = (state.flow.mark + text)[:40]
        elif not state.role and not state.hidden and not state.skipped:
            state.flow.add(text)

    def _end(self, word: str) -> None:
        state = self._state
        if word == "cell":
            state.flow.end_cell()
        elif word == "row":
            state.flow.end_row()
        elif word in ("nestcell", "nestrow") or state.in_table:
            state.flow.add(" ")
        else:
            self._end_paragraph()

    def _end_paragraph(self) -> None:
        state = self._state
        level = state.outline + 1 if state.outline >= 0 else self._levels.get(state.style, -1)
        state.flow.end_paragraph(level if level <= 9 else -1, state.depth)
