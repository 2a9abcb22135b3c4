"""Read and write the small files that hooks and the worker keep beside the store.

An archive may contain its own `.git/ragit`. So only regular files are read, and no link is
followed: a FIFO would block, a link would lead to another file.
"""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

PENDING, LOCK, LOG = "pending", "worker.lock", "worker.log"
"""Folders that moved, one a line; the worker's lock; its output."""

MAX_BYTES = 1 << 20
"""Limit of bytes read of one file. A line of PENDING is a path."""

LEFTOVER_SECONDS = 60.0
"""A worker keeps a file of its own for milliseconds; an older one is left by a killed worker."""

_SAFE = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def read(path: Path) -> bytes | None:
    """Return the content of a regular file, at most MAX_BYTES; None if there is none.

    Raises OSError if it cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _SAFE)
    except FileNotFoundError:
        return None
    except OSError:
        if path.is_symlink() or not path.is_file():
            return None
        raise
    try:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return os.read(descriptor, MAX_BYTES) if is_file else None
    finally:
        os.close(descriptor)


def append(path: Path, data: bytes) -> None:
    """Append to a file, which is created if needed. Raises OSError."""
    remove_irregular(path)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _SAFE, 0o644)
    with open(descriptor, "ab") as stream:  # noqa: PTH123 - a descriptor has no path
        stream.write(data)


def replace(path: Path, text: str) -> None:
    """Write a file atomically. Raises OSError."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    remove(fresh)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE, 0o644)
    try:
        with open(descriptor, "wb") as stream:  # noqa: PTH123 - a descriptor has no path
            stream.write(text.encode("utf-8", "backslashreplace"))
        if path.is_dir():
            remove(path)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def remove_irregular(path: Path) -> None:
    """Remove a link, FIFO or other special file with the name of a state file."""
    if path.is_symlink() or (path.exists() and not path.is_file() and not path.is_dir()):
        path.unlink(missing_ok=True)


def remove(path: Path) -> None:
    """Remove a file, link or empty folder, if it exists. Raises OSError."""
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


def take_pending(folder: Path) -> list[str] | None:
    """Take the folders that moved since the last call, in order; None if none did."""
    remove_irregular(folder / PENDING)
    if not (folder / PENDING).is_file():
        return None
    taken = folder / f"{PENDING}.{os.getpid()}"
    try:
        (folder / PENDING).replace(taken)
    except FileNotFoundError:
        return None
    try:
        return os.fsdecode(read(taken) or b"").splitlines()
    finally:
        taken.unlink(missing_ok=True)


def leftovers(folder: Path, age: float = LEFTOVER_SECONDS) -> list[Path]:
    """Return files left by killed workers, older than `age` seconds."""
    horizon = time.time() - age
    names = (f"{PENDING}.[0-9]*", "*.new")
    found = sorted(file for name in names for file in folder.glob(name))
    return [file for file in found if file.lstat().st_mtime < horizon]
