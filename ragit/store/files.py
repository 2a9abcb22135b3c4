"""A store as files: SQLite's files beside it, the rests of rebuilds, and replacement."""

from __future__ import annotations

import contextlib
import os
from itertools import count
from pathlib import Path

import apsw

from ragit.errors import StoreBusy, StoreUnreadable
from ragit.store.connect import is_store, opening

_BESIDE = ("-wal", "-shm", "-journal")
"""SQLite's own files, named after the store."""

_NEW = ".new"
"""Suffix in file names of a store under construction."""


def new_store_path(path: Path) -> Path:
    """Return an unused name beside `path` for a store that will replace it."""
    return path.with_name(f"{path.name}{_NEW}-{os.urandom(4).hex()}")


def unfinished_files(path: Path) -> list[Path]:
    """Return all files of unfinished stores at `path`, of a running or killed rebuild."""
    if not path.parent.is_dir():
        return []
    return sorted(f for f in path.parent.iterdir() if f.name.startswith(path.name + _NEW))


def unfinished_stores(path: Path) -> list[Path]:
    """Return the stores among the unfinished files of `path`."""
    return [file for file in unfinished_files(path) if is_store(file)]


def remove_store(path: Path) -> None:
    """Delete a store and all files named after it, if it exists."""
    for file in (path, *(Path(f"{path}{suffix}") for suffix in (*_BESIDE, ".lock", ".opening"))):
        file.unlink(missing_ok=True)


def copy_store(path: Path, target: Path) -> None:
    """Copy a store that nothing writes, unless `target` exists. Raises StoreUnreadable.

    A store with a log beside it is not copied, since the log would be lost: its rows are computed
    again.
    """
    log = Path(f"{path}-wal")
    if target.exists() or not path.exists() or (log.exists() and log.stat().st_size):
        return
    part = new_store_path(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(path.read_bytes())
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise StoreUnreadable(
            f"cannot write {target}: {error.strerror}",
            "Name a file that can be written: ragit -c index.storePath=FILE ...",
        ) from error


def install_store(path: Path, new: Path) -> None:
    """Replace the store at `path` by a finished one; the caller holds the indexing lock.

    The old store's log is first moved into its file, then the new file is renamed in one step, so a
    kill at any point leaves the old store or the new one. Processes that read the old one keep its
    files; `opening` ensures that none gets the file of one and the log of the other. A file at
    `path` that is no store is moved aside, since a setting may have named it by mistake. Raises
    StoreUnreadable and StoreBusy.
    """
    log = Path(f"{new}-wal")
    if log.exists() and log.stat().st_size:
        raise StoreBusy(f"another process uses {new}", "End it, then type the command again")
    try:
        with opening(path, exclusive=True):
            if path.exists() and not is_store(path):
                path.rename(_aside(path))
            else:
                _move_log_into_file(path)
            for suffix in _BESIDE:
                Path(f"{path}{suffix}").unlink(missing_ok=True)
            new.replace(path)
    except OSError as error:
        raise StoreUnreadable(
            f"cannot replace the index {path}: {error.strerror}",
            "Check the folder's permissions and free space",
        ) from error


def _move_log_into_file(path: Path) -> None:
    """Move the log into the file, as far as it can be read: it may be damaged."""
    if path.exists():
        with contextlib.suppress(apsw.Error), contextlib.closing(apsw.Connection(str(path))) as db:
            db.set_busy_timeout(2_000)  # for readers; a snapshot that is held longer is left behind
            db.execute("SELECT count(*) FROM sqlite_master").fetchall()
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _aside(path: Path) -> Path:
    """Return a free name beside a file that has to be moved away."""
    names = (path.with_name(f"{path.name}.aside-{number}") for number in count(1))
    return next(name for name in names if not name.exists())
