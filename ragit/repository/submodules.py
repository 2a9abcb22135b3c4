"""A search that goes on in submodules. Each is a repository of its own with its own store; only answers are joined.

Nothing is checked out or downloaded: a submodule that is not there is passed over.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ragit import globs
from ragit.query import Query
from ragit.records import replaced
from ragit.types import Answer, Hit, WithoutVectors


def below(pattern: str, folder: str) -> str | None:
    """A path pattern as one has to write it inside `folder`; None if nothing in there can match."""
    if "/" not in pattern.rstrip("/"):
        # A bare name: at any depth. If it names the folder or one above it, it takes all that is inside.
        matches = globs.matcher([pattern])
        return (
            "**"
            if matches and matches(f"{folder}/x".encode("utf-8", "surrogateescape"))
            else pattern
        )
    segments = pattern.removeprefix("/").split("/")
    for name in folder.split("/"):
        if not segments or segments == [""]:
            return "**"  # the pattern ended above: what matches a folder matches all that is in it
        if segments[0] == "**":
            return "/".join(segments) if len(segments) > 1 else "**"
        matches = globs.matcher([f"/{segments[0]}"])
        if matches is None or not matches(name.encode("utf-8", "surrogateescape")):
            return None
        segments = segments[1:]
    return "/" + "/".join(segments) if segments and segments != [""] else "**"


def inside(query: Query, folder: str, commit: str) -> Query | None:
    """The query for a submodule: at the commit that the outer tree names, unless it is about uncommitted work."""
    patterns = _inner(query.paths, folder)
    if patterns is None:
        return None
    uncommitted = query.ref is None and query.scope == "worktree"
    return replaced(
        query, paths=tuple(patterns), ref=None if uncommitted else commit, scope="worktree"
    )


def _inner(filters: Sequence[str], folder: str) -> list[str] | None:
    """Path filters as one has to write them inside `folder`; None if nothing in there can pass."""
    wanted = [one for one in filters if not one.startswith(globs.LESS)]
    inner = [found for one in wanted if (found := below(one, folder)) is not None]
    if wanted and not inner:
        return None
    unwanted = (
        below(one.removeprefix(globs.LESS), folder) for one in filters if one.startswith(globs.LESS)
    )
    less = [found for found in unwanted if found is not None]
    return None if "**" in less else inner + [globs.LESS + found for found in less]


class Inner(NamedTuple):
    """A submodule at a folder, its answer, and what its own settings ask for and do not get."""

    folder: str
    answer: Answer
    warnings: Iterable[str] = ()


def joined(outer: Answer, inner: Iterable[Inner], top_k: int) -> Answer:
    """One answer: the best of all, under the paths of the outer working tree. Complete if all are."""
    answers = [outer]
    hits: list[Hit] = list(outer.hits)
    warnings: list[str] = []
    reasons: dict[str, list[str]] = {}
    for folder, answer, own in inner:
        answers.append(answer)
        reasons.setdefault(answer.degraded, []).append(folder)
        warnings += [f"{folder}: {warning}" for warning in own]
        warnings += [posixpath.join(folder, warning) for warning in answer.warnings]
        hits += [_moved(hit, folder) for hit in answer.hits]
    hits.sort(key=lambda hit: (-hit.score, hit.path, hit.start_line))
    return replaced(
        outer,
        complete=all(answer.complete for answer in answers),
        missing=sum(answer.missing for answer in answers),
        degraded=_degraded(outer.degraded, reasons),
        without_vectors=_summed([answer.without_vectors for answer in answers]),
        undescribed=sum(answer.undescribed for answer in answers),
        deferred=sum(answer.deferred for answer in answers),
        took_ms=sum(answer.took_ms for answer in answers),
        warnings=tuple(warnings),
        absent=dict(sum((Counter(answer.absent) for answer in answers), Counter())),
        unmatched_names=tuple(
            name
            for name in outer.unmatched_names
            if all(name in answer.unmatched_names for answer in answers)
        ),
        hits=tuple(hits[:top_k]),
    )


def _summed(parts: Iterable[WithoutVectors | None]) -> WithoutVectors | None:
    """Of the trees that lack some."""
    some = [part for part in parts if part]
    return (
        WithoutVectors(sum(part.chunks for part in some), sum(part.of for part in some))
        if some
        else None
    )


def _degraded(outer: str, inner: Mapping[str, Sequence[str]]) -> str:
    """What did not take part where; a reason that holds for the outer repository, too, is said once."""
    others = [
        f"{', '.join(folders)}: {why}" for why, folders in inner.items() if why and why != outer
    ]
    return "; ".join(filter(None, (outer, *others)))


def _moved(hit: Hit, folder: str) -> Hit:
    also = tuple(posixpath.join(folder, path) for path in hit.also)
    return replaced(hit, path=posixpath.join(folder, hit.path), also=also)
