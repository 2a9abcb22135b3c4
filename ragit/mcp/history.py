"""The tool `code_history`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from ragit import render
from ragit.changes import Diff, Gone, Since
from ragit.errors import ConfigError
from ragit.mcp.arguments import Arguments, text_or_none
from ragit.mcp.call import Call
from ragit.mcp.listing import Listing
from ragit.mcp.workspace import Asked, Workspace
from ragit.render import changes, since

_PLAIN = render.PLAIN

GONE_SECONDS = 30.0
"""Limit of the search for the commit that removed a definition, in seconds: clients wait for a
minute, and other calls wait meanwhile.
"""

_Found = TypeVar("_Found", Since, Gone)


def answer(workspace: Workspace, arguments: Arguments, call: Call) -> Listing:
    """Return since when code exists, when it was removed, or the changes of a range."""
    question = str(arguments["question"])
    if question not in _QUESTIONS:
        raise ConfigError(f"question is {question!r}", f"Pass {', '.join(_QUESTIONS)}")
    return _QUESTIONS[question](workspace, arguments, call)


def _since(workspace: Workspace, arguments: Arguments, call: Call) -> Listing:
    place = _required(arguments, "PATH:LINE or a symbol")
    return _answer(
        workspace,
        arguments,
        call,
        lambda opened, **options: opened.since(place, **options),
        since.since_text,
    )


def _gone(workspace: Workspace, arguments: Arguments, call: Call) -> Listing:
    symbol = _required(arguments, "a symbol")
    return _answer(
        workspace,
        arguments,
        call,
        lambda opened, **options: opened.gone(
            symbol, progress=call.progress, within_s=GONE_SECONDS, **options
        ),
        since.gone_text,
    )


def _answer(
    workspace: Workspace,
    arguments: Arguments,
    call: Call,
    ask: Callable[..., _Found],
    show: Callable[[_Found, render.RenderOptions], Iterable[str]],
) -> Listing:
    """Return a listing of one answer, which may change with new tags and commits."""
    ref = text_or_none(arguments, "ref")
    asked = workspace.ask(
        lambda opened, index, on_index: ask(opened, ref=ref, index=index, on_index=on_index),
        ref,
        call,
    )
    found = asked.answer
    lines = list(show(found, _PLAIN))
    return Listing(
        found.tree,
        found.ref,
        1,
        lambda at, first: lines,
        found.complete,
        notes=_notes(asked.note),
        noun="answer",
        reusable=False,
    )


def _diff(workspace: Workspace, arguments: Arguments, call: Call) -> Listing:
    revisions = text_or_none(arguments, "of") or ""
    later = revisions.rpartition("..")[2].lstrip(".") or None if revisions else None
    asked = workspace.ask(
        lambda opened, index, on_index: opened.diff(
            revisions,
            text_or_none(arguments, "query") or "",
            index=index,
            on_index=on_index,
        ),
        later,
        call,
    )
    return _listed(asked)


def _listed(asked: Asked[Diff]) -> Listing:
    found = asked.answer
    return Listing(
        found.new_tree,
        found.new_ref,
        len(found.changes),
        lambda at, first: list(changes.change_lines(found.changes[at], _PLAIN)),
        found.completeness.complete,
        (changes.summary(found), *changes.diff_notes(found), *_notes(asked.note)),
        "change",
        reusable=found.completeness.complete and not found.notes,
    )


def _notes(note: str) -> tuple[str, ...]:
    return (note,) if note else ()


def _required(arguments: Arguments, what: str) -> str:
    given = text_or_none(arguments, "of")
    if given is None:
        raise ConfigError("code_history needs the argument of", f"Pass of: {what}")
    return given


_QUESTIONS: dict[str, Callable[[Workspace, Arguments, Call], Listing]] = {
    "since": _since,
    "gone": _gone,
    "diff": _diff,
}
