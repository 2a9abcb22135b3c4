"""Tests of the table of tools, the check of arguments, and pages, without a repository."""

from __future__ import annotations

import json
import math
from importlib import import_module

import pytest

from ragit.errors import ConfigError
from ragit.mcp.arguments import checked
from ragit.mcp.listing import (
    MOST_BYTES,
    MOST_LINES,
    Listing,
    Size,
    page,
    parsed,
    size_of,
    start,
)
from ragit.mcp.tools import INSTRUCTIONS, TOOLS, Tool, tool_named
from ragit.types import Oid

TREE = Oid("0123456789abcdef" * 2 + "01234567")


def named(name: str) -> Tool:
    found = tool_named(name)
    assert found
    return found


def test_tool_list_takes_fewer_than_1500_tokens() -> None:
    """Count three characters a token; tokenizers need more for JSON and English."""
    listed = [
        {"name": tool.name, "description": tool.description, "inputSchema": tool.schema}
        for tool in TOOLS
    ]
    assert math.ceil(len(json.dumps(listed)) / 3) < 1500


def test_tools_are_few_with_short_descriptions() -> None:
    assert len(TOOLS) <= 5
    assert len(INSTRUCTIONS) <= 600
    for tool in TOOLS:
        assert len(tool.description) <= 1000
        assert set(tool.required) <= set(tool.arguments)
        assert callable(import_module(f"ragit.mcp.{tool.module}").answer)


def test_arguments_are_converted_by_the_schema() -> None:
    tool = named("search_semantic")
    given = {"query": "retry", "max_tokens": "500", "ref": None, "path": ""}
    assert checked(tool, given) == {"query": "retry", "max_tokens": 500}
    assert checked(tool, {"query": "retry", "max_tokens": 500.0})["max_tokens"] == 500


@pytest.mark.parametrize(
    ("given", "says", "hint"),
    [
        ({}, "search_semantic needs the argument query", "Pass query"),
        ({"query": ""}, "search_semantic needs the argument query", "Pass query"),
        ({"query": ["a", "b"]}, "query is ['a', 'b']", "as one string"),
        ({"query": "a", "repositry": "b"}, "takes no argument 'repositry'", "repository?"),
        ({"query": "a", "zzz": 1}, "takes no argument 'zzz'", "It takes query, repository"),
        ({"query": "a", "max_tokens": 5}, "max_tokens is 5", "at least 100"),
        ({"query": "a", "max_tokens": True}, "max_tokens is True", "whole number"),
        ({"query": "a", "max_tokens": "many"}, "max_tokens is 'many'", "whole number"),
        ({"query": "a", "ref": "x\0y"}, "zero byte", "without it"),
    ],
)
def test_wrong_arguments_are_refused_with_a_hint(
    given: dict[str, object], says: str, hint: str
) -> None:
    with pytest.raises(ConfigError) as error:
        checked(named("search_semantic"), given)
    assert says in error.value.message
    assert hint in error.value.hint


def listing(blocks: list[list[str]], *, reusable: bool = True, note: str = "a note") -> Listing:
    return Listing(
        TREE, "main", len(blocks), lambda at, _: blocks[at], complete=reusable, notes=(note,),
        reusable=reusable,
    )  # fmt: skip


BLOCKS = [[f"file{at}.py:{at}", *[f"  {line}: text" for line in range(at % 7)]] for at in range(60)]


@pytest.mark.parametrize("size", [Size(400, 100), Size(10_000, 9), Size(100_000, 100_000)])
def test_pages_list_each_block_once_in_order(size: Size) -> None:
    found = listing(BLOCKS)
    cursor = start(found, "search", {})
    seen: list[str] = []
    for _ in range(100):
        lines = page(found, cursor, size).split("\n")
        assert len(lines) <= size.lines
        assert len("\n".join(lines).encode()) <= size.bytes
        *body, last = lines
        seen += [line for line in body if line != "a note"]
        if "cursor=" not in last:
            break
        cursor = parsed(last.rpartition("; next page: ")[2])
    assert seen == [line for block in BLOCKS for line in block]
    assert last.startswith("main, tree 0123456789ab (complete): ")


def test_notes_are_on_the_first_page_only() -> None:
    found = listing(BLOCKS)
    first = page(found, start(found, "search", {}), Size(400, 100))
    assert first.split("\n")[-2] == "a note"
    cursor = parsed(first.rpartition("cursor=")[2])
    assert "a note" not in page(found, cursor, Size(400, 100))


def test_block_larger_than_a_page_is_cut() -> None:
    found = listing([["a.py:1", *["  x" * 20] * 50], ["b.py:1"]])
    text = page(found, start(found, "search", {}), Size(300, 100))
    assert text.startswith("a.py:1\n")
    assert "\n  ...\n" in text
    assert "hits 1-1 of 2; next page: cursor=" in text
    assert len(text.encode()) <= 300


def test_page_size_is_bounded() -> None:
    assert (MOST_BYTES, MOST_LINES) == (10_240, 256)
    assert size_of(None, 10_000).bytes <= MOST_BYTES
    assert size_of(None, 10_000).lines <= MOST_LINES
    assert size_of(1000, 10_000).bytes == 3000
    assert size_of(10**9, 10_000).bytes == 60_000


def test_cursor_depends_on_tree_and_arguments() -> None:
    found = listing(BLOCKS)
    cursor = start(found, "search", {"query": "a"})
    assert parsed(str(cursor)) == cursor
    assert parsed(f"cursor={cursor} ") == cursor
    assert start(found, "search", {"query": "a", "max_tokens": 9, "cursor": "x"}) == cursor
    assert start(found, "search", {"query": "b"}) != cursor
    assert start(found, "usages", {"query": "a"}) != cursor
    less = start(listing(BLOCKS, reusable=False, note="3 files missing"), "search", {"query": "a"})
    more = start(listing(BLOCKS, reusable=False, note="1 file missing"), "search", {"query": "a"})
    assert len({cursor, less, more}) == 3


@pytest.mark.parametrize("wrong", ["", "abc", "0123-4567-1", "; drop", "é" * 300])
def test_invalid_cursor_is_refused(wrong: str) -> None:
    with pytest.raises(ConfigError, match="is no cursor"):
        parsed(wrong)


def test_cursor_beyond_the_end_is_refused() -> None:
    found = listing(BLOCKS)
    with pytest.raises(ConfigError, match="beyond the last page"):
        page(found, start(found, "search", {})._replace(offset=60), Size(400, 100))
