"""Renders changes of definitions between two trees, as text, JSON and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from ragit.changes import MOVED, REMOVED, STATUSES, Change, Diff, Side
from ragit.render.machine import code, dumps
from ragit.render.screen import Paint, RenderOptions, counted, from_here, in_tree, plain, visible
from ragit.render.text import within

_NAMES = 3
"""Limit of names shown of a chunk."""

_FOLDED = 3
"""Number of unchanged definitions moved between two files from which they share one line."""


def diff_text(diff: Diff, options: RenderOptions) -> Iterator[str]:
    """Yield a heading, then the changes by file; for a query, by score."""
    paint = Paint(options.color)
    yield summary(diff)
    if diff.query:
        for change in diff.changes:
            yield ""
            yield from change_lines(change, options)
        return
    width = max((len(change.status) for change in diff.changes), default=0)
    for path, group in groupby(diff.changes, lambda change: change.shown.path):
        yield ""
        yield paint.path(visible(from_here(path, options)))
        for several in _folded(list(group)):
            yield f"  {_line(several, width, options, paint)}"


def summary(diff: Diff) -> str:
    """Return the compared trees, and the number of definitions by status."""
    counts = [f"{count:,} {status}" for status, count in diff.counts.items() if count]
    what = ", ".join(counts) or "no definition changed"
    trees = f"{in_tree(_short(diff.old_ref), diff.old_tree)} to "
    trees += in_tree(_short(diff.new_ref), diff.new_tree)
    if diff.query:
        return f"{what} for {visible(diff.query)!r}, {trees}"
    text = f", and text without a name in {len(diff.unnamed):,}" if diff.unnamed else ""
    return f"{what} in {counted(diff.files, 'file')}{text}; {trees}"


def _short(ref: str) -> str:
    """Return a ref, with a commit's name abbreviated."""
    is_name = len(ref) in (40, 64) and all(sign in "0123456789abcdef" for sign in ref)
    return ref[:10] if is_name else ref


def _folded(changes: list[Change]) -> Iterator[list[Change]]:
    """Yield the changes of a file; unchanged definitions moved from one file are together."""
    groups: dict[str, list[Change]] = {}
    for change in changes:
        if change.status == MOVED and change.old and change.similarity is None:
            groups.setdefault(change.old.path, []).append(change)
    whole = {path for path, group in groups.items() if len(group) >= _FOLDED}
    for change in changes:
        path = change.old.path if change.old else ""
        if path not in whole or change not in groups[path]:
            yield [change]
        elif change is groups[path][0]:
            yield groups[path]


def _line(several: list[Change], width: int, options: RenderOptions, paint: Paint) -> str:
    change = several[0]
    status = _painted(change.status, paint, width)
    if len(several) > 1:
        names = sum(len(one.shown.names) for one in several)
        return f"{status}  {counted(names, 'definition')}{_origin(change, options)}"
    side = change.shown
    name = paint.name(visible(_name(side)))
    return f"{status}  {_lines(side)}  {side.kind}  {name}{_origin(change, options)}"


def _painted(status: str, paint: Paint, width: int = 0) -> str:
    padded = status.ljust(width)
    return paint.bad(padded) if status == REMOVED else paint.good(padded)


def _lines(side: Side) -> str:
    return (
        str(side.line) if side.start_line == side.end_line else f"{side.start_line}-{side.end_line}"
    )


def _name(side: Side) -> str:
    more = len(side.names) - _NAMES
    names = ", ".join(side.names[:_NAMES]) + (f" and {more} more" if more > 0 else "")
    return within(side.parent, names, side.kind)


def _origin(change: Change, options: RenderOptions) -> str:
    """Return the former place and name of a definition, if they differ."""
    old, new = change.old, change.new
    if old is None or new is None:
        return ""
    parts = []
    if change.status != MOVED and _name(old) != _name(new):
        parts.append(f"like {visible(_name(old))}")
    if old.path != new.path:
        parts.append(f"from {visible(from_here(old.path, options))}")
    if change.similarity is not None:
        parts.append(f"({change.similarity:.2f})")
    return "  " + " ".join(parts) if parts else ""


def change_lines(change: Change, options: RenderOptions) -> Iterator[str]:
    """Yield the place of a change, and the change."""
    paint = Paint(options.color)
    side = change.shown
    path = paint.path(visible(from_here(side.path, options)))
    score = f"  {paint.score(f'{change.score:.3f}')}" if change.score is not None else ""
    yield f"{path}:{paint.line(str(side.line))}"
    yield f"  {_line([change], 0, options, paint)}{score}"


def diff_json(diff: Diff, options: RenderOptions) -> Iterator[str]:
    """Yield one JSON object."""
    whole: dict[str, Any] = {
        "old": {"ref": plain(diff.old_ref), "tree": diff.old_tree},
        "new": {"ref": plain(diff.new_ref), "tree": diff.new_tree},
        "complete": diff.completeness.complete,
        "missing": diff.completeness.missing,
        "files": diff.files,
        "counts": dict(diff.counts),
        "took_ms": round(diff.took_ms, 3),
        "changes": [_change_json(change) for change in diff.changes],
    }
    optional: dict[str, Any] = {
        "query": plain(diff.query),
        "left_out": diff.left_out,
        "unnamed": [plain(path) for path in diff.unnamed],
        "notes": [plain(note) for note in diff.notes],
    }
    whole.update((name, value) for name, value in optional.items() if value)
    yield dumps(whole, options)


def _change_json(change: Change) -> dict[str, Any]:
    found: dict[str, Any] = {"status": change.status}
    for name, side in (("old", change.old), ("new", change.new)):
        if side is not None:
            found[name] = _side_json(side)
    if change.similarity is not None:
        found["similarity"] = round(change.similarity, 4)
    if change.score is not None:
        found["score"] = round(change.score, 4)
    return found


def _side_json(side: Side) -> dict[str, Any]:
    found: dict[str, Any] = {
        "path": plain(side.path),
        "line": side.line,
        "start_line": side.start_line,
        "end_line": side.end_line,
        "kind": side.kind,
        "names": [plain(name) for name in side.names],
    }
    return {**found, "parent": plain(side.parent)} if side.parent else found


def diff_markdown(diff: Diff, options: RenderOptions) -> Iterator[str]:
    """Yield a heading, then a list by status, with paths as code."""
    yield summary(diff)
    for note in diff.notes:
        yield ""
        yield f"> {visible(note)}"
    ordered = _by_status(diff.changes) if not diff.query else [("found", diff.changes)]
    for status, changes in ordered:
        yield ""
        yield f"## {status.capitalize()}"
        yield ""
        for change in changes:
            side = change.shown
            place = code(f"{from_here(side.path, options)}:{side.line}")
            what = f"{change.status} " if diff.query else ""
            yield f"- {what}{side.kind} {code(_name(side))} {place}{_origin(change, options)}"


def _by_status(changes: Sequence[Change]) -> list[tuple[str, list[Change]]]:
    groups = {status: [one for one in changes if one.status == status] for status in STATUSES}
    return [(status, group) for status, group in groups.items() if group]


def diff_notes(diff: Diff) -> list[str]:
    """Return notes on a comparison, a line each."""
    found = [f"note: {visible(note)}" for note in diff.notes]
    if diff.left_out:
        found.append(f"note: {counted(diff.left_out, 'more change')} found; -k shows more")
    return found
