"""Find context for a model that completes code at a cursor: declarations of the names that the
nearby lines use or import, and similar code.

No vectors, no network: it uses names and words of the index, and reads an open store.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:  # exported, and imported on first use
    from ragit.context.find import CursorPosition, find_context
else:
    from ragit.lazy import exports

    __getattr__ = exports(__name__, {"find": ["CursorPosition", "find_context"]})
