"""Record which settings files and chunkers of a repository the user trusts.

The record is outside of every working tree, so that a clone cannot bring its own permission. It
names a repository by its git common directory and a file by its sha256: a changed file needs a new
permission, a return to an allowed version does not. Worktrees share permissions.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ragit.errors import ConfigError

_VERSION = 1
_LOCK_SECONDS = 2.0
_KEPT_VERSIONS = 100
"""Limit of versions of one repository's file; the oldest are dropped first."""


def record_path(environ: Mapping[str, str]) -> Path:
    """Return the path of the record: ragit/trusted.json under XDG_CONFIG_HOME, APPDATA or
    ~/.config.
    """
    # A relative XDG_CONFIG_HOME is invalid by its specification, and a clone could bring a record.
    for variable in ("XDG_CONFIG_HOME", "APPDATA"):
        if (folder := environ.get(variable, "")) and Path(folder).is_absolute():
            return Path(folder) / "ragit" / "trusted.json"
    home = environ.get("HOME") or environ.get("USERPROFILE") or str(Path.home())
    return Path(home) / ".config" / "ragit" / "trusted.json"


def is_trusted(
    record: Path, common_dir: Path, content: bytes, *, worktree: Path | None = None, name: str = ""
) -> bool:
    """Return whether the user allowed exactly this content in this repository.

    `name` is the file's, unless it is .ragit.toml: content allowed as settings must not run as a
    program. A record inside `worktree` allows nothing.
    """
    if _inside(record, worktree):
        return False
    return _digest(content, name) in _read(record).get(_key(common_dir), [])


def trust(
    record: Path, common_dir: Path, content: bytes, *, worktree: Path | None = None, name: str = ""
) -> None:
    """Allow exactly this content, of a file of this name. Raises ConfigError if it cannot be
    written.
    """
    if _inside(record, worktree):
        raise ConfigError(
            f"the record of trusted files would lie in the working tree itself ({record})",
            "Set XDG_CONFIG_HOME to a folder outside it, and run `ragit trust` again.",
        )
    with _replacing(record) as trusted:
        allowed = _digest(content, name)
        versions = [one for one in trusted.get(_key(common_dir), []) if one != allowed]
        trusted[_key(common_dir)] = [*versions, allowed][-_KEPT_VERSIONS:]


def distrust(record: Path, common_dir: Path) -> bool:
    """Remove all permissions of a repository; return whether there were any. Raises ConfigError."""
    if _key(common_dir) not in _read(record):
        return False
    with _replacing(record) as trusted:
        return trusted.pop(_key(common_dir), None) is not None


def _key(common_dir: Path) -> str:
    return os.fsencode(common_dir.resolve()).decode("utf-8", "backslashreplace")


def _digest(content: bytes, name: str) -> str:
    digest = sha256(content)
    return f"{digest} {name}" if name else digest


def sha256(content: bytes) -> str:
    """Return the sha256 of a file, as `sha256sum` prints it."""
    import hashlib  # loads OpenSSL, and few repositories bring settings

    return hashlib.sha256(content).hexdigest()


def _inside(record: Path, worktree: Path | None) -> bool:
    return worktree is not None and record.resolve().is_relative_to(worktree.resolve())


def _read(record: Path) -> dict[str, list[str]]:
    """Read the record. Raises ConfigError if it is damaged, rather than lose permissions."""
    try:
        found = json.loads(record.read_bytes())
        if found["version"] != _VERSION:
            raise ConfigError(
                f"{record} was written by another version of ragit",
                "Upgrade ragit, or move the file away.",
            )
        return {
            str(key): [str(one) for one in versions] for key, versions in found["trusted"].items()
        }
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise _unusable(record, error) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ConfigError(
            f"{record} is damaged", "Move it away; `ragit trust` makes a new one."
        ) from error


@contextmanager
def _replacing(record: Path) -> Iterator[dict[str, list[str]]]:
    """Yield the record, to be changed in place, and write it at the end, under a lock.

    The lock file is also the new record, as in git: a reader, or a crash, sees the old record or
    the new one.
    """
    lock = record.with_name(record.name + ".lock")
    try:
        descriptor = _lock(lock)
    except OSError as error:
        raise _unusable(record, error) from error
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            trusted = _read(record)
            yield trusted
            json.dump({"version": _VERSION, "trusted": trusted}, stream, indent=1, sort_keys=True)
        lock.replace(record)
    except BaseException as error:
        # Only here: after `replace`, a lock of that name belongs to another process.
        lock.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _unusable(record, error) from error
        raise


def _lock(lock: Path) -> int:
    """Create the lock file, after a short wait for its owner. Raises ConfigError on a timeout."""
    lock.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    end = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            return os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError as error:
            if time.monotonic() > end:
                hint = "If no other `ragit trust` is running, remove that file and try again."
                raise ConfigError(f"another process holds {lock}", hint) from error
            time.sleep(0.02)


def _unusable(record: Path, error: OSError) -> ConfigError:
    return ConfigError(
        f"cannot use {record}: {error.strerror}",
        "Make the file and its folder readable and writable.",
    )
