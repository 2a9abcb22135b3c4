"""Search: turn a query into hits. Reads the store and the repository, lets `rank` order the
candidates, and writes only through `index`.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:  # exported, and imported on first use
    from ragit.search.kept import Kept, without_gc
    from ragit.search.open_tree import OpenTree, TreeOpener
    from ragit.search.search import Searcher
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "kept": ["Kept", "without_gc"],
            "open_tree": ["OpenTree", "TreeOpener"],
            "search": ["Searcher"],
        },
    )
