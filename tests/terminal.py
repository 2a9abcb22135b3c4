"""Run ragit commands as a user at a shell does."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sandbox import set_environment

from ragit.__main__ import run

RAGIT = Path(sys.executable).with_name("ragit")
"""The installed command. `python -m ragit` would look for modules in the searched
repository first.
"""


class Result(NamedTuple):
    """The result of a command."""

    code: int
    out: str
    err: str

    @property
    def hint(self) -> str:
        """Return the hint of an error; empty if there is none."""
        return next((line[6:] for line in self.err.splitlines() if line.startswith("hint: ")), "")


class Terminal:
    """Run ragit in a folder, without a terminal's width or colours.

    Commands run in this process, which is ten times faster; `process` starts a real one.
    """

    def __init__(self, folder: Path, **env: str) -> None:
        self.folder = folder
        self.env = {**os.environ, **env}

    def ragit(self, *args: str | bytes, code: int | None = None) -> Result:
        """Run a command, and check its exit status if `code` is given."""
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        err = io.TextIOWrapper(
            io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True
        )
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.redirect_stdout(out))
            stack.enter_context(contextlib.redirect_stderr(err))
            stack.enter_context(_at(self.folder, self.env))
            ended = run([os.fsdecode(arg) for arg in args])
        result = Result(ended, *(stream.buffer.getvalue().decode() for stream in (out, err)))  # type: ignore[attr-defined]
        assert code is None or result.code == code, result
        return result

    def process(self, *args: str | bytes, code: int | None = None) -> Result:
        """Run a command in a process of its own."""
        done = self.process_bytes(*args)
        result = Result(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert code is None or result.code == code, result
        return result

    def process_bytes(
        self, *args: str | bytes, stdin: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command in a process of its own, and return its output as bytes."""
        return subprocess.run(
            [RAGIT, *args],
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            input=stdin,
            check=False,
        )

    def refused(self, *args: str | bytes) -> Result:
        """Run a command that must end in one sentence and one hint, with exit status 2."""
        result = self.ragit(*args, code=2)
        lines = [
            line for line in result.err.splitlines() if not line.startswith(("note: ", "indexing "))
        ]
        assert len(lines) == 2, result
        assert lines[0].startswith("error: "), result
        assert lines[1].startswith("hint: "), result
        assert result.out == "", result
        return result


@contextlib.contextmanager
def _at(folder: Path, env: dict[str, str]) -> Iterator[None]:
    """Switch this process to another folder and environment for a while."""
    here, before = Path.cwd(), dict(os.environ)
    os.chdir(folder)
    set_environment(env)
    try:
        yield
    finally:
        os.chdir(here)
        set_environment(before)


def steady(text: str) -> str:
    """Replace seconds and sizes, which differ from run to run."""
    text = re.sub(r"\b\d+(\.\d s| ms)\b", "N s", text)
    text = re.sub(r'"took_ms":[\d.]+', '"took_ms":N', text)
    return re.sub(r"\d+(\.\d+)? (bytes|kB|MB)\b", "N kB", text)
