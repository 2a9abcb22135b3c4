"""Gather the context of a cursor within a number of tokens."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import chain, islice

from ragit import words
from ragit.context.cursor import Cursor, Imported, read_cursor
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

HEADER_NAMES = 60
"""Declarations of headers that are considered for the rest of the tokens."""

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
    ranked = _ranked(store, tree, cursor)
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


def _ranked(store: Store, tree: NamedTree, cursor: Cursor) -> Iterator[Signature]:
    """Yield declarations, the most wanted first, each once: of names near the cursor, of what is
    imported by name, of what the file calls elsewhere, then of its included headers.
    """
    seen: set[tuple[str, int]] = set()
    for one in chain(_of_names(store, tree, cursor), _of_headers(store, tree, cursor)):
        place = one.path, one.line
        if place not in seen:
            seen.add(place)
            yield one


def _of_names(store: Store, tree: NamedTree, cursor: Cursor) -> Iterator[Signature]:
    by_name: dict[str, list[Imported]] = {}
    for one in cursor.imported:
        if one.name:
            by_name.setdefault(one.name, []).append(one)
    stars = {end for one in cursor.imported if not one.name for end in last_parts(one.module)}
    files: set[str] = set()
    near = [name for name in cursor.used if name in by_name]
    near += [name for name in cursor.used if name not in by_name]
    for name in dict.fromkeys([*near, *by_name, *cursor.rest]):
        imports = by_name.get(name, [])
        original = imports[0].original if imports else name
        modules = tuple(one.module for one in imports)
        found = tree.defined(store, original, modules)
        most = MOST if name in cursor.used else 1
        for chosen in choose(found, Around(cursor.path, files, stars), modules)[:most]:
            if imports:
                files.add(chosen.defined.path)
            if imports or chosen.defined.kind not in SMALL:
                yield _signature(chosen)


def _of_headers(store: Store, tree: NamedTree, cursor: Cursor) -> list[Signature]:
    """Return what included headers declare: first what shares words with the names near the cursor,
    then what most files use.
    """
    if not cursor.path.endswith(INCLUDING):
        return []
    near = {part for name in cursor.names for part in words.parts(name)}
    found = [
        (len(near.intersection(words.parts(each.defined.name))), each)
        for one in cursor.imported
        for each in tree.header(store, one.module)
    ]
    found.sort(key=lambda pair: (-(1 + pair[0]) * pair[1].files, pair[1].defined))
    return [_signature(Chosen(each.defined, "imported")) for _, each in found[:HEADER_NAMES]]


def _signature(chosen: Chosen) -> Signature:
    one = chosen.defined
    name = f"{one.owner}.{one.name}" if one.owner else one.name
    text = one.signature or one.name
    text = text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
    return Signature(one.path, one.line, one.kind, name, text, chosen.reason)
