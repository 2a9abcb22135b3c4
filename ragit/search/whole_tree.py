"""An indexed tree as seen by all queries: where its files are, and which paths contain a word. Does
not read the store.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ragit import words
from ragit.remembered import Remembered
from ragit.store import Snapshot
from ragit.types import path_text

if TYPE_CHECKING:
    from ragit.search.sign_bits import SignBits
    from ragit.search.tree_arrays import FileColumns, TreeArrays

_VERSION = r"(?<=/)v(\d{1,2})(?=/)|^v(\d{1,2})(?=/)"
"""Folders of versions. Few paths need it compiled."""

LATER = 5
"""Number of later versions of a folder that are looked for: v2 to v6 beside v1."""


TERM_FILES = 600_000
"""Limit of files of terms that all trees together remember, of some 96 bytes each: 58 MB at
most.
"""


class Holders(NamedTuple):
    """The files of a tree that contain a term."""

    files: Mapping[int, float]
    """Weighted occurrences by the file's index."""
    paths: frozenset[int]
    """Indices of files whose path contains it."""
    defining: frozenset[int]
    """Indices of files that define a name with it."""
    columns: FileColumns | None = None
    """The same as `files`, if there are arrays."""


class WholeTree:
    """A snapshot with facts that are computed once for all its queries."""

    def __init__(
        self,
        snapshot: Snapshot,
        holders: Remembered[tuple[int, str], Holders] | None = None,
        number: int = 0,
        sign_bits: SignBits | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.holders = Remembered(TERM_FILES) if holders is None else holders
        """Files of the terms looked up last, by the tree's number and the term."""
        self.number = number
        """Different for all trees that share what they remember."""
        self.sign_bits = sign_bits
        """Vectors in memory; None where each query reads them."""
        self.questions = 0
        """Number of those that were asked about it."""
        self.arrays: TreeArrays | None = None
        """Statistics of all files at once; None where they are taken file by file."""

    @cached_property
    def place_of(self) -> dict[int, tuple[int, ...]]:
        """Indices of each chunking in the whole tree: the same blob may be at several paths."""
        chunkings = self.snapshot.chunkings
        # Built in one call: few trees have a blob twice, and every search needs this.
        found: dict[int, tuple[int, ...]] = dict(
            zip(chunkings, zip(range(len(chunkings))), strict=True)
        )
        if len(found) < len(chunkings):
            listed: dict[int, list[int]] = {}
            for place, chunking in enumerate(chunkings):
                listed.setdefault(chunking, []).append(place)
            found = {chunking: tuple(places) for chunking, places in listed.items()}
        return found

    @cached_property
    def versions(self) -> int:
        """The mean number of versions of a path, rounded up: more than 1 only in a union."""
        paths = self.snapshot.paths
        return -(-len(paths) // len(set(paths))) if paths else 1

    def first_version(self, place: int) -> int:
        """Return the index shared by all versions of a path."""
        return bisect_left(self.snapshot.paths, self.snapshot.paths[place])

    @cached_property
    def members(self) -> Sequence[int]:
        """The chunkings of all files, in ascending order."""
        return sorted(self.place_of)

    def path(self, place: int) -> str:
        """Return the path of a file as text."""
        return path_text(self.snapshot.paths[place])

    def paths_with(self, term: str) -> list[int]:
        """Return the indices in the whole tree of the paths that contain a term.

        Paths are sorted, so all paths below a folder are consecutive: the folder is checked once.
        """
        wanted = term.encode()
        if self.arrays:
            return self._listed_with(term, wanted)
        joined, starts = self._joined
        found: list[int] = []
        folders: dict[bytes, bool] = {}
        at = joined.find(wanted)
        while at >= 0:
            place = bisect_right(starts, at) - 1
            path, offset = self.snapshot.paths[place], at - starts[place]
            end = path.find(b"/", offset)
            after = place + 1
            if term in _terms_of_name(_name_at(path, offset, end)):
                after = self._end_of_folder(path[: end + 1], place) if end >= 0 else after
                found += range(place, after)
            elif _holds_elsewhere(path, term, folders):
                found.append(place)
            at = joined.find(wanted, starts[after]) if after < len(starts) else -1
        return found

    def _listed_with(self, term: str, wanted: bytes) -> list[int]:
        """Return the same from a list of all terms of names."""
        found: set[int] = set()
        for first, after, spelled in self._by_term.get(term, ()):
            places = range(first, after)
            # A stem may be spelled in another name of the path only: `entry` of entries/entry.py.
            found.update(
                places
                if spelled
                else [at for at in places if wanted in self.snapshot.paths[at].lower()]
            )
        return list(found)

    @cached_property
    def _by_term(self) -> dict[str, list[tuple[int, int, bool]]]:
        """For each term the files of a folder or one whose name holds it, as (first, after), and
        whether the name spells it.
        """
        found: dict[str, list[tuple[int, int, bool]]] = {}

        def add(name: bytes, first: int, after: int) -> None:
            for term in _terms_of_name(name):
                spelled = term.encode() in name.lower()
                found.setdefault(term, []).append((first, after, spelled))

        seen = {b""}
        for place, path in enumerate(self.snapshot.paths):
            folder, _, name = path.rpartition(b"/")
            while folder not in seen:
                seen.add(folder)
                after = self._end_of_folder(folder + b"/", place)
                folder, _, last = folder.rpartition(b"/")
                add(last, place, after)
            add(name, place, place + 1)
        return found

    def _end_of_folder(self, folder: bytes, place: int) -> int:
        """Return the index after the last path below a folder that contains the path at `place`."""
        after_slash = folder[:-1] + b"0"
        return bisect_left(self.snapshot.paths, after_slash, place)

    def paths_ending(self, path: str) -> list[int]:
        """Return the indices in the whole tree of the paths that end in the longest possible part
        of this one, ignoring case.

        A path without a suffix matches any: `core/power` finds sympy/core/power.py.
        """
        parts = [part for part in path.lower().split("/") if part not in ("", ".", "..")]
        for first in range(len(parts)):
            found = list(self._ending("/".join(parts[first:])))
            if found:
                return found
        return []

    def ends_with(self, path: str) -> list[int]:
        """Return the indices in the whole tree of the paths that end in this one, as
        `paths_ending`.
        """
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
        """Return whether a path of the whole tree contains this name, ignoring case."""
        return name.lower().encode("utf-8", "surrogateescape") in self._joined[0]

    def has_other(self, path: str, others: Mapping[str, Sequence[str]]) -> bool:
        """Return whether a folder of the tree, the path's own or another, has a file of the same
        name with one of the suffixes in `others` for its own.
        """
        start = path.rfind("/") + 1
        dot = path.find(".", start)
        for suffix in others.get(path[dot:], ()):
            beside = (path[:dot] + suffix).encode("utf-8", "surrogateescape")
            if self._holds(beside) or self._has_named(path[start:dot] + suffix):
                return True
        return False

    def _has_named(self, name: str) -> bool:
        """Return whether a file has this name, whatever its case."""
        wanted = name.lower().encode("utf-8", "surrogateescape")
        joined = self._joined[0]
        at = joined.find(wanted)
        while at >= 0:
            before, after = joined[at - 1 : at], joined[at + len(wanted) : at + len(wanted) + 1]
            if before in (b"", b"/", b"\0") and after in (b"", b"\0"):
                return True
            at = joined.find(wanted, at + 1)
        return False

    def is_outdated(self, path: str) -> bool:
        """Return whether a folder of a later version lies beside one of the path's: v2/
        beside v1/.
        """
        if "/v" not in path and not path.startswith("v"):
            return False
        for match in re.finditer(_VERSION, path):
            number = int(match[1] or match[2])
            for later in range(number + 1, number + 1 + LATER):
                if self._holds_folder(
                    f"{path[: match.start()]}v{later}/".encode("utf-8", "surrogateescape")
                ):
                    return True
        return False

    def suffix_share(self, path: str) -> float:
        """Return the share of the tree's files with the suffix of a path."""
        return self._suffixes[_suffix(path)] / (len(self.snapshot.paths) or 1)

    @cached_property
    def _suffixes(self) -> Counter[str]:
        # As bytes, with the character before the dot: thousands of paths have few different ends.
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

    @cached_property
    def _joined(self) -> tuple[bytes, list[int]]:
        starts, at = [], 0
        for path in self.snapshot.paths:
            starts.append(at)
            at += len(path) + 1
        return b"\0".join(self.snapshot.paths).lower(), starts


def _name_at(path: bytes, offset: int, end: int) -> bytes:
    """Return the name of the file or folder at an offset in a path; `end` is the slash after it, or
    below 0.
    """
    return path[path.rfind(b"/", 0, offset) + 1 : end if end >= 0 else None]


def _holds_elsewhere(path: bytes, term: str, folders: dict[bytes, bool]) -> bool:
    """Return whether a name in a path contains a term. `folders` caches the answers for folders."""
    folder, _, name = path.rpartition(b"/")
    known = folders.get(folder)
    if known is None:
        known = any(term in _terms_of_name(other) for other in folder.split(b"/"))
        folders[folder] = known
    return known or term in _terms_of_name(name)


@lru_cache(maxsize=words.CACHED)
def _terms_of_name(name: bytes) -> frozenset[str]:
    """Return the terms of the name of a file or folder. No word extends beyond a slash."""
    return frozenset(words.terms(name.decode("utf-8", "replace")))


def _suffix(path: str) -> str:
    base = path[path.rfind("/") + 1 :]
    return base[base.rfind(".") :] if "." in base[1:] else ""
