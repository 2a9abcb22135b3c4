"""Gather the context of a cursor within a number of tokens."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest

from ragit.context.cursor import Cursor, Imported, read_cursor
from ragit.context.headers import likeliest
from ragit.context.modules import last_parts
from ragit.context.resolve import MOST, Around, Chosen, choose
from ragit.context.similar import similar_code
from ragit.context.tree import NamedTree
from ragit.contexts import Signature, Similar
from ragit.records import NamedTuple
from ragit.store import Store

BYTES_PER_TOKEN = 3
"""As in `ragit.render.budget`: tokenizers take 3 to 4 bytes of code to a token."""

RESERVED = 0.25
"""The share of the tokens that is kept for similar code."""

PIECES = 2
"""Pieces of similar code at most."""

INCLUDING = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".m", ".mm")
"""Suffixes of files that include headers, which bring names without listing them."""

DECLARED = "included"
"""The reason why a declaration of a header is given."""

SMALL = frozenset("field property key element section target value item variable".split())
"""Kinds of definitions that are left out unless they are imported by name."""

LEFT = 8
"""Declarations beyond the first share of the tokens that are gathered."""

LONGEST = 160
"""Characters of a declaration at most."""


class Place(NamedTuple):
    """The file and line of a cursor, with the text around it as it is now."""

    path: str
    line: int
    lines: list[str]
    language: str


class Found(NamedTuple):
    """The declarations and similar code that fit into the tokens."""

    signatures: tuple[Signature, ...]
    similar: tuple[Similar, ...]
    tokens: int


class _Budget:
    """Counts the bytes that are left of a number of tokens, as the text is printed."""

    def __init__(self, tokens: int) -> None:
        self.room = tokens * BYTES_PER_TOKEN
        self.used = 0
        self._folders: set[str] = set()

    def takes(self, path: str, size: int, room: int) -> bool:
        """Take `size` bytes, and the path where it is new, if `used` stays within `room`."""
        folder, _, name = path.rpartition("/")
        size += len(name.encode("utf-8", "surrogatepass"))
        if folder not in self._folders:
            size += len(folder.encode("utf-8", "surrogatepass")) + 2
        if self.used + size > room:
            return False
        self._folders.add(folder)
        self.used += size
        return True


def find_context(
    store: Store, tree: NamedTree, place: Place, read: Callable[[int], bytes], max_tokens: int
) -> Found:
    """Return declarations and similar code for a cursor. `read` gives the text of a chunking."""
    cursor = read_cursor(place.path, place.lines, place.line, place.language)
    budget = _Budget(max_tokens)
    first = int(budget.room * (1 - RESERVED))
    ranked = _ranked(store, tree, cursor, place.lines)
    signatures: list[Signature] = []
    left: list[Signature] = []
    for one in ranked:
        fits = not left and budget.takes(one.path, _size(one), first)
        (signatures if fits else left).append(one)
        if len(left) > LEFT:
            break
    similar = []
    for piece in islice(similar_code(store, tree, place.path, cursor.names, read), PIECES):
        if _holds(piece, signatures):
            continue
        if budget.takes(piece.path, len(piece.text.encode()) + 8, budget.room):
            similar.append(piece)
    for one in left:
        if budget.takes(one.path, _size(one), budget.room):
            signatures.append(one)
    return Found(tuple(signatures), tuple(similar), math.ceil(budget.used / BYTES_PER_TOKEN))


def _holds(piece: Similar, signatures: list[Signature]) -> bool:
    """Return whether a piece shows a definition whose declaration is given already."""
    lines = range(piece.start_line, piece.end_line + 1)
    return any(one.path == piece.path and one.line in lines for one in signatures)


def _size(one: Signature) -> int:
    return len(one.text.encode("utf-8", "surrogatepass")) + len(str(one.line)) + 4


def _ranked(
    store: Store, tree: NamedTree, cursor: Cursor, lines: Sequence[str]
) -> Iterator[Signature]:
    """Yield declarations, the most wanted first, each once: of names near the cursor, of what is
    imported by name, then of what the file calls elsewhere and, in turns with these, of what its
    included headers declare.
    """
    names = _Names(store, tree, cursor)
    places: set[tuple[str, int]] = set()
    given: set[str] = set()
    for chosen in chain(names.near(), _in_turns(names.declared(lines), names.elsewhere())):
        one = chosen.defined
        known = one.name in given if chosen.reason == DECLARED else (one.path, one.line) in places
        if not known:
            places.add((one.path, one.line))
            given.add(one.name)
            yield _signature(chosen)


def _in_turns(ones: Iterable[Chosen], others: Iterable[Chosen]) -> Iterator[Chosen]:
    """Yield one of either in turn, then the rest of the longer one."""
    for pair in zip_longest(ones, others):
        yield from (one for one in pair if one is not None)


class _Names:
    """Finds the definitions of the names that a file uses."""

    def __init__(self, store: Store, tree: NamedTree, cursor: Cursor) -> None:
        self._store = store
        self._tree = tree
        self._cursor = cursor
        self._imports: dict[str, list[Imported]] = {}
        """Imports by the name that they bring."""
        for one in cursor.imported:
            if one.name:
                self._imports.setdefault(one.name, []).append(one)
        modules = (one.module for one in cursor.imported if not one.name)
        ends = {end for module in modules for end in last_parts(module)}
        self._files: set[str] = set()
        self._around = Around(cursor.path, self._files, ends)

    def near(self) -> Iterator[Chosen]:
        """Yield what the names near the cursor mean, imported ones first, then all imports."""
        used = sorted(self._cursor.used, key=lambda name: name not in self._imports)
        for name in used:
            yield from self._meant(name, MOST)
        for name in self._imports:
            if name not in self._cursor.used:
                yield from self._meant(name, 1)

    def elsewhere(self) -> Iterator[Chosen]:
        """Yield what the other names mean that the file calls or writes as types."""
        for name in self._cursor.rest:
            if name not in self._imports:
                yield from self._meant(name, 1)

    def declared(self, lines: Sequence[str]) -> Iterator[Chosen]:
        """Yield what included headers declare, the likeliest first."""
        if self._cursor.path.endswith(INCLUDING):
            modules = dict.fromkeys(one.module for one in self._cursor.imported)
            headers = [self._tree.header(self._store, one) for one in modules]
            for one in likeliest(headers, self._cursor.names, lines, self._files_that_hold):
                yield Chosen(one, DECLARED)

    def _files_that_hold(self, name: str) -> int:
        return self._tree.files_that_hold(self._store, name)

    def _meant(self, name: str, most: int) -> Iterator[Chosen]:
        """Yield what a name means, at most `most` definitions."""
        imports = self._imports.get(name, [])
        original = imports[0].original if imports else name
        modules = tuple(one.module for one in imports)
        found = self._tree.defined(self._store, original, modules)
        for chosen in choose(found, self._around, modules)[:most]:
            if imports:
                self._files.add(chosen.defined.path)
            if imports or chosen.defined.kind not in SMALL:
                yield chosen


def _signature(chosen: Chosen) -> Signature:
    one = chosen.defined
    name = f"{one.owner}.{one.name}" if one.owner else one.name
    text = one.signature or one.name
    text = text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
    return Signature(one.path, one.line, one.kind, name, text, chosen.reason)
