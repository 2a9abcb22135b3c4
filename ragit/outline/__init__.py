"""Show the structure of files from the stored chunks: skeletons, whole definitions, maps.

It reads an open tree and parses nothing.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:  # exported, and imported on first use
    from ragit.outline.maps import repository_map
    from ragit.outline.named import chosen, definitions, parted
    from ragit.outline.path_line import path_and_line
    from ragit.outline.shown import show, show_line
    from ragit.outline.skeletons import skeleton
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "path_line": ["path_and_line"],
            "shown": ["show", "show_line"],
            "named": ["chosen", "definitions", "parted"],
            "maps": ["repository_map"],
            "skeletons": ["skeleton"],
        },
    )
