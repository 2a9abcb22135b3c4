"""What the other commands say, for people and as JSON: indexing, freshness, settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragit.render.machine import dumps, plain
from ragit.render.screen import Paint, RenderOptions, cells, counted, visible
from ragit.types import Freshness, IndexReport

_LISTED = 20
"""Missing files named on a terminal; all of them are in the JSON."""

_WIDEST_VALUE = 32


def index_text(report: IndexReport, options: RenderOptions) -> Iterator[str]:
    """What a run of indexing did, or would do."""
    paint = Paint(options.color)
    trees = f" of {counted(report.trees, 'tree')}" if report.trees != 1 else ""
    size = f"{counted(report.files, 'file')}{trees}, {counted(report.chunks, 'chunk')}"
    if report.dry_run:
        yield f"{paint.name('would index')} {counted(report.indexed, 'file')} of {size}"
        embed = f"{counted(report.embedded, 'chunk')} to embed, about {counted(report.tokens, 'word')}"
        yield f"  {embed}; nothing was written"
    elif report.indexed or report.embedded:
        yield f"{paint.name('indexed')} {size} in {report.seconds:.1f} s"
        embedded = f"{counted(report.embedded, 'chunk')} embedded, {report.reused:,} reused"
        yield f"  {counted(report.indexed, 'new file')}, {embedded}"
    else:
        yield f"{paint.good('up to date')}: {size} ({report.seconds:.1f} s)"
    if skipped := _skipped(report.skipped):
        yield paint.faint(f"  {skipped}")


def _skipped(skipped: Mapping[str, int]) -> str:
    """Files left out by reason, the commonest first."""
    rows = sorted(((count, reason) for reason, count in skipped.items() if count), key=lambda row: (-row[0], row[1]))
    if not rows:
        return ""
    return f"skipped {sum(count for count, _ in rows):,}: " + ", ".join(f"{visible(why)} {n:,}" for n, why in rows)


def index_json(report: IndexReport, options: RenderOptions) -> Iterator[str]:
    """The same as one JSON object."""
    yield dumps(
        {
            "trees": report.trees,
            "files": report.files,
            "chunks": report.chunks,
            "indexed": report.indexed,
            "embedded": report.embedded,
            "reused": report.reused,
            "tokens": report.tokens,
            "skipped": dict(sorted(report.skipped.items())),
            "seconds": round(report.seconds, 3),
            "dry_run": report.dry_run,
        },
        options,
    )


def freshness_text(freshness: Freshness, options: RenderOptions, *, mend: str = "ragit index") -> Iterator[str]:
    """Whether a tree is indexed completely; if not, the missing files and the command that mends it."""
    paint = Paint(options.color)
    where = f"{visible(freshness.ref)} ({freshness.tree[:10]})"
    if freshness.fresh:
        yield f"{paint.good('fresh')}: all of {where} is indexed"
        return
    count = len(freshness.missing)
    yield f"{paint.bad('stale')}: {counted(count, 'file')} of {where} {'is' if count == 1 else 'are'} not indexed"
    shown = freshness.missing if options.full else freshness.missing[:_LISTED]
    for path in shown:
        yield f"  {paint.path(visible(path))}"
    if count > len(shown):
        yield paint.faint(f"  and {count - len(shown):,} more")
    yield f"to mend it: {paint.name(visible(mend))}"


def freshness_json(freshness: Freshness, options: RenderOptions, *, mend: str = "ragit index") -> Iterator[str]:
    """The same as one JSON object."""
    yield dumps(
        {
            "ref": plain(freshness.ref),
            "tree": freshness.tree,
            "fresh": freshness.fresh,
            "missing": [plain(path) for path in freshness.missing],
            "mend": None if freshness.fresh else mend,
        },
        options,
    )


ConfigRows = Sequence[tuple[str, object, str, str]]
"""(name, value, origin, help), as `config.describe` gives them."""


def config_text(rows: ConfigRows, options: RenderOptions) -> Iterator[str]:
    """Every setting with its value and where it came from, by section; with `full`, what it means too."""
    paint = Paint(options.color)
    shown = [(name, _value(value), origin, help) for name, value, origin, help in rows]
    wide = max((len(name.partition(".")[2]) for name, *_ in shown), default=0)
    deep = min(_WIDEST_VALUE, max((cells(value) for _, value, *_ in shown), default=0))
    section = ""
    for name, value, origin, help in shown:
        above, _, rest = name.partition(".")
        if above != section:
            if section:
                yield ""
            yield paint.name(f"[{above}]")
            section = above
        gap = " " * max(0, deep - cells(value))
        changed = origin != "default"
        origin = paint.bad(origin) if "ignored" in origin else origin if changed else paint.faint(origin)
        yield f"{rest:<{wide}}  {paint.name(value) if changed else value}{gap}  {origin}"
        if options.full:
            yield paint.faint(f"    {help}")


def _value(value: object) -> str:
    return visible(dumps(value, RenderOptions()))


def config_json(rows: ConfigRows, options: RenderOptions) -> Iterator[str]:
    """The same as one JSON object, by name."""
    table: dict[str, Any] = {
        name: {"value": value, "origin": origin, "help": help} for name, value, origin, help in rows
    }
    yield dumps(table, options)
