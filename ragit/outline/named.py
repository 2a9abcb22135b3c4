"""Find the definitions of a name in an open tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ragit import rank, words
from ragit.records import NamedTuple
from ragit.search import OpenTree
from ragit.store import ChunkRow
from ragit.types import CONTAINERS, Definition, path_text

BODILESS = frozenset(("declaration", "import", "imports"))
"""Kinds of definitions that only announce a name."""

_SEPARATOR = re.compile(r"::|[.#]")


class FoundDefinition(NamedTuple):
    """A definition of a name."""

    path: bytes
    chunking: int
    row: ChunkRow
    definition: Definition
    owner: str
    """The names around it, as far as its chunk has them."""

    @property
    def is_test(self) -> bool:
        """Return whether it is in a test."""
        return rank.paths.is_test(path_text(self.path))


def parted(symbol: str) -> tuple[tuple[str, ...], str]:
    """Return the owners and the name of `Owner.name`, `Owner::name` or `name`."""
    if " " in symbol:
        return (), symbol
    parts = [part for part in _SEPARATOR.split(symbol) if part]
    return (tuple(parts[:-1]), parts[-1]) if parts else ((), symbol)


def definitions(opened: OpenTree, symbol: str) -> list[FoundDefinition]:
    """Return all definitions of a name in the tree, tests last, then by path and line.

    Owners before the name (`Owner.name`) must be around it, or in its path, in that order.
    """
    owners, name = parted(symbol)
    found = list(_named(opened, name))
    narrowed = [one for one in found if _is_owned(one, owners)] if owners else found
    if owners and not narrowed and "." in symbol:
        narrowed = list(_named(opened, symbol))  # a name with a dot in it: a key, a file
    narrowed.sort(key=lambda one: (one.is_test, one.path, one.definition.line))
    return narrowed


def _named(opened: OpenTree, name: str) -> Iterator[FoundDefinition]:
    places = _places(opened)
    for chunkings in (_holding(opened, name, "symbol"), _holding(opened, name, "")):
        rows = opened.store.names.defining(sorted(chunkings & places.keys()), name)
        found = [
            FoundDefinition(path, chunking, row, each, row.owner_of(at))
            for chunking, held in rows.items()
            for row in held
            for at, each in enumerate(row.definitions)
            if each.name == name
            for path in places[chunking]
        ]
        if found:
            yield from _distinct(found)
            return


def _distinct(found: Iterable[FoundDefinition]) -> Iterator[FoundDefinition]:
    """Yield each place once: the parts of a long definition may repeat its name."""
    seen = set()
    for one in found:
        place = one.path, one.definition
        if place not in seen:
            seen.add(place)
            yield one


def _places(opened: OpenTree) -> dict[int, list[bytes]]:
    places: dict[int, list[bytes]] = {}
    snapshot = opened.tree.snapshot
    for path, chunking in zip(snapshot.paths, snapshot.chunkings, strict=True):
        places.setdefault(chunking, []).append(path)
    return places


def _holding(opened: OpenTree, name: str, column: str) -> set[int]:
    """Return chunkings that contain all terms of a name, in a column or in any; all if it
    has none.
    """
    whole = [words.terms_of(each)[-1:] for each in words.identifiers(name)]
    terms = [term for each in whole for term in each]
    if not terms:
        return set(opened.tree.snapshot.chunkings)
    found = [opened.store.holding(term, column) for term in dict.fromkeys(terms)]
    return set.intersection(*found)


def _is_owned(one: FoundDefinition, owners: Sequence[str]) -> bool:
    path = path_text(one.path).rpartition(".")[0] or path_text(one.path)
    around = [*path.split("/"), *_SEPARATOR.split(one.owner.replace(" > ", "."))]
    rest = iter(around)
    return all(owner in rest for owner in owners)  # each after the one before it


def chosen(found: Sequence[FoundDefinition]) -> list[FoundDefinition]:
    """Return definitions without redundant ones: a declaration beside a definition, and a
    constructor beside its class.
    """
    bodies = [one for one in found if one.definition.kind not in BODILESS] or list(found)
    types = {
        (one.path, f"{one.owner}.{one.definition.name}".lstrip("."))
        for one in bodies
        if one.definition.kind in CONTAINERS
    }
    return [
        one
        for one in bodies
        if not (one.definition.kind == "constructor" and (one.path, one.owner) in types)
    ]


def spelt_alike(opened: OpenTree, name: str) -> list[str]:
    """Return names of the tree that differ from `name` only in case and underscores."""
    places = _places(opened)
    wanted = _plain(name)
    found: set[str] = set()
    for chunking in sorted(_holding(opened, name, "symbol") & places.keys())[:200]:
        for row in opened.chunks_of(chunking):
            found.update(each.name for each in row.definitions if _plain(each.name) == wanted)
    return sorted(found)[:3]


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
