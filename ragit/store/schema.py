"""Define the tables, migrate older stores, and delete what is stored in several tables.

chunking     one blob, chunked as one language by one chunker: the unit of which trees consist
chunk        its pieces; id = chunking << 16 | ordinal, so that a tree's chunks are a few ranges
forward      its words by chunk (see `postings`)
term         its words for full-text search, rowid = chunking
embedder     embedders with stored vectors, each with the vector of a probe text that identifies
             a server's model; each has two tables, vec_bit_<id> and vec_i8_<id>, by chunk
embedded     which chunkings have all their vectors, by embedder
snapshot     a cache of trees: a listing, and the differences from it
listing      paths with their chunkings, the base of cached trees
derived      the compressed text of a document, by chunking, with the row or page of each
             line; other text is read from its blob
describer    servers, models and prompts that made descriptions
description  descriptions by describer and subject: the hash of a chunk's embedded text, or an
             image's blob
state        trees of uncommitted work by working tree, the newest last
draft        chunkings that only these states need, and no commit
reference    calls, types and imports of a file, packed, by chunking; see `ragit.references`
undescribed  chunks whose vector under an embedder lacks the description that it should have
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import apsw

APPLICATION_ID = 0x72616769  # "ragi", which identifies the file to file(1)
ORDINAL_BITS = 16


def chunk_id(chunking: int, ordinal: int) -> int:
    """Return a chunk's number, from that of its chunking and its position."""
    return chunking << ORDINAL_BITS | ordinal


def _version_1(db: apsw.Connection) -> None:
    db.execute(
        """
        CREATE TABLE chunking(
            -- ids are never reused: an old snapshot must not refer to another blob
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            oid BLOB NOT NULL, language TEXT NOT NULL, fingerprint TEXT NOT NULL,
            resolved TEXT NOT NULL, skipped TEXT NOT NULL,
            chunks INTEGER NOT NULL, length INTEGER NOT NULL,
            UNIQUE(oid, language, fingerprint)
        );
        CREATE TABLE chunk(
            id INTEGER PRIMARY KEY, hash BLOB NOT NULL,
            start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
            start INTEGER NOT NULL, end INTEGER NOT NULL,
            kind TEXT NOT NULL, symbol TEXT NOT NULL, parent TEXT NOT NULL, signature TEXT NOT NULL
        );
        CREATE INDEX chunk_hash ON chunk(hash);
        CREATE TABLE forward(chunking INTEGER PRIMARY KEY, terms BLOB NOT NULL);
        CREATE VIRTUAL TABLE term USING fts5(
            symbol, head, body1, body2, body4, body10,
            content='', contentless_delete=1, detail=column,
            tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'"
        );
        CREATE VIRTUAL TABLE term_instance USING fts5vocab(term, instance);
        CREATE TABLE embedder(
            id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL
        );
        CREATE TABLE embedded(
            embedder INTEGER NOT NULL, chunking INTEGER NOT NULL, PRIMARY KEY(embedder, chunking)
        ) WITHOUT ROWID;
        CREATE TABLE snapshot(
            id INTEGER PRIMARY KEY, tree BLOB NOT NULL, selection TEXT NOT NULL,
            paths BLOB NOT NULL, chunkings BLOB NOT NULL, skipped BLOB NOT NULL,
            UNIQUE(tree, selection)
        );
        """
    )


def _version_2(db: apsw.Connection) -> None:
    """Add documents (a chunk's page or rows, and the text) and descriptions."""
    db.execute(
        """
        ALTER TABLE chunk ADD COLUMN place TEXT NOT NULL DEFAULT '';
        CREATE TABLE derived(chunking INTEGER PRIMARY KEY, text BLOB NOT NULL);
        CREATE TABLE describer(
            id INTEGER PRIMARY KEY, kind TEXT NOT NULL, fingerprint TEXT NOT NULL,
            UNIQUE(kind, fingerprint)
        );
        CREATE TABLE description(
            describer INTEGER NOT NULL, subject BLOB NOT NULL, text TEXT NOT NULL,
            PRIMARY KEY(describer, subject)
        ) WITHOUT ROWID;
        CREATE TABLE undescribed(
            embedder INTEGER NOT NULL, chunk INTEGER NOT NULL, PRIMARY KEY(embedder, chunk)
        ) WITHOUT ROWID;
        """
    )


def _version_3(db: apsw.Connection) -> None:
    """Add the mark of a server's model; empty for an embedder that needs none."""
    db.execute("ALTER TABLE embedder ADD COLUMN mark BLOB NOT NULL DEFAULT x''")


def _version_4(db: apsw.Connection) -> None:
    """Add the uncommitted states, so that superseded ones can be dropped."""
    db.execute(
        """
        CREATE TABLE state(
            id INTEGER PRIMARY KEY AUTOINCREMENT, worktree TEXT NOT NULL, tree BLOB NOT NULL,
            last_chunking INTEGER NOT NULL  -- the newest one when the state was added
        );
        CREATE TABLE draft(
            state INTEGER NOT NULL, chunking INTEGER NOT NULL, PRIMARY KEY(chunking, state)
        ) WITHOUT ROWID;
        """
    )


def _version_5(db: apsw.Connection) -> None:
    """Add the definitions of a chunk, with kinds and lines."""
    db.execute("ALTER TABLE chunk ADD COLUMN definitions TEXT NOT NULL DEFAULT ''")


def _version_6(db: apsw.Connection) -> None:
    """Make a leaf of the full-text index fit into a page that ends in a checksum."""
    db.execute("INSERT INTO term(term, rank) VALUES('pgsz', 4000)")


def _version_7(db: apsw.Connection) -> None:
    """Add the references of files."""
    db.execute("CREATE TABLE reference(chunking INTEGER PRIMARY KEY, packed BLOB NOT NULL)")


def _version_8(db: apsw.Connection) -> None:
    """Store cached trees by their difference from a listing; the old ones are computed again."""
    db.execute(
        """
        DROP TABLE snapshot;
        -- the numbers of both are never reused: an open store remembers what it read
        CREATE TABLE listing(
            id INTEGER PRIMARY KEY AUTOINCREMENT, paths BLOB NOT NULL, chunkings BLOB NOT NULL,
            skipped BLOB NOT NULL, absent BLOB NOT NULL
        );
        CREATE TABLE snapshot(
            id INTEGER PRIMARY KEY AUTOINCREMENT, tree BLOB NOT NULL, selection TEXT NOT NULL,
            listing INTEGER NOT NULL, changed BLOB NOT NULL,
            paths BLOB NOT NULL, chunkings BLOB NOT NULL, skipped BLOB NOT NULL,
            absent BLOB NOT NULL, UNIQUE(tree, selection)
        );
        """
    )


MIGRATIONS: tuple[Callable[[apsw.Connection], None], ...] = (
    _version_1,
    _version_2,
    _version_3,
    _version_4,
    _version_5,
    _version_6,
    _version_7,
    _version_8,
)
"""Append only: entry i upgrades version i to version i + 1."""

VERSION = len(MIGRATIONS)


def migrate(db: apsw.Connection) -> None:
    """Upgrade an empty or older store to this version; the caller holds the write lock."""
    found = db.pragma("user_version")
    for step in MIGRATIONS[found:]:
        step(db)
    db.pragma("application_id", APPLICATION_ID)
    db.pragma("user_version", VERSION)


def add_embedder(db: apsw.Connection, fingerprint: str, dimensions: int) -> int:
    """Add an embedder with its two tables, unless it exists; return its number."""
    db.execute(
        "INSERT OR IGNORE INTO embedder(fingerprint, dimensions) VALUES(?, ?)",
        (fingerprint, dimensions),
    )
    number: int = db.execute("SELECT id FROM embedder WHERE fingerprint = ?", (fingerprint,)).get
    for kind in ("bit", "i8"):
        db.execute(
            f"CREATE TABLE IF NOT EXISTS vec_{kind}_{number}"
            "(chunk INTEGER PRIMARY KEY, v BLOB NOT NULL)"
        )
    return number


_OF_CHUNKING = (
    "DELETE FROM forward WHERE chunking = ?",
    "DELETE FROM term WHERE rowid = ?",
    "DELETE FROM derived WHERE chunking = ?",
    "DELETE FROM reference WHERE chunking = ?",
    "DELETE FROM draft WHERE chunking = ?",
    "DELETE FROM chunking WHERE id = ?",
)


def drop_chunkings(db: apsw.Connection, chunkings: Iterable[int]) -> None:
    """Delete chunkings with their chunks, words and vectors. Call it in a transaction."""
    embedders = [number for (number,) in db.execute("SELECT id FROM embedder")]
    for chunking in chunkings:
        span = (chunk_id(chunking, 0), chunk_id(chunking + 1, 0) - 1)
        for number in embedders:
            _drop_vectors(db, number, chunking, span)
        db.execute("DELETE FROM chunk WHERE id BETWEEN ? AND ?", span)
        for sql in _OF_CHUNKING:
            db.execute(sql, (chunking,))


def _drop_vectors(db: apsw.Connection, embedder: int, chunking: int, span: tuple[int, int]) -> None:
    for kind in ("bit", "i8"):
        db.execute(f"DELETE FROM vec_{kind}_{embedder} WHERE chunk BETWEEN ? AND ?", span)
    db.execute(
        "DELETE FROM undescribed WHERE embedder = ? AND chunk BETWEEN ? AND ?", (embedder, *span)
    )
    db.execute("DELETE FROM embedded WHERE embedder = ? AND chunking = ?", (embedder, chunking))


def drop_embedder(db: apsw.Connection, number: int) -> None:
    """Delete an embedder with its vectors. Call it in a transaction."""
    for kind in ("bit", "i8"):
        db.execute(f"DROP TABLE vec_{kind}_{number}")
    db.execute("DELETE FROM embedded WHERE embedder = ?", (number,))
    db.execute("DELETE FROM undescribed WHERE embedder = ?", (number,))
    db.execute("DELETE FROM embedder WHERE id = ?", (number,))
