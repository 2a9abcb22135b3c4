"""Add history to hits: their last place, and the refs that contain them.

Such answers are not cached, since refs move.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragit.git import Repo
from ragit.index import Indexer
from ragit.query import Query
from ragit.refs import Ref
from ragit.repository.ref_labels import with_refs
from ragit.types import Answer


def with_history(
    repo: Repo,
    indexer: Indexer,
    store_path: Path,
    query: Query,
    refs: Sequence[Ref],
    answer: Answer,
) -> Answer:
    """Return an answer whose hits have their last place, and their refs among these, as the query
    asks.
    """
    since = repo.resolve(query.gone_since).commit if query.gone_since is not None else None
    if since:
        from ragit.history import with_last_stood

        answer = with_last_stood(repo, indexer, answer, since)
    return with_refs(repo, store_path, answer, refs) if refs else answer
