"""Renders the context of a cursor: text for a prompt, JSON, vimgrep and compact lines.

In text, declarations stand below the folder of their file, as `file:line declaration`; pieces of
similar code follow, each below `path:start-end`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ragit.contexts import Context
from ragit.errors import UnknownFormat
from ragit.render.machine import dumps, raw_path
from ragit.render.screen import Paint, RenderOptions, from_here, plain, visible
from ragit.types import index_command


def format_named(name: str) -> Callable[[Context, RenderOptions], Iterator[str]]:
    """Return a format by name. Raises UnknownFormat."""
    if name not in FORMATS:
        raise UnknownFormat(f"unknown format {visible(name)!r}", f"There are {', '.join(FORMATS)}.")
    return FORMATS[name]


def text(found: Context, options: RenderOptions) -> Iterator[str]:
    """Yield declarations by file, then similar code."""
    paint = Paint(options.color)
    folders: dict[str, list[str]] = {}
    for one in found.signatures:
        folder, _, name = from_here(one.path, options).rpartition("/")
        line = f"{paint.path(visible(name))}:{paint.line(str(one.line))} {visible(one.text)}"
        folders.setdefault(folder, []).append(line)
    for folder, lines in folders.items():
        if folder:
            yield paint.path(f"{visible(folder)}/")
        yield from (f"  {line}" if folder else line for line in lines)
    for piece in found.similar:
        path = paint.path(visible(from_here(piece.path, options)))
        yield f"{path}:{piece.start_line}-{piece.end_line}"
        yield from map(visible, piece.text.split("\n"))


def notes(found: Context) -> list[str]:
    """Return notes on a context, a sentence each."""
    listed = []
    if not found.complete:
        command = index_command(visible(found.ref))
        listed.append(
            f"incomplete: {found.missing:,} files are not indexed; to complete: {command}"
        )
    if not (found.signatures or found.similar):
        listed.append(f"note: nothing that {visible(found.path)} uses there is defined elsewhere")
    return listed


def json(found: Context, options: RenderOptions) -> Iterator[str]:
    """Yield one JSON object (docs/json.md)."""
    whole: dict[str, Any] = {
        **_json_path(found.path),
        "line": found.line,
        "ref": plain(found.ref),
        "tree": found.tree,
        **({"root": plain(options.root)} if options.root else {}),
        "complete": found.complete,
        "missing": found.missing,
        "max_tokens": found.max_tokens,
        "tokens": found.tokens,
        "took_ms": round(found.took_ms, 3),
        "signatures": [
            {
                **_json_path(one.path),
                "line": one.line,
                "kind": one.kind,
                "name": plain(one.name),
                "signature": plain(one.text),
                "reason": one.reason,
            }
            for one in found.signatures
        ],
        "similar": [
            {
                **_json_path(one.path),
                "start_line": one.start_line,
                "end_line": one.end_line,
                "name": plain(one.name),
                "words": [plain(word) for word in one.words],
                "text": plain(one.text),
            }
            for one in found.similar
        ],
    }
    yield dumps(whole, options)


def _json_path(path: str) -> dict[str, str]:
    raw = raw_path(path)
    return {"path": plain(path), **({"path_bytes": raw} if raw else {})}


def vimgrep(found: Context, options: RenderOptions) -> Iterator[str]:
    """Yield path:line:1:declaration, then the first line of each similar piece."""
    for one in found.signatures:
        yield f"{visible(from_here(one.path, options))}:{one.line}:1:{visible(one.text)}"
    for piece in found.similar:
        path = visible(from_here(piece.path, options))
        yield f"{path}:{piece.start_line}:1:{visible(piece.text.split(chr(10))[0])}"


def compact(found: Context, options: RenderOptions) -> Iterator[str]:
    """Yield `path:line kind name reason`, then `path:start-end similar name`."""
    for one in found.signatures:
        path = visible(from_here(one.path, options))
        yield f"{path}:{one.line} {visible(one.kind)} {visible(one.name)} {one.reason}"
    for piece in found.similar:
        path = visible(from_here(piece.path, options))
        yield f"{path}:{piece.start_line}-{piece.end_line} similar {visible(piece.name)}".rstrip()


FORMATS: dict[str, Callable[[Context, RenderOptions], Iterator[str]]] = {
    "text": text,
    "json": json,
    "vimgrep": vimgrep,
    "compact": compact,
}
