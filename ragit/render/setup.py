"""Renders the embedder, hooks, the doctor's findings, settings and permissions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ragit.records import as_dict
from ragit.render.machine import dumps
from ragit.render.screen import Paint, RenderOptions, cells, plain, priced, visible

if TYPE_CHECKING:
    from ragit.reports import EmbedderTried, Finding, HooksReport, PermissionRequest

ConfigRows = Sequence[tuple[str, object, str, str]]
"""(name, value, origin, help), as from `config.describe`."""

_WIDEST_VALUE = 32


def embedder_text(tried: EmbedderTried, options: RenderOptions) -> Iterator[str]:
    """Yield the configured embedder, and the result of its test."""
    paint = Paint(options.color)
    model = f", model {visible(tried.model)}" if tried.model else ""
    yield f"{paint.good('works')}: {visible(tried.provider)}{model}"
    if tried.address:
        yield f"  at {visible(tried.address)}"
        yield f"  key: {visible(tried.key)}"
    took = f"a text took {tried.document_ms:,.0f} ms, a query {tried.query_ms:,.0f} ms"
    yield f"  {tried.dimensions:,} dimensions; {took}"
    if tried.tokens:
        yield f"  {tried.tokens:,} tokens for both; {priced(tried.cost, (tried.model,))}"
    for note in tried.notes:
        yield f"  note: {note}"


def embedder_json(tried: EmbedderTried, options: RenderOptions) -> Iterator[str]:
    """Yield the result of the test as one JSON object."""
    yield dumps({**as_dict(tried), "notes": list(tried.notes)}, options)


def hooks_text(report: HooksReport, options: RenderOptions) -> Iterator[str]:
    """Yield for each hook whether it starts ragit, and the text to add by hand if not."""
    paint = Paint(options.color)
    for hook in report.hooks:
        state = paint.good(hook.state) if hook.state == "active" else paint.bad(hook.state)
        note = f"  {paint.faint(visible(hook.note))}" if hook.note else ""
        gap = " " * (13 - len(hook.event))
        yield f"{paint.name(hook.event)}{gap}  {state}  {visible(hook.file)}{note}"
    advice = list(dict.fromkeys(hook.advice for hook in report.hooks if hook.advice))
    if advice:
        yield ""
        yield f"to install them: {paint.name(visible(advice[0]))}"
        yield from (f"             and: {paint.name(visible(line))}" for line in advice[1:])


def hooks_json(report: HooksReport, options: RenderOptions) -> Iterator[str]:
    """Yield the report as one JSON object."""
    hooks = [
        {
            "event": hook.event,
            "file": plain(hook.file),
            "state": hook.state,
            "note": plain(hook.note),
            "advice": plain(hook.advice),
        }
        for hook in report.hooks
    ]
    yield dumps(
        {"active": report.active, "dispatcher": plain(report.dispatcher), "hooks": hooks}, options
    )


def doctor_text(findings: Sequence[Finding], options: RenderOptions) -> Iterator[str]:
    """Yield what was checked, and how to repair faults."""
    paint = Paint(options.color)
    marks = {"ok": paint.good("ok  "), "note": paint.name("note"), "bad": paint.bad("bad ")}
    wide = max((len(finding.topic) for finding in findings), default=0)
    for finding in findings:
        topic = paint.faint(f"{finding.topic:<{wide}}")
        yield f"{marks[finding.state]}  {topic}  {visible(finding.text)}"
        if finding.fix:
            yield f"{' ' * (wide + 8)}{visible(finding.fix)}"


def doctor_json(findings: Sequence[Finding], options: RenderOptions) -> Iterator[str]:
    """Yield the findings as one JSON array."""
    rows = [
        {"topic": f.topic, "state": f.state, "text": plain(f.text), "fix": plain(f.fix)}
        for f in findings
    ]
    yield dumps(rows, options)


def config_text(rows: ConfigRows, options: RenderOptions) -> Iterator[str]:
    """Yield every setting by section, with its value and origin; with `full`, also its meaning."""
    paint = Paint(options.color)
    shown = [(name, _value(value), origin, help) for name, value, origin, help in rows]
    wide = max((len(name.partition(".")[2]) for name, *_ in shown), default=0)
    deep = min(_WIDEST_VALUE, max((cells(value) for _, value, *_ in shown), default=0))
    section = ""
    for name, value, origin, help in shown:
        above, dot, rest = name.partition(".")
        if above != section:
            if section:
                yield ""
            if dot:  # otherwise a setting outside of all sections
                yield paint.name(f"[{above}]")
            section = above
        gap = " " * max(0, deep - cells(value))
        value, origin = _emphasised(value, origin, paint)
        yield f"{rest or name:<{wide}}  {value}{gap}  {origin}"
        if options.full:
            yield paint.faint(f"    {help}")


def _emphasised(value: str, origin: str, paint: Paint) -> tuple[str, str]:
    """Return a value and its origin, changed ones emphasised and defaults faint."""
    if origin == "default":
        return value, paint.faint(origin)
    return paint.name(value), paint.bad(origin) if "ignored" in origin else origin


def request_text(asked: PermissionRequest, options: RenderOptions) -> Iterator[str]:
    """Yield the permissions that a repository requests."""
    paint = Paint(options.color)
    if asked.settings:
        yield f"{visible(asked.path)} sets"
    for name, value, origin in asked.settings:
        yield f"  {paint.name(name)} = {_value(value)}  {paint.faint(visible(origin))}"
    for one in asked.chunkers:
        yield f"{visible(one.name)} chunks {visible(', '.join(one.suffixes))}"
        for suffix, language in one.instead:
            yield f"  in place of ragit itself, which reads {visible(suffix)} as {language}"
        if one.problem:
            yield paint.bad(f"  but is ignored: {visible(one.problem)}")
        elif one.sha256:
            yield f"  its code runs as you, from this file as it is now: sha256 {one.sha256}"
        else:
            yield "  its code is installed where ragit is, and runs as you"
    if not asked.settings and not asked.chunkers:
        yield f"{visible(asked.path)} asks for nothing that has to be allowed"


def _value(value: object) -> str:
    return visible(json.dumps(value, ensure_ascii=False))


def config_json(rows: ConfigRows, options: RenderOptions) -> Iterator[str]:
    """Yield the settings by name as one JSON object."""
    table: dict[str, Any] = {
        name: {"value": value, "origin": origin, "help": help} for name, value, origin, help in rows
    }
    yield dumps(table, options)
