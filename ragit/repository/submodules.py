"""Searches submodules, and joins their answers with that of the repository around them.

Each submodule has a store of its own. Nothing is checked out or downloaded; submodules that are not
checked out are skipped.
"""

from __future__ import annotations

import os
import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ragit import globs
from ragit.git import GITLINK
from ragit.query import Query
from ragit.records import NamedTuple, replaced
from ragit.types import (
    NO_FILE_PASSES,
    NO_WORD_FOUND,
    Answer,
    Completeness,
    Entry,
    Hit,
    WithoutVectors,
)


def below(pattern: str, folder: str) -> str | None:
    """Return a path pattern relative to `folder`; None if it can match nothing there."""
    if "/" not in pattern.rstrip("/"):  # a bare name, at any depth
        return "**" if _matches(pattern, f"{folder}/x") else pattern
    segments = pattern.removeprefix("/").split("/")
    for name in folder.split("/"):
        if segments in ([], [""]):
            return "**"  # the pattern ended above: a matching folder matches with its content
        if segments[0] == "**":
            return "/".join(segments) if len(segments) > 1 else "**"
        if not _matches(f"/{segments[0]}", name):
            return None
        segments = segments[1:]
    return "**" if segments in ([], [""]) else "/" + "/".join(segments)


def _matches(pattern: str, path: str) -> bool:
    matches = globs.matcher([pattern])
    return matches is not None and matches(path.encode("utf-8", "surrogateescape"))


def queries(query: Query, entries: Iterable[Entry]) -> Iterator[tuple[str, Query]]:
    """Yield the folder of each submodule of a tree where something can match, with its query."""
    for entry in entries:
        folder = os.fsdecode(entry.path)
        asked = inside(query, folder, entry.oid) if entry.mode == GITLINK else None
        if asked is not None:
            yield folder, asked


def inside(query: Query, folder: str, commit: str) -> Query | None:
    """Return the query for a submodule; None if its path filters let nothing there pass.

    It searches the commit that the outer tree names, unless the query is about uncommitted work.
    """
    patterns = _inner_filters(query.paths, folder)
    if patterns is None:
        return None
    uncommitted = query.ref is None and query.scope == "worktree"
    return replaced(
        query,
        paths=tuple(patterns),
        ref=None if uncommitted else commit,
        scope="worktree",
        in_refs=(),  # names of the outer repository
    )


def _inner_filters(filters: Sequence[str], folder: str) -> list[str] | None:
    """Return path filters relative to `folder`; None if nothing there can pass."""
    wanted: list[str] = []
    unwanted: list[str] = []
    for one in filters:
        less = one.startswith(globs.LESS)
        found = below(one.removeprefix(globs.LESS), folder)
        if found is not None:
            (unwanted if less else wanted).append(found)
    limited = any(not one.startswith(globs.LESS) for one in filters)
    if "**" in unwanted or (limited and not wanted):
        return None
    return [*wanted, *(globs.LESS + one for one in unwanted)]


class Inner(NamedTuple):
    """A submodule at a folder, its answer, and warnings about its settings."""

    folder: str
    answer: Answer
    warnings: Iterable[str] = ()


def joined(outer: Answer, inner: Sequence[Inner], top_k: int) -> Answer:
    """Return one answer with the best hits of all, with paths in the outer working tree."""
    answers = [outer, *(one.answer for one in inner)]
    hits = list(outer.hits)
    warnings: list[str] = []
    for one in inner:
        hits += [_below_folder(hit, one.folder) for hit in one.answer.hits]
        warnings += _warnings(one)
    hits.sort(key=lambda hit: (-hit.score, hit.path, hit.start_line))
    return replaced(
        outer,
        completeness=_joined_completeness([answer.completeness for answer in answers]),
        degraded=_degraded(outer, inner),
        took_ms=sum(answer.took_ms for answer in answers),
        warnings=tuple(warnings),
        unmatched_names=_unmatched(answers),
        notes=_notes(outer, inner, bool(hits)),
        hits=tuple(hits[:top_k]),
    )


def _joined_completeness(each: Sequence[Completeness]) -> Completeness:
    """Return the completeness of several trees, the outer one first."""
    absent: Counter[str] = Counter()
    for one in each:
        absent.update(one.absent)
    return Completeness(
        missing=sum(one.missing for one in each),
        without_vectors=_summed([one.without_vectors for one in each]),
        undescribed=sum(one.undescribed for one in each),
        absent=dict(absent),
        deferred=sum(one.deferred for one in each),
        unsearched=each[0].unsearched if all(one.unsearched for one in each) else {},
    )


def _unmatched(answers: Sequence[Answer]) -> tuple[str, ...]:
    """Return the names that no repository contains."""
    first, *others = (answer.unmatched_names for answer in answers)
    return tuple(name for name in first if all(name in names for names in others))


def _warnings(one: Inner) -> list[str]:
    """Return warnings about the settings of a submodule and of those within it."""
    own = [f"{one.folder}: {warning}" for warning in one.warnings]
    return [*own, *(posixpath.join(one.folder, warning) for warning in one.answer.warnings)]


def _summed(parts: Iterable[WithoutVectors | None]) -> WithoutVectors | None:
    some = [part for part in parts if part]
    if not some:
        return None
    return WithoutVectors(sum(part.chunks for part in some), sum(part.of for part in some))


def _degraded(outer: Answer, inner: Sequence[Inner]) -> str:
    """Return why parts of a search did not run, each with its repository.

    A reason of the outer repository is given once. The note that no file contains a word of the
    query is dropped if a file of another repository contains one.
    """
    answers = [outer, *(one.answer for one in inner)]
    held = any(answer.hits and NO_WORD_FOUND not in answer.degraded for answer in answers)
    reasons: dict[str, list[str]] = {outer.degraded: []}
    for one in inner:
        reasons.setdefault(one.answer.degraded, []).append(one.folder)
    found = []
    for reason, folders in reasons.items():
        if reason and not (held and NO_WORD_FOUND in reason):
            found.append(reason if reason == outer.degraded else f"{', '.join(folders)}: {reason}")
    return "; ".join(found)


def _notes(outer: Answer, inner: Sequence[Inner], has_hits: bool) -> tuple[str, ...]:
    """Return the notes of all answers, each once; without "nothing found" if there are hits."""
    found = list(outer.notes)
    for one in inner:
        found += [f"{one.folder}: {note}" for note in one.answer.notes if note not in outer.notes]
    nothing = (NO_FILE_PASSES, NO_WORD_FOUND) if has_hits else ()
    return tuple(note for note in found if not any(why in note for why in nothing))


def _below_folder(hit: Hit, folder: str) -> Hit:
    """Return a hit with its paths in the outer working tree."""
    also = tuple(posixpath.join(folder, path) for path in hit.also)
    return replaced(hit, path=posixpath.join(folder, hit.path), also=also)
