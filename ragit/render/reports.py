"""Renders reports on indexing, the store and missing files, as text and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragit.records import as_dict
from ragit.render.machine import dumps, vectorless
from ragit.render.screen import (
    Paint,
    RenderOptions,
    cells,
    counted,
    duration,
    from_here,
    in_tree,
    plain,
    priced,
    sized,
    tree_name,
    visible,
)
from ragit.render.text import none_indexed, within
from ragit.types import BY_LINES, DEFERRED, WithoutVectors, absent_advice, lacking

if TYPE_CHECKING:
    from ragit.reports import (
        Described,
        FileDescribed,
        FreshnessReport,
        GcReport,
        ImageDescribed,
        IndexReport,
        RefStatus,
        Sent,
        StatusReport,
    )

_LISTED = 20
"""Limit of missing files named on a terminal; JSON has all."""


def index_text(report: IndexReport, options: RenderOptions) -> Iterator[str]:
    """Yield the report of an indexing run or a dry run."""
    paint = Paint(options.color)
    trees = f" of {counted(report.trees, 'tree')}" if report.trees != 1 else ""
    size = f"{counted(report.files, 'file')}{trees}, {counted(report.chunks, 'chunk')}"
    if report.dry_run:
        yield from _dry_run(report, size, paint)
    elif report.indexed or report.embedded or report.reused:
        yield f"{paint.name('indexed')} {size} in {duration(report.seconds)}"
        embedded = f"{counted(report.embedded, 'chunk')} embedded, {report.reused:,} reused"
        yield f"  {counted(report.indexed, 'new file')} read, {embedded}"
    else:
        yield f"{paint.good('up to date')}: {size} ({duration(report.seconds)})"
    if report.described:
        yield from _described(report.described, report.dry_run, paint)
    if report.sent:
        yield from _sent(report.sent, report.dry_run, paint)
    if skipped := _skipped(report.skipped, report.by_lines):
        yield paint.faint(f"  {skipped}")
    if deferred := _count_deferred({**report.skipped, **report.by_lines}):
        yield from _deferred(deferred, paint, "  ")


def _dry_run(report: IndexReport, size: str, paint: Paint) -> Iterator[str]:
    """Yield the forecast of a dry run; `size` counts its files and chunks."""
    if not (report.indexed or report.embedded or report.older or report.described):
        yield f"{paint.name('would index')} nothing: {size} indexed already"
        return
    yield f"{paint.name('would index')} {report.indexed:,} of {size}"
    embed = f"{counted(report.embedded, 'chunk')} to embed, about {counted(report.words, 'word')}"
    yield f"  {embed}; nothing was written"
    if report.older:
        yield paint.bad("  the index has an older format: the real run reuses it and will do less")
    if report.without_vectors:
        yield paint.bad(f"  as it is, {lacking(0, report.without_vectors, 'what is stored')}")


def _sent(sent: Sent, dry_run: bool, paint: Paint) -> Iterator[str]:
    """Yield the texts sent to an embedding server, or to be sent, and the cost."""
    if sent.tokens:
        cost = priced(sent.cost, (sent.model,))
        about = "about " if dry_run else ""
        yield f"  {about}{sent.tokens:,} tokens for {visible(sent.model)}; {cost}"
    if sent.secrets:
        held = "to be taken out" if dry_run else "taken out"
        yield f"  {counted(sent.secrets, 'secret')} {held} of what is sent"
    if sent.shortened:
        yield f"  {counted(sent.shortened, 'text')} too long for the model: cut to fit"
    if sent.most_texts:
        yield (
            f"  the server takes {counted(sent.most_texts, 'text')} in a request: "
            f"embedding.batchSize = {sent.most_texts} saves the refused ones"
        )
    if sent.refused:
        yield paint.bad(
            f"  {counted(sent.refused, 'text')} refused by the server: found by words only"
        )
    if dry_run:
        yield paint.faint("  run `ragit embed --test` to check the server's model")


def _described(described: Described, dry_run: bool, paint: Paint) -> Iterator[str]:
    """Yield the requests to language models, made or to be made, and the cost."""
    asked = [counted(described.chunks, "chunk")] if described.chunks else []
    asked += [counted(described.images, "image")] if described.images else []
    if asked:
        did = "to describe" if dry_run else "described"
        about = "about " if dry_run else ""
        read, written = f"{described.tokens_in:,}", f"{described.tokens_out:,}"
        tokens = f"{about}{read} tokens read, {written} written"
        cost = priced(described.cost, described.unpriced)
        yield f"  {' and '.join(asked)} {did}: {tokens}; {cost}"
    if described.secrets:
        yield f"  {counted(described.secrets, 'secret')} taken out of what was sent to be described"
    if described.failed:
        yield paint.bad(
            f"  {described.failed:,} left without a description: {visible(described.why)}"
        )
        until = "until then, chunks are found by their code, and images are not"
        yield paint.faint(f"  {until}; the next `ragit index` asks again")


def _skipped(skipped: Mapping[str, int], by_lines: Mapping[str, int]) -> str:
    """Return the numbers of skipped files and of those cut by lines, by reason, the commonest
    first.
    """
    lines = {why.removeprefix(BY_LINES).lstrip(":, "): count for why, count in by_lines.items()}
    both = (_reasons("skipped", skipped), _reasons(BY_LINES, lines))
    return "; ".join(filter(None, both))


def _reasons(what: str, counts: Mapping[str, int]) -> str:
    rows = sorted(
        ((count, reason) for reason, count in counts.items() if count),
        key=lambda row: (-row[0], row[1]),
    )
    if not rows:
        return ""
    return f"{what} {sum(count for count, _ in rows):,}: " + ", ".join(
        f"{visible(why)} {n:,}" for n, why in rows
    )


def _count_deferred(reasons: Mapping[str, int]) -> int:
    return sum(count for why, count in reasons.items() if why in DEFERRED)


def _deferred(count: int, paint: Paint, indent: str = "") -> Iterator[str]:
    """Yield a line about files that the next run reads."""
    were = "was" if count == 1 else "were"
    yield paint.bad(
        f"{indent}the next `ragit index` tries {counted(count, 'file')} again that {were} deferred"
    )


def index_json(report: IndexReport, options: RenderOptions) -> Iterator[str]:
    """Yield the report as one JSON object."""
    yield dumps(
        {
            "trees": report.trees,
            "files": report.files,
            "chunks": report.chunks,
            "indexed": report.indexed,
            "embedded": report.embedded,
            "reused": report.reused,
            "words": report.words,
            "skipped": dict(sorted(report.skipped.items())),
            **({"by_lines": dict(sorted(report.by_lines.items()))} if report.by_lines else {}),
            "seconds": round(report.seconds, 3),
            "dry_run": report.dry_run,
            **_vectorless(report.without_vectors),
            **({"older": True} if report.older else {}),
            "described": as_dict(report.described) if report.described else None,
            "sent": as_dict(report.sent) if report.sent else None,
        },
        options,
    )


def freshness_text(
    freshness: FreshnessReport, options: RenderOptions, *, fix: str = "ragit index"
) -> Iterator[str]:
    """Yield whether a tree is indexed completely; if not, the missing files and the command
    to run.
    """
    paint = Paint(options.color)
    where, how = in_tree(freshness.ref, freshness.tree), freshness.completeness
    if freshness.fresh and how.unsearched:
        yield f"{paint.bad('nothing to search')} in {where}: {none_indexed(how.unsearched)}"
        return
    if freshness.fresh:
        absent = [f"{counted(count, 'file')} {why}" for why, count in how.absent.items()]
        advice = visible(absent_advice(freshness.ref, how.absent))
        but = f", but for {' and '.join(absent)}: {advice}" if absent else ""
        yield f"{paint.good('fresh')}: everything in {where} is indexed{but}"
        if how.deferred:
            yield from _deferred(how.deferred, paint)
        return
    if not freshness.indexed:
        yield f"no index here, so nothing was checked; {paint.name('ragit index')} makes one"
        return
    count = len(freshness.missing)
    yield f"{paint.bad('stale')}: {lacking(count, how.without_vectors, where)}"
    shown = freshness.missing if options.full else freshness.missing[:_LISTED]
    for path in shown:
        yield f"  {paint.path(visible(from_here(path, options)))}"
    if count > len(shown):
        yield paint.faint(f"  and {count - len(shown):,} more")
    yield f"to fix it: {paint.name(visible(fix))}"


def freshness_json(
    freshness: FreshnessReport, options: RenderOptions, *, fix: str = "ragit index"
) -> Iterator[str]:
    """Yield the report as one JSON object."""
    how = freshness.completeness
    yield dumps(
        {
            "ref": plain(freshness.ref),
            "tree": freshness.tree,
            "indexed": freshness.indexed,
            "fresh": freshness.fresh,
            "missing": [plain(path) for path in freshness.missing],
            **_vectorless(how.without_vectors),
            **({"absent": dict(sorted(how.absent.items()))} if how.absent else {}),
            **({"deferred": how.deferred} if how.deferred else {}),
            **({"unsearched": dict(how.unsearched)} if how.unsearched else {}),
            "fix": None if freshness.fresh else fix,
        },
        options,
    )


def _vectorless(found: WithoutVectors | None) -> dict[str, Any]:
    return {"without_vectors": vectorless(found)} if found else {}


def status_text(status: StatusReport, options: RenderOptions) -> Iterator[str]:
    """Yield what is stored, the indexed refs, and missing files; with `full`, also skipped
    files.
    """
    paint = Paint(options.color)
    yield from _stored(status, paint)
    if status.refs:
        yield ""
    wide = max((cells(visible(ref.name)) for ref in status.refs), default=0)
    files = max((len(counted(ref.files, "file")) for ref in status.refs), default=0)
    for ref in status.refs:
        yield _ref_line(ref, wide, files, paint)
    if skipped := _skipped(status.skipped, status.by_lines):
        yield ""
        yield paint.faint(
            skipped if options.full else f"{skipped}; `ragit status --skipped` names them"
        )
    if deferred := _count_deferred({**status.skipped, **status.by_lines}):
        yield from _deferred(deferred, paint)
    if options.full:
        yield from _skipped_files(status.skipped_files, options)


def _skipped_files(files: Sequence[tuple[str, str]], options: RenderOptions) -> Iterator[str]:
    """Yield the skipped files, grouped by reason."""
    paint = Paint(options.color)
    wide = max((cells(visible(why)) for _, why in files), default=0)
    for path, why in sorted(files, key=lambda file: file[1]):
        gap = " " * (wide - cells(visible(why)))
        yield f"  {paint.faint(visible(why))}{gap}  {paint.path(visible(from_here(path, options)))}"


def _stored(status: StatusReport, paint: Paint) -> Iterator[str]:
    """Yield the contents of the store, and the embedder of its vectors."""
    if status.older:
        yield f"the index at {visible(status.store)} has an older format; `ragit index` updates it"
    elif not status.exists:
        makes = "`ragit index` makes one, and so does the first search"
        yield f"no index yet at {visible(status.store)}; {makes}"
    else:
        yield f"{paint.faint('store')}     {visible(status.store)}, {sized(status.bytes)}"
        held = f"{counted(status.chunks, 'chunk')} of {counted(status.chunkings, 'file version')}"
        yield f"{paint.faint('holds')}     {held}"
    yield f"{paint.faint('embedder')}  {visible(status.embedder) or 'none: keywords only'}"
    for fingerprint in status.other_embedders:
        yield f"{paint.faint('unused')}    {visible(fingerprint)}; `ragit gc` drops its vectors"
    if status.descriptions:
        yield _stored_descriptions(status, *status.descriptions, paint)
    if status.worker:
        yield f"{paint.faint('worker')}    {visible(status.worker)}"
    if status.lock_holders:
        kind = "process" if len(status.lock_holders) == 1 else "processes"
        yield f"{paint.faint('locked')}    by {kind} {', '.join(map(str, status.lock_holders))}"


def _stored_descriptions(status: StatusReport, stored: int, to_ask: int, paint: Paint) -> str:
    """Return the number of stored descriptions, and of those that HEAD lacks."""
    to_come = [f"{to_ask:,}"] if to_ask else []
    if any(ref.completeness.missing for ref in status.refs if ref.name == "HEAD"):
        to_come.append("more")
    waiting = paint.good("complete")
    if to_come:
        waiting = paint.bad(f"{' or '.join(to_come)} of HEAD to come: `ragit index`")
    count = counted(stored, "chunk or image", "chunks and images")
    return f"{paint.faint('described')} {count}, {waiting}"


def _ref_line(ref: RefStatus, wide: int, files: int, paint: Paint) -> str:
    name = visible(ref.name)
    how = ref.completeness
    words = [f"{how.missing:,} not indexed"] if how.missing else []
    if how.without_vectors:
        chunks, of = how.without_vectors
        words.append(
            f"{'' if how.missing else 'all words, '}{chunks:,} of {of:,} chunks without vectors"
        )
    state = paint.bad(", ".join(words)) if words else paint.good("complete")
    gap = " " * (wide - cells(name))
    count = f"{counted(ref.files, 'file'):<{files}}"
    what = f"commit {ref.commit[:10]}" if ref.commit else f"{tree_name(ref.tree)}  "
    return f"{paint.name(name)}{gap}  {paint.faint(what)}  {count}  {state}"


def status_json(status: StatusReport, options: RenderOptions) -> Iterator[str]:
    """Yield the report as one JSON object."""
    yield dumps(
        {
            "store": plain(status.store),
            "exists": status.exists,
            "bytes": status.bytes,
            "chunkings": status.chunkings,
            "chunks": status.chunks,
            "embedder": status.embedder or None,
            "other_embedders": list(status.other_embedders),
            "refs": [
                {
                    "name": plain(ref.name),
                    "commit": ref.commit,
                    "tree": ref.tree,
                    "files": ref.files,
                    "missing": ref.completeness.missing,
                    **_vectorless(ref.completeness.without_vectors),
                }
                for ref in status.refs
            ],
            "skipped": dict(sorted(status.skipped.items())),
            **({"by_lines": dict(sorted(status.by_lines.items()))} if status.by_lines else {}),
            **({"skipped_files": _plain_files(status.skipped_files)} if options.full else {}),
            "worker": plain(status.worker) or None,
            **({"lock_holders": list(status.lock_holders)} if status.lock_holders else {}),
            "descriptions": dict(zip(("stored", "lacking"), status.descriptions, strict=True))
            if status.descriptions
            else None,
        },
        options,
    )


def _plain_files(files: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"path": plain(path), "reason": why} for path, why in files]


def described_text(found: ImageDescribed | FileDescribed, options: RenderOptions) -> Iterator[str]:
    """Yield the descriptions of an image, or of a file's chunks."""
    from ragit.reports import FileDescribed  # no search loads it

    if isinstance(found, FileDescribed):
        yield from _file_described(found, options)
    elif found.text:
        yield visible(found.text)
    else:
        name = visible(from_here(found.path, options))
        yield f"{name} is not described yet; `ragit index` describes it, or this command with --now"


def _file_described(file: FileDescribed, options: RenderOptions) -> Iterator[str]:
    paint = Paint(options.color)
    path = paint.path(visible(from_here(file.path, options)))
    for one in file.chunks:
        name = within(one.parent, one.symbol, one.kind)
        place = f"{path}:{paint.line(f'{one.start_line}-{one.end_line}')}"
        yield "  ".join(
            part
            for part in (place, paint.name(visible(name)), paint.faint(visible(one.kind)))
            if part
        )
        yield (
            f"  {visible(one.text)}"
            if one.text
            else paint.bad("  not described yet: `ragit index` has it described")
        )


def described_json(found: ImageDescribed | FileDescribed, options: RenderOptions) -> Iterator[str]:
    """Yield the descriptions as one JSON object."""
    yield dumps(
        {
            "path": plain(found.path),
            "ref": plain(found.ref),
            "blob": found.blob,
            "describer": found.describer,
            **_descriptions(found),
        },
        options,
    )


def _descriptions(one: ImageDescribed | FileDescribed) -> dict[str, Any]:
    from ragit.reports import FileDescribed

    if not isinstance(one, FileDescribed):
        return {"description": one.text or None}
    chunks = [
        {
            "start_line": chunk.start_line,
            "end_line": chunk.end_line,
            "kind": chunk.kind,
            "symbol": plain(chunk.symbol),
            "parent": plain(chunk.parent),
            "description": plain(chunk.text) or None,
        }
        for chunk in one.chunks
    ]
    return {"chunks": chunks}


def gc_text(report: GcReport, options: RenderOptions) -> Iterator[str]:
    """Yield the dropped rows, and the bytes freed."""
    paint = Paint(options.color)
    freed = report.bytes_before - report.bytes_after + report.object_bytes
    if not report.dropped and freed <= 0:
        kept = counted(report.kept, "file version")
        yield f"{paint.good('nothing to drop')}: {kept}, {sized(report.bytes_after)}"
        return
    yield f"{paint.name('dropped')} {counted(report.dropped, 'file version')}, kept {report.kept:,}"
    yield f"  {sized(max(freed, 0))} freed, {sized(report.bytes_after)} left"


def gc_json(report: GcReport, options: RenderOptions) -> Iterator[str]:
    """Yield the report as one JSON object."""
    yield dumps(
        {
            "dropped": report.dropped,
            "kept": report.kept,
            "bytes_before": report.bytes_before,
            "bytes_after": report.bytes_after,
            "object_bytes": report.object_bytes,
        },
        options,
    )
