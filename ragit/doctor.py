"""`ragit doctor`: check everything that ragit depends on, and say how to repair faults.

Reads only. A failed check is a finding, not an error, and the other checks still run.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ragit import globs
from ragit.agents import AgentPaths, Installation, Silent, Words, tools_of
from ragit.errors import NotARepository, RagitError
from ragit.git import OLDEST, Repo, libgit2_version, version
from ragit.hooks import Hooks, failure, script, state_files
from ragit.index import embedder_of, rebuild_lock
from ragit.locks import lock
from ragit.reports import INSTALL_HOOKS, Finding, FreshnessReport
from ragit.repository import Ragit, open_repository
from ragit.store import Store, engine_versions, unfinished_files
from ragit.types import LOST, NOT_DOWNLOADED, PARSER_FAILED, PARSER_TOO_LONG, TOO_DEEP

OLDEST_SQLITE = (3, 43)
"""First SQLite version whose full-text tables can delete rows without storing the text."""

ROOM_BYTES = 200_000_000
"""Free space below which the disk is reported as nearly full."""

_NETWORK = frozenset(
    "nfs nfs4 cifs smb3 smbfs 9p afs ncpfs fuse.sshfs virtiofs vboxsf prl_fs".split()
)
"""File systems on which processes cannot share SQLite's write-ahead log."""


@dataclass(frozen=True)
class _Examined:
    """The repository to check; `index` is None if its settings cannot be read."""

    repo: Repo
    hooks: Hooks
    index: Ragit | None


def examine(
    directory: Path | str,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
) -> list[Finding]:
    """Return all findings about the machine and the repository around a folder."""
    environ = os.environ if environ is None else environ
    found = [*_guarded("git", _git), *_guarded("libgit2", _libgit2), *_guarded("SQLite", _sqlite)]
    found += _guarded("agents", partial(_agents, environ))
    with ExitStack() as stack:
        try:
            repo = stack.enter_context(Repo.open(directory, environ))
        except NotARepository as error:
            return [*found, Finding("repository", "bad", error.message, error.hint)]
        try:
            index = stack.enter_context(open_repository(directory, env=environ, flags=flags))
        except RagitError as error:
            index = None
            found.append(Finding("settings", "bad", error.message, error.hint))
        repository = _Examined(repo, Hooks(repo), index)
        for topic, look in _CHECKS.items():
            found += _guarded(topic, partial(look, repository))
    return found


def _guarded(topic: str, look: Callable[[], Iterator[Finding]]) -> list[Finding]:
    try:
        return list(look())
    except RagitError as error:
        return [Finding(topic, "bad", error.message, error.hint)]
    except (OSError, ImportError) as error:
        return [Finding(topic, "bad", f"{type(error).__name__}: {error}", "Install ragit again")]


# The machine


def _agents(environ: Mapping[str, str]) -> Iterator[Finding]:
    """Report for each installed agent whether it has ragit's server, and whether that answers.

    Starts only entries that ragit wrote, in the user's own files.
    """
    installation = Installation(AgentPaths(environ, sys.platform), "", Words((), ""))
    answers: dict[tuple[str, ...], str] = {}
    for status in installation.states(installation.found()):
        fix = f"Type: ragit agents install {status.name}"
        if not status.command:
            why = f": {status.note}" if status.note else ""
            yield Finding("agents", "note", f"{status.title} does not have ragit{why}", fix)
            continue
        if status.command not in answers:
            answers[status.command] = _answer(status.command, environ)
        starts = f"{status.title} starts {status.command[0]}"
        if failed := answers[status.command]:
            yield Finding("agents", "bad", f"{starts}: {failed}", fix)
        else:
            yield Finding("agents", "ok", f"{starts}, which answers")


def _answer(command: tuple[str, ...], environ: Mapping[str, str]) -> str:
    """Start a server, and return why it gave no answer; empty if it did."""
    if not os.access(command[0], os.X_OK):
        return "it is not there"
    try:
        return "" if tools_of(command, environ) else "it has no tools"
    except Silent as error:
        return str(error)


def _git() -> Iterator[Finding]:
    number = version()
    text = ".".join(map(str, number))
    if number < OLDEST:
        yield Finding(
            "git", "bad", f"{text} is too old", "Install git {}.{} or newer".format(*OLDEST)
        )
    else:
        yield Finding("git", "ok", text)


def _libgit2() -> Iterator[Finding]:
    yield Finding("libgit2", "ok", libgit2_version())


def _sqlite() -> Iterator[Finding]:
    sqlite, vectors = engine_versions()
    if tuple(map(int, sqlite.split(".")[:2])) < OLDEST_SQLITE:
        yield Finding("SQLite", "bad", f"{sqlite} is too old", "Type: pip install --upgrade apsw")
    else:
        yield Finding("SQLite", "ok", sqlite)
    if vectors:
        yield Finding("sqlite-vec", "ok", vectors)
    else:
        yield Finding(
            "sqlite-vec",
            "note",
            "not there: searches go by keywords only",
            "Type: pip install sqlite-vec",
        )


# The repository


def _settings(repository: _Examined) -> Iterator[Finding]:
    if repository.index is None:
        return
    warning = repository.index.settings.loaded.warning
    if warning:
        yield Finding(
            "settings", "note", warning, "Type: ragit trust, which shows what is asked for first"
        )
    else:
        changed = sum(
            origin != "default" for origin in repository.index.settings.loaded.origins.values()
        )
        yield Finding("settings", "ok", f"{changed} changed" if changed else "all as they come")


def _patterns(repository: _Examined) -> Iterator[Finding]:
    """Report patterns written like a path of HEAD that do not match it: `app/[id]`."""
    if repository.index is None:
        return
    settings = repository.index.config.index
    paths = [entry.path for entry in repository.repo.entries_here(repository.repo.head().tree)]
    written = [("index.include", b"", pattern) for pattern in settings.include]
    written += [("index.exclude", b"", pattern) for pattern in settings.exclude]
    written += _ignored_patterns(repository.repo.top, paths)
    for where, folder, pattern in written:
        plain = pattern.strip("/").removesuffix("/**")
        if globs.literal(plain) == plain:
            continue
        named = folder + os.fsencode(plain)
        meant = next((one for one in paths if _lies_in(one, named)), None)
        matches = globs.matcher([pattern])
        if meant is not None and matches and not matches(meant[len(folder) :]):
            text = f"{where}: {pattern} does not match {os.fsdecode(named)}, which is there"
            yield Finding("patterns", "note", text, f"Write {globs.literal(plain)}")


def _lies_in(path: bytes, named: bytes) -> bool:
    return path == named or path.startswith(named + b"/")


def _ignored_patterns(top: Path | None, paths: Iterable[bytes]) -> Iterator[tuple[str, bytes, str]]:
    """Yield the patterns of .ragitignore files, with the file and the folder they are
    relative to.
    """
    found = {path for path in paths if path.rpartition(b"/")[2] == b".ragitignore"}
    for path in sorted(found | {b".ragitignore"}):
        file = top / os.fsdecode(path) if top else None
        if file is None or file.is_symlink() or not file.is_file():
            continue
        for line in file.read_text("utf-8", "surrogateescape").splitlines():
            pattern = line.rstrip().removeprefix("!")
            if pattern and not pattern.startswith("#"):
                yield os.fsdecode(path), path[: -len(b".ragitignore")], pattern


def _chunkers(repository: _Examined) -> Iterator[Finding]:
    if repository.index is None:
        return
    for one in repository.index.settings.chunkers:
        what = f"{one.name} for {' '.join(one.suffixes)}"
        if one.problem:
            yield Finding(
                "chunkers",
                "bad",
                f"{what} is ignored: {one.problem}",
                "Correct the setting `chunkers`",
            )
        elif one.allowed:
            yield _failures(repository.index, one.name) or Finding("chunkers", "ok", what)
        else:
            fix = "Read the file, then type: ragit trust"
            yield Finding("chunkers", "note", f"{what} is ignored until you allow it", fix)


def _failures(index: Ragit, chunker: str) -> Finding | None:
    """Report the files that a custom chunker failed on; their reasons begin with its name."""
    module = chunker.partition(":")[0]
    failed = [
        why
        for _, why in index.status().skipped_files
        if why.startswith((f"{module}:", f"{module} "))
    ]
    if not failed:
        return None
    files = f"{len(failed):,} {'file is' if len(failed) == 1 else 'files are'}"
    return Finding(
        "chunkers", "note", f"{files} left out: {failed[0]}", "Type: ragit status --skipped"
    )


def _disk(repository: _Examined) -> Iterator[Finding]:
    if repository.index is None:
        return
    path = repository.index.store_path
    folder = next(parent for parent in path.parents if parent.is_dir())
    kind = file_system(folder)
    fix = "Keep the store on a local disk: git config ragit.index.storePath FILE"
    if kind in _NETWORK:
        yield Finding(
            "disk",
            "bad",
            f"{folder} is on a network file system ({kind}): slow, and locks may fail",
            fix,
        )
    free = shutil.disk_usage(folder).free
    if free < ROOM_BYTES:
        yield Finding(
            "disk", "bad", f"{free / 1e6:.0f} MB free at {folder}", f"Make room, or: {fix}"
        )
    if not path.exists() and not os.access(folder, os.W_OK):
        yield Finding("disk", "bad", f"{folder} cannot be written", fix)
    elif not path.is_relative_to(repository.repo.common_dir):
        yield Finding("disk", "note", f"the store is at {path}, outside the git directory")
    else:
        yield Finding("disk", "ok", f"{kind or 'local'}, {free / 1e9:.0f} GB free")


def _store(repository: _Examined) -> Iterator[Finding]:
    if repository.index is None:
        return
    path = repository.index.store_path
    yield from _unfinished(path)
    if not path.exists():
        yield Finding(
            "store", "note", "there is none yet", "Type: ragit index (the first search does it too)"
        )
        return
    Store(path, writable=False).close()  # an older ragit's is reported, not updated
    # Writable if possible, since SQLite checks a full-text index only then.
    with Store(path, writable=os.access(path, os.W_OK)) as store:
        problems, info = store.problems(), store.info()
    for problem in problems[:3]:
        yield Finding("store", "bad", f"damaged: {problem}", "Type: ragit index --rebuild")
    if problems:
        return
    yield Finding("store", "ok", f"sound, {info.bytes / 1e6:.1f} MB, {info.chunks:,} chunks")
    freshness = repository.index.check()
    yield from _absent(freshness)
    if freshness.completeness.deferred:
        files = _files(freshness.completeness.deferred)
        text = f"{files} slow to read and deferred: `ragit status --skipped` names them"
        yield Finding("store", "note", text, "Type: ragit index")
    yield from _parsers(freshness)
    if not freshness.fresh:
        words = freshness.completeness.lacking("HEAD")
        yield Finding("store", "note", words, "Type: ragit index")


def _unfinished(path: Path) -> Iterator[Finding]:
    """Report the files of a killed rebuild; none while one is running."""
    files = unfinished_files(path)
    if not files:
        return
    with lock(rebuild_lock(path)) as idle:
        if idle:
            size = sum(file.stat().st_size for file in files) / 1e6
            text = f"a rebuild was interrupted and left {files[0].name} ({size:.1f} MB in all)"
            yield Finding("store", "note", text, "Type: ragit gc")


def _parsers(freshness: FreshnessReport) -> Iterator[Finding]:
    """Report files indexed by lines because their grammar crashed or was not used."""
    reasons = (PARSER_FAILED, PARSER_TOO_LONG, TOO_DEEP)
    found = [(path, why) for path, why in freshness.by_lines if why in reasons]
    if not found:
        return
    path, why = found[0]
    files = "1 file" if len(found) == 1 else f"{len(found):,} files"
    text = f"{files} indexed without symbols, such as {path} ({why})"
    yield Finding("parsers", "note", text, "Type: ragit status --skipped")


def _absent(freshness: FreshnessReport) -> Iterator[Finding]:
    """Report files of HEAD that the repository lacks."""
    for reason, count in freshness.completeness.absent.items():
        state = "note" if reason == NOT_DOWNLOADED else "bad"
        text = f"{_files(count)} {reason}: `ragit status --skipped` names what is not searched"
        yield Finding("objects", state, text, _ABSENT[reason])


def _files(count: int) -> str:
    return f"{count:,} {'file of HEAD is' if count == 1 else 'files of HEAD are'}"


_ABSENT = {
    NOT_DOWNLOADED: "Type: ragit index --fetch-missing (of another revision: and its name)",
    LOST: "Type: git fsck; what the remote still has comes back by: git fetch --refetch",
}


def _embedder(repository: _Examined) -> Iterator[Finding]:
    if repository.index is None:
        return
    settings = repository.index.config.embedding
    embedder = embedder_of(settings)
    if embedder is None:
        yield Finding("embedder", "ok", "none: keywords only, as configured")
        return
    embedder.embed_query("ragit doctor")
    yield Finding("embedder", "ok", f"{settings.provider}, {embedder.dimensions} dimensions")


def _hooks(repository: _Examined) -> Iterator[Finding]:
    report = repository.hooks.status()
    # A broken hook is one whose Python is gone: `_interpreter` reports that once for all.
    dead = [hook for hook in report.hooks if hook.state not in {"active", "broken"}]
    if not dead:
        yield Finding("hooks", "ok", f"all {len(report.hooks)} start ragit")
    elif len(dead) < len(report.hooks) or any(hook.note for hook in dead):
        for hook in dead:
            text = f"{hook.event}: {hook.note or 'not there'}"
            yield Finding("hooks", "bad", text, f"Type: {hook.advice}")
    else:
        text = "not installed: searches do all the work"
        yield Finding("hooks", "note", text, f"Type: {dead[0].advice}")


def _interpreter(repository: _Examined) -> Iterator[Finding]:
    python = repository.hooks.interpreter()
    fix = f"Type: {INSTALL_HOOKS}"
    if python is None:
        return
    if not repository.hooks.can_start(python):
        text = f"hooks start {python}, which is gone or lacks ragit"
        yield Finding("interpreter", "bad", text, fix)
    elif not repository.hooks.current():
        yield Finding("interpreter", "note", "hooks were installed by another ragit", fix)
    else:
        yield Finding("interpreter", "ok", python)


def _worker(repository: _Examined) -> Iterator[Finding]:
    folder = repository.repo.common_dir / script.FOLDER
    failed = failure.last(folder)
    if failed is not None:
        often = f" {failed.times} times in a row" if failed.times > 1 else ""
        yield Finding("worker", "bad", f"failed{often}: {failed.message}", failed.hint)
    elif state := failure.state(folder):
        yield Finding("worker", "ok", state)
    if left := state_files.leftovers(folder):
        text = f"{left[0]} was left by a worker that was killed"
        yield Finding("worker", "note", text, "The next worker removes it")


_CHECKS: dict[str, Callable[[_Examined], Iterator[Finding]]] = {
    "settings": _settings,
    "patterns": _patterns,
    "chunkers": _chunkers,
    "disk": _disk,
    "store": _store,
    "embedder": _embedder,
    "hooks": _hooks,
    "interpreter": _interpreter,
    "worker": _worker,
}


def file_system(folder: Path, mounts: str = "/proc/self/mounts") -> str:
    """Return the type of a folder's file system; empty if the system has no /proc."""
    if sys.platform != "linux":
        return ""
    best, kind = "", ""
    for line in Path(mounts).read_text("utf-8", "surrogateescape").splitlines():
        _, raw, found, *_ = line.split(" ")
        point = raw.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
        if folder.resolve().is_relative_to(point) and len(point) >= len(best):
            best, kind = point, found
    return kind
