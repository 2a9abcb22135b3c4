"""The files of a store as a whole: SQLite's own beside it, and putting one store in the place of another."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from ragit.errors import StoreUnreadable
from ragit.store.connect import is_store


def remove_store(path: Path) -> None:
    """Delete a store with all that SQLite keeps beside it; nothing where there is none."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def replace_store(old: Path, new: Path) -> None:
    """Put a new store in the old one's place. What stands there and is no store is moved aside: it may be somebody's,
    named by mistake. Raises StoreUnreadable.
    """
    try:
        if old.exists() and not is_store(old):
            old.rename(_aside(old))
        remove_store(old)
        new.replace(old)
        remove_store(new)
        Path(f"{new}.lock").unlink(missing_ok=True)
    except OSError as error:
        raise StoreUnreadable(
            f"cannot replace the index {old}: {error.strerror}",
            "Check the folder's permissions and free space",
        ) from error


def _aside(path: Path) -> Path:
    """A free name beside a file that has to make room."""
    names = (path.with_name(f"{path.name}.aside-{number}") for number in count(1))
    return next(name for name in names if not name.exists())
