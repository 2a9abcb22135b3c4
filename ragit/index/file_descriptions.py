"""Read the stored descriptions of the chunks of one file. Asks no model."""

from __future__ import annotations

from ragit.chunk import language_of
from ragit.errors import NotDescribed
from ragit.index.descriptions.settings import IMAGE, chunk_task
from ragit.index.indexer import Indexer
from ragit.index.tree import IndexedTree
from ragit.reports import ChunkDescribed, FileDescribed
from ragit.store import OF_CHUNK, Store
from ragit.types import Oid, Target, path_text


def is_image(path: bytes) -> bool:
    """Return whether a file of this name is described as a whole."""
    return language_of(path) == IMAGE


def described(indexer: Indexer, target: Target, path: bytes, blob: Oid) -> FileDescribed:
    """Return the chunks of a file of a tree in order, with their descriptions.

    Raises NotDescribed if descriptions of code are not configured, and for a file that is not
    indexed.
    """
    task = chunk_task(indexer.config.description)
    if task is None or indexer.embedder is None:
        raise NotDescribed(
            "descriptions of code are turned off",
            "Type: git config ragit.description.enabled true (docs/descriptions.md)",
        )
    with indexer.reading() as store:
        resolved = indexer.trees.resolve(store, target.tree, near=target.near)
        chunking = _chunking(resolved, path)
        if store is None or chunking is None:
            why = resolved.snapshot.skipped.get(path)
            name = path_text(path)
            if why:
                raise NotDescribed(
                    f"{name} is not indexed: {why}", "docs/configuration.md says which files are"
                )
            raise NotDescribed(f"{name} is not indexed yet", "Type: ragit index")
        return FileDescribed(
            path_text(path),
            target.name,
            blob,
            task.fingerprint,
            _chunks(store, chunking, task.fingerprint),
        )


def _chunking(resolved: IndexedTree, path: bytes) -> int | None:
    rows = zip(resolved.snapshot.paths, resolved.snapshot.chunkings, strict=True)
    return next((chunking for one, chunking in rows if one == path), None)


def _chunks(store: Store, chunking: int, describer: str) -> tuple[ChunkDescribed, ...]:
    rows = list(store.chunks_of(chunking).values())
    descriptions = store.descriptions.of(OF_CHUNK, describer, [row.hash for row in rows])
    return tuple(
        ChunkDescribed(
            row.start_line,
            row.end_line,
            row.kind,
            row.symbol,
            row.parent,
            descriptions.get(row.hash, ""),
        )
        for row in rows
    )
