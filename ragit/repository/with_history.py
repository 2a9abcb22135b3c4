"""Answer queries whose hits say something of history: where they stood last, which refs hold them.

Such answers are not remembered, since refs move.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ragit.git import Repo
from ragit.query import Query
from ragit.repository.last_stood import with_last_stood
from ragit.repository.ref_labels import refs_named, with_refs
from ragit.types import Answer


def answered(repo: Repo, store_path: Path, query: Query, asked: Callable[[], Answer]) -> Answer:
    """Return an answer with what its hits are to say. `asked` gives the answer without it; it is
    not called if a pattern of the query matches no ref. Raises UnknownRevision.
    """
    refs = refs_named(repo, query.in_refs)
    answer = asked()
    since = repo.resolve(query.gone_since).commit if query.gone_since is not None else None
    if since:
        answer = with_last_stood(repo, answer, since)
    return with_refs(repo, store_path, answer, refs) if refs else answer
