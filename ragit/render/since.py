"""Renders when code was added or removed, as text and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ragit.changes import CommitFacts, Gone, Since, Version
from ragit.render.machine import dumps
from ragit.render.screen import Paint, RenderOptions, counted, from_here, plain, visible
from ragit.render.text import within

_NAMES = 3
"""Limit of names shown of a chunk."""


def since_text(since: Since, options: RenderOptions) -> Iterator[str]:
    """Yield the place, the commit that brought its text, moves, the first tag, what was before."""
    paint = Paint(options.color)
    yield _place(since.now, options, paint)
    if since.now.since:
        yield f"  since   {_commit(since.now.since, paint)}"
    for move in since.moves:
        yield f"  moved   {_commit(move.commit, paint)}"
        yield f"          from {paint.path(visible(from_here(move.old_path, options)))}"
    if since.now.since:
        yield f"  tag     {_tag(since)}"
    for version in since.earlier:
        yield f"  before  {_commit(version.since, paint) if version.since else ''}"
        if (version.path, version.names) != (since.now.path, since.now.names):
            yield f"          {_place(version, options, paint)}"
    if since.unknown:
        yield f"  note    {visible(since.unknown)}"
    yield paint.faint(_looked_at(since))


def _tag(since: Since) -> str:
    """Return the first tag, and whether it has the commit."""
    if not since.first_tag:
        return "none has it yet"
    other = "" if since.tag_has_commit else " (by another commit)"
    return f"{visible(since.first_tag)}{other} is the first that has it"


def _place(version: Version, options: RenderOptions, paint: Paint) -> str:
    path = paint.path(visible(from_here(version.path, options)))
    lines = f"{version.start_line}-{version.end_line}"
    more = len(version.names) - _NAMES
    names = ", ".join(version.names[:_NAMES]) + (f" and {more} more" if more > 0 else "")
    name = visible(within(version.parent, names, version.kind))
    shown = f"  {paint.name(name)}" if name else ""
    return f"{path}:{paint.line(lines)}{shown}  {visible(version.kind)}"


def _commit(facts: CommitFacts, paint: Paint) -> str:
    author, subject = visible(facts.author), visible(facts.subject)
    return f"{facts.date[:10]}  {paint.line(facts.commit[:10])}  {author}  {subject}"


def _looked_at(answer: Since | Gone) -> str:
    """Return the numbers of commits, tags and blobs examined."""
    what = f"looked at {counted(answer.commits, 'commit')}, {counted(answer.tags, 'tag')}"
    what += f" and {counted(answer.blobs, 'version')} of files"
    lacking = f", {answer.absent:,} of them not in this repository" if answer.absent else ""
    return what + lacking


def gone_text(gone: Gone, options: RenderOptions) -> Iterator[str]:
    """Yield the commit that removed a definition, its last place, and when it was added."""
    paint = Paint(options.color)
    yield f"{visible(gone.symbol)} is gone from {visible(gone.ref)}"
    yield f"  removed {_commit(gone.removed, paint)}"
    yield f"  last    {_place(gone.last, options, paint)} in {gone.last_commit[:10]}"
    if gone.last.since:
        yield f"  since   {_commit(gone.last.since, paint)}"
    tag = f"{visible(gone.last_tag)} is the last that has it" if gone.last_tag else "none had it"
    yield f"  tag     {tag}"
    if gone.unknown:
        yield f"  note    {visible(gone.unknown)}"
    yield paint.faint(_looked_at(gone))


def since_json(since: Since, options: RenderOptions) -> Iterator[str]:
    """Yield one JSON object."""
    whole: dict[str, Any] = {
        "ref": plain(since.ref),
        "tree": since.tree,
        "complete": since.complete,
        **_version_json(since.now),
        "first_tag": plain(since.first_tag) or None,
        "moves": [
            {
                "commit": _commit_json(move.commit),
                "old_path": plain(move.old_path),
                "new_path": plain(move.new_path),
            }
            for move in since.moves
        ],
        "earlier": [_version_json(version) for version in since.earlier],
        "more": since.more,
        **_counts_json(since),
    }
    if since.first_tag:
        whole["tag_has_commit"] = since.tag_has_commit
    if since.unknown:
        whole["unknown"] = plain(since.unknown)
    yield dumps(whole, options)


def gone_json(gone: Gone, options: RenderOptions) -> Iterator[str]:
    """Yield one JSON object."""
    whole: dict[str, Any] = {
        "symbol": plain(gone.symbol),
        "ref": plain(gone.ref),
        "tree": gone.tree,
        "complete": gone.complete,
        "removed": _commit_json(gone.removed),
        "last_commit": gone.last_commit,
        "last": _version_json(gone.last),
        "last_tag": plain(gone.last_tag) or None,
        **_counts_json(gone),
    }
    if gone.unknown:
        whole["unknown"] = plain(gone.unknown)
    yield dumps(whole, options)


def _counts_json(answer: Since | Gone) -> dict[str, Any]:
    return {
        "looked_at": {
            "commits": answer.commits,
            "tags": answer.tags,
            "blobs": answer.blobs,
            "absent": answer.absent,
        },
        "took_ms": round(answer.took_ms, 3),
    }


def _version_json(version: Version) -> dict[str, Any]:
    found: dict[str, Any] = {
        "since": _commit_json(version.since) if version.since else None,
        "path": plain(version.path),
        "start_line": version.start_line,
        "end_line": version.end_line,
        "kind": version.kind,
        "names": [plain(name) for name in version.names],
    }
    return {**found, "parent": plain(version.parent)} if version.parent else found


def _commit_json(facts: CommitFacts) -> dict[str, str]:
    return {
        "commit": facts.commit,
        "date": facts.date,
        "author": plain(facts.author),
        "email": plain(facts.email),
        "subject": plain(facts.subject),
    }
