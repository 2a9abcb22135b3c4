"""A composed tree as one query sees it: what may be found, and which of its paths hold a word. Reads no store."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from ragit import words
from ragit.store import Snapshot


class View:
    """A snapshot with the filters of a query applied: what may be found. Statistics are always of the whole tree."""

    def __init__(self, snapshot: Snapshot, allowed: Callable[[int, bytes], bool] | None) -> None:
        self.snapshot = snapshot
        rows = enumerate(zip(snapshot.chunkings, snapshot.paths, strict=True))
        self.places: Sequence[int] = (
            range(len(snapshot.paths))
            if allowed is None
            else [i for i, (c, path) in rows if allowed(c, path)]
        )

    @cached_property
    def place_of(self) -> dict[int, list[int]]:
        """Places of each chunking in the whole tree: the same blob may lie at several paths."""
        found: dict[int, list[int]] = {}
        for place, chunking in enumerate(self.snapshot.chunkings):
            found.setdefault(chunking, []).append(place)
        return found

    @cached_property
    def allowed(self) -> frozenset[int] | range:
        """The places that may be found, for look-ups."""
        return self.places if isinstance(self.places, range) else frozenset(self.places)

    def paths_with(self, term: str) -> Iterable[int]:
        """Places of the whole tree whose path holds a term."""
        joined, starts = self._joined
        wanted = term.encode()
        at = joined.find(wanted)
        while at >= 0:
            place = bisect_right(starts, at) - 1
            if term in self._path_terms(place):
                yield place
            next_start = starts[place + 1] if place + 1 < len(starts) else len(joined)
            at = joined.find(wanted, next_start)

    def has_in_path(self, name: str) -> bool:
        """Whether a path of the whole tree holds this name as it is written, but for case."""
        return name.lower().encode("utf-8", "surrogateescape") in self._joined[0]

    def has_beside(self, path: str, others: Mapping[str, Sequence[str]]) -> bool:
        """Whether the tree holds the same path with one of the suffixes that `others` gives for its own."""
        dot = path.find(".", path.rfind("/") + 1)
        named = (path[:dot] + suffix for suffix in others.get(path[dot:], ()))
        return any(self._holds(name.encode("utf-8", "surrogateescape")) for name in named)

    def _holds(self, path: bytes) -> bool:
        paths = self.snapshot.paths
        at = bisect_left(paths, path)
        return at < len(paths) and paths[at] == path

    def _path_terms(self, place: int) -> frozenset[str]:
        found = self._terms.get(place)
        if found is None:
            found = frozenset(words.terms(self.snapshot.paths[place].decode("utf-8", "replace")))
            self._terms[place] = found
        return found

    @cached_property
    def _terms(self) -> dict[int, frozenset[str]]:
        """The terms of the paths looked at so far: most are looked at for several terms."""
        return {}

    @cached_property
    def _joined(self) -> tuple[bytes, list[int]]:
        starts, at = [], 0
        for path in self.snapshot.paths:
            starts.append(at)
            at += len(path) + 1
        return b"\0".join(self.snapshot.paths).lower(), starts
