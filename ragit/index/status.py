"""Report how far trees are indexed and what the store holds (`ragit status` and `check`)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from ragit.git import Revision
from ragit.index.indexer import Indexer
from ragit.index.tree import completeness_of
from ragit.index.upkeep import index_lock, rebuild_lock
from ragit.locks import holders
from ragit.records import replaced
from ragit.reports import FreshnessReport, RefStatus, StatusReport
from ragit.store import StoreInfo, is_store
from ragit.types import Oid, Target, path_text


def status_of(
    indexer: Indexer, searched: Target, left_out: Mapping[bytes, str], refs: Sequence[Revision]
) -> StatusReport:
    """Return the contents of the store, and how far refs (HEAD first) and the `searched` tree are
    indexed.

    `left_out` are changed files missing from that tree, with the reason.
    """
    with indexer.one_moment() as store:
        resolved = {tree: indexer.trees.resolve(store, tree) for tree in {ref.tree for ref in refs}}
        if searched.tree not in resolved:
            resolved[searched.tree] = indexer.trees.resolve(
                store, searched.tree, near=searched.near
            )
        info = store.info() if store else None
        undescribed = indexer.descriptions.waiting(store, resolved[refs[0].tree])
        how = {tree: completeness_of(store, [part]) for tree, part in resolved.items()}
        described = indexer.descriptions.stored(store) if store else 0
    rows: list[tuple[str, Oid, Oid | None]] = [(ref.name, ref.tree, ref.commit) for ref in refs]
    if searched.tree != refs[0].tree:
        rows.insert(0, (searched.name, searched.tree, None))
    skipped = {**resolved[searched.tree].skipped, **left_out}
    by_lines = resolved[searched.tree].by_lines
    return replaced(
        _report_of_store(indexer, info),
        refs=tuple(
            RefStatus(name, tree, len(resolved[tree].snapshot.paths), how[tree], commit)
            for name, tree, commit in rows
        ),
        skipped=dict(sorted(Counter(skipped.values()).items())),
        skipped_files=tuple(
            (path_text(path), why) for path, why in sorted({**skipped, **by_lines}.items())
        ),
        by_lines=dict(sorted(Counter(by_lines.values()).items())),
        descriptions=(described, undescribed) if indexer.descriptions.wanted else None,
        lock_holders=_lock_holders(indexer.store_path),
    )


def _lock_holders(store: Path) -> tuple[int, ...]:
    """Return the other processes that index, rebuild, drop from or write a store."""
    files = (index_lock(store), rebuild_lock(store), store.with_name(f"{store.name}-shm"))
    return tuple(pid for pid in holders(*files) if pid != os.getpid())


def _report_of_store(indexer: Indexer, info: StoreInfo | None) -> StatusReport:
    """Return a report of the store alone; `info` is None if no store can be read."""
    embedder = indexer.embedder.fingerprint if indexer.embedder else ""
    report = StatusReport(
        store=str(indexer.store_path),
        exists=info is not None,
        older=info is None and is_store(indexer.store_path),
        bytes=0,
        chunkings=0,
        chunks=0,
        embedder=embedder,
        other_embedders=(),
        refs=(),
        skipped={},
    )
    if info is None:
        return report
    return replaced(
        report,
        bytes=info.bytes,
        chunkings=info.chunkings,
        chunks=info.chunks,
        other_embedders=tuple(one for one in info.embedders if one != embedder),
    )


def freshness_of(indexer: Indexer, target: Target) -> FreshnessReport:
    """Return how much of a tree the store lacks."""
    with indexer.one_moment() as store:
        resolved = indexer.trees.resolve(store, target.tree, near=target.near)
        completeness = completeness_of(store, [resolved])
    missing = tuple(path_text(file.path) for file in resolved.missing)
    return FreshnessReport(
        target.name,
        target.tree,
        missing,
        indexed=store is not None
        or is_store(indexer.store_path),  # an older ragit's is one to bring up to date
        completeness=completeness,
        by_lines=tuple((path_text(path), why) for path, why in sorted(resolved.by_lines.items())),
    )
