"""Tell what a repository's history says of its definitions: what changed between two trees, and
since when code exists.

    units    the chunks that two trees do not share
    pairing  what became of each definition in them
    diff     both, for a range of revisions, ranked by a query if there is one
"""

from ragit.history.diff import Comparer

__all__ = ["Comparer"]
