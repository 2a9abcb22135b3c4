"""Renders the uses of a name: text for people and agents, JSON, vimgrep and compact lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ragit.errors import UnknownFormat
from ragit.render.machine import dumps, raw_path
from ragit.render.screen import Paint, RenderOptions, cells, counted, from_here, plain, visible
from ragit.types import index_command
from ragit.usages import Defined, Usages, Use

_LONGEST = 160
"""Columns of a line of code without a terminal's width."""

_FILES = 10
"""Limit of files whose counts come before the lines."""

Format = Callable[[Usages, RenderOptions], Iterator[str]]


def format_named(name: str) -> Format:
    """Return a format by name. Raises UnknownFormat."""
    if name not in FORMATS:
        raise UnknownFormat(f"unknown format {visible(name)!r}", f"There are {', '.join(FORMATS)}.")
    return FORMATS[name]


def text(found: Usages, options: RenderOptions) -> Iterator[str]:
    """Yield counts, definitions, and the lines of the page below their files."""
    paint = Paint(options.color)
    yield summary(found)
    yield from _counts(found, options, paint)
    if found.query.page == 1:
        for one in found.definitions:
            yield from _definition(one, options, paint)
    path = ""
    for use in found.uses:
        if use.path != path:
            path = use.path
            yield ""
            yield paint.path(visible(from_here(path, options)))
        yield _use(use, options, paint)


def summary(found: Usages) -> str:
    """Return the counts of an answer in one line, with the range of this page."""
    name, what = visible(found.query.name), found.query.relation
    many = counted(found.total, what.removesuffix("s"), what)
    line = f"{name}: {counted(len(found.definitions), 'definition')}, {many}"
    line += f" in {counted(len(found.files), 'file')} of {visible(found.ref)}"
    if found.pages > 1:
        first = (found.query.page - 1) * found.query.top_k + 1
        line += f"; {first:,}-{first + len(found.uses) - 1:,} are shown"
        if found.query.page < found.pages:
            line += f", --page {found.query.page + 1} shows more"
    return line


def notes(found: Usages) -> list[str]:
    """Return the notes on an answer, a sentence each."""
    listed = [f"note: {visible(note)}" for note in found.notes]
    if not found.complete:
        what = found.completeness.lacking(visible(found.ref))
        listed.append(f"incomplete: {what}; to complete: {visible(index_command(found.ref))}")
    if not found.total and not found.definitions:
        listed.append(f"no file of {visible(found.ref)} holds {visible(found.query.name)}")
    return listed


def limited(found: Usages, options: RenderOptions, most: int) -> list[str]:
    """Return the lines of `text` within `most` bytes, and how many are left out, if any are."""
    kept: list[str] = []
    lines = list(text(found, options))
    room = most
    for line in lines:
        room -= len(line.encode("utf-8", "surrogatepass")) + 1
        if room < 0:
            kept.append(f"{counted(len(lines) - len(kept), 'more line')} did not fit")
            break
        kept.append(line)
    return kept


def definition_line(one: Defined, options: RenderOptions) -> str:
    """Return a definition as one line of `text`."""
    (line,) = _definition(one, options, Paint(options.color))
    return line


def use_line(use: Use, options: RenderOptions) -> str:
    """Return a use as one line of `text`, for below its file's path."""
    return _use(use, options, Paint(options.color))


def _counts(found: Usages, options: RenderOptions, paint: Paint) -> Iterator[str]:
    """Yield the number of lines in the files with the most, if there are several pages."""
    if found.pages == 1 or found.query.page > 1:
        return
    shown = found.files[:_FILES]
    each = ", ".join(f"{visible(from_here(path, options))} {count:,}" for path, count in shown)
    rest = len(found.files) - len(shown)
    more = f" and {counted(rest, 'more file')}" if rest else ""
    yield paint.faint(f"by file: {each}{more}")


def _definition(one: Defined, options: RenderOptions, paint: Paint) -> Iterator[str]:
    path = paint.path(visible(from_here(one.path, options)))
    name = visible(_qualified(one))
    place = f"{path}:{paint.line(str(one.line))}"
    yield f"{place}: [definition] {visible(one.kind)} {paint.name(name)}"


def _qualified(one: Defined) -> str:
    return ".".join(filter(None, (one.parent, one.name)))


def _use(use: Use, options: RenderOptions, paint: Paint) -> str:
    number = f"  {use.line}:" if not use.place else f"  {visible(use.place)}:"
    inside = f" in {visible(use.symbol)}" if use.symbol else ""
    head = f"{number} [{_label(use)}]{inside}"
    code = visible(use.text.strip())
    room = max(40, (options.width or cells(head) + _LONGEST) - cells(head) - 3)
    if len(code) > room:
        code = code[: room - 3] + "..."
    return f"{paint.line(number)} [{_label(use)}]{paint.name(inside)} | {code}"


def _label(use: Use) -> str:
    """Return the certainty and kind of a use."""
    certainty = use.certainty
    if use.candidates > 1:
        certainty = f"{certainty}, {use.candidates} candidates"
    return f"{certainty}, {use.kind}"


def compact(found: Usages, options: RenderOptions) -> Iterator[str]:
    """Yield a line for each definition and each use, without its text."""
    for one in found.definitions if found.query.page == 1 else ():
        place = f"{_path(one.path, options)}:{one.line}"
        yield f"{place} [definition] {visible(one.kind)} {visible(_qualified(one))}"
    for use in found.uses:
        inside = f" {visible(use.symbol)}" if use.symbol else ""
        yield f"{_path(use.path, options)}:{use.line} [{_label(use)}]{inside}"


def vimgrep(found: Usages, options: RenderOptions) -> Iterator[str]:
    """Yield path:line:column:text for definitions and uses; columns count bytes from 1."""
    for one in found.definitions if found.query.page == 1 else ():
        label = f"[definition] {visible(one.text)}"
        yield f"{_path(one.path, options)}:{one.line}:{one.column}:{label}"
    for use in found.uses:
        label = f"[{_label(use)}] {visible(use.text)}"
        yield f"{_path(use.path, options)}:{use.line}:{use.column}:{label}"


def json(found: Usages, options: RenderOptions) -> Iterator[str]:
    """Yield one JSON object (docs/json.md)."""
    query = found.query
    whole: dict[str, Any] = {
        "name": plain(query.name),
        "relation": query.relation,
        "ref": plain(found.ref),
        "tree": found.tree,
        **({"root": plain(options.root)} if options.root else {}),
        "complete": found.complete,
        "missing": found.completeness.missing,
        "took_ms": round(found.took_ms, 3),
        "total": found.total,
        "page": query.page,
        "pages": found.pages,
        "files": [{**_json_path(path), "lines": count} for path, count in found.files],
        "definitions": [_json_definition(one) for one in found.definitions],
        "uses": [_json_use(use) for use in found.uses],
    }
    if found.notes:
        whole["notes"] = [plain(note) for note in found.notes]
    yield dumps(whole, options)


def _json_path(path: str) -> dict[str, str]:
    raw = raw_path(path)
    return {"path": plain(path), **({"path_bytes": raw} if raw else {})}


def _json_definition(one: Defined) -> dict[str, Any]:
    return {
        **_json_path(one.path),
        "line": one.line,
        "column": one.column,
        "kind": one.kind,
        "name": plain(one.name),
        "parent": plain(one.parent),
        "text": plain(one.text),
        "test": one.test,
    }


def _json_use(use: Use) -> dict[str, Any]:
    found: dict[str, Any] = {
        **_json_path(use.path),
        "line": use.line,
        "column": use.column,
        "kind": use.kind,
        "certainty": use.certainty,
        "test": use.test,
    }
    optional: Sequence[tuple[str, object]] = (
        ("candidates", use.candidates),
        ("definition", plain(use.definition)),
        ("symbol", plain(use.symbol)),
        ("location", plain(use.place)),
    )
    found.update((name, value) for name, value in optional if value)
    return {**found, "text": plain(use.text)}


def _path(path: str, options: RenderOptions) -> str:
    return visible(from_here(path, options))


FORMATS: dict[str, Format] = {
    "text": text,
    "json": json,
    "vimgrep": vimgrep,
    "compact": compact,
}
