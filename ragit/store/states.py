"""Uncommitted states of working trees, newest last, and the chunkings that only they need.

Each searched edit adds the chunks of one more version of a file. Such a chunking is a draft of the
states whose tree contains it; when the last of them is superseded, the draft is dropped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Set
from pathlib import Path

import apsw

from ragit.store.connect import translated
from ragit.store.rows import unpacked_oid
from ragit.store.schema import drop_chunkings
from ragit.types import Oid

KEPT = 1
"""States kept of a working tree. There is one more while a state is added."""

_MERGED_PAGES = 16
"""Limit of the full-text index's pages rewritten with each drop."""

_NO_STATE = 0
"""The state of drafts that no tree needs; no row of `state` has this number."""

_SUPERSEDED = f"""
    SELECT id FROM state AS one WHERE {KEPT} <=
        (SELECT count(*) FROM state WHERE worktree = one.worktree AND id > one.id)
"""


class States:
    """The uncommitted states of one open store."""

    def __init__(self, db: apsw.Connection, path: Path) -> None:
        self._db = db
        self._path = path

    def add(
        self, worktree: str, tree: Oid, chunkings: Set[int], is_draft: Callable[[Oid], bool]
    ) -> None:
        """Record that `tree`, which consists of `chunkings`, is now the state of a working tree.

        `is_draft` tells whether no commit contains a blob. Call it inside `writing`.
        """
        db, key = self._db, bytes.fromhex(tree)
        since: int = db.execute("SELECT coalesce(max(last_chunking), 0) FROM state").get
        rows: Iterable[tuple[int, bytes]] = db.execute(
            "SELECT id, oid FROM chunking WHERE id > ?", (since,)
        )
        new = {number for number, oid in rows if is_draft(unpacked_oid(oid))}
        known = {number for (number,) in db.execute("SELECT DISTINCT chunking FROM draft")}
        last: int = db.execute("SELECT coalesce(max(id), 0) FROM chunking").get
        db.execute("DELETE FROM state WHERE worktree = ? AND tree = ?", (worktree, key))
        db.execute("INSERT INTO state VALUES(NULL, ?, ?, ?)", (worktree, key, max(since, last)))
        state = db.last_insert_rowid()
        db.executemany(
            "INSERT OR IGNORE INTO draft VALUES(?, ?)",
            [(state, number) for number in (known | new) & chunkings]
            + [(_NO_STATE, number) for number in new - chunkings],
        )

    def trees(self) -> list[Oid]:
        """Return the trees of all states."""
        with translated(self._path):
            return [unpacked_oid(tree) for (tree,) in self._db.execute("SELECT tree FROM state")]

    def has_superseded(self) -> bool:
        """Return whether a state is superseded, or part of a drop was left for later."""
        sql = f"SELECT EXISTS({_SUPERSEDED}) OR EXISTS(SELECT 1 FROM draft WHERE state = ?)"
        with translated(self._path):
            return bool(self._db.execute(sql, (_NO_STATE,)).get)

    def free_pages(self) -> None:
        """Return empty pages to the file system; older stores keep them until a rebuild."""
        with translated(self._path):
            self._db.execute("PRAGMA incremental_vacuum").fetchall()

    def drop_superseded(self, committed: Callable[[list[Oid]], Set[Oid]], seconds: float) -> None:
        """Drop superseded states with their cached trees, and the chunkings that only they needed.

        Drafts `committed` since stay. After `seconds` the rest is left for the next call. Call it
        inside `writing`, while no other process indexes.
        """
        db = self._db
        db.execute(
            "DELETE FROM snapshot "
            f"WHERE tree IN (SELECT tree FROM state WHERE id IN ({_SUPERSEDED}))"
        )
        db.execute(f"DELETE FROM state WHERE id IN ({_SUPERSEDED})")
        db.execute(
            "UPDATE OR IGNORE draft SET state = ? WHERE state NOT IN (SELECT id FROM state)",
            (_NO_STATE,),
        )
        db.execute(
            "DELETE FROM draft WHERE state != ? AND state NOT IN (SELECT id FROM state)",
            (_NO_STATE,),
        )
        sql = """
            SELECT id, oid FROM draft CROSS JOIN chunking ON chunking.id = draft.chunking
            WHERE state = ?1
            AND NOT EXISTS(
                SELECT 1 FROM draft AS other WHERE chunking = draft.chunking AND state != ?1
            )
        """
        unneeded = {number: unpacked_oid(oid) for number, oid in db.execute(sql, (_NO_STATE,))}
        kept = committed(list(unneeded.values())) if unneeded else frozenset()
        until = time.monotonic() + seconds
        for number, oid in unneeded.items():
            if time.monotonic() > until:
                return
            if oid not in kept:
                drop_chunkings(db, [number])
            db.execute("DELETE FROM draft WHERE chunking = ?", (number,))
        db.execute("DELETE FROM draft WHERE state = ?", (_NO_STATE,))
        # Deleted words stay in the full-text index until their segments are merged.
        db.execute("INSERT INTO term(term, rank) VALUES('merge', ?)", (-_MERGED_PAGES,))
