"""Reads and replaces files of agents: atomically, with the same mode, and through links.

A new file gets a blank line at its end for each folder created with it, so that removal deletes
these folders, too.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from ragit.agents.unfit import Unfit

MAX_BYTES = 64_000_000
"""Larger files are left alone."""


def read(path: Path, top: Path | None) -> str | None:
    """Return a file's text; None if there is none.

    `top` is the top of a repository that must contain the file: a link in a clone could lead
    anywhere. Bytes that are not UTF-8 become surrogates, which `replace` writes unchanged. Raises
    Unfit if it is no text file, or lies elsewhere.
    """
    try:
        _check_links(path, top)
        if not path.exists():
            return None
        state = path.stat()
        if not stat.S_ISREG(state.st_mode):
            raise Unfit("it is no file")
        if state.st_size > MAX_BYTES:
            raise Unfit(f"it is larger than {MAX_BYTES:,} bytes")
        data = path.read_bytes()
    except OSError as error:
        raise Unfit(f"it cannot be read: {error.strerror}") from error
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data:
        raise Unfit("it is not UTF-8 text")
    return data.decode("utf-8", "surrogateescape")


def check_writable(path: Path) -> None:
    """Raise Unfit if a file is read-only; replacing it would be against its owner's will."""
    if path.exists() and not path.stat().st_mode & 0o222:
        raise Unfit("it is read-only")


def link_note(path: Path) -> str:
    """Return the target of a link in words; empty for other files."""
    return f"a link to {path.resolve()}" if path.is_symlink() else ""


def _check_links(path: Path, top: Path | None) -> None:
    if path.is_symlink() and not path.exists():
        raise Unfit("it is a link that leads nowhere")
    if top is not None and not path.resolve().is_relative_to(top.resolve()):
        raise Unfit("a link in the repository leads out of it")


def with_folders(text: str, path: Path) -> str:
    """Return the text of a new file, with a blank line for each folder to create."""
    return text + "\n" * sum(not folder.exists() for folder in path.parents)


def replace(path: Path, before: str | None, after: str | None) -> None:
    """Replace a file's text, create the file (`before` is None) or remove it (`after` is None).

    Raises Unfit if it cannot be written, or has changed.
    """
    target = path.resolve()
    try:
        now = target.read_bytes() if target.exists() else None
        if now != (None if before is None else _encoded(before)):
            raise Unfit("it was changed in the meantime")
        if after is None:
            _remove(path, before or "")
        else:
            _write(target, _encoded(after))
    except OSError as error:
        raise Unfit(f"it cannot be written: {error.strerror}") from error


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _write(target: Path, data: bytes) -> None:
    old = target.stat() if target.exists() else None
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".{target.name}.ragit-{os.getpid()}")
    # As restricted as the old file from the start, since it may hold keys.
    mode = stat.S_IMODE(old.st_mode) if old else 0o666
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode & 0o777)
    try:
        with open(descriptor, "wb") as stream:  # noqa: PTH123 - no path
            stream.write(data)
            stream.flush()
            os.fsync(descriptor)
        if old:
            with contextlib.suppress(OSError, AttributeError):  # not ours to give, or Windows
                os.chown(fresh, old.st_uid, old.st_gid)
            fresh.chmod(mode)
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


def _remove(path: Path, text: str) -> None:
    target = path.resolve()
    target.unlink()
    if path.is_symlink():
        path.unlink()
    folders = len(text) - len(text.rstrip("\n")) - 1
    with contextlib.suppress(OSError):  # one is not empty
        for folder in [*target.parents][: max(folders, 0)]:
            folder.rmdir()
