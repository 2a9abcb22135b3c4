"""Answer questions about a repository's history: what changed between two trees, and since when
code exists.

    units      the chunks that two trees do not share
    pairing    what each definition in them became
    diff       both, for a range of revisions, ranked by a query if there is one
    places     the chunk that a user names
    texts      which blobs contain a text, and which file has it instead of another
    following  follows a text back through the commits, to the one that introduced it
    last_stood follows a text forward through the commits, to the one that removed it
    since      uses both, with the first tag, earlier versions, and removed definitions
"""

TYPE_CHECKING = False

if TYPE_CHECKING:  # exported, and imported on first use
    from ragit.history.diff import Comparer
    from ragit.history.last_stood import with_last_stood
    from ragit.history.named_chunk import find_named_chunk
    from ragit.history.since import MOST, Historian
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "diff": ["Comparer"],
            "last_stood": ["with_last_stood"],
            "named_chunk": ["find_named_chunk"],
            "since": ["MOST", "Historian"],
        },
    )
