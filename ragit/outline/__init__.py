"""Show the structure of files from what is stored of them: skeletons, whole definitions.

It reads an open tree and parses nothing.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:  # exported, and imported on first use
    from ragit.outline.definitions import place_of, show, show_line
    from ragit.outline.named import chosen, definitions, parted
    from ragit.outline.skeletons import skeleton
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "definitions": ["place_of", "show", "show_line"],
            "named": ["chosen", "definitions", "parted"],
            "skeletons": ["skeleton"],
        },
    )

__all__ = ["chosen", "definitions", "parted", "place_of", "show", "show_line", "skeleton"]
