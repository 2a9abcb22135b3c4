"""Find the files that a query names: by path, as dotted module, or in the frames of a stack trace.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from ragit.rank import QueryTerms
from ragit.search.filtered_tree import FilteredTree

MOST_FILES = 4
"""Limit of files for a path: a path that more files end in names none (__init__.py)."""

MOST_MENTIONS = 40

PACKAGE_WEIGHT = 0.6
"""Weight of a module if the query names a member of it: `a.b.C` for a/b.py."""


def mentioned_files(tree: FilteredTree, query: QueryTerms) -> dict[int, float]:
    """Return the indices of the files that a query names, each with a weight up to 1."""
    found: dict[int, float] = {}
    for place in _of_frames(tree, query):
        found[place] = 1.0
    whole = files_at(tree, query)
    if whole:
        return dict.fromkeys(whole, 1.0)
    for path in query.paths[:MOST_MENTIONS]:
        for place, value in _files_named(tree, path).items():
            found[place] = max(found.get(place, 0.0), value)
    return found


def files_at(tree: FilteredTree, query: QueryTerms) -> list[int]:
    """Return the files of which the whole query is the path: spaces may be in it."""
    return _few(tree, tree.ends_with(query.title.strip())) if query.is_path else []


def _of_frames(tree: FilteredTree, query: QueryTerms) -> Iterator[int]:
    if query.frames:
        from ragit.search.frames import files_of  # few queries have frames

        for frame in query.frames:
            yield from _few(tree, files_of(tree, frame))


def _files_named(tree: FilteredTree, path: str) -> dict[int, float]:
    """Return the files that a path or a dotted module names."""
    places = _few(tree, tree.ends_with(path))
    if places or "/" in path:
        return dict.fromkeys(places, 1.0)
    parts = path.split(".")
    for last in range(len(parts), 1, -1):
        module = "/".join(parts[:last])
        places = _few(tree, [*tree.ends_with(module), *tree.ends_with(f"{module}/__init__")])
        if places:
            return dict.fromkeys(places, 1.0 if last == len(parts) else PACKAGE_WEIGHT)
    return {}


def _few(tree: FilteredTree, places: list[int]) -> list[int]:
    return places if len(tree.distinct(places)) <= MOST_FILES else []
