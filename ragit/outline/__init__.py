"""Show the structure of files from what is stored of them: skeletons, whole definitions, maps.

It reads an open tree and parses nothing.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:  # exported, and imported on first use
    from ragit.outline.maps import repository_map
    from ragit.outline.named import CONTAINERS, chosen, definitions, owner_of, parted
    from ragit.outline.shown import place_of, show, show_line
    from ragit.outline.skeletons import skeleton
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "shown": ["place_of", "show", "show_line"],
            "named": ["CONTAINERS", "chosen", "definitions", "owner_of", "parted"],
            "maps": ["repository_map"],
            "skeletons": ["skeleton"],
        },
    )

__all__ = [
    "CONTAINERS",
    "chosen",
    "definitions",
    "owner_of",
    "parted",
    "place_of",
    "repository_map",
    "show",
    "show_line",
    "skeleton",
]
