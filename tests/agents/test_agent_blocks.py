"""Tests of blocks between markers in Markdown and TOML: adding twice and removing restores the text."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragit.agents import block, toml_file
from ragit.agents.unfit import Unfit

LINES = ["If this is a git repository:", "- `ragit search`"]
KEY = ("mcp_servers",)
ENTRY = {"command": '/opt/it\'s "ragit"/bin/ragit', "args": ["mcp"]}

TEXTS = [
    "",
    "\n",
    "# Rules\n",
    "# Rules",
    "a\r\nb\r\n",
    "a\r\nb",
    "\ufeffa",
    "a\n\n\n",
    "\x0c",
    "a\r",
]


@pytest.mark.parametrize("text", TEXTS, ids=repr)
def test_removing_lines_added_twice_restores_the_text(text: str) -> None:
    once = block.with_lines(text, LINES, block.MARKDOWN)
    assert block.lines_in(once, block.MARKDOWN) == LINES
    assert block.with_lines(once, LINES, block.MARKDOWN) == once
    assert not block.is_new_file(once, block.MARKDOWN)
    assert block.without_lines(once, block.MARKDOWN) == text


@given(st.text(alphabet="ab#<!->: \n\r\ufeff", max_size=40))
def test_removal_restores_any_text(text: str) -> None:
    once = block.with_lines(text, LINES, block.MARKDOWN)
    assert block.with_lines(once, LINES, block.MARKDOWN) == once
    assert block.without_lines(once, block.MARKDOWN) == text


@given(st.text(alphabet="ab \n\r", max_size=20), st.text(alphabet="ab \n", max_size=20))
def test_removal_keeps_text_written_around_the_block(before: str, after: str) -> None:
    once = block.with_lines("x\n", LINES, block.MARKDOWN)
    edited = f"{before}\n{once}{after}"
    assert block.without_lines(edited, block.MARKDOWN) == f"{before}\nx\n{after}"


def test_changed_lines_replace_the_old_block() -> None:
    once = block.with_lines("a\nb\n", LINES, block.MARKDOWN) + "c\n"
    other = block.with_lines(once, ["new"], block.MARKDOWN)
    assert other == "a\nb\n<!-- ragit: begin -->\nnew\n<!-- ragit: end -->\nc\n"


def test_new_file_is_recognised_until_edited() -> None:
    text = block.new_file(LINES, block.MARKDOWN)
    assert block.is_new_file(f"{text}\n\n", block.MARKDOWN)
    assert not block.is_new_file(f"{text}mine\n", block.MARKDOWN)
    assert block.is_new_file(block.with_lines(text, ["new"], block.MARKDOWN), block.MARKDOWN)
    assert block.without_lines(f"{text}mine\n", block.MARKDOWN) == "mine\n"


BEGIN, END = "<!-- ragit: begin -->", "<!-- ragit: end -->"


@pytest.mark.parametrize(
    "text", [BEGIN, END, f"{END}\n{BEGIN}", f"{BEGIN}\n{END}\n{BEGIN}\n{END}", f"{BEGIN}\n{BEGIN}"]
)
def test_damaged_markers_are_rejected(text: str) -> None:
    for edit in (block.lines_in, block.without_lines):
        with pytest.raises(Unfit, match="not one pair"):
            edit(text, block.MARKDOWN)
    with pytest.raises(Unfit, match="not one pair"):
        block.with_lines(text, LINES, block.MARKDOWN)


# TOML


def parsed(text: str) -> dict[str, Any]:
    module = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    data: dict[str, Any] = module.loads(text.removeprefix("\ufeff"))
    return data


TABLES = [
    "",
    'model = "x" # which\n',
    "a = 1",
    '[mcp_servers.git]\r\ncommand = "git-mcp"\r\nargs = []  # none\r\n\r\n',
    "[mcp_servers]\n",
    "mcp_servers.git.command = 'x'\n",
    "\ufeff[a]\nb = '''\n[mcp_servers.ragit]\n'''\n",
    "[[a]]\nb = 1\n[[a]]\n",
    "# only a comment",
]


def check_round_trip(text: str) -> None:
    """Add the entry twice and remove it; check each step."""
    once = toml_file.with_entry(text, KEY, ENTRY)
    assert toml_file.entry_in(once, KEY) == ENTRY == parsed(once)["mcp_servers"]["ragit"]
    assert toml_file.with_entry(once, KEY, ENTRY) == once
    assert toml_file.without_entry(once, KEY) == text
    others = parsed(once)
    del others["mcp_servers"]["ragit"]
    assert {**parsed(text), "mcp_servers": parsed(text).get("mcp_servers", {})} == others


@pytest.mark.parametrize("text", TABLES, ids=repr)
def test_removing_a_toml_table_added_twice_restores_the_text(text: str) -> None:
    check_round_trip(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = ", "it is not TOML (line 1"),
        ("a = 1\na = 2\n", "it is not TOML (line 2"),
        ("\udcff", "it is not UTF-8"),
        ("mcp_servers = {}\n", "without changing something else"),
        ("mcp_servers = 1\n", "without changing something else"),
        ("[mcp_servers.ragit]\ncommand = 'x'\n", "no markers"),
        ("[[mcp_servers]]\n", "without changing something else"),
        ("a = '''\n# ragit: begin\n# ragit: end\n'''\n", "without changing something else"),
    ],
)
def test_toml_that_cannot_take_the_table_is_rejected(text: str, message: str) -> None:
    with pytest.raises(Unfit) as caught:
        toml_file.with_entry(text, KEY, ENTRY)
    assert message in str(caught.value)


LINE = st.sampled_from(
    [
        "[a]",
        "[mcp_servers]",
        "[mcp_servers.git]",
        "[[list]]",
        "x = 1",
        "y = '''",
        "'''",
        'command = "x" # c',
        "# ragit: begin",
        "# comment",
        "",
        "z = {a = 1}",
        "mcp_servers = {}",
        "broken",
    ]
)


@given(st.lists(LINE, max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_any_toml_is_restored_or_rejected(
    lines: list[str], newline: str, ends: bool, marked: bool
) -> None:
    text = ("\ufeff" if marked else "") + newline.join(lines) + (newline if ends else "")
    try:
        parsed(text)
    except ValueError:
        with pytest.raises(Unfit):
            toml_file.with_entry(text, KEY, ENTRY)
        return
    try:
        check_round_trip(text)
    except Unfit as error:
        assert any(word in str(error) for word in ("something else", "not one pair", "no markers"))
