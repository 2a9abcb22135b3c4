"""Keep objects of uncommitted work, and copies of the index, in a private folder.

The user's own objects and index are not changed. The private folder borrows the user's objects as
an alternate, so that only uncommitted objects are written. git does not collect them; `prune` does.
"""

from __future__ import annotations

import os
import re
import time
import zlib
from binascii import crc32
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ragit.errors import GitFailed
from ragit.git.command import Git
from ragit.git.layout import Layout
from ragit.git.objects import ObjectsRecipe
from ragit.records import NamedTuple
from ragit.types import Oid

GRACE_SECONDS = 3600.0
"""Younger objects stay: a running search may write them before it refers to them."""

IN_USE_SECONDS = 600.0
"""Seconds after which a git command that reads a copy of the index has surely ended."""

_DIGITS = r"[0-9a-f]{16,64}"
"""Beginning of a tree's id, as in a result's cursor."""

ALTERNATES = "GIT_ALTERNATE_OBJECT_DIRECTORIES"
"""Git's variable for further object directories."""


class RefreshedIndex(NamedTuple):
    """A copy of an index that `git status` may refresh."""

    path: Path
    new: bool
    """True if it was made just now."""


class Private:
    """The private folder of one repository: `<common dir>/ragit`, else `scratch`, else a temporary
    one.
    """

    def __init__(self, layout: Layout, scratch: Path | None) -> None:
        self._choices = [
            folder for folder in (layout.common_dir / "ragit", scratch) if folder is not None
        ]
        self._chosen: Path | None = None
        self._temporary = False

    @property
    def folder(self) -> Path:
        """Return the folder, with an object directory in it. Raises GitFailed if there is none."""
        if self._chosen is None:
            self._chosen = (
                next((folder for folder in self._choices if _writable(folder)), None)
                or self._make_temporary()
            )
        return self._chosen

    @property
    def objects(self) -> Path:
        """Return the object directory, which may not exist yet."""
        known = self._chosen or next(
            (folder for folder in self._choices if folder.is_dir() and not folder.is_symlink()),
            self._choices[0],
        )
        return known / "objects"

    def holds(self, oid: Oid) -> bool:
        """Return whether an object was written here, because the user's objects did not have it."""
        return (self.objects / oid[:2] / oid[2:]).exists()

    def tree_named(self, digits: str) -> Oid | None:
        """Return the tree written here whose id begins with `digits`; None if none or several, or
        if there are too few digits.
        """
        if not re.fullmatch(_DIGITS, digits):
            return None
        found = [
            Oid(file.parent.name + file.name)
            for file in (self.objects / digits[:2]).glob(f"{digits[2:]}*")
            if zlib.decompressobj().decompress(file.read_bytes(), 5) == b"tree "
        ]
        return found[0] if len(found) == 1 else None

    def count(self) -> int:
        """Return the number of objects here."""
        return sum(1 for _ in self.objects.glob("[0-9a-f][0-9a-f]/*"))

    def remove_damaged(self, object_format: str) -> int:
        """Remove objects whose content does not match their id; return how many.

        git does not sync them to disk, so a power cut leaves some empty. The next read of the
        working tree writes them again.
        """
        import hashlib  # loads OpenSSL, and damage is rare

        count = 0
        for file in self.objects.glob("[0-9a-f][0-9a-f]/*"):
            try:
                content = zlib.decompress(file.read_bytes())
            except (OSError, zlib.error):
                content = b""
            if hashlib.new(object_format, content).hexdigest() != file.parent.name + file.name:
                file.unlink(missing_ok=True)
                count += 1
        return count

    def _make_temporary(self) -> Path:
        import tempfile  # rare, and slow to load

        try:
            folder = Path(tempfile.mkdtemp(prefix="ragit-"))
            (folder / "objects").mkdir()
        except OSError as error:
            raise GitFailed(
                f"nowhere to write: neither {self._choices[0]} nor a temporary folder "
                f"({error.strerror})",
                "Set TMPDIR to a folder that can be written, or search with --committed",
            ) from error
        self._temporary = True
        return folder

    def close(self) -> None:
        """Remove the temporary folder, if one was made."""
        if self._temporary and self._chosen is not None:
            import shutil  # loads the compressors, 5 ms, for a git directory of another user

            shutil.rmtree(self._chosen, ignore_errors=True)
            self._temporary, self._chosen = False, None

    def reader(self, git: Git) -> Git:
        """Return a `git` that also sees these objects, and no replace refs."""
        folders = [str(self.objects)] if self.objects.is_dir() else []
        return git.with_env(GIT_NO_REPLACE_OBJECTS="1", **_alternates(folders, git))

    def writer(self, git: Git, index: Path, users_objects: Path) -> Git:
        """Return a `git` that writes objects only here, and uses the given index file."""
        ours = str(self.folder / "objects")
        more = _alternates([str(users_objects)], git)
        return git.with_env(GIT_OBJECT_DIRECTORY=ours, GIT_INDEX_FILE=str(index), **more)

    @contextmanager
    def scratch_index(self, index: Path) -> Iterator[Path]:
        """Make a copy of an index (no file if there is none), and remove it at the end."""
        folder = self.folder / f"index-{os.getpid()}-{os.urandom(4).hex()}"
        copy = folder / "index"
        try:
            folder.mkdir()
            _copy(index, copy)
        except OSError as error:
            _remove_copy(folder)
            raise GitFailed(
                f"cannot write {folder}: {error.strerror}",
                "Free some space, or search without your changes: --committed",
            ) from error
        try:
            yield copy
        finally:
            _remove_copy(folder)

    def refreshed_index(self, index: Path) -> RefreshedIndex | None:
        """Return a copy of an index that `git status` may refresh; None if there is no index.

        It is kept until the original changes. After a clone or checkout, `git status` reads all
        files each time until it can record in an index that they are unchanged: 200 ms for 6,500
        files, not 30.
        """
        try:
            facts = index.stat()
        except FileNotFoundError:
            return None
        family = f"{crc32(os.fsencode(index)):08x}"
        copy = (
            self.folder
            / f"status-{family}-{facts.st_mtime_ns:x}-{facts.st_size:x}-{facts.st_ino:x}"
        )
        if copy.exists():
            _remove_stale_lock(copy)
            return RefreshedIndex(copy, new=False)
        for old in self.folder.glob(f"status-{family}-*"):
            # another process may have just renamed or removed it
            with suppress(FileNotFoundError):
                if old.stat().st_ctime < time.time() - IN_USE_SECONDS:
                    old.unlink()
        fresh = copy.with_name(f"{copy.name}.{os.getpid()}-{os.urandom(4).hex()}")
        try:
            if not _copy(index, fresh):
                return None
            fresh.replace(copy)
        except OSError:  # a full disk: git repeats the work each time
            with suppress(OSError):
                fresh.unlink()
            return None
        return RefreshedIndex(copy, new=True)


def _remove_stale_lock(copy: Path) -> None:
    """Remove the lock of a killed `git status`, which keeps later ones from writing their
    results.
    """
    lock = copy.with_name(f"{copy.name}.lock")
    with suppress(FileNotFoundError):
        if lock.stat().st_mtime < time.time() - IN_USE_SECONDS:
            lock.unlink()


def _writable(folder: Path) -> bool:
    """Return whether a folder is writable and no symlink.

    A repository's `.git` may come from an archive: a link in it must not choose where ragit writes
    and, as it cleans up, deletes.
    """
    if folder.is_symlink() or (folder / "objects").is_symlink():
        return False
    try:
        (folder / "objects").mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _copy(source: Path, target: Path) -> bool:
    """Copy an index with its time, by which git tells which files may have changed unnoticed."""
    try:
        with source.open("rb") as file:
            facts = os.fstat(file.fileno())
            target.write_bytes(file.read())
    except FileNotFoundError:
        return False
    os.utime(target, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    return True


def _remove_copy(folder: Path) -> None:
    """Remove a folder of files. `shutil` would load the compressors."""
    if folder.is_symlink():
        return
    with suppress(OSError):  # another process may remove it, too
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()


def _alternates(folders: list[str], git: Git) -> dict[str, str]:
    """Return the variable for further object directories, with the caller's own."""
    listed = [_quoted(folder) for folder in folders]
    if git.env.get(ALTERNATES):
        listed.append(git.env[ALTERNATES])
    return {ALTERNATES: os.pathsep.join(listed)} if listed else {}


def _quoted(folder: str) -> str:
    if os.pathsep not in folder and not folder.startswith('"'):
        return folder
    return '"' + folder.replace("\\", "\\\\").replace('"', '\\"') + '"'


def prune(
    objects: Path,
    recipe: ObjectsRecipe,
    keep: Iterable[Oid],
    grace: float = GRACE_SECONDS,
    copies_grace: float = IN_USE_SECONDS,
) -> int:
    """Remove loose objects older than `grace` seconds that no tree of `keep` reaches; return bytes
    freed.

    Copies of an index go after `copies_grace` seconds. Only private trees are followed: a tree
    among the user's objects never refers to a private object.
    """
    if not objects.is_dir() or objects.is_symlink() or objects.parent.is_symlink():
        return 0
    loose = {
        Oid(file.parent.name + file.name): file
        for file in objects.glob("[0-9a-f][0-9a-f]/*")
        if not file.parent.is_symlink()
    }
    kept = _reached(recipe, keep, loose.keys())
    horizon = time.time() - grace
    freed = sum(_remove(file, horizon) for oid, file in loose.items() if oid not in kept)
    _remove_copies(objects.parent, time.time() - copies_grace)
    return freed


def _remove_copies(folder: Path, horizon: float) -> None:
    """Remove copies of the index older than `horizon`, left by killed processes."""
    for left in folder.glob("index-*"):
        if left.stat().st_mtime < horizon:
            _remove_copy(left)
    for copy in folder.glob("status-*"):  # the next status makes another
        if copy.stat().st_ctime < horizon:
            copy.unlink(missing_ok=True)


def _reached(recipe: ObjectsRecipe, roots: Iterable[Oid], ours: Iterable[Oid]) -> set[Oid]:
    within, seen = set(ours), set[Oid]()
    todo = [oid for oid in roots if oid in within]
    with recipe.open() as objects:
        while todo:
            oid = todo.pop()
            if oid in seen:
                continue
            seen.add(oid)
            header = objects.header(oid)
            if header is not None and header[0] == "tree":
                todo += [
                    child
                    for child in _children(objects.read(oid) or b"", len(oid) // 2)
                    if child in within
                ]
    return seen


def _children(tree: bytes, width: int) -> Iterator[Oid]:
    """Yield the oids of a raw tree object: `mode SP name NUL oid`, the oid in `width` bytes."""
    at = 0
    while at < len(tree):
        at = tree.index(b"\0", at) + 1
        yield Oid(tree[at : at + width].hex())
        at += width


def _remove(file: Path, horizon: float) -> int:
    try:
        facts = file.stat()
        if facts.st_mtime >= horizon:
            return 0
        file.unlink()
    except FileNotFoundError:  # another gc was quicker
        return 0
    return facts.st_size
