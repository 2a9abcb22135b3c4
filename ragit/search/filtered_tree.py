"""An indexed tree as one query sees it: what may be found, and which paths hold a word."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property

from ragit import words
from ragit.search.lacked import Lacked
from ragit.store import Snapshot
from ragit.types import path_text

_VERSION = re.compile(r"(?<=/)v(\d{1,2})(?=/)|^v(\d{1,2})(?=/)")

LATER = 5
"""So many later versions of a folder are looked for: v2 to v6 beside v1."""


class FilteredTree:
    """A snapshot with the filters of a query applied: of files, and of chunks where `lacked` says
    which of them another tree lacks. Statistics are always of the whole tree.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        allowed: Callable[[int, bytes], bool] | None,
        lacked: Lacked | None = None,
    ) -> None:
        self.snapshot = snapshot
        self._lacked = lacked
        rows = enumerate(zip(snapshot.chunkings, snapshot.paths, strict=True))
        self.places: Sequence[int] = (
            range(len(snapshot.paths))
            if allowed is None
            else [i for i, (c, path) in rows if allowed(c, path)]
        )

    @cached_property
    def place_of(self) -> dict[int, list[int]]:
        """Indices of each chunking in the whole tree: the same blob may lie at several paths."""
        found: dict[int, list[int]] = {}
        for place, chunking in enumerate(self.snapshot.chunkings):
            found.setdefault(chunking, []).append(place)
        return found

    @cached_property
    def allowed(self) -> frozenset[int] | range:
        """The indices that may be found, for look-ups."""
        return self.places if isinstance(self.places, range) else frozenset(self.places)

    def passing(self, chunks: Iterable[int]) -> Set[int] | None:
        """Return those of some chunks that may be found; None if that are all."""
        return self._lacked.of(chunks) if self._lacked else None

    def path(self, place: int) -> str:
        """Return the path of a file as text."""
        return path_text(self.snapshot.paths[place])

    def paths_with(self, term: str) -> Iterable[int]:
        """Yield indices of the whole tree whose path holds a term."""
        joined, starts = self._joined
        wanted = term.encode()
        at = joined.find(wanted)
        while at >= 0:
            place = bisect_right(starts, at) - 1
            if term in self._path_terms(place):
                yield place
            next_start = starts[place + 1] if place + 1 < len(starts) else len(joined)
            at = joined.find(wanted, next_start)

    def paths_ending(self, path: str) -> list[int]:
        """Return indices of the whole tree whose path ends in the longest possible part of this
        one.

        A path without a suffix also ends one that has any: `core/power` finds sympy/core/power.py.
        Case counts not.
        """
        parts = [part for part in path.lower().split("/") if part not in ("", ".", "..")]
        for first in range(len(parts)):
            found = list(self._ending("/".join(parts[first:])))
            if found:
                return found
        return []

    def ends_with(self, path: str) -> list[int]:
        """Return indices of the whole tree whose path ends in this one, as `paths_ending`."""
        return list(self._ending(path.lower().strip("/")))

    def _ending(self, path: str) -> Iterator[int]:
        joined, starts = self._joined
        wanted = path.encode("utf-8", "surrogateescape")
        at = joined.find(wanted)
        while at >= 0:
            place = bisect_right(starts, at) - 1
            end = starts[place + 1] - 1 if place + 1 < len(starts) else len(joined)
            rest = joined[at + len(wanted) : end]
            begins = at == starts[place] or joined[at - 1 : at] == b"/"
            if begins and (not rest or (rest[:1] == b"." and b"/" not in rest)):
                yield place
            at = joined.find(wanted, at + 1)

    def has_in_path(self, name: str) -> bool:
        """Return true if a path of the whole tree holds this name, whatever its case."""
        return name.lower().encode("utf-8", "surrogateescape") in self._joined[0]

    def has_beside(self, path: str, others: Mapping[str, Sequence[str]]) -> bool:
        """Return true if the tree holds the same path with one of the suffixes that `others` gives
        for its own.
        """
        dot = path.find(".", path.rfind("/") + 1)
        named = (path[:dot] + suffix for suffix in others.get(path[dot:], ()))
        return any(self._holds(name.encode("utf-8", "surrogateescape")) for name in named)

    def is_outdated(self, path: str) -> bool:
        """Return true if a folder of a later version lies beside one of the path's: v1/ where there
        is v2/.
        """
        for match in _VERSION.finditer(path):
            number = int(match[1] or match[2])
            for later in range(number + 1, number + 1 + LATER):
                if self._holds_folder(
                    f"{path[: match.start()]}v{later}/".encode("utf-8", "surrogateescape")
                ):
                    return True
        return False

    def suffix_share(self, path: str) -> float:
        """Return the share of the tree's files that have the suffix of a path."""
        return self._suffixes[_suffix(path)] / (len(self.snapshot.paths) or 1)

    @cached_property
    def _suffixes(self) -> Counter[str]:
        """The number of files by suffix."""
        # As bytes, with the sign before the dot: thousands of paths have few different ends.
        ends = Counter([path[path.rfind(b".") - 1 :] for path in self.snapshot.paths])
        found: Counter[str] = Counter()
        for end, count in ends.items():
            has_suffix = end[1:2] == b"." and b"/" not in end
            found[path_text(end[1:]) if has_suffix else ""] += count
        return found

    def _holds(self, path: bytes) -> bool:
        paths = self.snapshot.paths
        at = bisect_left(paths, path)
        return at < len(paths) and paths[at] == path

    def _holds_folder(self, folder: bytes) -> bool:
        paths = self.snapshot.paths
        at = bisect_left(paths, folder)
        return at < len(paths) and paths[at].startswith(folder)

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


def _suffix(path: str) -> str:
    base = path[path.rfind("/") + 1 :]
    return base[base.rfind(".") :] if "." in base[1:] else ""
