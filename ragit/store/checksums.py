"""Page checksums: SQLite's extension that verifies each page as it is read, as shipped with apsw.

Without it, a flipped bit in a row or in the full-text index would change an answer unnoticed. A
store with checksums reserves eight bytes at the end of each page. If apsw was built without the
extension, new stores have no checksums, and a store with checksums can be read but not written.
"""

from __future__ import annotations

from contextlib import closing
from functools import cache
from pathlib import Path

import apsw

from ragit.errors import StoreUnreadable

_RESERVED = 8
_RESERVED_AT = 20
"""Offset of the number of reserved bytes per page in the header of an SQLite file."""


@cache
def vfs() -> str | None:
    """Load the verifying file system layer and return its name; None if there is none."""
    file = _extension()
    if file is None:
        return None
    usual = apsw.vfs_names()[0]
    with closing(apsw.Connection(":memory:")) as db:
        db.enable_load_extension(True)
        try:
            db.load_extension(str(file))
        except apsw.ExtensionLoadingError:
            return None
    apsw.set_default_vfs(usual)  # the extension makes itself the default for the whole process
    return next((name for name in apsw.vfs_names() if name.startswith("cksm")), None)


def ask_for(db: apsw.Connection) -> None:
    """Make an empty database, or the next VACUUM of another, use checksums, if available."""
    if vfs() is None:
        return
    import ctypes  # slow to load, and only a new file needs it

    wanted = ctypes.c_int(_RESERVED)
    db.file_control("main", apsw.SQLITE_FCNTL_RESERVE_BYTES, ctypes.addressof(wanted))


def has_checksums(path: Path) -> bool:
    """Return whether the pages of a database have checksums."""
    try:
        with path.open("rb") as file:
            header = file.read(_RESERVED_AT + 1)
    except OSError:
        return False
    return len(header) > _RESERVED_AT and header[_RESERVED_AT] == _RESERVED


def must_be_writable(path: Path) -> None:
    """Raise StoreUnreadable for a store with checksums that could not be updated."""
    if vfs() is None and has_checksums(path):
        raise StoreUnreadable(
            f"the index {path} has page checksums, which this apsw cannot write",
            "Type: pip install --upgrade apsw, or: ragit index --rebuild",
        )


def _extension() -> Path | None:
    folder = Path(apsw.__file__).with_name("sqlite_extra_binaries")
    names = ("cksumvfs.so", "cksumvfs.dll", "cksumvfs.dylib")
    return next((folder / name for name in names if (folder / name).exists()), None)
