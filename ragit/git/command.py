"""Run git processes, with fixed environment and errors, without shell and pager."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ragit.errors import GitFailed
from ragit.records import Record

SECONDS = 300.0
"""Timeout of a command; none takes this long on the largest known repositories."""

OLDEST = (2, 31)
"""First git version with `rev-parse --path-format`."""

_OURS = {
    "GIT_OPTIONAL_LOCKS": "0",  # a search must not hold index.lock when the user commits
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",  # git >= 2.45; for older ones the next line
    "GIT_ALLOW_PROTOCOL": "",  # no transport: objects missing from a partial clone stay missing
}
_DROPPED = ("GIT_PREFIX", "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS")
NO_HOOKS = ("-c", f"core.hooksPath={os.devnull}")
"""Writing an index, even a temporary one, would run the user's post-index-change hook."""

SPARING = (
    *("-c", "core.packedGitWindowSize=16m", "-c", "core.packedGitLimit=96m"),
    *("-c", "core.deltaBaseCacheLimit=64m"),
)
"""Options with which git maps 96 MB of packs at most, and keeps 64 MB of what it unpacked.

Without them, a walk through all tags maps all of a pack, which counts as memory of the process.
"""

_USUAL_PATH = "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin"
"""PATH for a process without one, as some agents start ragit."""

END_OF_OPTIONS = "--end-of-options"
"""Arguments after this one are no options for git."""


class Git(Record):
    """Working directory and environment of git for one repository. Picklable."""

    cwd: str
    env: Mapping[str, str]

    def with_env(self, **more: str) -> Git:
        """Return a copy with further environment variables."""
        return Git(self.cwd, {**self.env, **more})

    def run(
        self,
        *args: str,
        words: Sequence[str] = (),
        stdin: bytes | None = None,
        accept: tuple[int, ...] = (0,),
        cpu_seconds: int = 0,
    ) -> bytes:
        """Return the output of one command.

        `args` are constants of ragit (a test checks this). `words` come from the user or the
        repository (revisions, object ids, paths, names and values of settings) and follow
        `--end-of-options`, so that none is taken for an option.

        Raises GitFailed if git is missing, hangs, or exits with a code that is not in `accept`;
        TooSlow if it uses more than `cpu_seconds` of processor time (0: no limit).
        """
        source = subprocess.DEVNULL if stdin is None else subprocess.PIPE
        process = self.start(*args, words=words, stdin=source)
        if words:
            args = (*args, END_OF_OPTIONS, *words)
        if not cpu_seconds:
            return finish(process, args, stdin, accept)
        bounded = _bound(process, cpu_seconds)
        out = finish(
            process, args, stdin, (*accept, _OUT_OF_TIME), SECONDS if bounded else cpu_seconds
        )
        if process.returncode == _OUT_OF_TIME:
            raise TooSlow(
                f"`{shown(args)}` took more than {cpu_seconds} seconds", "Run it by hand to see why"
            )
        return out

    def start(
        self,
        *args: str,
        words: Sequence[str] = (),
        stdin: int = subprocess.DEVNULL,
        stderr: int = subprocess.PIPE,
    ) -> Process:
        """Start one command, with `args` and `words` as in `run`. Raises GitFailed if there is no
        git.
        """
        if words:
            args = (*args, END_OF_OPTIONS, *words)
        try:
            return subprocess.Popen(
                ["git", *args],
                cwd=self.cwd,
                env=with_absolute_path(self.env),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        except OSError as error:
            raise _cannot_start(error, self.cwd) from error


Process = subprocess.Popen[bytes]


class TooSlow(GitFailed):
    """A command exceeded its limit of processor time."""


_OUT_OF_TIME = -getattr(signal, "SIGXCPU", 10_000)
"""Exit code of a process that used up its processor time."""


def _bound(process: Process, seconds: int) -> bool:
    """Limit the processor time of a process; return False if the system cannot."""
    try:
        import resource

        limits = (seconds, seconds + 1)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, limits)  # type: ignore[attr-defined,unused-ignore]
    except ProcessLookupError:  # it has ended
        return True
    except (ImportError, AttributeError, OSError, ValueError):  # Linux only, not in all sandboxes
        return False
    return True


def finish(
    process: Process,
    args: Iterable[str],
    stdin: bytes | None = None,
    accept: tuple[int, ...] = (0,),
    seconds: float = SECONDS,
) -> bytes:
    """Wait for a started command and return its output. Raises like `Git.run`."""
    args = tuple(args)
    try:
        out, err = process.communicate(stdin, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        stop(process)
        raise TooSlow(
            f"`{shown(args)}` did not finish in {seconds:.0f} seconds",
            "Run it by hand to see what it waits for: "
            "a slow disk, a filter, fsmonitor, many * in a pattern",
        ) from error
    except BaseException:
        stop(process)
        raise
    if process.returncode not in accept:
        raise failure(args, process.returncode, err)
    return out


def stop(process: Process) -> None:
    """Kill a process and close its pipes."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:  # it flushes to the dead process
                continue


def failure(args: Iterable[str], code: int, err: bytes) -> GitFailed:
    """Return the error for a command that exited with `code`, in git's words."""
    return GitFailed(
        f"`{shown(args)}` failed: {git_message(err) or f'exit code {code}'}", _hint(err)
    )


def git_message(err: bytes) -> str:
    """Return git's stderr on one line, without prefixes."""
    lines = [line.strip() for line in err.decode("utf-8", "replace").splitlines() if line.strip()]
    return "; ".join(re.sub(r"^(fatal|error): ", "", line) for line in lines)


def shown(args: Iterable[str]) -> str:
    """Return the beginning of a command as a user would type it, without settings."""
    plain: list[str] = []
    skip = False
    for arg in args:
        if skip:
            skip = False
        elif arg == "-c":
            skip = True
        else:
            plain.append(arg)
    return " ".join(["git", *plain[:2]])


_FETCH_MISSING = "ragit index --fetch-missing REV"


NO_MEMORY = "git ran out of memory: free some, or raise the limit that `ulimit -v` shows"


def lacks_memory(err: bytes) -> bool:
    """Return whether git ran out of memory."""
    return b"out of memory" in err.lower() or b"allocate memory" in err


def _hint(err: bytes) -> str:
    if b"promisor remote" in err or b"transport" in err:
        return f"This is a partial clone; to download what it lacks: {_FETCH_MISSING}"
    if b"tree object" in err or b"bad object" in err:
        return f"In a partial clone, type: {_FETCH_MISSING}; in any other: git fsck"
    if b"index.lock" in err:
        return "Another git process is at work here; try again when it is done"
    if b": unmerged (" in err:
        return "There are conflicts: resolve them and `git add` the files"
    if b"space left" in err:
        return "Make room on the disk and run it again"
    if lacks_memory(err):
        return NO_MEMORY
    return "Run `git fsck` to see whether the repository is sound; if it is, this is a bug of ragit"


def _cannot_start(error: OSError, cwd: str) -> GitFailed:
    if not Path(cwd).is_dir():
        return GitFailed(
            f"{cwd} is no longer a folder",
            "The repository was moved or removed: start again from where it is",
        )
    return GitFailed(f"cannot run git: {error.strerror}", "Install git, or put it on PATH")


def environment(caller: Mapping[str, str], *, messages: bool = True) -> dict[str, str]:
    """Return the environment for git: the caller's repository, and fixed output formats.

    With `messages`, git prints English; otherwise the user's filters see the user's locale.
    """
    env = {name: value for name, value in caller.items() if name not in _DROPPED}
    env.update(_OURS)
    if messages:
        env["LC_ALL"] = "C"
    return env


def with_absolute_path(env: Mapping[str, str]) -> Mapping[str, str]:
    """Return an environment whose PATH has absolute folders only, or the usual ones if none is.

    An empty or relative folder of PATH is the current one: a searched repository, whose `git` would
    run. Windows does not look for programs by the PATH of the environment that is passed.
    """
    if os.name == "nt":
        return env
    folders = env.get("PATH", "").split(":")
    kept = [folder for folder in folders if folder.startswith("/")]
    return env if kept == folders else {**env, "PATH": ":".join(kept) or _USUAL_PATH}


def local_env_vars() -> tuple[str, ...]:
    """Return the variables that tie a process to one repository: GIT_DIR, GIT_INDEX_FILE, ..."""
    return tuple(
        Git(os.curdir, environment(os.environ))
        .run("rev-parse", "--local-env-vars")
        .decode()
        .split()
    )


def clean_env(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return `env` (default: the process's) without variables that tie it to a repository."""
    local = set(local_env_vars()) | {"GIT_PREFIX"}
    return {
        name: value
        for name, value in (os.environ if env is None else env).items()
        if name not in local
    }


def version() -> tuple[int, ...]:
    """Return git's version, as numbers."""
    output = Git(os.curdir, environment(os.environ)).run("version").decode("utf-8", "replace")
    found = re.search(r"\d+(?:\.\d+)+", output)
    return tuple(int(number) for number in found[0].split(".")) if found else ()
