"""How far trees are indexed, and what the store holds beside: what `ragit status` and `ragit check` report."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from ragit.git import Revision
from ragit.index.compose import Composed
from ragit.index.index import Indexer
from ragit.reports import FreshnessReport, RefStatus, StatusReport
from ragit.types import Target


def status_of(indexer: Indexer, refs: Sequence[Revision]) -> StatusReport:
    """What is stored, and how far these refs are indexed; the first one is HEAD."""
    with indexer.reading() as store:
        composed = {tree: indexer.composer.compose(store, tree) for tree in {ref.tree for ref in refs}}
        info = store.info() if store else None
        head = composed[refs[0].tree]
        undescribed = indexer.descriptions.waiting(store, head)
        described = indexer.descriptions.stored(store) if store else 0
    embedder = indexer.embedder.fingerprint if indexer.embedder else ""
    return StatusReport(
        store=str(indexer.store_path),
        exists=info is not None,
        bytes=info.bytes if info else 0,
        chunkings=info.chunkings if info else 0,
        chunks=info.chunks if info else 0,
        embedder=embedder,
        other_embedders=tuple(one for one in (info.embedders if info else ()) if one != embedder),
        refs=tuple(_ref(ref, composed[ref.tree]) for ref in refs),
        skipped=dict(sorted(Counter(head.snapshot.skipped.values()).items())),
        skipped_files=tuple((os.fsdecode(path), why) for path, why in sorted(head.snapshot.skipped.items())),
        descriptions=(described, undescribed) if indexer.descriptions.wanted else None,
    )


def freshness_of(indexer: Indexer, target: Target) -> FreshnessReport:
    """How much of a tree the store lacks."""
    with indexer.reading() as store:
        composed = indexer.composer.compose(store, target.tree, near=target.near)
    missing = tuple(file.path.decode("utf-8", "surrogateescape") for file in composed.missing)
    return FreshnessReport(target.name, target.tree, missing, indexed=store is not None, absent=composed.absent)


def _ref(ref: Revision, composed: Composed) -> RefStatus:
    return RefStatus(ref.name, ref.tree, len(composed.snapshot.paths), len(composed.missing))
