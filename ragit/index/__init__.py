"""Snapshot to rows: which chunkings a tree lacks, computed and stored. Drives git, chunk, embed and store; never
searches.
"""

from ragit.index.compose import Composed, Composer
from ragit.index.index import Indexer
from ragit.index.plan import Selector

__all__ = ["Composed", "Composer", "Indexer", "Selector"]
