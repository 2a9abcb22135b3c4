"""Tests that a long-lived server answers like a fresh process after any change."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from contextlib import closing

import pytest
from mcping import function
from sandbox import GitSandbox

from ragit.mcp.call import Call
from ragit.mcp.engine import Engine
from ragit.mcp.tools import TOOLS


def step(repo: GitSandbox, chance: random.Random) -> None:
    """Edit, commit, switch, stage or change a setting, at random."""
    names = [f"m{at}.py" for at in range(6)]
    what = chance.choice(["edit", "edit", "edit", "commit", "switch", "remove", "branch", "stage"])
    if what == "edit":
        repo.write(chance.choice(names), function(f"send_{chance.randrange(20)}"))
    elif what == "remove":
        (repo.path / chance.choice(names)).unlink(missing_ok=True)
    elif what == "stage":
        repo.git("add", "-A")
    elif what == "commit":
        repo.git("add", "-A")
        repo.git("commit", "-q", "--allow-empty", "-m", "step")
    elif what == "branch":
        name = f"b{chance.randrange(3)}"
        if name != repo.git("branch", "--show-current"):
            repo.git("branch", "-f", name)
    else:
        repo.git("stash", "-q", "-u")
        branches = repo.git("branch", "--format=%(refname:short)").split()
        repo.git("switch", "-q", chance.choice(branches))


def fresh(repo: GitSandbox, asked: dict[str, str]) -> str:
    """Return the answer of a new process."""
    code = (
        "import os, sys, json; from pathlib import Path\n"
        "from ragit.mcp.call import Call; from ragit.mcp.engine import Engine\n"
        "from ragit.mcp.tools import TOOLS\n"
        "print(Engine(Path('.'), os.environ).run(TOOLS[0], json.loads(sys.argv[1]), Call()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(asked)],
        cwd=repo.path,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().removesuffix("\n")


def assert_equal_to_fresh(repo: GitSandbox, steps: int, seed: int) -> None:
    chance = random.Random(seed)
    for at in range(6):
        repo.write(f"m{at}.py", function(f"send_{at}"))
    repo.commit()
    repo.git("branch", "b0")
    with closing(Engine(repo.path, os.environ)) as engine:
        for _ in range(steps):
            step(repo, chance)
            query = chance.choice(["retry backoff", f"send_{chance.randrange(20)}", "request"])
            arguments = chance.choice([{}, {}, {"ref": "b0"}, {"path": "m1*"}])
            asked = {"query": query, **arguments}
            assert engine.run(TOOLS[0], asked, Call()) == fresh(repo, asked)


def test_server_answers_like_a_fresh_process(repo: GitSandbox) -> None:
    assert_equal_to_fresh(repo, 20, seed=5)


@pytest.mark.slow
def test_server_answers_like_a_fresh_process_200_times(repo: GitSandbox) -> None:
    assert_equal_to_fresh(repo, 200, seed=6)
