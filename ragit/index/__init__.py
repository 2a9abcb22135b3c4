"""Find the chunkings that a tree lacks, compute and store them."""

from __future__ import annotations

from ragit.index.indexer import Indexer
from ragit.index.selection import Selector
from ragit.index.tree import IndexedTree, TreeResolver
from ragit.index.waiting_search import WaitingSearch

TYPE_CHECKING = False


if TYPE_CHECKING:  # exported, and imported on first use
    from ragit.index.descriptions.settings import IMAGE, chunk_task
    from ragit.index.file_descriptions import described, is_image
    from ragit.index.on_demand import OnDemand, Piece
    from ragit.index.run.run import BATCH_FILES
    from ragit.index.selection import SUBMODULE
    from ragit.index.status import freshness_of, status_of
    from ragit.index.tree import completeness_of
    from ragit.index.upkeep import rebuild_lock
    from ragit.index.vectors.embedder import embedder_of, warm_up
    from ragit.index.vectors.same_model import query_vector
    from ragit.index.vectors.try_embedder import tried
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "descriptions.settings": ["IMAGE", "chunk_task"],
            "file_descriptions": ["described", "is_image"],
            "on_demand": ["OnDemand", "Piece"],
            "run.run": ["BATCH_FILES"],
            "selection": ["SUBMODULE"],
            "status": ["freshness_of", "status_of"],
            "tree": ["completeness_of"],
            "upkeep": ["rebuild_lock"],
            "vectors.embedder": ["embedder_of", "warm_up"],
            "vectors.same_model": ["query_vector"],
            "vectors.try_embedder": ["tried"],
        },
    )
