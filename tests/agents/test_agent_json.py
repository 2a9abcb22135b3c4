"""Tests of a server's entry in JSON with comments: adding twice and removing restores the bytes."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragit.agents import json_file
from ragit.agents.jsonc import DEEPEST, NotJson, parse
from ragit.agents.unfit import Unfit

KEY = ("mcpServers",)
ENTRY = {"command": "/opt/ragit/bin/ragit", "args": ["mcp"]}

FILES = {
    "nothing": "",
    "blank": "\n",
    "byte order mark": "\ufeff",
    "empty": "{}",
    "empty with a line": "{\n}\n",
    "empty with a space": "{ }",
    "empty with a comment": "{\n  // nothing yet\n}\n",
    "empty with a comment on the line": "{ /* none */ }",
    "empty servers": '{\n  "mcpServers": {}\n}\n',
    "empty servers over lines": '{\n  "mcpServers": {\n  }\n}\n',
    "empty servers, indented as a new file is": '{\n  "mcpServers": {\n    }\n}\n',
    "another server": '{\n  "mcpServers": {\n    "git": {"command": "git-mcp"}\n  }\n}\n',
    "on one line": '{"mcpServers": {"git": {"command": "git-mcp"}}}',
    "minified": '{"mcpServers":{"git":{"command":"git-mcp"}},"a":1}',
    "minified and empty": '{"mcpServers":{}}',
    "other settings": '{\n    "theme": "dark", // as it should be\n    "size": 1.50\n}',
    "trailing commas": '{\n\t"a": [1, 2,],\n\t"mcpServers": {\n\t\t"git": {},\n\t},\n}\n',
    "trailing comma and comment": '{"mcpServers": {\n  "git": {}, // git, of course\n}}\n',
    "comment after the last one": '{"mcpServers": {\n  "git": {} // git  \n  /* more */\n}}\n',
    "comment and closing bracket": '{"a": 1 // one\n}',
    "windows": '\ufeff{\r\n  "mcpServers": {\r\n    "git": {}\r\n  }\r\n}\r\n',
    "no line end": '{\n  "a": 1\n}',
    "commented server": '{\n  "mcpServers": {\n    // "ragit": {"command": "no"},\n  },\n}',
    "names in strings": '{"a": "}, \\"mcpServers\\": {", "b": "// no comment"}',
    "elsewhere": '{"projects": {"/x": {"mcpServers": {}}}, "a": null}',
}


def check_round_trip(text: str) -> str:
    """Add the entry twice and remove it, check each step, and return the text with the entry."""
    key = json_file.first_key(text, [KEY])
    once = json_file.with_entry(text, key, ENTRY)
    assert json_file.entry_in(once, key) == ENTRY
    assert json_file.with_entry(once, key, ENTRY) == once
    assert not json_file.is_new_file(once, key)
    assert json_file.without_entry(once, key) == text
    return once


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_removing_an_entry_added_twice_restores_the_file(text: str) -> None:
    once = check_round_trip(text)
    assert len(once) > len(text)


def test_entry_takes_the_layout_of_its_neighbours() -> None:
    assert check_round_trip(FILES["trailing commas"]) == (
        '{\n\t"a": [1, 2,],\n\t"mcpServers": {\n\t\t"git": {},\n'
        '\t\t"ragit": {"command": "/opt/ragit/bin/ragit", "args": ["mcp"]},\n\t},\n}\n'
    )
    assert check_round_trip(FILES["comment after the last one"]) == (
        '{"mcpServers": {\n  "git": {}, // git  \n  /* more */\n}}\n'
    ).replace(
        "// git  \n",
        '// git  \n  "ragit": {"command": "/opt/ragit/bin/ragit", "args": ["mcp"]}\n',
    )
    assert check_round_trip(FILES["other settings"]) == (
        '{\n    "theme": "dark", // as it should be\n    "size": 1.50,\n'
        '    "mcpServers": {"ragit": {"command": "/opt/ragit/bin/ragit", "args": ["mcp"]}}\n}'
    )


@pytest.mark.parametrize("blank_lines", [0, 2])
def test_new_file_is_recognised_until_edited(blank_lines: int) -> None:
    text = json_file.new_file(KEY, ENTRY) + "\n" * blank_lines
    assert json.loads(text) == {"mcpServers": {"ragit": ENTRY}}
    assert json_file.is_new_file(text, KEY)
    other = {"command": "/usr/bin/ragit", "args": ["mcp"]}
    moved = json_file.with_entry(text, KEY, other)
    assert json_file.is_new_file(moved, KEY)
    assert moved.count("\n") == text.count("\n")
    assert not json_file.is_new_file(text.replace("}\n}", '},\n"a": 1}'), KEY)


def test_entry_with_an_old_command_is_replaced() -> None:
    once = check_round_trip(FILES["another server"])
    moved = json_file.with_entry(once, KEY, {"command": "/bin/ragit", "args": ["mcp"]})
    assert moved == once.replace("/opt/ragit/bin/ragit", "/bin/ragit")
    assert json_file.without_entry(moved, KEY) == FILES["another server"]


def test_removal_keeps_text_added_after_the_entry() -> None:
    once = check_round_trip(FILES["another server"])
    more = once.replace('["mcp"]}\n', '["mcp"]},\n    "late": {}\n')
    left = json_file.without_entry(more, KEY)
    assert json.loads(left) == {"mcpServers": {"git": {"command": "git-mcp"}, "late": {}}}
    between = once.replace('["mcp"]}', '["mcp"]} /* mine */')
    assert "/* mine */" in json_file.without_entry(between, KEY)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: a value is missing"),
        ('{\n"a" 1}', "line 2: : is missing"),
        ('{"a": 1 "b": 2}', "a comma or } is missing"),
        ("{} {}", "text after the end"),
        ("{'a': 1}", "a value is missing"),
        ('{"a": NaN}', "a value is missing"),
        ('{"a": 01}', "a value is missing"),
        ('{"a": 1,,}', "a value is missing"),
        ('{"a": "\\q"}', "a value cannot be read"),
        ('{"a": "new\nline"}', "a value is missing"),
        ("{ /* open", "a value is missing"),
        ('{"a": \udcff}', "it is not UTF-8"),
        ("[]", "the file is no object"),
        ('{"mcpServers": []}', "mcpServers is no object"),
        ('{"mcpServers": {}, "mcpServers": {}}', "mcpServers is there twice"),
        ("[" * (DEEPEST + 2), "nested too deeply"),
    ],
)
def test_unparsable_file_is_rejected_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(Unfit) as caught:
        json_file.with_entry(text, KEY, ENTRY)
    assert message in str(caught.value)


def test_first_existing_key_is_chosen() -> None:
    keys = [("mcp", "servers"), ("mcp",)]
    assert json_file.first_key("{}", keys) == ("mcp",)
    assert json_file.first_key('{"mcp": {"git": {}}}', keys) == ("mcp",)
    assert json_file.first_key('{"mcp": {"servers": {}}}', keys) == ("mcp", "servers")


# Random files

SPACE = st.sampled_from(
    [
        "",
        "",
        " ",
        "\n",
        "\r\n",
        "\t",
        "\n  ",
        " /* x */ ",
        "// y\n",
        " // z  \r\n\t",
        "/*\n*/",
        "\r",
    ]
)
NAMES = st.sampled_from(["mcpServers", "servers", "ragit ", "a", "b", "é", "//", '"', "}"])
SCALARS = st.sampled_from(["null", "true", "-1.5e3", "0", '"x"', '"// no"', '"\\u00e9\\n"', '"}"'])


@st.composite
def objects(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    names = draw(st.lists(NAMES, max_size=4, unique=True))
    members = [
        f"{draw(SPACE)}{json.dumps(name, ensure_ascii=False)}{draw(SPACE)}:{draw(SPACE)}"
        f"{draw(values)}{draw(SPACE)}"
        for name in names
    ]
    comma = draw(st.sampled_from(["", ","])) if members else ""
    return "{" + ",".join(members) + comma + draw(SPACE) + "}"


@st.composite
def arrays(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    items = draw(st.lists(values, max_size=3))
    return "[" + ",".join(f"{draw(SPACE)}{item}{draw(SPACE)}" for item in items) + "]"


VALUES = st.recursive(SCALARS, lambda inner: objects(inner) | arrays(inner), max_leaves=8)


@st.composite
def files(draw: st.DrawFn) -> str:
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return mark + draw(SPACE) + draw(objects(VALUES)) + draw(SPACE)


@given(files())
@example('{"mcpServers":{"a":1// y\n}}')
@example('{"a":1// z  \r\n\t}')
def test_any_file_is_restored_or_rejected(text: str) -> None:
    try:
        check_round_trip(text)
    except Unfit as error:
        assert "is no object" in str(error)
    else:
        assert _without(json_file.with_entry(text, KEY, ENTRY)) == _without(text)


def _without(text: str) -> object:
    data = parse(text).data
    assert isinstance(data, dict)
    servers = {name: value for name, value in data.get("mcpServers", {}).items() if name != "ragit"}
    return {**data, "mcpServers": servers}


@given(files(), st.integers(0, 200), st.sampled_from(["", '"', "{", "}", ",", ":", "/", "x", "\\"]))
def test_damaged_file_is_rejected_or_restored(text: str, at: int, inserted: str) -> None:
    damaged = text[:at] + inserted + text[at + 1 :]
    try:
        parse(damaged)
    except NotJson:
        if damaged.removeprefix("\ufeff").strip():
            with pytest.raises(Unfit):
                json_file.with_entry(damaged, KEY, ENTRY)
        return
    try:
        check_round_trip(damaged)
    except Unfit as error:
        assert "no object" in str(error) or "there twice" in str(error)


@given(VALUES)
def test_strict_json_parses_as_in_the_json_module(text: str) -> None:
    try:
        data = json.loads(text)
    except ValueError:
        return
    assert parse(text).data == data
