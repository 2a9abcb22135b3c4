"""Tests of paths on the command line: relative to the current folder, literal before patterns, and as
the last word of a query.
"""

from __future__ import annotations

import json
import tempfile

import pytest
from sandbox import GitSandbox
from terminal import Terminal


@pytest.fixture
def app(repo: GitSandbox) -> GitSandbox:
    repo.write("top.py", "def widget_top():\n    return 'widget'\n")
    repo.write("app/[id]/page.ts", "export const widget = 'literal'\n")
    repo.write("app/d/page.ts", "export const widget = 'pattern'\n")
    repo.write("lib/deep/a.py", "def widget_deep():\n    return 'widget'\n")
    repo.commit()
    return repo


def found(repo: GitSandbox, *args: str) -> list[str]:
    result = Terminal(repo.path).ragit("search", "--json", *args)
    return sorted(hit["path"] for hit in json.loads(result.out)["results"])


@pytest.mark.parametrize("name", ["text", "vimgrep", "markdown"])
def test_paths_in_output_are_relative_to_the_current_folder(app: GitSandbox, name: str) -> None:
    shell = Terminal(app.path / "lib")
    out = shell.ragit("search", "--format", name, "widget", code=0).out
    assert "deep/a.py:" in out and "lib/deep" not in out
    assert "../top.py:" in out
    for line in out.splitlines():
        if name == "vimgrep":
            assert (shell.folder / line.split(":")[0]).is_file()


def test_check_and_status_print_relative_paths(app: GitSandbox) -> None:
    app.write("lib/deep/picture.bin", b"\x00\x01")
    app.write("lib/same.py", "def widget_deep():\n    return 'widget'\n")
    app.commit()
    shell = Terminal(app.path / "lib")
    shell.ragit("index", code=0)
    app.write("lib/new.py", "x = 1\n")
    app.git("add", ".")
    stale = shell.ragit("check", "--staged", code=1).out
    assert "  new.py" in stale and "lib/new.py" not in stale
    status = shell.ragit("status", "--skipped", code=0).out
    assert "  deep/picture.bin" in status and "lib/deep" not in status
    hits = shell.ragit("search", "--committed", "widget_deep", code=0).out
    assert "same content: same.py" in hits or "same content: deep/a.py" in hits


def test_paths_are_relative_to_the_folder_of_option_c(app: GitSandbox) -> None:
    out = Terminal(app.path).ragit("-C", "lib/deep", "search", "widget_deep", code=0).out
    assert out.startswith("a.py:1\n")


def test_json_paths_are_relative_to_the_root(app: GitSandbox) -> None:
    result = Terminal(app.path / "lib").ragit("search", "--json", "widget_deep", code=0)
    answer = json.loads(result.out)
    assert answer["root"] == str(app.path)
    assert "lib/deep/a.py" in [hit["path"] for hit in answer["results"]]


@pytest.mark.parametrize("extra", [[], ["--committed"], ["--ref", "HEAD"]], ids=str)
def test_existing_path_takes_precedence_over_a_pattern(app: GitSandbox, extra: list[str]) -> None:
    def paths(pattern: str) -> list[str]:
        return found(app, *extra, "--path", pattern, "widget")

    assert paths("app/[id]/page.ts") == ["app/[id]/page.ts"]
    assert paths("app/[id]") == ["app/[id]/page.ts"]
    assert paths("./app/[id]/") == ["app/[id]/page.ts"]
    assert paths("app/[d]/page.ts") == ["app/d/page.ts"]
    assert paths("!app/[id]") == ["app/d/page.ts", "lib/deep/a.py", "top.py"]
    assert paths("app/*/page.ts") == ["app/[id]/page.ts", "app/d/page.ts"]


@pytest.mark.parametrize("extra", [[], ["--committed"], ["--ref", "HEAD"]], ids=str)
def test_last_word_that_is_a_path_limits_the_search(app: GitSandbox, extra: list[str]) -> None:
    assert found(app, *extra, "widget", "lib") == ["lib/deep/a.py"]
    assert found(app, *extra, "widget", "./lib/deep/") == ["lib/deep/a.py"]
    assert found(app, *extra, "widget", "app/[id]") == ["app/[id]/page.ts"]
    result = Terminal(app.path).ragit("search", *extra, "widget", "lib", code=0)
    assert "note: only lib was searched, since it is a path" in result.err
    result = Terminal(app.path).ragit("search", "--json", *extra, "widget", "lib", code=0)
    assert "only lib was searched" in json.loads(result.out)["notes"][0]
    assert json.loads(result.out)["query"] == "widget"


@pytest.mark.parametrize("word", ["nosuch/", "./nosuch", "../nosuch.py", tempfile.gettempdir()])
def test_last_word_that_looks_like_a_path_is_noted_if_missing(app: GitSandbox, word: str) -> None:
    result = Terminal(app.path).ragit("search", "widget", word, code=0)
    assert f"note: {word} is not in HEAD" in result.err
    assert "its words were searched everywhere" in result.err


@pytest.mark.parametrize("word", ["nosuch", "read/write", "/users/:id", "widget"])
def test_last_word_without_a_path_is_searched_silently(app: GitSandbox, word: str) -> None:
    assert "searched everywhere" not in Terminal(app.path).ragit("search", "widget", word).err


def test_last_word_is_a_path_from_the_current_folder(app: GitSandbox) -> None:
    below = Terminal(app.path / "lib")
    answer = json.loads(below.ragit("search", "--json", "widget", "deep", code=0).out)
    assert [hit["path"] for hit in answer["results"]] == ["lib/deep/a.py"]
    answer = json.loads(below.ragit("search", "--json", "widget", "..", code=0).out)
    assert len(answer["results"]) == 4


def test_only_the_last_of_several_words_can_be_a_path(app: GitSandbox) -> None:
    for words in (["lib"], ["widget lib"], ["lib", "widget"], ["widget", ".git"], ["widget", "no"]):
        result = Terminal(app.path).ragit("search", "--json", *words)
        assert "notes" not in json.loads(result.out), words
        assert json.loads(result.out)["query"] == " ".join(words)
    result = Terminal(app.path).ragit("search", "--json", "--path", "top.py", "widget", "lib")
    assert json.loads(result.out)["query"] == "widget lib"


def test_query_is_read_from_standard_input(app: GitSandbox) -> None:
    result = Terminal(app.path).process_bytes(
        "search", "--json", "-", stdin="widget\ndeep ü".encode()
    )
    assert json.loads(result.stdout)["query"] == "widget\ndeep ü"
    assert Terminal(app.path).process_bytes("search", "-", stdin=b"").returncode == 2


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (["search", "-n", "3", "widget"], "-k N"),
        (["search", "-l", "widget"], "--format vimgrep"),
        (["search", "-t", "py", "widget"], "--language"),
        (["search", "--lang", "py", "widget"], "--language"),
        (["search", "--limit", "3", "widget"], "-k N"),
        (["search", "-i", "widget"], "Case is ignored"),
        (["search", "-F", "widget"], "git grep -F"),
        (["where is the widget", "made"], "ragit search 'where is the widget' made"),
    ],
)
def test_options_of_other_tools_get_a_hint(app: GitSandbox, args: list[str], hint: str) -> None:
    assert hint in Terminal(app.path).refused(*args).hint


def test_like_finds_code_similar_to_a_line(repo: GitSandbox) -> None:
    def retry(name: str) -> str:
        return (
            f"def {name}(send, times):\n    for attempt in range(times):\n        try:\n"
            "            return send()\n        except ConnectionError:\n"
            "            wait(2 ** attempt)\n"
        )

    repo.write("src/a.py", "import os\n\n\n" + retry("send_mail"))
    repo.write("src/b.py", retry("post_order"))
    repo.write("src/c.py", "def area(width, height):\n    return width * height\n")
    repo.commit()
    shell = Terminal(repo.path / "src")
    answer = json.loads(shell.ragit("search", "--json", "--like", "a.py:6", code=0).out)
    assert answer["query"] == "src/a.py:6"
    assert answer["results"][0]["path"] == "src/b.py"
    assert all(hit["path"] != "src/a.py" or hit["end_line"] < 4 for hit in answer["results"]), (
        "the code itself is not a hit"
    )
    many = "".join(f" * It has word {at} of its documentation.\n" for at in range(30))
    repo.write("src/A.java", f"class A {{\n/**\n{many} */\nint count() {{ return 1; }}\n}}\n")
    repo.write("src/B.java", f"class B {{\n/**\n{many} */\nint total() {{ return 1; }}\n}}\n")
    answer = json.loads(shell.ragit("search", "--json", "--like", "A.java:5", code=0).out)
    assert answer["results"][0]["path"] == "src/B.java", (
        "long code is not taken for a pasted report"
    )
    for place, words in {
        "a.py": "FILE:LINE",
        "no.py:1": "has no file src/no.py",
        "a.py:99": "line 99",
    }.items():
        assert words in shell.refused("search", "--like", place).err
    assert "either" in shell.refused("search", "--like", "a.py:6", "words").err
