"""Tests of how `ragit doctor` lists a server's tools: working, failing and hanging servers."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from ragit.agents import Silent, tools_of

GOOD = """
import json, os, sys
assert os.environ["PATH"] == "" and os.getcwd() == "/"
print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message"}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        result = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {}}
    elif asked["method"] == "tools/list":
        result = {"tools": [{"name": "search_semantic"}, {"name": "find_usages"}]}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def list_tools(program: str, seconds: float = 20.0) -> list[str]:
    return tools_of([sys.executable, "-c", program], os.environ, seconds)


def test_tools_of_a_working_server_are_listed() -> None:
    assert list_tools(GOOD) == ["search_semantic", "find_usages"]


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("", "it ended, or did not answer in time"),
        ("print('hello', flush=True); import time; time.sleep(60)", "something else than"),
        ("print('{}', flush=True)", "it ended, or did not answer in time"),
        ("print('[]', flush=True)", "something else than"),
        ('print(\'{"id": 1, "error": {}}\', flush=True)', "something else than"),
        ('print(\'{"id": 1, "result": {}}\', flush=True)', "it ended, or did not"),
    ],
)
def test_bad_or_missing_answer_raises_silent(program: str, message: str) -> None:
    with pytest.raises(Silent, match=message):
        list_tools(program)


def test_missing_command_raises_silent() -> None:
    with pytest.raises(Silent, match="it cannot be started: No such file"):
        tools_of(["/nowhere/ragit", "mcp"], os.environ)


def test_hanging_server_is_killed_with_its_children(tmp_path: Path) -> None:
    note = tmp_path / "child"
    program = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({str(note)!r}, "w").write(str(child.pid))
time.sleep(600)
"""
    with pytest.raises(Silent, match="did not answer in time"):
        list_tools(program, seconds=3.0)
    child = int(note.read_text())
    until = time.monotonic() + 20
    while Path(f"/proc/{child}").exists() and time.monotonic() < until:
        if Path(f"/proc/{child}/stat").read_text().split()[2] == "Z":
            break
        time.sleep(0.05)
    else:
        assert not Path(f"/proc/{child}").exists()
