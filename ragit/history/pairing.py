"""Find the changes of each definition that two trees do not share. Pure.

Definitions are counted one by one, each by its path, the names around it and its own name, so that
those listed as added, moved or renamed are exactly the ones that the new tree has more, and
likewise for removed ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import product

from ragit.changes import ADDED, CHANGED, MOVED, REMOVED, RENAMED, Change, Side
from ragit.history.units import Touched, Unit
from ragit.records import NamedTuple

LIKE = 0.9
"""Cosine of two chunks from which one counts as the other, renamed or moved."""

_SIZES = 0.5
"""Least size of the smaller of two chunks, as a share of the larger, for them to be similar."""

_MOST = 20_000
"""Limit of comparisons of one file with another: beyond, only equal names are compared."""

_FEW = 4
"""Number of places of a name in a tree up to which it shows which file became which."""

Cosines = Callable[[list[tuple[int, int]], float], Iterable[tuple[int, int, float]]]
"""Returns the pairs of chunks, by number, whose vectors have at least the given cosine, with it."""

Key = tuple[str, str]
"""The names around a definition, and its own."""


class Item:
    """A unit, with its definitions that are not paired yet."""

    __slots__ = ("unit", "names", "inner", "left", "whole", "key")

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.names = unit.row.names
        self.inner = unit.row.owner_of(1)
        """The names around all definitions but the first."""
        self.left = list(range(len(self.names)))
        """Indices of these definitions in `names`, in order."""
        self.whole = True
        """False once a definition was paired."""
        self.key: Key = (unit.row.parent, self.names[0])
        """The parent and the name of the first definition."""

    def owner(self, place: int) -> str:
        """Return the names around a definition."""
        return self.inner if place else self.unit.row.parent

    def take(self, places: list[int]) -> None:
        """Remove definitions that were paired."""
        self.whole = False
        if len(places) == len(self.left):
            self.left = []
            return
        gone = set(places)
        self.left = [place for place in self.left if place not in gone]


class Pairing(NamedTuple):
    """Two items, and the indices of the same definitions in the names of each."""

    status: str
    old: Item
    new: Item
    old_places: list[int]
    new_places: list[int]
    similarity: float | None = None


def changes(found: Touched, cosines: Cosines | None) -> list[Change]:
    """Return the change of each definition, in order of path and line.

    Without `cosines`, nothing is paired by similarity.
    """
    old, new = list(map(Item, found.old)), list(map(Item, found.new))
    pairings = list(_in_the_same_file(old, new))
    pairings += _pairs_moved(old, new)
    if cosines:
        pairings += _pairs_alike(old, new, pairings, cosines)
    made = [_paired(pairing) for pairing in pairings]
    made += [_single(ADDED, item) for item in new if item.left]
    made += [_single(REMOVED, item) for item in old if item.left]
    return sorted(made, key=_place)


def _place(change: Change) -> tuple[str, int, str]:
    shown = change.new or change.old
    assert shown is not None
    return shown.path, shown.line, change.status


def _in_the_same_file(old: list[Item], new: list[Item]) -> Iterator[Pairing]:
    """Pair definitions of the same name and parent in the same file, in order of lines."""
    for pairing in _with_the_same_names(old, new):
        _take(pairing)
        yield pairing
    waiting: dict[tuple[bytes, str, str], list[tuple[Item, int]]] = {}
    for item in old:
        for place in item.left:
            key = item.unit.path, item.owner(place), item.names[place]
            waiting.setdefault(key, []).append((item, place))
    together: dict[tuple[int, int], Pairing] = {}
    for after in new:
        for place in after.left:
            same = waiting.get((after.unit.path, after.owner(place), after.names[place]))
            if same:
                before, match = same.pop(0)
                pair = before.unit.chunk, after.unit.chunk
                if pair not in together:
                    together[pair] = Pairing(CHANGED, before, after, [], [])
                together[pair].old_places.append(match)
                together[pair].new_places.append(place)
    for pairing in together.values():
        _take(pairing)
        yield pairing


def _with_the_same_names(old: list[Item], new: list[Item]) -> Iterator[Pairing]:
    """Pair chunks of the same file that define the same names: most changes."""
    waiting: dict[object, list[Item]] = {}
    for item in old:
        waiting.setdefault(_all_names(item), []).append(item)
    for after in new:
        same = waiting.get(_all_names(after))
        if same:
            before = same.pop(0)
            yield Pairing(CHANGED, before, after, before.left, after.left)


def _all_names(item: Item) -> tuple[object, ...]:
    return item.unit.path, item.unit.row.parent, item.inner, tuple(item.names)


def _take(pairing: Pairing) -> None:
    pairing.old.take(pairing.old_places)
    pairing.new.take(pairing.new_places)


def _pairs_moved(old: list[Item], new: list[Item]) -> Iterator[Pairing]:
    """Pair whole chunks with the same text; among several, those in files of the same name
    first.
    """
    waiting: dict[bytes, list[Item]] = defaultdict(list)
    for item in old:
        if item.whole:
            waiting[item.unit.digest].append(item)
    for after in new:
        same = waiting.get(after.unit.digest) if after.whole else None
        if same:
            name = _file_name(after)
            before = next((item for item in same if _file_name(item) == name), same[0])
            same.remove(before)
            pairing = Pairing(MOVED, before, after, list(before.left), list(after.left))
            _take(pairing)
            yield pairing


def _file_name(item: Item) -> bytes:
    return item.unit.path.rpartition(b"/")[2]


def _pairs_alike(
    old: list[Item], new: list[Item], known: list[Pairing], cosines: Cosines
) -> Iterator[Pairing]:
    """Pair whole chunks that are similar, the most similar first."""
    by_old = {item.unit.chunk: item for item in old if item.whole}
    by_new = {item.unit.chunk: item for item in new if item.whole}
    candidates = _candidates(list(by_old.values()), list(by_new.values()), known)
    near = cosines(sorted(candidates), LIKE)
    for one, other, cosine in sorted(near, key=lambda pair: (-pair[2], pair[1], pair[0])):
        before, after = by_old[one], by_new[other]
        if before.whole and after.whole:
            status = MOVED if before.key == after.key else RENAMED
            pairing = Pairing(status, before, after, *_matching(before, after), min(cosine, 1.0))
            _take(pairing)
            yield pairing


def _matching(before: Item, after: Item) -> tuple[list[int], list[int]]:
    """Return the first definitions of both, and the others with equal names."""
    ones, others = [0], [0]
    waiting = {before.names[place]: place for place in range(len(before.names) - 1, 0, -1)}
    for place in range(1, len(after.names)):
        match = waiting.pop(after.names[place], None)
        if match is not None:
            ones.append(match)
            others.append(place)
    return ones, others


def _candidates(old: list[Item], new: list[Item], known: list[Pairing]) -> set[tuple[int, int]]:
    """Return the pairs of chunks to compare: all if they are few, else those of the same name and
    parent, and all of linked files.
    """
    if len(old) * len(new) <= _MOST:
        return set(_comparable(old, new))
    found: set[tuple[int, int]] = set()
    for ones, others in _sharing(old, new, lambda item: item.key):
        found.update(_comparable(ones, others))
    before, after = _by_path(old), _by_path(new)
    for one, other in _linked_files(old, new, known):
        found.update(_comparable(before.get(one, []), after.get(other, [])))
    return found


def _by_path(items: list[Item]) -> dict[bytes, list[Item]]:
    found: dict[bytes, list[Item]] = defaultdict(list)
    for item in items:
        found[item.unit.path].append(item)
    return found


def _comparable(ones: list[Item], others: list[Item]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of chunks of the same kind and about the same size."""
    if len(ones) * len(others) > _MOST:
        return
    sizes = [(item, item.unit.row.kind, item.unit.row.end - item.unit.row.start) for item in others]
    for one in ones:
        kind, size = one.unit.row.kind, one.unit.row.end - one.unit.row.start
        for other, other_kind, other_size in sizes:
            if kind == other_kind and _SIZES * size <= other_size and _SIZES * other_size <= size:
                yield one.unit.chunk, other.unit.chunk


def _linked_files(
    old: list[Item], new: list[Item], known: list[Pairing]
) -> set[tuple[bytes, bytes]]:
    """Return pairs of files of which one may have become the other, or given part of itself to it.

    These are files of the same path, of the same name, those between which something moved, and
    those that share two rare names.
    """
    found = {(pairing.old.unit.path, pairing.new.unit.path) for pairing in known}
    found |= {(item.unit.path, item.unit.path) for item in old}
    for ones, others in _sharing(old, new, _file_name):
        found |= _pairs_of(_paths(ones), _paths(others))
    votes: Counter[tuple[bytes, bytes]] = Counter()
    for ones, others in _sharing(old, new, lambda item: item.key[1]):
        if len(ones) <= _FEW and len(others) <= _FEW:
            votes.update(_pairs_of(_paths(ones), _paths(others)))
    return found | {pair for pair, count in votes.items() if count > 1}


def _paths(items: list[Item]) -> set[bytes]:
    return {item.unit.path for item in items}


def _pairs_of(ones: set[bytes], others: set[bytes]) -> set[tuple[bytes, bytes]]:
    """Return all pairs of the two sides' paths; none if either side has many."""
    if len(ones) > _FEW or len(others) > _FEW:
        return set()
    return set(product(ones, others))


def _sharing(
    old: list[Item], new: list[Item], key: Callable[[Item], object]
) -> Iterator[tuple[list[Item], list[Item]]]:
    """Yield the items of both sides with the same key."""
    before: dict[object, list[Item]] = defaultdict(list)
    for item in old:
        before[key(item)].append(item)
    after: dict[object, list[Item]] = defaultdict(list)
    for item in new:
        after[key(item)].append(item)
    for shared in before.keys() & after.keys():
        yield before[shared], after[shared]


def _paired(pairing: Pairing) -> Change:
    return Change(
        pairing.status,
        _side(pairing.old, pairing.old_places),
        _side(pairing.new, pairing.new_places),
        pairing.similarity,
    )


def _single(status: str, item: Item) -> Change:
    side = _side(item, item.left)
    return Change(status, *((None, side) if status == ADDED else (side, None)))


def _side(item: Item, places: list[int]) -> Side:
    places = sorted(places)
    unit, names = item.unit, item.names
    return Side(
        unit.text_path,
        unit.row.start_line,
        unit.end_line,
        unit.row.line_of(places[0]),
        unit.row.kind,
        tuple([names[place] for place in places]),
        item.owner(places[0]),
        unit.chunk,
    )
