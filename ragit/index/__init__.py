"""Finds which chunkings a tree lacks, computes and stores them. Drives git, chunk, embed and store."""

from ragit.index.indexer import Indexer
from ragit.index.selection import Selector
from ragit.index.tree import IndexedTree, TreeResolver
from ragit.index.waiting_search import WaitingSearch

__all__ = ["IndexedTree", "TreeResolver", "WaitingSearch", "Indexer", "Selector"]
