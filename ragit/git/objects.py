"""Headers and contents of objects, by two engines with one face. Knows neither refs nor paths; writes nothing.

`CatFile` keeps a `git cat-file --batch` process: it starts in 2 ms and reads whatever git reads. `LibGit` reads faster
but costs 100 ms to import and knows sha1 only: it is for indexing. Neither ever fetches what a partial clone lacks.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from types import TracebackType
from typing import Any, Protocol

from ragit.errors import GitFailed
from ragit.git.command import Git, Process, finish, stop
from ragit.types import Oid

_AHEAD = 48
"""Requests sent before the first answer is read: so few fit any pipe, and git and we never wait for each other."""


class Objects(Protocol):
    """Reads objects by oid. Not for several threads at once. A missing object is None, never an error."""

    def header(self, oid: Oid) -> tuple[str, int] | None:
        """Type ("blob", "tree", "commit", "tag") and size in bytes."""

    def sizes(self, oids: Iterable[Oid]) -> dict[Oid, int]:
        """Sizes in bytes of those that are there."""

    def read(self, oid: Oid) -> bytes | None:
        """The content. Raises GitFailed if it is damaged."""

    def read_many(self, oids: Iterable[Oid]) -> Iterator[tuple[Oid, bytes | None]]:
        """Contents in the order asked for, one at a time in memory."""

    def close(self) -> None:
        """Let go of processes and files."""

    def __enter__(self) -> Objects:
        """Itself."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""


@dataclass(frozen=True)
class ObjectsRecipe:
    """All that it takes to open the objects, in this process or, pickled, in another."""

    git: Git
    """Sees the private objects too."""
    folder: str
    alternates: tuple[str, ...]
    """The private object directory and those the caller's environment names."""
    object_format: str
    bulk: bool

    def open(self) -> Objects:
        """The engine that fits. Reading 6,000 blobs repays the import of pygit2; a query's twenty do not."""
        if self.bulk and self.object_format == "sha1":
            return LibGit(self)
        return CatFile(self)


class CatFile:
    """Objects by the git command."""

    def __init__(self, recipe: ObjectsRecipe) -> None:
        self._recipe = recipe
        self._processes: dict[str, Process] = {}

    def __enter__(self) -> Objects:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes."""
        while self._processes:
            stop(self._processes.popitem()[1])

    def header(self, oid: Oid) -> tuple[str, int] | None:
        """See Objects."""
        return next(_Conversation(self, "--batch-check", [oid]).headers())[1]

    def sizes(self, oids: Iterable[Oid]) -> dict[Oid, int]:
        """See Objects."""
        wanted = list(oids)
        try:
            return _batch_sizes(self._recipe.git, wanted)
        except GitFailed:  # a git before 2.45 dies at the first object that a partial clone lacks
            if self._recipe.object_format == "sha1":
                return LibGit(self._recipe).sizes(wanted)
            headers = ((oid, self.header(oid)) for oid in wanted)
            return {oid: header[1] for oid, header in headers if header is not None}

    def read(self, oid: Oid) -> bytes | None:
        """See Objects."""
        return next(_Conversation(self, "--batch", [oid]).contents())[1]

    def read_many(self, oids: Iterable[Oid]) -> Iterator[tuple[Oid, bytes | None]]:
        """See Objects."""
        rest = iter(oids)
        while group := list(islice(rest, _AHEAD)):
            yield from _Conversation(self, "--batch", group).contents()

    def process(self, mode: str) -> Process:
        """The running process for `mode`, started if need be."""
        if mode not in self._processes:
            self._processes[mode] = self._recipe.git.start(
                "cat-file", mode, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        return self._processes[mode]

    def end(self, mode: str) -> None:
        """Give up the process for `mode`; the next question starts another."""
        process = self._processes.pop(mode, None)
        if process is not None:
            stop(process)

    def must_be_missing(self, oid: Oid) -> None:
        """After a process died over `oid`: return if that is only a partial clone's gap, else raise GitFailed."""
        args = ("cat-file", "-t", oid)
        process = self._recipe.git.start(*args)
        try:
            finish(process, args)
        except GitFailed as error:
            if "promisor remote" in error.message:
                return
            raise
        raise GitFailed(f"git ended while it read {oid}", "run `git fsck`: an object may be damaged")


class _Conversation:
    """A group of oids asked of one cat-file process, the answers read in order.

    If the process dies over one, that one is missing (or an error), and another process answers for the rest. If the
    reader walks off in the middle, the process is ended, since its unread answers would be taken for the next ones.
    """

    def __init__(self, engine: CatFile, mode: str, oids: Sequence[Oid]) -> None:
        self._engine, self._mode = engine, mode
        self._todo = list(oids)

    def headers(self) -> Iterator[tuple[Oid, tuple[str, int] | None]]:
        for oid, header, _ in self._answers():
            yield oid, header

    def contents(self) -> Iterator[tuple[Oid, bytes | None]]:
        for oid, _, content in self._answers():
            yield oid, content

    def _answers(self) -> Iterator[tuple[Oid, tuple[str, int] | None, bytes | None]]:
        finished = False
        try:
            self._send()
            while self._todo:
                oid = self._todo.pop(0)
                answer = self._answer()
                if answer is None:
                    self._engine.end(self._mode)
                    self._engine.must_be_missing(oid)
                    self._send()
                    answer = (None, None)
                if not self._todo:
                    finished = True
                yield oid, *answer
        finally:
            if not finished:
                self._engine.end(self._mode)

    def _send(self) -> None:
        if not self._todo:
            return
        if not all(oid.isalnum() for oid in self._todo):
            raise ValueError(f"not object names: {self._todo}")
        process = self._engine.process(self._mode)
        assert process.stdin is not None
        try:
            process.stdin.write("".join(f"{oid}\n" for oid in self._todo).encode())
            process.stdin.flush()
        except BrokenPipeError:
            return  # it died before it read: the missing answers say so

    def _answer(self) -> tuple[tuple[str, int] | None, bytes | None] | None:
        """Header and content of the next object, both None if it is missing; None if the process died."""
        pipe = self._engine.process(self._mode).stdout
        assert pipe is not None
        words = pipe.readline().split()
        if not words:
            return None
        if len(words) != 3:
            return None, None
        size = int(words[2])
        header = words[1].decode(), size
        if self._mode == "--batch-check":
            return header, None
        content = pipe.read(size + 1)
        return (header, content[:-1]) if len(content) == size + 1 else None


def _batch_sizes(git: Git, oids: list[Oid]) -> dict[Oid, int]:
    asked = "".join(f"{oid}\n" for oid in oids).encode()
    lines = git.run("cat-file", "--batch-check=%(objectname) %(objectsize)", "--buffer", stdin=asked).splitlines()
    pairs = (line.split() for line in lines)
    return {Oid(name.decode()): int(size) for name, size in pairs if size.isdigit()}


class LibGit:
    """Objects by libgit2, which opens an object directory without asking what repository it belongs to."""

    def __init__(self, recipe: ObjectsRecipe) -> None:
        import pygit2

        self._failure = pygit2.GitError
        try:
            self._odb: Any = pygit2.Odb(recipe.folder)
            for folder in recipe.alternates:
                if os.path.isdir(folder):  # noqa: PTH112 - a path in git's own form
                    self._odb.add_disk_alternate(folder)
        except pygit2.GitError as error:
            raise GitFailed(f"libgit2 cannot open {recipe.folder}: {error}", "run `git fsck`") from error

    def __enter__(self) -> Objects:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the packs."""
        self._odb = None

    def header(self, oid: Oid) -> tuple[str, int] | None:
        """See Objects."""
        try:
            kind, size = self._odb.read_header(oid)
        except KeyError:
            return None
        except self._failure as error:
            raise _damaged(oid, error) from error
        return kind.name.lower(), size

    def sizes(self, oids: Iterable[Oid]) -> dict[Oid, int]:
        """See Objects."""
        headers = ((oid, self.header(oid)) for oid in oids)
        return {oid: header[1] for oid, header in headers if header is not None}

    def read(self, oid: Oid) -> bytes | None:
        """See Objects."""
        try:
            content: bytes = self._odb.read(oid)[1]
        except KeyError:
            return None
        except self._failure as error:
            raise _damaged(oid, error) from error
        return content

    def read_many(self, oids: Iterable[Oid]) -> Iterator[tuple[Oid, bytes | None]]:
        """See Objects."""
        for oid in oids:
            yield oid, self.read(oid)


def _damaged(oid: Oid, error: Exception) -> GitFailed:
    return GitFailed(f"object {oid} cannot be read: {error}", "run `git fsck`: it is damaged")
