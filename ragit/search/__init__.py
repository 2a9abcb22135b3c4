"""Query to hits: reads the store and the repository, lets `rank` decide, and never writes except
through `index`.
"""

from ragit.search.open_tree import OpenTree, TreeOpener
from ragit.search.search import Searcher

__all__ = ["OpenTree", "Searcher", "TreeOpener"]
