"""Snapshot to rows: which chunkings a tree lacks, computed and stored. Drives git, chunk, embed and store; never
searches.
"""

from ragit.index.indexer import Indexer
from ragit.index.selection import Selector
from ragit.index.tree import Composed, Composer

__all__ = ["Composed", "Composer", "Indexer", "Selector"]
