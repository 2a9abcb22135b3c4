"""Hold what is looked up again and again in one tree: its paths and its definitions by name."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import cached_property

from ragit import rank, words
from ragit.context.modules import ends_of, fits, last_parts, stem_of
from ragit.records import NamedTuple
from ragit.store import ChunkRow, Snapshot, Store
from ragit.types import Definition, path_text

KEPT = 20_000
"""Names whose definitions are remembered."""

MOST_FILES = 16
"""Files that may define a name: one that more do says little and is not looked up."""

TERMS = 2_000
"""Words whose files are remembered."""

HEADERS = 500
"""Header files whose declarations are remembered."""

CALLED = frozenset("function declaration macro method class struct constructor".split())
"""Kinds of definitions that code calls."""

BODILESS = frozenset(("declaration", "import", "imports"))


class Defined(NamedTuple):
    """A definition in the tree."""

    path: str
    kind: str
    line: int
    name: str
    owner: str
    signature: str


class Export(NamedTuple):
    """A definition of a header file."""

    defined: Defined
    parts: frozenset[str]
    """The words that its name is made of."""


class NamedTree:
    """One tree of a store, with what was looked up in it."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.places: dict[int, list[int]] = {}
        """Indices of paths by chunking."""
        for place, chunking in enumerate(snapshot.chunkings):
            self.places.setdefault(chunking, []).append(place)
        self._defined: OrderedDict[tuple[str, tuple[str, ...]], tuple[Defined, ...]] = OrderedDict()
        self._holding: OrderedDict[tuple[str, str], array[int]] = OrderedDict()
        self._headers: OrderedDict[str, tuple[Export, ...]] = OrderedDict()

    def path(self, place: int) -> str:
        """Return a path by its index."""
        return path_text(self.snapshot.paths[place])

    def holding(self, store: Store, term: str, column: str = "") -> Sequence[int]:
        """Return the chunkings of the tree that hold a term, in a column or in any."""
        key = term, column
        found = self._holding.get(key)
        if found is None:
            here = [one for one in store.names.holding(term, column) if one in self.places]
            found = self._holding[key] = array("Q", here)
            if len(self._holding) > TERMS:
                self._holding.popitem(last=False)
        return found

    def defined(self, store: Store, name: str, modules: Sequence[str] = ()) -> tuple[Defined, ...]:
        """Return the definitions of a name in the files of the modules that it is imported from; if
        these have none, in the tree, and none if more than MOST_FILES may define it.
        """
        key = name, tuple(modules)
        found = self._defined.get(key)
        if found is None:
            found = self._defined[key] = tuple(self._look_up(store, name, modules))
            if len(self._defined) > KEPT:
                self._defined.popitem(last=False)
        return found

    def _look_up(self, store: Store, name: str, modules: Sequence[str]) -> Iterable[Defined]:
        if modules:
            found = self._defined_in(store, name, self._chunkings_of(name, modules))
            if found:
                return found
        terms = words.terms_of(name)
        chunkings = self.holding(store, terms[-1], "symbol") if terms else []
        if len(chunkings) > MOST_FILES:
            return ()
        return self._defined_in(store, name, chunkings)

    def _defined_in(self, store: Store, name: str, chunkings: Iterable[int]) -> list[Defined]:
        rows = store.names.defining(chunkings, name)
        found = [
            self._made(place, row, at, each)
            for chunking, held in rows.items()
            for row in held
            for at, each in enumerate(row.definitions)
            if each.name == name and name in row.symbol.split()
            for place in self.places[chunking]
        ]
        bodies = [one for one in found if one.kind not in BODILESS]
        return sorted(set(bodies or found), key=lambda one: (rank.paths.is_test(one.path), one))

    def _chunkings_of(self, name: str, modules: Sequence[str]) -> list[int]:
        """Return the files that fit best the modules that a name is imported from.

        Among the files of a package, those that are called like the name come first.
        """
        places: set[int] = set()
        for module in modules:
            for end in last_parts(module):
                places.update(self._by_end.get(end, ()))
        named = {at for at in places if stem_of(self.path(at)) == name}
        best = {
            place: max(fits(self.path(place), module) for module in modules)
            for place in named or places
        }
        most = max(best.values(), default=0)
        chosen = sorted(place for place in best if best[place] == most)
        return [self.snapshot.chunkings[place] for place in chosen[:MOST_FILES]]

    @cached_property
    def _by_end(self) -> dict[str, list[int]]:
        """Indices of paths by the name of their file, without suffix, and by that of its folder."""
        found: dict[str, list[int]] = {}
        for place in range(len(self.snapshot.paths)):
            for end in ends_of(self.path(place)):
                found.setdefault(end, []).append(place)
        return found

    @cached_property
    def _by_name(self) -> dict[bytes, list[int]]:
        """Indices of paths by the name of their file."""
        found: dict[bytes, list[int]] = {}
        for place, path in enumerate(self.snapshot.paths):
            found.setdefault(path.rpartition(b"/")[2], []).append(place)
        return found

    def header(self, store: Store, module: str) -> tuple[Export, ...]:
        """Return what the header file of an `#include` declares."""
        found = self._headers.get(module)
        if found is None:
            found = self._headers[module] = tuple(self._declared_in(store, module))
            if len(self._headers) > HEADERS:
                self._headers.popitem(last=False)
        return found

    def _declared_in(self, store: Store, module: str) -> list[Export]:
        ending = module.lstrip("./").encode("utf-8", "surrogateescape")
        paths = self.snapshot.paths
        called = self._by_name.get(ending.rpartition(b"/")[2], ())
        places = [at for at in called if (b"/" + paths[at]).endswith(b"/" + ending)]
        if not places:
            return []
        place = min(places, key=lambda at: (len(paths[at]), at))
        found = []
        for row in store.chunks_of(self.snapshot.chunkings[place]).values():
            for at, each in enumerate(row.definitions):
                if each.kind in CALLED and not each.name.isupper():
                    found.append(self._made(place, row, at, each))
        return [Export(one, frozenset(words.parts(one.name))) for one in sorted(found)]

    def files_that_hold(self, store: Store, name: str) -> int:
        """Return the number of files whose text holds a name."""
        terms = words.terms_of(name)
        return len(self.holding(store, terms[-1])) if terms else 0

    def _made(self, place: int, row: ChunkRow, at: int, found: Definition) -> Defined:
        signature = _signature(row, found.name)
        owner = row.owner_of(at)
        return Defined(self.path(place), found.kind, found.line, found.name, owner, signature)


def _signature(row: ChunkRow, name: str) -> str:
    """Return the declaration of a name, from those of its chunk, which are joined by `; `."""
    if row.definitions[0].name == name and len(row.symbol.split()) == 1:
        return row.signature
    parts = row.signature.split("; ")
    return next((part for part in parts if name in words.identifiers(part)), name)
