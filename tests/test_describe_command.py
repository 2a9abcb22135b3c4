"""Tests of `ragit describe` for source files: the description of each chunk."""

from __future__ import annotations

import json

import pytest
from describing import Model, body, failing, indexed
from sandbox import GitSandbox
from terminal import Terminal
from test_render import faults, schemas


@pytest.fixture
def sources(repo: GitSandbox) -> GitSandbox:
    repo.write("a.py", body("commit_offset") + "\n\n" + body("parse_config"))
    repo.commit()
    return repo


def test_describe_prints_the_description_of_each_chunk(sources: GitSandbox, model: Model) -> None:
    flags = [
        part
        for name, value in model.settings.items()
        for part in ("-c", f"{name}={str(value).lower()}")
    ]
    shell = Terminal(sources.path)
    assert "Type: ragit index" in shell.refused(*flags, "describe", "a.py").hint
    model.faults["parse_config"] = failing(400)
    indexed(sources, model)
    lines = shell.ragit(*flags, "describe", "a.py", code=1).out.splitlines()
    assert lines[0].startswith("a.py:1-31  commit_offset  function")
    assert lines[1].startswith("  About fed timmoc tesffo")
    assert lines[2].startswith("a.py:34-64  parse_config  function")
    assert lines[3] == "  not described yet: `ragit index` has it described"
    model.faults.clear()
    indexed(sources, model)
    found = json.loads(
        shell.ragit(*flags, "describe", "--ref", "HEAD", "--json", "a.py", code=0).out
    )
    assert not list(faults(found, schemas()["describe"]))
    assert [chunk["description"][:6] for chunk in found["chunks"]] == ["About ", "About "]
    before = len(model.asked)
    (sources.path / "link").symlink_to("a.py")
    assert "link is not indexed: symlink" in shell.refused(*flags, "describe", "link").err
    assert "there is no nothing.py" in shell.refused(*flags, "describe", "nothing.py").err
    assert "ragit.description.enabled true" in shell.refused("describe", "a.py").hint
    assert len(model.asked) == before


def test_describe_prints_sections_with_their_parent_titles(repo: GitSandbox, model: Model) -> None:
    long = "Words about it.\n" * 90
    repo.write("guide.md", f"# Guide\n\n{long}\n## Setup\n\n{long}")
    repo.commit()
    indexed(repo, model)
    flags = [
        part
        for name, value in model.settings.items()
        for part in ("-c", f"{name}={str(value).lower()}")
    ]
    result = Terminal(repo.path).ragit(*flags, "describe", "guide.md", code=0).out
    assert "  Guide > Setup  section" in result
