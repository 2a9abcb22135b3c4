"""Tests of the tool search_semantic over several trees, without the protocol."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from sandbox import GitSandbox
from test_in_refs import SOURCE

from ragit.errors import ConfigError, UnknownRevision
from ragit.mcp import workspace
from ragit.mcp.call import Call
from ragit.mcp.engine import Engine
from ragit.mcp.tools import tool_named


@pytest.fixture
def engine(repo: GitSandbox) -> Iterator[Engine]:
    """Open a repository with a function that changes in v2, and an uncommitted one."""
    repo.write("offsets.py", SOURCE.format(1))
    repo.commit()
    repo.tag("v1")
    repo.write("offsets.py", SOURCE.format(2).partition("\n\n\n")[0] + "\n")
    repo.commit()
    repo.tag("v2")
    found = Engine(repo.path, os.environ)
    yield found
    found.close()


def search(engine: Engine, **arguments: str) -> list[str]:
    tool = tool_named("search_semantic")
    assert tool
    return engine.run(tool, {"query": "offset", **arguments}, Call()).split("\n")


def heads(lines: list[str]) -> list[str]:
    return [line for line in lines[:-1] if not line.startswith((" ", "note:", "incomplete:"))]


def test_search_of_refs_names_the_refs(engine: Engine) -> None:
    lines = search(engine, refs="v*")
    assert any("read_offset" in line and "[in v1; lines of v1]" in line for line in heads(lines))
    assert lines[-1].startswith("refs v*, trees ")


def test_search_of_a_range_finds_its_new_code(engine: Engine) -> None:
    lines = search(engine, new_in="v1..v2")
    assert len(heads(lines)) == 1
    assert "commit_offset" in heads(lines)[0]
    assert lines[-1].startswith("v2 without the code of v1, trees ")
    assert lines[-1].endswith("(complete): 1 hit")


def test_search_of_removed_code_names_its_last_place(engine: Engine) -> None:
    lines = search(engine, gone_since="v1")
    assert any("[last offsets.py:" in line for line in heads(lines))


def test_invalid_tree_arguments_are_refused(engine: Engine) -> None:
    with pytest.raises(UnknownRevision, match="no upstream"):
        search(engine, new_in="-")
    with pytest.raises(ConfigError, match="exclude each other"):
        search(engine, new_in="v1..v2", ref="v1")


def test_large_indexing_is_not_done_within_a_call(
    engine: Engine, repo: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    search(engine, ref="v2")
    monkeypatch.setattr(workspace, "AT_ONCE", 0)
    lines = search(engine, refs="v*")
    assert "INCOMPLETE" in lines[-1]
    assert any(line.startswith("incomplete: 1 file of refs v*") for line in lines)
