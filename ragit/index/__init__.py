"""Snapshot to rows: which chunkings a tree lacks, computed and stored. Drives git, chunk, embed and store; never
searches.
"""

from ragit.index.indexer import Indexer, WaitingSearch
from ragit.index.selection import Selector
from ragit.index.tree import IndexedTree, TreeResolver

__all__ = ["IndexedTree", "TreeResolver", "WaitingSearch", "Indexer", "Selector"]
