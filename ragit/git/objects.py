"""Read headers and contents of objects, by one of two engines with the same interface.

`CatFile` keeps a `git cat-file --batch` process: it starts in 2 ms and reads every repository.
`LibGit`, for indexing, is faster but costs 100 ms to import and knows only sha1. Neither fetches
objects missing from a partial clone.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Protocol

from ragit.errors import GitFailed
from ragit.git.command import SPARING, Git, Process, stop
from ragit.records import Record
from ragit.types import Oid

_AHEAD = 48
"""Requests sent before the first answer is read; so few fit any pipe, which prevents a deadlock."""


_WINDOW, _WINDOWS = 1 << 20, 8 << 20
"""Bytes of a pack that libgit2 maps at a time, and of all packs together. By default it maps whole
packs: a process that reads all files of a tree would hold most of them in memory.
"""


class Objects(Protocol):
    """Reads objects by id. Not thread-safe. A missing or damaged object is None."""

    def header(self, oid: Oid) -> tuple[str, int] | None:
        """Return type ("blob", "tree", "commit", "tag") and size in bytes."""

    def sizes(self, oids: Iterable[Oid]) -> dict[Oid, int]:
        """Return the sizes in bytes of the objects found."""

    def read(self, oid: Oid) -> bytes | None:
        """Return the content."""

    def read_many(self, oids: Iterable[Oid]) -> Iterator[tuple[Oid, bytes | None]]:
        """Yield contents in the order of `oids`, one at a time in memory."""

    def warm(self) -> None:
        """Start the process of later reads."""

    def close(self) -> None:
        """End processes and close files."""

    def __enter__(self) -> Objects:
        """Return itself."""

    def __exit__(self, *_: object) -> None:
        """Close."""


class ObjectsRecipe(Record):
    """The arguments that open a repository's objects, also, pickled, in another process."""

    git: Git
    """Its environment names the private objects, too."""
    folder: str
    alternates: tuple[str, ...]
    """The private object directory, and those in the caller's environment."""
    object_format: str
    bulk: bool

    def open(self) -> Objects:
        """Open the right engine: thousands of blobs repay the import of pygit2, 20 do not."""
        return LibGit(self) if self.bulk and self.is_for_libgit2 else CatFile(self)

    @property
    def is_for_libgit2(self) -> bool:
        """True if libgit2 can read them: only sha1, and only pygit2 1.20 or later, which Python
        3.10 lacks.
        """
        if self.object_format != "sha1":
            return False
        import pygit2

        return hasattr(pygit2.Odb, "read_header")


class CatFile:
    """Objects read by the git command."""

    def __init__(self, recipe: ObjectsRecipe) -> None:
        self._recipe = recipe
        self._idle: dict[str, Process] = {}
        self._running: set[Process] = set()

    def __enter__(self) -> Objects:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm(self) -> None:
        """Implement Objects."""
        if "--batch" not in self._idle:
            self._idle["--batch"] = self._start("--batch")

    def close(self) -> None:
        """End the processes."""
        self._idle.clear()
        while self._running:
            stop(self._running.pop())

    def header(self, oid: Oid) -> tuple[str, int] | None:
        """Implement Objects."""
        return next((header for _, header, _ in self._ask("--batch-check", [oid])), None)

    def sizes(self, oids: Iterable[Oid]) -> dict[Oid, int]:
        """Implement Objects."""
        wanted = list(oids)
        try:
            return _batch_sizes(self._recipe.git, wanted)
        except GitFailed:  # a git before 2.45 dies at the first object that a partial clone lacks
            if self._recipe.is_for_libgit2:
                return LibGit(self._recipe).sizes(wanted)
            headers = ((oid, self.header(oid)) for oid in wanted)
            return {oid: header[1] for oid, header in headers if header is not None}

    def read(self, oid: Oid) -> bytes | None:
        """Implement Objects."""
        return next((content for _, content in self.read_many([oid])), None)

    def read_many(self, oids: Iterable[Oid]) -> Iterator[tuple[Oid, bytes | None]]:
        """Implement Objects."""
        rest = iter(oids)
        while group := list(islice(rest, _AHEAD)):
            for oid, _, content in self._ask("--batch", group):
                yield oid, content

    def _ask(self, mode: str, oids: list[Oid]) -> Iterator[_Answer]:
        """Send a group of requests to one process, and yield the answers in order.

        If the process dies over one oid, that one is damaged, and another process answers for the
        rest. A process with unread answers is ended, since they would be taken for the next
        group's.
        """
        while oids:
            process = self._idle.pop(mode, None) or self._start(mode)
            answered = 0
            try:
                _send(process, oids)
                for oid in oids:
                    answer = _receive(process, oid, mode)
                    if answer is None:
                        break
                    answered += 1
                    if answered == len(oids) and mode not in self._idle:
                        self._idle[mode] = process
                    yield answer
            finally:
                if self._idle.get(mode) is not process:
                    self._running.discard(process)
                    stop(process)
            oids = oids[answered:]
            if oids:
                yield oids[0], None, None
                oids = oids[1:]

    def _start(self, mode: str) -> Process:
        process = self._recipe.git.start(
            *SPARING, "cat-file", mode, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._running.add(process)
        return process


_Answer = tuple[Oid, "tuple[str, int] | None", "bytes | None"]


def _send(process: Process, oids: list[Oid]) -> None:
    if not all(oid.isalnum() for oid in oids):
        raise ValueError(f"not object names: {oids}")
    assert process.stdin is not None
    try:
        process.stdin.write("".join(f"{oid}\n" for oid in oids).encode())
        process.stdin.flush()
    except BrokenPipeError:
        return  # it died before it read: the missing answers will tell


def _receive(process: Process, oid: Oid, mode: str) -> _Answer | None:
    """Read the next answer, with None for a missing object; None if the process died."""
    assert process.stdout is not None
    words = process.stdout.readline().split()
    if not words:
        return None
    if len(words) != 3:
        return oid, None, None
    size = int(words[2])
    header = words[1].decode(), size
    if mode == "--batch-check":
        return oid, header, None
    content = process.stdout.read(size + 1)
    return (oid, header, content[:-1]) if len(content) == size + 1 else None


def _batch_sizes(git: Git, oids: list[Oid]) -> dict[Oid, int]:
    asked = "".join(f"{oid}\n" for oid in oids).encode()
    lines = git.run(
        *SPARING,
        *("cat-file", "--batch-check=%(objectname) %(objectsize)", "--buffer"),
        stdin=asked,
    ).splitlines()
    pairs = (line.split() for line in lines)
    return {Oid(name.decode()): int(size) for name, size in pairs if size.isdigit()}


class LibGit:
    """Objects read by libgit2, which opens an object directory without its repository."""

    def __init__(self, recipe: ObjectsRecipe) -> None:
        import pygit2

        self._failure = pygit2.GitError
        pygit2.settings.mwindow_size = _WINDOW
        pygit2.settings.mwindow_mapped_limit = _WINDOWS
        try:
            self._odb: Any = pygit2.Odb(recipe.folder)
            for folder in recipe.alternates:
                if os.path.isdir(folder):  # noqa: PTH112 - a path in git's own form
                    self._odb.add_disk_alternate(folder)
        except pygit2.GitError as error:
            raise GitFailed(
                f"libgit2 cannot open {recipe.folder}: {error}", "Run `git fsck`"
            ) from error

    def __enter__(self) -> Objects:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm(self) -> None:
        """Do nothing: there is no process."""

    def close(self) -> None:
        """Close the packs."""
        self._odb = None

    def header(self, oid: Oid) -> tuple[str, int] | None:
        """Implement Objects."""
        try:
            kind, size = self._odb.read_header(oid)
        except KeyError:
            return None
        except self._failure:
            return None
        return kind.name.lower(), size

    def sizes(self, oids: Iterable[Oid]) -> dict[Oid, int]:
        """Implement Objects."""
        headers = ((oid, self.header(oid)) for oid in oids)
        return {oid: header[1] for oid, header in headers if header is not None}

    def read(self, oid: Oid) -> bytes | None:
        """Implement Objects."""
        try:
            content: bytes = self._odb.read(oid)[1]
        except KeyError:
            return None
        except self._failure:
            return None
        return content

    def read_many(self, oids: Iterable[Oid]) -> Iterator[tuple[Oid, bytes | None]]:
        """Implement Objects."""
        for oid in oids:
            yield oid, self.read(oid)


def libgit2_version() -> str:
    """Return the version of libgit2. Raises ImportError."""
    import pygit2

    return str(pygit2.LIBGIT2_VERSION)
