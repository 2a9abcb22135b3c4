"""Packs the references of a file: names that it calls, uses as a type or inherits, and its imports.

They depend on the file alone: which definition a name means is decided for one tree, at query time.
A packed file is zlib-compressed UTF-8 text of three parts, of which the first two end in an empty
line; lines count from 1, columns in bytes from 0:

    imports     LINE tab MODULE, then for each name: tab NAME tab NAME-IN-THIS-FILE
    hidden      KIND LINE:COLUMN-LINE:COLUMN of each comment (`c`) and string (`s`), a line each
    references  NAME, then for each place: space KIND LINE

Each line number is the difference to the one before it in its part, in references to the one before
it of the same name. In `hidden` the second line is relative to the first. A change of the format
needs a higher `ragit.chunk.options.VERSION`, which is part of the key of chunkings.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

from ragit.records import NamedTuple

KINDS = {"c": "call", "t": "type", "b": "base", "a": "attribute"}
"""Kinds of references by letter. `base` is a type that a type extends or implements, and
`attribute` a name whose attribute is read or called: `Config` in `Config.load()`.
"""

_LETTERS = sorted(KINDS)
_CODES = {kind: _LETTERS.index(letter) for letter, kind in KINDS.items()}
_HIDDEN = {"c": "comment", "s": "string"}
_HIDDEN_LETTERS = {kind: letter for letter, kind in _HIDDEN.items()}
_MOST = 64 << 20
"""Limit of the unpacked text in bytes; more is damage."""


class Reference(NamedTuple):
    """A use of a name in a file."""

    name: str
    kind: str
    """One of KINDS."""
    line: int


class Bound(NamedTuple):
    """A name that an import brings into the file."""

    name: str
    """Its name in the module; `*` for all of them, empty for the module itself."""
    alias: str
    """Its name in the file; empty if unchanged."""


class Import(NamedTuple):
    """An import of a module, as written, with the names that it brings."""

    line: int
    module: str
    names: tuple[Bound, ...] = ()


class Hidden(NamedTuple):
    """A comment or a string, where names are not code."""

    kind: str
    """`comment` or `string`."""
    line: int
    column: int
    end_line: int
    end_column: int
    """Column of the first byte after it."""


def pack(
    references: Iterable[Reference], imports: Iterable[Import], hidden: Iterable[Hidden]
) -> bytes:
    """Return the references of a file, packed."""
    places: dict[str, list[int]] = {}
    for name, kind, line in references:
        places.setdefault(name, []).append(place_code(kind, line))
    return pack_places(places, imports, hidden)


def place_code(kind: str, line: int) -> int:
    """Return a kind and a line as one number, for `pack_places`."""
    return line << 2 | _CODES[kind]


def pack_places(
    places: Mapping[str, Iterable[int]], imports: Iterable[Import], hidden: Iterable[Hidden]
) -> bytes:
    """Return the references of a file, packed, from places as numbers."""
    text = "".join(
        (*_import_lines(imports), "\n", *_hidden_lines(hidden), "\n", *_name_lines(places))
    )
    return zlib.compress(text.encode("utf-8", "replace"), 6)


def _import_lines(imports: Iterable[Import]) -> Iterator[str]:
    before = 0
    for one in sorted(imports):
        fields = [str(one.line - before), _field(one.module)]
        fields += [_field(part) for bound in one.names for part in bound]
        before = one.line
        yield "\t".join(fields) + "\n"


def _field(text: str) -> str:
    """Return text without marks of the format."""
    return text if text.isalnum() else "".join(text.split())


def _hidden_lines(hidden: Iterable[Hidden]) -> Iterator[str]:
    before = 0
    for one in sorted(hidden, key=lambda each: each[1:]):
        start = f"{_HIDDEN_LETTERS[one.kind]}{one.line - before}:{one.column}"
        yield f"{start}-{one.end_line - one.line}:{one.end_column}\n"
        before = one.line


def _name_lines(places: Mapping[str, Iterable[int]]) -> Iterator[str]:
    for name in sorted(places):
        parts = [_field(name)]
        before = 0
        for code in sorted(set(places[name])):
            line = code >> 2
            parts.append(_LETTERS[code & 3] + str(line - before))
            before = line
        yield " ".join(parts) + "\n"


_IMPORT = re.compile(r"(\d+)\t([^\t]*)((?:\t[^\t]*\t[^\t]*)*)")
_HIDDEN_LINE = re.compile(r"([cs])(\d+):(\d+)-(\d+):(\d+)\n")
_HIDDEN_LINES = re.compile(rf"(?:{_HIDDEN_LINE.pattern})*")
_NAME_LINE = re.compile(r"[^ ]+(?: [ctba]\d+)+")


class _Spans(NamedTuple):
    """Comments and strings, column by column: few of their numbers are ever needed."""

    starts: Sequence[int]
    """Their first lines."""
    letters: Sequence[str]
    columns: Sequence[str]
    lines: Sequence[str]
    """Number of lines between first and last."""
    ends: Sequence[str]
    """The columns where they end."""


class References:
    """Look up the references of a file. Raises ValueError unless made by `pack`."""

    def __init__(self, packed: bytes) -> None:
        unpacker = zlib.decompressobj()
        try:
            text = unpacker.decompress(packed, _MOST).decode()
        except zlib.error as error:
            raise ValueError(f"references cannot be unpacked: {error}") from error
        parts = re.fullmatch(r"((?:.+\n)*)\n((?:.+\n)*)\n((?:.+\n)*)", text)
        if parts is None or not unpacker.eof:
            raise ValueError("references have not their three parts")
        self._imports, self._hidden, names = parts.groups()
        self._names = "\n" + names
        self._importing: dict[str, list[Import]] = {}
        self._kinds: dict[str, dict[int, list[str]]] = {}
        """Cache of `importing` and `kinds_at`."""

    def of(self, name: str) -> list[Reference]:
        """Return the references to a name, in order of lines."""
        start = self._names.find(f"\n{name} ")
        if start < 0:
            return []
        end = self._names.index("\n", start + 1)
        return list(_places(self._names[start + 1 : end]))

    def kinds_at(self, name: str, line: int) -> Sequence[str]:
        """Return the kinds of the references to a name in a line."""
        if name not in self._kinds:
            kinds: dict[int, list[str]] = {}
            for one in self.of(name):
                kinds.setdefault(one.line, []).append(one.kind)
            self._kinds[name] = kinds
        return self._kinds[name].get(line, ())

    def all(self) -> Iterator[Reference]:
        """Yield all references, by name and line."""
        for line in self._names.splitlines()[1:]:
            yield from _places(line)

    @cached_property
    def bases(self) -> tuple[Reference, ...]:
        """Return the types that types of the file extend and implement, in order of lines."""
        named = [line for line in self._names.splitlines() if " b" in line]
        found = (one for line in named for one in _places(line) if one.kind == "base")
        return tuple(sorted(found, key=lambda one: one.line))

    @cached_property
    def names(self) -> frozenset[str]:
        """Return all referenced names."""
        return frozenset(line.partition(" ")[0] for line in self._names.splitlines()[1:])

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """Return the imports, in order of lines."""
        found = []
        line = 0
        for match in _matched(_IMPORT, self._imports):
            line += int(match[1])
            parts = match[3].split("\t")[1:]
            names = tuple(map(Bound, parts[::2], parts[1::2]))
            found.append(Import(line, match[2], names))
        return tuple(found)

    def importing(self, name: str) -> Sequence[Import]:
        """Return the imports that bring a name, under this name or from it."""
        if name not in self._importing:
            found = self.imports if name in self._imports else ()
            named = [one for one in found if any(name in bound for bound in one.names)]
            self._importing[name] = named
        return self._importing[name]

    @cached_property
    def hidden(self) -> tuple[Hidden, ...]:
        """Return the comments and strings, in order."""
        spans = self._spans
        columns = zip(spans.starts, spans.columns, spans.lines, spans.ends, strict=True)
        kinds = (_HIDDEN[letter] for letter in spans.letters)
        return tuple(
            Hidden(kind, start, int(column), start + int(lines), int(end))
            for kind, (start, column, lines, end) in zip(kinds, columns, strict=True)
        )

    def hides(self, line: int, column: int) -> str:
        """Return `comment` or `string` if a place is in one; else empty."""
        starts, letters, columns, lines, ends = self._spans
        at = bisect_right(starts, line) - 1
        while at >= 0 and starts[at] == line and int(columns[at]) > column:
            at -= 1
        if at < 0:
            return ""
        ends_before = (starts[at] + int(lines[at]), int(ends[at])) <= (line, column)
        return "" if ends_before else _HIDDEN[letters[at]]

    @cached_property
    def _spans(self) -> _Spans:
        """The comments and strings, in order."""
        if not _HIDDEN_LINES.fullmatch(self._hidden):
            raise ValueError("a line of references cannot be read")
        found = _HIDDEN_LINE.findall(self._hidden)
        if not found:
            return _Spans([], (), (), (), ())
        letters, down, columns, lines, ends = zip(*found, strict=True)
        return _Spans(list(accumulate(map(int, down))), letters, columns, lines, ends)


def checked(packed: bytes) -> bytes:
    """Return packed references after a check of every part. Raises ValueError."""
    found = References(packed)
    _ = found.imports, found.hidden
    for line in found._names.splitlines()[1:]:
        if not _NAME_LINE.fullmatch(line):
            raise ValueError("references to a name cannot be read")
    return packed


def _places(line: str) -> Iterator[Reference]:
    if not _NAME_LINE.fullmatch(line):
        raise ValueError("references to a name cannot be read")
    name, *places = line.split(" ")
    number = 0
    for place in places:
        number += int(place[1:])
        yield Reference(name, KINDS[place[0]], number)


def _matched(pattern: re.Pattern[str], part: str) -> Iterator[re.Match[str]]:
    for line in part.splitlines():
        match = pattern.fullmatch(line)
        if match is None:
            raise ValueError("a line of references cannot be read")
        yield match
