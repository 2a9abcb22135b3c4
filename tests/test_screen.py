"""Tests of output on a terminal: pager, colours, lines, token budgets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from sandbox import GitSandbox
from terminal import RAGIT, Terminal
from test_render import answer, hit, shown, uncoloured

from ragit.git.pager import pager_command
from ragit.render import FORMATS, RenderOptions, fitted
from ragit.render.budget import tokens
from ragit.render.screen import duration
from ragit.render.snippet import first_lines, shown_line
from ragit.types import Definition

terminals = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


@pytest.fixture
def shop(repo: GitSandbox) -> GitSandbox:
    for number in range(12):
        body = "".join(f"    step_{line} = widget\n" for line in range(30))
        repo.write(f"src/m{number}.py", f"def widget_{number}(x):\n{body}")
    repo.commit()
    Terminal(repo.path).ragit("index", "-q", code=0)
    return repo


def on_a_terminal(folder: Path, *args: str, **env: str) -> str:
    """Return the output of a command on a terminal."""
    ours, theirs = os.openpty()
    result = b""
    environ = {**os.environ, "TERM": "xterm", **env}
    with subprocess.Popen(
        [RAGIT, *args], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env=environ
    ) as running:
        os.close(theirs)
        with suppress(OSError):  # raised on Linux once the other end is closed
            while piece := os.read(ours, 4096):
                result += piece
    os.close(ours)
    assert running.returncode == 0, result
    return result.decode().replace("\r\n", "\n")


# The pager


@terminals
def test_terminal_output_goes_through_the_git_pager(shop: GitSandbox) -> None:
    read = "sed 's/^/paged: /'"
    shop.git("config", "--global", "core.pager", read)
    result = uncoloured(on_a_terminal(shop.path, "search", "widget_3"))
    assert result.startswith("paged: src/m3.py:1\n")
    assert "\n\n10 hits in 10 files of HEAD (" in result, "the notes follow the pager"
    result = on_a_terminal(shop.path, "search", "widget_3", GIT_PAGER="sed 's/^/mine: /'")
    assert result.startswith("mine: ")
    for off in ("cat", ""):
        result = uncoloured(on_a_terminal(shop.path, "search", "widget_3", GIT_PAGER=off))
        assert result.startswith("src/m3.py:1\n")
    assert uncoloured(on_a_terminal(shop.path, "search", "x", GIT_PAGER="/no/such")) != ""
    assert not Terminal(shop.path).process("search", "widget_3").out.startswith("paged: ")
    shop.git("config", "--global", "--unset", "core.pager")


@terminals
def test_pager_of_the_searched_repository_is_not_run(shop: GitSandbox, tmp_path: Path) -> None:
    shop.git("config", "core.pager", f"touch {tmp_path}/ran; cat")
    on_a_terminal(shop.path, "search", "widget_3", PAGER="cat")
    assert not (tmp_path / "ran").exists()
    assert pager_command({**os.environ, "PAGER": "mine"}) == "mine"


@terminals
def test_pager_that_ends_early_is_no_failure(shop: GitSandbox) -> None:
    on_a_terminal(shop.path, "search", "widget", "-k", "12", "--full", GIT_PAGER="true")


# Colours


@pytest.mark.parametrize(
    ("args", "env", "coloured"),
    [
        ([], {}, False),
        (["--color=always"], {}, True),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        ([], {"CLICOLOR_FORCE": "1"}, True),
        ([], {"CLICOLOR_FORCE": "0"}, False),
        ([], {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
        (["--color=never"], {"CLICOLOR_FORCE": "1"}, False),
    ],
    ids=str,
)
def test_colours_without_a_terminal(
    shop: GitSandbox, args: list[str], env: dict[str, str], coloured: bool
) -> None:
    result = Terminal(shop.path, **env).ragit("search", *args, "widget_3", code=0)
    assert ("\x1b[" in result.out) is coloured


@terminals
@pytest.mark.parametrize(
    ("args", "env", "coloured"),
    [
        ([], {}, True),
        (["--color=never"], {}, False),
        ([], {"NO_COLOR": "1"}, False),
        ([], {"TERM": "dumb"}, False),
        ([], {"CLICOLOR": "0"}, False),
    ],
    ids=str,
)
def test_colours_on_a_terminal(
    shop: GitSandbox, args: list[str], env: dict[str, str], coloured: bool
) -> None:
    result = on_a_terminal(shop.path, "search", *args, "widget_3", **{"GIT_PAGER": "cat", **env})
    assert ("\x1b[" in result) is coloured


# Lines


def test_path_has_its_own_line_and_gaps_are_marked() -> None:
    long = "\n".join(
        ["def f(a):", "    if (", *(f"        b{n} and" for n in range(9)), "    ): offset"]
    )
    one = hit(text=long, start_line=1, end_line=12, symbol="f", parent="", terms=("offset",))
    lines = shown("text", answer(one, query="offset f")).split("\n")
    assert lines[0] == "src/consumer.py:12"
    assert lines[2:] == ["   1- def f(a):", "   2-     if (", "  --", "  12:     ): offset"]


def test_gap_of_a_single_line_is_shown() -> None:
    one = hit(text="offset = 1\nx = 2\noffset = 3", start_line=1, end_line=3, symbol="", parent="")
    assert shown("text", answer(one, query="offset")).count("--") == 0


def test_max_lines_limits_every_format(shop: GitSandbox) -> None:
    shell = Terminal(shop.path)
    text = shell.ragit("search", "--max-lines", "2", "-k1", "widget_3", code=0).out
    assert sum(":" in line[:8] or "-" in line[:8] for line in text.splitlines()[2:]) <= 3
    found = json.loads(shell.ragit("search", "--json", "--max-lines", "4", "-k1", "widget_3").out)
    (one,) = found["results"]
    assert (len(one["text"].splitlines()), one["text_start_line"]) == (4, 1)
    assert one["end_line"] == 31
    whole = json.loads(shell.ragit("search", "--json", "-k1", "widget_3").out)["results"][0]
    assert "text_start_line" not in whole and len(whole["text"].splitlines()) == 31
    block = shell.ragit("search", "--format", "markdown", "--max-lines", "4", "-k1", "widget_3").out
    assert block.split("```")[1].count("\n") == 6, "the language, four lines and a mark of the rest"


def test_kept_lines_contain_the_best_line() -> None:
    text = "\n".join(f"line_{n}" for n in range(50))
    one = hit(text=text, start_line=1, end_line=50, symbol="", terms=("line", "30"))
    kept = first_lines("line_30", one, 10)
    assert (len(kept), shown_line("line_30", one).number) == (10, 31)
    assert 31 in [line.number for line in kept]


# Tokens


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("budget", [40, 100, 300, 1000, 100_000])
def test_answer_fits_into_max_tokens(name: str, budget: int) -> None:
    hits = [
        hit(path=f"src/m{n}.py", start_line=1 + 20 * n, end_line=11 + 20 * n) for n in range(20)
    ]
    show = FORMATS[name]
    kept, options = fitted(answer(*hits), RenderOptions(max_tokens=budget), show)
    assert kept.hits == tuple(hits[: len(kept.hits)])
    assert len(kept.hits) + kept.left_out == 20
    assert not kept.hits or tokens(show(kept, options)) <= budget
    if budget >= 1000:
        assert len(kept.hits) >= 4
    if budget == 100_000:
        assert kept.left_out == 0


def test_hits_beyond_max_tokens_are_counted(shop: GitSandbox) -> None:
    result = Terminal(shop.path).ragit("search", "--json", "--max-tokens", "300", "widget", code=0)
    found = json.loads(result.out)
    assert 0 < len(found["results"]) < 10
    assert found["left_out"] == 10 - len(found["results"])
    assert f"note: {found['left_out']} more hits did not fit into --max-tokens" in result.err
    assert len(result.out) / 3 <= 300


# The line


def test_shown_line_is_a_definition_or_use_of_the_name() -> None:
    text = (
        "def get_user(request):\n    row = first(request)\n    if row is None:\n"
        "        return None\n    user_id = row.key\n    return load(user_id)"
    )
    used = hit(text=text, symbol="get_user", parent="", start_line=1, end_line=6, terms=("user",))
    assert shown_line("user_id", used).number == 5
    text = (
        "def run_report(data):\n    return helper_total(data) + 1\n\n\n"
        "def helper_total(data):\n    return sum(data)"
    )
    both = hit(text=text, symbol="run_report helper_total", parent="", start_line=1, end_line=6)
    assert shown_line("helper_total", both).number == 5
    quoted = '@Named("PacketRouter")\npublic class PacketRouter {\n}'
    java = hit(text=quoted, symbol="PacketRouter", parent="", start_line=1, end_line=3)
    assert shown_line("PacketRouter", java).number == 2
    signs = "T& operator==(T);\nT& operator=(T);"
    cpp = hit(text=signs, symbol="operator=", parent="", start_line=1, end_line=2)
    assert shown_line("operator=", cpp).number == 2
    columns = "CREATE TABLE t (\n  name_8978 int,\n  name_8999 int\n);"
    sql = hit(text=columns, symbol="t", parent="", start_line=1, end_line=4, terms=("name",))
    assert shown_line("name_8999", sql).number == 3


def test_words_in_a_doc_comment_lead_to_the_definition() -> None:
    after = (
        'def total(cart):\n    """Add up.\n\n    What a customer has to pay.\n    """\n    pay = 1'
    )
    one = hit(text=after, symbol="total", parent="", start_line=1, end_line=6, terms=("customer",))
    assert shown_line("customer to charge", one).number == 1
    before = "// What a customer has to pay.\nint total(Cart c) {\n  return customer(c);\n}"
    one = hit(text=before, symbol="total", parent="", start_line=1, end_line=4, terms=("pay",))
    assert shown_line("have to pay", one).number == 2


def test_line_of_the_search_or_the_definition_comes_first() -> None:
    assert shown_line("commit", hit(line=45)).number == 45
    named = hit(definitions=(Definition("commit_offsets", "method", 43),))
    assert shown_line("commit_offsets", named).number == 43


@pytest.mark.parametrize("name", ["text", "vimgrep", "json"])
def test_every_format_gives_the_same_line(name: str) -> None:
    one = hit(terms=("reconnect",))
    of = shown(name, answer(one, query="reconnect"))
    assert ('"line":49' if name == "json" else "src/consumer.py:49") in of


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0421, "42 ms"),
        (0.9999, "1.0 s"),
        (58.056, "58.1 s"),
        (59.97, "1 min 0 s"),
        (125, "2 min 5 s"),
        (4320, "1 h 12 min"),
    ],
)
def test_duration_is_rounded_for_display(seconds: float, text: str) -> None:
    assert duration(seconds) == text
