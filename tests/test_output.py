"""Tests of text that the console cannot encode, and of invisible characters."""

from __future__ import annotations

import json

import pytest
from sandbox import GitSandbox
from terminal import Terminal

from ragit.render import RenderOptions, dumps, visible

LINE = 'widget = "\u2713 größe \U0001f389"'


@pytest.fixture
def marked(repo: GitSandbox) -> GitSandbox:
    repo.write("größe.py", f"{LINE}\n")
    repo.commit()
    return repo


def console(repo: GitSandbox, encoding: str) -> Terminal:
    return Terminal(repo.path, PYTHONIOENCODING=encoding, PYTHONUTF8="0")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "gbk", "utf-16"])
def test_json_is_ascii_without_utf8(marked: GitSandbox, encoding: str) -> None:
    shell = console(marked, encoding)
    shell.process_bytes("search", "widget")  # builds the index
    result = shell.process_bytes("search", "--json", "widget")
    assert result.returncode == 0
    text = result.stdout.decode(encoding)
    assert text.isascii()
    hit = json.loads(text)["results"][0]
    assert (hit["path"], LINE in hit["text"]) == ("größe.py", True)
    for command in (["status"], ["check"], ["config"]):
        assert json.loads(shell.process_bytes(*command, "--json").stdout.decode(encoding))


@pytest.mark.parametrize("name", ["text", "vimgrep", "markdown"])
@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("ascii", '"\\u2713 gr\\xf6\\xdfe \\U0001f389"'),
        ("cp1252", '"\\u2713 größe \\U0001f389"'),
        ("utf-8", '"\u2713 größe \U0001f389"'),
    ],
)
def test_unencodable_characters_are_escaped(
    marked: GitSandbox, name: str, encoding: str, shown: str
) -> None:
    result = console(marked, encoding).process_bytes("search", "--format", name, "widget")
    assert result.returncode == 0
    assert b"bug" not in result.stderr
    assert shown in result.stdout.decode(encoding)


def test_unencodable_characters_on_stderr_are_escaped(marked: GitSandbox) -> None:
    result = console(marked, "ascii").process_bytes("search", "--mode", "keyword", "Größenwahn_x")
    assert result.stderr.isascii()
    refused = console(marked, "ascii").process_bytes("search", "--ref", "größe", "widget")
    assert (refused.returncode, refused.stderr.isascii()) == (2, True)


def test_query_is_read_as_utf8_in_the_c_locale(marked: GitSandbox) -> None:
    shell = Terminal(marked.path, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    result = shell.process_bytes("search", "--json", "--mode", "keyword", "größe")
    answer = json.loads(result.stdout)
    assert answer["query"] == "größe"
    assert [hit["path"] for hit in answer["results"]] == ["größe.py"]


HIDDEN = {
    "zero-width space": "\u200b",
    "zero-width joiner": "\u200d",
    "zero-width non-joiner": "\u200c",
    "word joiner": "\u2060",
    "soft hyphen": "\u00ad",
    "invisible times": "\u2062",
    "Hangul filler": "\u3164",
    "variation selector": "\ufe0f",
    "variation selector of the supplement": "\U000e0100",
    "tag": "\U000e0041",
    "byte order mark": "\ufeff",
    "left-to-right override": "\u202d",
}


@pytest.mark.parametrize("char", HIDDEN.values(), ids=list(HIDDEN))
def test_invisible_characters_are_escaped(char: str) -> None:
    escape = f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}"
    escape = escape if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
    assert visible(f"pass{char}word") == f"pass{escape}word"
    printed = dumps({"text": f"pass{char}word"}, RenderOptions())
    assert printed.isascii()
    assert json.loads(printed) == {"text": f"pass{char}word"}


@pytest.mark.parametrize(
    "text",
    [
        "\u26a0\ufe0f",  # a warning sign as an emoji
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",  # a family
        "\U0001f3f3\ufe0f\u200d\U0001f308",  # a flag
        "1\ufe0f\u20e3",  # a key
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian
        "\u0915\u094d\u200d\u0937",  # Devanagari
        "naïve 提交 🎉",
    ],
)
def test_joiners_needed_by_a_script_are_kept(text: str) -> None:
    assert visible(text) == text
