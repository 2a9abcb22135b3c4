"""Open a store's file, and translate SQLite's errors into sentences with a remedy."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import time
from collections.abc import Iterator
from pathlib import Path

import apsw

from ragit.errors import StoreFull, StoreTooNew, StoreTooOld, StoreUnreadable
from ragit.locks import busy, by_process, lock
from ragit.store import checksums, schema
from ragit.store.rows import DamagedRow

BUSY_MS = 10_000
"""Timeout of a writer. The lock is held for one batch of files, well under a second, so ten seconds
mean that another process hangs.
"""

CACHE_KIB = 16_384
REBUILD = "Type: ragit index --rebuild (it makes a new one from the repository)"
_ELSEWHERE = "Name another file: git config ragit.index.storePath FILE"

_HEADER = slice(68, 72)
"""Range of the application id in the header of an SQLite file."""


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise SQLite's errors as ragit's, with the file's name."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError) as error:
        raise StoreUnreadable(f"the index {path} is damaged: {error}", REBUILD) from error
    except (apsw.SQLError, apsw.ConstraintError, apsw.MismatchError) as error:
        # Our statements are correct for our tables: these tables are no longer ours.
        raise StoreUnreadable(f"the index {path} is damaged: {error}", REBUILD) from error
    except DamagedRow as error:
        raise StoreUnreadable(f"the index {path} is damaged: {error}", REBUILD) from error
    except (apsw.BusyError, apsw.LockedError) as error:
        files = (path, Path(f"{path}-shm"))
        who = f"another process{by_process(*files)}"
        raise busy(f"{who} has kept the index {path} locked for too long", *files) from error
    except apsw.FullError as error:
        raise _full(path) from error
    except (
        apsw.CantOpenError,
        apsw.ReadOnlyError,
        apsw.PermissionsError,
        apsw.AuthError,
        apsw.IOError,
    ) as error:
        if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA:
            what = "a page does not match its checksum"
            raise StoreUnreadable(f"the index {path} is damaged: {what}", REBUILD) from error
        if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
            raise _full(path) from error
        raise StoreUnreadable(
            f"the index {path} cannot be opened or written: {error}",
            f"Check the folder's permissions. {_ELSEWHERE}",
        ) from error


def _full(path: Path) -> StoreFull:
    return StoreFull(
        f"the disk of {path} is full",
        "Free some space (`ragit gc` needs none); what was written so far is kept",
    )


@contextlib.contextmanager
def opening(path: Path, *, exclusive: bool = False) -> Iterator[None]:
    """Hold the lock for opening (shared) or replacing (exclusive) a store.

    SQLite pairs a file with its log by name. A process that opened one of them before a replacement
    and the other after it would mix two stores. Raises StoreBusy, and StoreUnreadable if the lock
    file cannot be written.
    """
    wait_s = BUSY_MS / 1000
    with lock(Path(f"{path}.opening"), shared=not exclusive, wait_s=wait_s) as taken:
        if not taken:
            who = f"another process{by_process(Path(f'{path}.opening'))}"
            raise busy(
                f"{who} has been replacing or opening the index {path} for {wait_s:.0f} s",
                Path(f"{path}.opening"),
            )
        yield


@contextlib.contextmanager
def _opening(path: Path, *, writable: bool) -> Iterator[None]:
    """Hold `opening`; a reader continues without it if the lock file cannot be created."""
    with contextlib.ExitStack() as stack:
        if writable:
            stack.enter_context(opening(path))
        elif path.exists() and os.access(path.parent, os.W_OK):
            with contextlib.suppress(StoreUnreadable):
                stack.enter_context(opening(path))
        yield


def connect(path: Path, *, writable: bool, wait_ms: int = BUSY_MS) -> apsw.Connection:
    """Return a connection to an existing (or, if writable, a new) store of this version.

    It waits `wait_ms` for other writers.
    """
    with translated(path), _opening(path, writable=writable):
        try:
            db = _checked(path, writable, wal=True)
        except apsw.IOError as error:
            if not (writable and _lacks_shared_memory(error)):
                raise
            _to_rollback_journal(path)
            db = _checked(path, writable, wal=False)
        db.set_busy_timeout(wait_ms)
        db.pragma("cache_size", -CACHE_KIB)
        db.pragma("temp_store", "memory")
        db.pragma("mmap_size", 1 << 30)
        return db


def connect_in_place(path: Path) -> apsw.Connection:
    """Return a connection that changes a store without needing disk space.

    The journal is in memory, so a kill during a write may damage the store.
    """
    with translated(path), opening(path, exclusive=True):
        checksums.must_be_writable(path)
        db = apsw.Connection(str(path), vfs=checksums.vfs())
        try:
            db.set_busy_timeout(2_000)  # a reader that stays open does not end by waiting
            _distrust(db)
            db.pragma("locking_mode", "exclusive")  # so that no memory has to be shared
            db.pragma("journal_mode", "memory")
            db.pragma("temp_store", "memory")
            if _identity(db) != (schema.VERSION, True):
                raise _full(path)
        except apsw.BusyError as error:
            db.close()
            message = f"the disk of {path} is full, and another process keeps the index open"
            raise busy(message, path, readers=True) from error
        except apsw.FullError as error:
            db.close()
            raise _log_is_stuck(path) from error
        except BaseException:
            db.close()
            raise
        return db


def _log_is_stuck(path: Path) -> StoreFull:
    """Return the error of a full disk on which the last writes do not fit into the store's file."""
    log = path.with_name(path.name + "-wal")
    size = log.stat().st_size if log.exists() else 0
    return StoreFull(
        f"the disk of {path} is full, and its last writes do not fit into the file",
        f"Free {size / 1e6:.1f} MB elsewhere and repeat the command. If there is nothing else to "
        f"delete, delete {path}* (stored descriptions go, too) and type: ragit index",
    )


def _checked(path: Path, writable: bool, *, wal: bool) -> apsw.Connection:
    """Return a connection to a store of this version; a new one may use `wal`."""
    db = _open(path, writable=writable)
    try:
        _distrust(db)
        found, is_ours = _identity(db)
        if found > schema.VERSION:
            raise StoreTooNew(
                f"the index {path} has format {found}, newer than this ragit's {schema.VERSION}",
                "Upgrade ragit, or keep a store of your own: git config ragit.index.storePath FILE",
            )
        if not is_ours:
            raise StoreUnreadable(f"{path} is a database, but not an index of ragit", _ELSEWHERE)
        if writable:
            _prepare(db, found, wal=wal)
        elif found < schema.VERSION:
            raise StoreTooOld(f"the index {path} has the older format {found}", "Type: ragit index")
    except BaseException:
        db.close()
        raise
    return db


def _distrust(db: apsw.Connection) -> None:
    """Disable everything executable in the file: it may come from an untrusted `.git`."""
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
    db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)


def is_store(path: Path) -> bool:
    """Return whether a file's header is that of a ragit index, of any version."""
    try:
        with path.open("rb") as file:
            return file.read(100)[_HEADER] == schema.APPLICATION_ID.to_bytes(4, "big")
    except OSError:
        return False


def _identity(db: apsw.Connection) -> tuple[int, bool]:
    """Return the format and whether it is a store, read in one state: another process may be
    creating it.
    """
    with one_state(db):
        version: int = db.pragma("user_version")
        return version, _is_store(db, version)


def _is_store(db: apsw.Connection, version: int) -> bool:
    """Return whether it is a store, or the empty file of a ragit killed while creating one."""
    name = db.pragma("application_id")
    if version or name:
        return bool(name == schema.APPLICATION_ID)
    return not db.execute("SELECT EXISTS(SELECT 1 FROM sqlite_master)").get


def _open(path: Path, *, writable: bool) -> apsw.Connection:
    vfs = checksums.vfs()
    if writable:
        path.parent.mkdir(parents=True, exist_ok=True)
        checksums.must_be_writable(path)
        db = _patient(apsw.Connection(str(path), vfs=vfs))
        if not path.stat().st_size:
            checksums.ask_for(db)
        return db
    try:
        db = _patient(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, vfs=vfs))
        db.pragma("user_version")
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError) as error:
        code = getattr(error, "extendedresult", 0)
        full = code == apsw.SQLITE_IOERR_SHMSIZE  # no room for the memory that readers share
        if isinstance(error, apsw.IOError) and not (full or _lacks_shared_memory(error)):
            raise
        # In a read-only folder, a WAL database opens only as immutable. That is correct if no
        # writer left a log.
        log = Path(f"{path}-wal")
        if not path.exists() or (log.exists() and log.stat().st_size):
            raise
        uri = f"file:{_quoted(path)}?immutable=1"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return apsw.Connection(uri, flags=flags, vfs=vfs)
    return db


def _to_rollback_journal(path: Path) -> None:
    """Convert a WAL database to a rollback journal, without shared memory.

    A connection in exclusive mode needs none.
    """
    with contextlib.closing(_patient(apsw.Connection(str(path), vfs=checksums.vfs()))) as db:
        db.pragma("locking_mode", "exclusive")
        db.pragma("journal_mode", "truncate")
        db.pragma("user_version")


def _lacks_shared_memory(error: apsw.Error) -> bool:
    return getattr(error, "extendedresult", 0) in (
        apsw.SQLITE_IOERR_SHMOPEN,
        apsw.SQLITE_IOERR_SHMLOCK,
        apsw.SQLITE_IOERR_SHMMAP,
    )


def _patient(db: apsw.Connection) -> apsw.Connection:
    """Let a connection wait for others from its first read on; closing a store locks it."""
    db.set_busy_timeout(BUSY_MS)
    return db


def _quoted(path: Path) -> str:
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _prepare(db: apsw.Connection, found: int, *, wal: bool) -> None:
    """Set journal mode and schema. Where WAL cannot work (a network share), use TRUNCATE.

    A new file gets its application id before it has a log, so that `is_store` never has to read
    one.
    """
    if found == 0:
        db.execute("PRAGMA auto_vacuum = incremental")  # only an empty file can take this setting
        with transaction(db):
            db.pragma("application_id", schema.APPLICATION_ID)
    mode = _turned_to_wal(db) if wal and found == 0 else db.pragma("journal_mode")
    if mode != "wal":
        db.pragma("journal_mode", "truncate")
    db.pragma("synchronous", "normal")
    if found < schema.VERSION:
        with transaction(db):
            schema.migrate(db)


def _turned_to_wal(db: apsw.Connection) -> str:
    """Request WAL, and return the journal mode. SQLite itself does not wait for others here."""
    deadline = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            return str(db.pragma("journal_mode", "wal"))
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.002)


@contextlib.contextmanager
def transaction(db: apsw.Connection) -> Iterator[None]:
    """Write in one transaction, whose lock is taken at once.

    Not `with db`: that begins without releasing the GIL, so a thread waiting for another thread's
    transaction would keep it from ending.
    """
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        _roll_back(db)
        raise


@contextlib.contextmanager
def one_state(db: apsw.Connection) -> Iterator[None]:
    """Read one state of the file inside, whatever others write."""
    db.execute("BEGIN DEFERRED")
    try:
        yield
    finally:
        _roll_back(db)


def _roll_back(db: apsw.Connection) -> None:
    """Roll back a transaction; its own error is the one to raise, not one of the rollback."""
    if db.in_transaction:
        with contextlib.suppress(apsw.Error):
            db.execute("ROLLBACK")


def load_vector_functions(db: apsw.Connection) -> bool:
    """Load sqlite-vec into a connection; return False if the platform has none.

    It is loaded by its path: importing the package would import numpy's typing, some 100 ms.
    """
    spec = importlib.util.find_spec("sqlite_vec")
    if spec is None or spec.origin is None:
        return False
    db.enable_load_extension(True)
    try:
        db.load_extension(str(Path(spec.origin).with_name("vec0")))
    except apsw.ExtensionLoadingError:
        return False
    finally:
        db.enable_load_extension(False)
    return True


def engine_versions() -> tuple[str, str]:
    """Return the versions of SQLite and sqlite-vec; the latter is empty if it cannot be loaded."""
    with contextlib.closing(apsw.Connection(":memory:")) as db:
        found = str(db.execute("SELECT vec_version()").get) if load_vector_functions(db) else ""
    return apsw.sqlite_lib_version(), found
