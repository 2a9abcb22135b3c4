"""Renders outlines: skeletons of files and folders, definitions, lists of definitions.

In text, a line is `number declaration -- first sentence of the documentation`, indented by the
nesting of the definition. Adjacent values and fields share a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ragit.errors import UnknownFormat
from ragit.outlines import (
    Choice,
    Choices,
    FileLine,
    FileSkeleton,
    FolderSkeleton,
    Item,
    MapFile,
    Outline,
    RepositoryMap,
    Shown,
)
from ragit.records import NamedTuple
from ragit.render.machine import dumps, raw_path
from ragit.render.screen import Paint, RenderOptions, cells, counted, from_here, plain, visible
from ragit.types import index_command, lacking

JOINED = frozenset("constant variable field property value key target macro element item".split())
"""Kinds that share a line with neighbours of the same kind."""

NAMES = 8
"""Limit of names on such a line."""

CLOSED = frozenset("function method constructor property getter setter test key element".split())
"""Kinds whose members are left out in text."""

SMALL = 600
"""Size in bytes up to which a skeleton keeps its documentation."""

SHARE = 0.15
"""Larger shares of the file are shown without documentation."""

_DEEPEST = 50


class _Line(NamedTuple):
    number: str
    depth: int
    text: str
    doc: str = ""
    range: str = ""


def format_named(name: str) -> Callable[[Outline, RenderOptions], Iterator[str]]:
    """Return a format by name. Raises UnknownFormat."""
    if name not in FORMATS:
        raise UnknownFormat(f"unknown format {visible(name)!r}", f"There are {', '.join(FORMATS)}.")
    return FORMATS[name]


def text(found: Outline, options: RenderOptions) -> Iterator[str]:
    """Yield lines of text; of a skeleton at most `options.max_lines`."""
    paint = Paint(options.color)
    if isinstance(found, FileSkeleton):
        yield _title(found, options, paint)
        yield from _fitted(found, options, paint)
    elif isinstance(found, FolderSkeleton):
        yield from _cut(list(_folder(found, options, paint)), options)
    elif isinstance(found, Choices):
        yield from _choices(found, options, paint)
    elif isinstance(found, RepositoryMap):
        yield from _map(found, options, paint)
    else:
        yield from _definition(found, options, paint)


def notes(found: Outline) -> list[str]:
    """Return notes on an outline, a sentence each."""
    note = _note(found)
    lines = [f"note: {note}"] if note else []
    if found.missing:
        what = lacking(found.missing, None, visible(found.ref))
        command = visible(index_command(found.ref))
        lines.append(f"incomplete: {what}; to complete: {command}")
    return lines


def _note(found: Outline) -> str:
    """Return why there are no lines, or that there are more; empty if neither."""
    if isinstance(found, FileSkeleton):
        return _file_note(found)
    if isinstance(found, FolderSkeleton) and not (found.files or found.folders or found.missing):
        return f"no file of {visible(found.path or found.ref)} is indexed"
    if isinstance(found, RepositoryMap) and not found.files:
        return f"no definition of {visible(found.ref)} fits"
    if isinstance(found, Choices) and found.page < found.pages:
        return f"page {found.page} of {found.pages}; --page {found.page + 1} shows more"
    return ""


def _file_note(found: FileSkeleton) -> str:
    """Return why a skeleton has no lines, or fewer than the file has definitions; empty if
    neither.
    """
    path = visible(found.path)
    if found.skipped and not found.items and not found.lines:
        return f"{path} is not indexed: {visible(found.skipped)}"
    if found.skipped:
        return f"{path} is {visible(found.skipped)}"
    return "" if found.items else f"{path} defines nothing that has a name"


def _title(found: FileSkeleton, options: RenderOptions, paint: Paint) -> str:
    about = ", ".join(
        filter(None, (found.language, counted(found.lines, "line") if found.lines else ""))
    )
    path = paint.path(visible(from_here(found.path, options)))
    return f"{path}  {paint.faint(about)}" if about else path


def _fitted(found: FileSkeleton, options: RenderOptions, paint: Paint) -> Iterator[str]:
    """Yield the lines of a skeleton, with inner levels dropped until they fit."""
    lines = list(_lines(found.items, 0, _DEEPEST))
    if found.size and sum(map(_size, lines)) > max(SMALL, SHARE * found.size):
        lines = [line._replace(doc="") for line in lines]
    depth = max((line.depth for line in lines), default=0)
    while options.max_lines and len(lines) >= options.max_lines and depth:
        depth -= 1
        lines = [line for line in lines if line.depth <= depth]
    yield from _cut(list(_numbered(lines, options, paint)), options)


def _size(line: _Line) -> int:
    """Return about how many bytes a line takes."""
    doc = len(line.doc.encode("utf-8", "surrogatepass")) + 4 if line.doc else 0
    text = len(line.text.encode("utf-8", "surrogatepass"))
    return len(line.number) + 2 * line.depth + text + doc + 2


def _cut(lines: Sequence[str], options: RenderOptions) -> Iterator[str]:
    room = options.max_lines - 2 if options.max_lines > 2 else len(lines)
    if not options.max_lines or len(lines) <= options.max_lines - 1:
        room = len(lines)
    yield from lines[:room]
    if room < len(lines):
        yield f"{counted(len(lines) - room, 'more line')}"


def _lines(
    items: Sequence[Item], depth: int, deepest: int, ranges: bool = False
) -> Iterator[_Line]:
    for group in _side_by_side(items, ranges):
        item = group[0]
        if _joins(item, ranges):
            yield _joined(group, depth)
            continue
        number = item.place or str(item.line)
        span = f"{item.start_line}-{item.end_line}" if ranges and not item.place else ""
        yield _Line(number, depth, item.signature or item.name, item.doc, span)
        if item.kind not in CLOSED and depth < deepest:
            yield from _lines(item.children, depth + 1, deepest, ranges)


def _side_by_side(items: Sequence[Item], ranges: bool) -> Iterator[list[Item]]:
    """Yield the definitions of each line: adjacent values and fields of one kind share one. Of
    several names in one declaration, only the first is there.
    """
    group: list[Item] = []
    last: tuple[int, str] | None = None
    for item in items:
        if last == (item.line, item.signature):
            continue
        last = item.line, item.signature
        if group and not (_joins(item, ranges) and item.kind == group[0].kind):
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def _joins(item: Item, ranges: bool) -> bool:
    return item.kind in JOINED and not (item.doc and ranges)


def _joined(group: Sequence[Item], depth: int) -> _Line:
    """Return the line of adjacent values and fields."""
    first = group[0]
    number = first.place or str(first.line)
    if len(group) == 1:
        return _Line(number, depth, first.signature or first.name, first.doc)
    names = ", ".join(item.name for item in group[:NAMES])
    more = f" and {len(group) - NAMES} more" if len(group) > NAMES else ""
    kinds = (
        f"{first.kind[:-1]}ies"
        if first.kind.endswith("y") and first.kind != "key"
        else f"{first.kind}s"
    )
    return _Line(number, depth, f"{kinds} {names}{more}")


def _numbered(lines: Sequence[_Line], options: RenderOptions, paint: Paint) -> Iterator[str]:
    numbers = [line.range or line.number for line in lines]
    digits = max(map(len, numbers), default=0)
    for line, number in zip(lines, numbers, strict=True):
        head = f"{number:>{digits}} {'  ' * line.depth}"
        body, doc = visible(line.text), visible(line.doc)
        if options.width:
            body = _within(body, options.width - cells(head))
            doc = _within(doc, options.width - cells(head) - cells(body) - 4)
        shown = paint.line(number.rjust(digits)) + head[digits:] + body
        yield f"{shown}{paint.faint(f' -- {doc}')}" if doc else shown


def _within(line: str, room: int) -> str:
    if len(line) <= room:
        return line
    return line[: room - 3].rstrip() + "..." if room > 20 else ""


def _folder(found: FolderSkeleton, options: RenderOptions, paint: Paint) -> Iterator[str]:
    for folder in found.folders:
        path = visible(from_here(folder.path, options))
        yield f"{paint.path(path + '/')}  {counted(folder.files, 'file')}"
    for file in found.files:
        yield _file_line(file, options, paint)


def _file_line(file: FileLine, options: RenderOptions, paint: Paint) -> str:
    path = paint.path(visible(from_here(file.path, options)))
    if file.skipped:
        return f"{path}  {paint.faint(f'not indexed: {visible(file.skipped)}')}"
    more = f" and {file.more} more" if file.more else ""
    names = visible(", ".join(file.names) + more)
    lines = paint.faint(counted(file.lines, "line"))
    if not names:
        return f"{path}  {lines}"
    room = options.width - cells(from_here(file.path, options)) - 16 if options.width else 0
    return f"{path}  {lines}  {_within(names, room) if options.width else names}"


def _choices(found: Choices, options: RenderOptions, paint: Paint) -> Iterator[str]:
    count = counted(found.total, "definition")
    yield f"{count} of {visible(found.name)}; to see one: ragit show PATH:LINE"
    for one in found.choices:
        path = paint.path(visible(from_here(one.path, options)))
        place = f"{path}:{paint.line(str(one.line))}"
        declared = f"  {paint.faint(visible(one.signature))}" if one.signature else ""
        yield f"{place}  {visible(one.kind)} {paint.name(visible(one.name))}{declared}"


def _map(found: RepositoryMap, options: RenderOptions, paint: Paint) -> Iterator[str]:
    for file in found.files:
        yield paint.path(visible(from_here(file.path, options)))
        for line in file.lines:
            shown = f"  {paint.line(str(line.line))} {visible(line.text)}"
            yield shown


def _definition(found: Shown, options: RenderOptions, paint: Paint) -> Iterator[str]:
    item = found.item
    path = paint.path(visible(from_here(found.path, options)))
    span = f"{item.start_line}-{item.end_line}"
    name = f" {paint.name(visible(item.qualified))}" if item.qualified else ""
    yield f"{path}:{paint.line(span)}  {visible(item.kind)}{name}"
    digits = len(str(found.start_line + len(found.lines)))
    for number, line in enumerate(found.lines, found.start_line):
        yield f"{paint.line(f'{number:>{digits}}')}: {visible(line)}".rstrip()
    if found.outlined:
        yield from _numbered(list(_lines(item.children, 1, _DEEPEST, ranges=True)), options, paint)
    if found.also:
        yield paint.faint(f"declared in {visible(', '.join(found.also[:5]))}")


def json(found: Outline, options: RenderOptions) -> Iterator[str]:
    """Yield one JSON object (docs/json.md)."""
    whole: dict[str, Any] = {"ref": plain(found.ref), "tree": found.tree}
    whole |= {"complete": not found.missing, "missing": found.missing}
    if options.root:
        whole["root"] = plain(options.root)
    if isinstance(found, FileSkeleton):
        whole |= _json_skeleton(found)
    elif isinstance(found, FolderSkeleton):
        whole |= _json_path(found.path)
        whole["files"] = [_json_file(file) for file in found.files]
        whole["folders"] = [{**_json_path(one.path), "files": one.files} for one in found.folders]
    elif isinstance(found, Choices):
        whole |= {"name": plain(found.name), "total": found.total}
        whole |= {"page": found.page, "pages": found.pages}
        whole["choices"] = [_json_choice(one) for one in found.choices]
    elif isinstance(found, RepositoryMap):
        whole |= {"query": plain(found.query), "complete": found.complete}
        whole |= {"missing": found.completeness.missing, "max_tokens": found.max_tokens}
        whole |= {"tokens": found.tokens, "of": found.of}
        whole["files"] = [_json_map_file(file) for file in found.files]
    else:
        whole |= _json_shown(found)
    yield dumps(whole, options)


def _json_skeleton(found: FileSkeleton) -> dict[str, Any]:
    whole = {**_json_path(found.path), "language": found.language, "lines": found.lines}
    whole |= {"skipped": plain(found.skipped)} if found.skipped else {}
    return {**whole, "definitions": [_json_item(item) for item in found.items]}


def _json_shown(found: Shown) -> dict[str, Any]:
    whole: dict[str, Any] = {**_json_path(found.path), "language": found.language}
    whole |= {"definition": _json_item(found.item), "text_start_line": found.start_line}
    whole |= {"text": plain("\n".join(found.lines)), "outlined": found.outlined}
    return {**whole, "also": [plain(place) for place in found.also]} if found.also else whole


def _json_path(path: str) -> dict[str, str]:
    raw = raw_path(path)
    return {"path": plain(path), **({"path_bytes": raw} if raw else {})}


def _json_item(item: Item) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": plain(item.name),
        "kind": item.kind,
        "line": item.line,
        "start_line": item.start_line,
        "end_line": item.end_line,
    }
    optional: dict[str, Any] = {
        "parent": plain(item.owner),
        "signature": plain(item.signature),
        "doc": plain(item.doc),
        "location": plain(item.place),
        "definitions": [_json_item(child) for child in item.children],
    }
    return {**found, **{name: value for name, value in optional.items() if value}}


def _json_file(file: FileLine) -> dict[str, Any]:
    found: dict[str, Any] = {**_json_path(file.path), "lines": file.lines}
    optional = {
        "names": [plain(name) for name in file.names],
        "more": file.more,
        "skipped": plain(file.skipped),
    }
    return {**found, **{name: value for name, value in optional.items() if value}}


def _json_map_file(file: MapFile) -> dict[str, Any]:
    lines = [{"line": one.line, "signature": plain(one.text)} for one in file.lines]
    return {**_json_path(file.path), "rank": round(file.rank, 6), "definitions": lines}


def _json_choice(one: Choice) -> dict[str, Any]:
    found = {**_json_path(one.path), "line": one.line, "kind": one.kind, "name": plain(one.name)}
    return {**found, "signature": plain(one.signature)} if one.signature else found


def vimgrep(found: Outline, options: RenderOptions) -> Iterator[str]:
    """Yield path:line:column:declaration for each definition; the column is 1."""
    for path, line, _, _, declared in _rows(found):
        yield f"{visible(from_here(path, options))}:{line}:1:{visible(declared)}"


def compact(found: Outline, options: RenderOptions) -> Iterator[str]:
    """Yield `path:start-end kind qualified.name` for each definition."""
    for path, _, span, named, _ in _rows(found):
        yield f"{visible(from_here(path, options))}:{span} {visible(named)}".rstrip()


def _rows(found: Outline) -> Iterator[tuple[str, int, str, str, str]]:
    """Yield path, line, lines, kind with name, and declaration of everything listed."""
    if isinstance(found, FolderSkeleton):
        for file in found.files:
            names = ", ".join(file.names)
            yield file.path, 1, f"1-{file.lines}", names, names
    elif isinstance(found, RepositoryMap):
        for mapped in found.files:
            for line in mapped.lines:
                yield mapped.path, line.line, str(line.line), line.text, line.text
    elif isinstance(found, Choices):
        for one in found.choices:
            declared = one.signature or f"{one.kind} {one.name}"
            yield one.path, one.line, str(one.line), f"{one.kind} {one.name}", declared
    else:
        items = found.items if isinstance(found, FileSkeleton) else (found.item,)
        for item in _flat(items):
            named = f"{item.kind} {item.qualified}"
            span = f"{item.start_line}-{item.end_line}"
            yield found.path, item.line, span, named, item.signature or named


def _flat(items: Sequence[Item]) -> Iterator[Item]:
    for item in items:
        yield item
        yield from _flat(item.children)


FORMATS: dict[str, Callable[[Outline, RenderOptions], Iterator[str]]] = {
    "text": text,
    "json": json,
    "vimgrep": vimgrep,
    "compact": compact,
}
