"""Tests of the tool `code_history`, called as the server calls it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from sandbox import GitSandbox
from test_diff import ADD, CLOSE, RETRY

from ragit.errors import ConfigError, SeveralDefinitions
from ragit.mcp.call import Call
from ragit.mcp.engine import Engine
from ragit.mcp.tools import tool_named

TOOL = tool_named("code_history")
assert TOOL


@pytest.fixture
def engine(repo: GitSandbox) -> Iterator[Engine]:
    repo.write("calls.py", RETRY + "\n\n" + CLOSE)
    repo.commit("Call")
    repo.tag("v1")
    repo.write("calls.py", RETRY.replace("OSError", "TimeoutError"))
    repo.write("sums.py", ADD)
    repo.commit("Sum")
    repo.tag("v2")
    running = Engine(repo.path, os.environ)
    yield running
    running.close()


def ask(engine: Engine, **arguments: object) -> str:
    assert TOOL
    return engine.run(TOOL, arguments, Call())


def test_code_history_answers_since_gone_and_diff(repo: GitSandbox, engine: Engine) -> None:
    since = ask(engine, question="since", of="retry").splitlines()
    assert since[0] == "calls.py:1-8  retry  function"
    assert since[1].endswith("Tester  Sum")
    assert since[2] == "  tag     v2 is the first that has it"
    assert since[-1] == f"HEAD, tree {repo.tree()[:12]} (complete): 1 answer"
    at_tag = ask(engine, question="since", of="calls.py:2", ref="v1")
    assert "v1 is the first that has it" in at_tag
    gone = ask(engine, question="gone", of="close_connection").splitlines()
    assert gone[0] == "close_connection is gone from HEAD"
    diff = ask(engine, question="diff", of="v1..v2").splitlines()
    assert "calls.py:1" in diff and "  changed  1-8  function  retry" in diff
    assert "sums.py:1" in diff and "  added  1-3  function  add" in diff
    assert diff[-1].endswith(f"v2, tree {repo.tree()[:12]} (complete): 3 changes")
    ranked = ask(engine, question="diff", of="v1..v2", query="sum of numbers").splitlines()
    assert ranked[0] == "sums.py:1"


def test_long_diff_has_pages(repo: GitSandbox, engine: Engine) -> None:
    for at in range(150):
        repo.write(f"more/{at}.py", ADD.replace("add", f"add_{at}"))
    repo.commit("More")
    seen: list[str] = []
    cursor = ""
    for _ in range(20):
        asked = {"cursor": cursor} if cursor else {}
        text = ask(engine, question="diff", of="v2..HEAD", **asked)
        seen += [line for line in text.splitlines() if line.startswith("more/")]
        if "cursor=" not in text:
            break
        cursor = text.rpartition("cursor=")[2]
    assert len(seen) == len(set(seen)) == 150


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"question": "when", "of": "retry"}, "question is 'when'"),
        ({"question": "since"}, "needs the argument of"),
        ({"question": "gone"}, "needs the argument of"),
        ({}, "needs the argument question"),
    ],
)
def test_wrong_arguments_are_refused(
    engine: Engine, arguments: dict[str, object], says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        ask(engine, **arguments)


def test_name_with_several_definitions_lists_them(repo: GitSandbox, engine: Engine) -> None:
    repo.write("other.py", RETRY)
    repo.commit("Again")
    with pytest.raises(SeveralDefinitions, match="calls.py:1, other.py:1"):
        ask(engine, question="since", of="retry")
