"""Tests of the modules that commands load. Every search is a new process that loads them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sandbox import GitSandbox

sys.path.append(str(Path(__file__).parent / "chunk" / "documents"))
from making import pdf  # noqa: E402

LIBRARIES = {"apsw", "ragit"}
"""Libraries that a search may load."""

SLOW = {
    *(
        "ast",
        "asyncio",
        "concurrent",
        "ctypes",
        "dataclasses",
        "datetime",
        "hashlib",
        "inspect",
        "email",
        "http",
        "importlib.metadata",
        "logging",
        "multiprocessing",
    ),
    *("pickle", "shutil", "sqlite3", "ssl", "socket", "tempfile", "tomllib", "traceback"),
    *("unittest", "uuid", "xml"),
}
"""Slow modules of the standard library that ordinary commands do not need."""

OF_CLICK = {"ast", "dataclasses", "datetime", "inspect", "shutil", "uuid"}
"""Slow modules that click loads, or that a listed command needs."""

MODULES = {
    "search offset": 160,
    "search --json offset": 162,
    "usages commit_offset": 164,
    "usages --callers commit_offset": 164,
    "skeleton a.py": 149,
    "show commit_offset": 159,
    "context a.py:1": 167,
    "map": 158,
    "since a.py:1": 185,
    "diff HEAD~1..HEAD": 172,
    "status": 139,
    "check": 136,
}
"""Limit of modules loaded by a command, including the standard library: 6 more than with Python
3.11, for other versions. A module takes 0.2 ms on average at each start; raise a number only for
what the command always needs.
"""


PACKAGES_OF_A_SEARCH = {
    *(
        "chunk",
        "cli",
        "config",
        "digests",
        "embed",
        "errors",
        "lazy",
        "git",
        "globs",
        "index",
        "locks",
        "postings",
        "rank",
    ),
    *(
        "query",
        "records",
        "remembered",
        "render",
        "repository",
        "search",
        "store",
        "types",
        "words",
    ),
}
"""Packages of ragit that an ordinary search loads; `NOT_LOADED` are their parts that only indexing
needs.
"""

NOT_LOADED = {
    *(
        "ragit.chunk.code",
        "ragit.chunk.grammars",
        "ragit.chunk.readers",
        "ragit.chunk.rules",
        "ragit.crash",
        "ragit.rank.fuse",
        "ragit.render.reports",
        "ragit.store.chunk_sets",
        "ragit.store.verify",
    ),
    *(
        "ragit.index.run.run",
        "ragit.index.status",
        "ragit.index.run.workbench",
        "ragit.index.run.worker_pool",
        "ragit.cli.index",
        "ragit.cli.config",
        "ragit.cli.status",
    ),
}

PROBE = """
import json, os, sys
# An editable install and a coverage tool load libraries too: those loaded before ragit do not count.
before = set(sys.modules)
from ragit.__main__ import run
code = run(sys.argv[1:])
sys.stdout.flush()
os.write(2, b"\\n" + json.dumps([code, sorted(set(sys.modules) - before)]).encode())
"""


def loaded(repo: GitSandbox, *args: str) -> tuple[int, set[str]]:
    """Return the exit code of a command, and the modules it loaded."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *args], cwd=repo.path, capture_output=True, check=True
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    return code, set(modules)


def libraries(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules} - sys.stdlib_module_names - {"__main__"}


def packages(modules: set[str]) -> set[str]:
    return {
        name.split(".")[1]
        for name in modules
        if name.startswith("ragit.") and name != "ragit.__main__"
    }


@pytest.fixture
def indexed(repo: GitSandbox) -> GitSandbox:
    repo.write("a.py", "def commit_offset():\n    pass\n")
    repo.write("sub/b.md", "# Offsets\n\nAre committed.\n")
    repo.commit()
    subprocess.run([sys.executable, "-m", "ragit", "index", "-q"], cwd=repo.path, check=True)
    return repo


@pytest.fixture
def history(indexed: GitSandbox) -> GitSandbox:
    """Return a repository with two indexed commits."""
    indexed.write("a.py", "def commit_offset():\n    return flush()\n")
    indexed.commit()
    subprocess.run(
        [sys.executable, "-m", "ragit", "index", "-q", "HEAD", "HEAD~1"],
        cwd=indexed.path,
        check=True,
    )
    return indexed


@pytest.mark.parametrize(
    "args",
    [
        ["where are offsets committed"],
        ["--json", "offset"],
        ["--explain", "--full", "offset"],
        ["--path", "*.py", "--language", "python", "offset"],
        ["--ref", "HEAD", "--no-index", "offset"],
    ],
    ids=" ".join,
)
def test_search_loads_only_its_packages(indexed: GitSandbox, args: list[str]) -> None:
    code, modules = loaded(indexed, "search", *args)
    assert code == 0
    assert libraries(modules) == LIBRARIES
    assert modules & (SLOW | NOT_LOADED) == set()
    assert packages(modules) == PACKAGES_OF_A_SEARCH


def test_search_with_uncommitted_changes_loads_only_its_packages(indexed: GitSandbox) -> None:
    indexed.write("a.py", "def commit_offset():\n    return 1\n")
    assert loaded(indexed, "search", "offset")[0] == 0
    code, modules = loaded(indexed, "search", "offset")
    assert code == 0
    assert libraries(modules) == LIBRARIES
    assert modules & (SLOW | NOT_LOADED) == set()


def test_hit_in_a_document_loads_no_document_reader(repo: GitSandbox) -> None:
    repo.write("a.pdf", pdf([["Offsets are committed"], ["Offsets are lost"]]))
    repo.commit()
    subprocess.run([sys.executable, "-m", "ragit", "index", "-q"], cwd=repo.path, check=True)
    code, modules = loaded(repo, "search", "offsets")
    assert code == 0
    assert libraries(modules) == LIBRARIES
    assert {name for name in modules if name.startswith("ragit.chunk.documents.")} <= {
        "ragit.chunk.documents.block",
        "ragit.chunk.documents.numbers",
        "ragit.chunk.documents.place",
    }


@pytest.mark.parametrize("line", MODULES)
def test_command_loads_a_limited_number_of_modules(history: GitSandbox, line: str) -> None:
    code, modules = loaded(history, *line.split())
    assert code in (0, 1)
    assert len(modules) <= MODULES[line], len(modules)
    assert modules & SLOW == set()
    assert libraries(modules) <= LIBRARIES


@pytest.mark.parametrize("line", ["skeleton a.py", "status", "check"])
def test_commands_without_ranking_do_not_load_rank(history: GitSandbox, line: str) -> None:
    assert "rank" not in packages(loaded(history, *line.split())[1])


def test_mcp_server_starts_without_the_engine(history: GitSandbox) -> None:
    """Agents wait for it at each start. Most of what it loads is the protocol's SDK."""
    started = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "ragit", "mcp"],
        cwd=history.path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        text=True,
    )
    names = [line.rpartition("|")[2].strip() for line in started.stderr.splitlines()]
    before_serving = set(names[: names.index("ragit.mcp.server")])
    assert packages(before_serving) == {"cli", "errors", "lazy", "mcp", "records"}


@pytest.mark.parametrize("args", [["--help"], ["search", "--help"], ["--version"]], ids=" ".join)
def test_help_loads_no_engine(repo: GitSandbox, args: list[str]) -> None:
    code, modules = loaded(repo, *args)
    assert code == 0
    assert libraries(modules) == {"click", "ragit"}
    assert modules & SLOW <= OF_CLICK
    assert not packages(modules) & {"store", "index", "search", "hooks", "mcp"}


def test_import_ragit_loads_no_subpackage() -> None:
    probe = "import sys, ragit; print([m for m in sys.modules if m.startswith('ragit.')])"
    result = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, check=True, env=dict(os.environ)
    ).stdout
    assert result.strip() == b"[]"
