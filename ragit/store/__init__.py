"""The store: one SQLite file in the git directory. All SQL is in this package.

It calls no model, computes no score and resolves no ref. Writers take the write lock at once (BEGIN
IMMEDIATE) and hold it only while rows are written; readers never take it.
"""

from ragit.store.connect import engine_versions, is_store
from ragit.store.descriptions import OF_CHUNK, OF_IMAGE
from ragit.store.files import (
    copy_store,
    install_store,
    new_store_path,
    remove_store,
    unfinished_files,
    unfinished_stores,
)
from ragit.store.rows import (
    ChunkRow,
    NewChunking,
    StoredChunking,
    StoreInfo,
    pack_definitions,
)
from ragit.store.schema import ORDINAL_BITS, VERSION, chunk_id
from ragit.store.snapshots import Base, Snapshot, patched
from ragit.store.store import Store

TYPE_CHECKING = False

if TYPE_CHECKING:  # exported, and imported on first use: they compare two trees
    from ragit.store.chunk_sets import chunk_hashes, chunk_rows, cosines, new_chunks
    from ragit.store.same_text import same_text
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "chunk_sets": ["chunk_hashes", "chunk_rows", "cosines", "new_chunks"],
            "same_text": ["same_text"],
        },
    )
