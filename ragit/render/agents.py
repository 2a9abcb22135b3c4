"""Renders ragit's entries in agents' files, and changes to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ragit.records import as_dict
from ragit.render.machine import dumps
from ragit.render.screen import Paint, RenderOptions, plain, visible

if TYPE_CHECKING:
    from ragit.reports import AgentChange, AgentStatus


def changes_text(changes: Sequence[AgentChange], options: RenderOptions) -> Iterator[str]:
    """Yield a line for each file, and the text to add by hand to refused ones."""
    paint = Paint(options.color)
    for change in changes:
        action = f"{change.action:<6}"
        shown = paint.bad(action) if change.action == "refuse" else paint.good(action)
        agents = paint.faint(f"({', '.join(change.agents)})")
        note = f": {visible(change.note)}" if change.note else ""
        yield f"{shown}  {change.part:<12}  {visible(change.file)}  {agents}{note}"
    for change in changes:
        if change.action == "refuse" and change.snippet:
            yield ""
            yield from snippet_text(change, options)


def snippet_text(change: AgentChange, options: RenderOptions) -> Iterator[str]:
    """Yield the text to add to a file by hand."""
    paint = Paint(options.color)
    yield paint.name(f"{visible(change.file)}  ({', '.join(change.agents)}, {change.part})")
    yield from (f"  {visible(line)}" for line in change.snippet.split("\n"))


def agents_text(statuses: Sequence[AgentStatus], options: RenderOptions) -> Iterator[str]:
    """Yield a line for each agent: what is installed, and in which file."""
    paint = Paint(options.color)
    wide = max((len(status.name) for status in statuses), default=0)
    for status in statuses:
        there = "" if status.found else paint.faint("  (agent not found)")
        note = f"  {visible(status.note)}" if status.note else ""
        yield (
            f"{paint.name(f'{status.name:<{wide}}')}  {_server(status, paint)}"
            f"  instructions {status.instructions}, skill {status.skill}"
            f"  {paint.faint(visible(status.file))}{there}{note}"
        )


def _server(status: AgentStatus, paint: Paint) -> str:
    text = f"server {status.server:<10}"
    return paint.good(text) if status.server == "installed" else text


def agents_json(statuses: Sequence[AgentStatus], options: RenderOptions) -> Iterator[str]:
    """Yield the agents as one JSON array."""
    rows = [
        {
            **as_dict(status),
            "file": plain(status.file),
            "command": [plain(word) for word in status.command],
            "note": plain(status.note),
        }
        for status in statuses
    ]
    yield dumps(rows, options)
