"""Keep repositories open between calls, and answer without long waits.

Nothing remembered can be stale: each call reads HEAD, the working tree and the settings anew.
"""

from __future__ import annotations

import os
import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from ragit.errors import (
    ConfigError,
    EmbedderUnavailable,
    NotARepository,
    NotIndexed,
    RagitError,
    StoreBusy,
)
from ragit.mcp.call import Call
from ragit.mcp.indexing import Indexing
from ragit.records import NamedTuple
from ragit.render import visible
from ragit.repository import Ragit, SettingsFiles, clean_env, open_repository
from ragit.types import OnIndex, Progress, ToIndex

AT_ONCE = 64
"""Number of missing files up to which a call indexes them itself: after an edit, a commit or a
switch.
"""

_TRIES = 3
"""Limit of runs that one call starts, if the tree changes meanwhile."""

OPEN = 8
"""Limit of open repositories. Each needs a git process or two, and some MB."""

_URL = re.compile(r"[A-Za-z][\w+.-]*://|[\w.-]+@[\w.-]+:")


T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Question(Protocol[T_co]):
    """Asks an open repository. `index` says whether to index missing files, with which `on_index`
    is called first.
    """

    def __call__(self, opened: Ragit, index: bool, on_index: OnIndex | None, /) -> T_co:
        """Return the answer."""


class Asked(NamedTuple, Generic[T]):
    """An answer, and how complete it is."""

    answer: T
    note: str = ""
    whole: bool = True
    """False if the answer was computed from the indexed part."""


class Large(Exception):
    """Raised when too many files are missing to index them within the call."""

    def __init__(self, lacking: ToIndex) -> None:
        super().__init__()
        self.lacking = lacking


class Workspace:
    """One open repository. Its calls take turns."""

    def __init__(
        self, folder: Path, environ: Mapping[str, str], unread: Sequence[Path] = ()
    ) -> None:
        """Take the folder of a repository. Those whose top is in `unread` are refused."""
        self.folder = folder
        self._environ = environ
        self._unread = unread
        self._turn = threading.RLock()
        self._index: Ragit | None = None
        self._settings: SettingsFiles | None = None
        self._runs: dict[str | None, Indexing] = {}

    def ask(self, question: Question[T], ref: str | None, call: Call) -> Asked[T]:
        """Return the answer to a question about a revision, or the working tree if `ref` is None.

        Missing files are indexed first. If there are many, they are indexed in a separate thread,
        and after some seconds the answer is computed from the indexed part. Raises RagitError and
        Cancelled.
        """
        for _ in range(_TRIES):
            try:
                with self.opened() as index:
                    return Asked(question(index, True, lambda lacking: small(lacking, call)))
            except Large as large:
                run = self._run(ref)
                run.wait(call)
                if run.running or run.error:
                    return self._meanwhile(question, run, large.lacking, call)
        raise StoreBusy("the files change faster than they are indexed", "Ask again later")

    def _meanwhile(
        self, question: Question[T], run: Indexing, lacking: ToIndex, call: Call
    ) -> Asked[T]:
        """Return the answer from the indexed part while a run goes on, or after it failed."""
        with self.opened() as index:
            if isinstance(run.error, EmbedderUnavailable) and lacking.files <= AT_ONCE:
                # With words only, and a note.
                return Asked(question(index, True, lambda _: call.progress))
            try:
                found = question(index, False, None)
            except NotIndexed as error:
                raise run.error or NotIndexed(
                    "this repository is being indexed for the first time; nothing is ready yet",
                    "Ask again in some seconds",
                ) from error
        if run.error is None:
            return Asked(found, whole=False)
        if not isinstance(run.error, RagitError):
            raise run.error
        note = f"note: indexing failed: {visible(run.error.message)}. {visible(run.error.hint)}"
        return Asked(found, note, whole=False)

    def _run(self, ref: str | None) -> Indexing:
        with self._turn:
            found = self._runs.get(ref)
            if found is None or found.ending:
                found = self._runs[ref] = Indexing(self._open, ref)
            return found

    @contextmanager
    def opened(self) -> Iterator[Ragit]:
        """Give the open repository, with its current settings, to one call at a time.

        Raises RagitError.
        """
        with self._turn:
            if self._settings is not None and self._settings.changed():
                self.close()
            if self._index is None:
                self._index = self._open()
                self._refuse(self._index)
                self._settings = self._index.settings.files()
            yield self._index

    def _open(self) -> Ragit:
        return open_repository(self.folder, env=self._environ)

    def _refuse(self, index: Ragit) -> None:
        if index.top in self._unread:
            self.close()
            raise _started_in(index.top)

    def close(self) -> bool:
        """Close the repository unless a call uses it. The next call opens it again."""
        if not self._turn.acquire(blocking=False):
            return False
        try:
            index, self._index, self._settings = self._index, None, None
            if index is not None:
                index.close()
        finally:
            self._turn.release()
        return True


def small(lacking: ToIndex, call: Call) -> Progress:
    """Return the progress callback of a call that indexes by itself. Raises Large."""
    if lacking.files > AT_ONCE or lacking.documents or lacking.server:
        raise Large(lacking)
    return call.progress


def _started_in(folder: Path | None) -> ConfigError:
    return ConfigError(
        f"the server was started in {visible(str(folder))}, which it does not read",
        "Pass repository: the absolute path of the project's folder",
    )


class Workspaces:
    """The open repositories of a server that was started in a folder."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self._folder = folder
        self._environ = clean_env(environ)
        self._lock = threading.Lock()
        self._open: OrderedDict[Path, Workspace] = OrderedDict()
        self._here: Workspace | None = None

    def named(self, repository: str | None) -> Workspace:
        """Return the repository of a folder, or of the server's folder.

        Raises ConfigError if it is no folder, or if none is named and the server was started in the
        home folder or at the root, outside of any project.
        """
        with self._lock:
            if repository is None:
                return self._started_here()
            folder = self._folder_of(repository)
            found = self._open.pop(folder, None) or Workspace(folder, self._environ)
            self._open[folder] = found
            if len(self._open) > OPEN:
                oldest = next(iter(self._open))
                if self._open[oldest].close():
                    del self._open[oldest]
        return found

    def close(self) -> None:
        """Close all repositories that no call uses."""
        with self._lock:
            for workspace in filter(None, (*self._open.values(), self._here)):
                workspace.close()

    def _started_here(self) -> Workspace:
        home = self._environ.get("HOME") or self._environ.get("USERPROFILE") or str(Path.home())
        here = Path(os.path.realpath(self._folder))
        unread = (Path(os.path.realpath(home)), Path(here.anchor))
        if here in unread:
            raise _started_in(here)
        if self._here is None:
            self._here = Workspace(here, self._environ, unread)
        return self._here

    def _folder_of(self, repository: str) -> Path:
        if _URL.match(repository):
            raise ConfigError(
                f"{visible(repository)!r} is a URL",
                "Pass repository: the folder of a clone on this machine",
            )
        path = os.path.expanduser(repository)  # noqa: PTH111 - leaves an unknown ~user as it is
        folder = Path(os.path.realpath(self._folder / path))
        if folder.is_file():
            folder = folder.parent
        if not folder.is_dir():
            raise NotARepository(
                f"there is no folder {visible(str(folder))}",
                "Pass repository: the absolute path of a folder in a git repository",
            )
        return folder


def describes_images(folder: Path, environ: Mapping[str, str]) -> bool:
    """Return whether image descriptions are configured for a server started in a folder."""
    workspaces = Workspaces(folder, environ)
    try:
        with workspaces.named(None).opened() as index:
            return index.config.image_description.enabled
    except RagitError:  # no repository, or wrong settings, of which the first call tells
        return False
    finally:
        workspaces.close()
