"""Tests of the command line: every option has an effect, and programs can read the output."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from sandbox import GitSandbox
from terminal import RAGIT, Terminal

import ragit

HELLO = "def hello(name):\n    greeting = 'hello'\n    return greeting + name\n"


@pytest.fixture
def shell(repo: GitSandbox) -> Terminal:
    repo.write("src/a.py", HELLO)
    repo.write("docs/b.md", "# Hello\n\nSay hello.\n")
    repo.commit()
    return Terminal(repo.path)


def test_json_output_has_the_documented_keys(shell: Terminal) -> None:
    answer = json.loads(shell.ragit("search", "--json", "hello", code=0).out)
    assert list(answer) == [
        "query",
        "ref",
        "tree",
        "root",
        "complete",
        "missing",
        "degraded",
        "took_ms",
        "results",
    ]
    assert (answer["query"], answer["ref"], answer["complete"], answer["missing"]) == (
        "hello",
        "HEAD",
        True,
        0,
    )
    assert answer["degraded"] is None
    for hit in answer["results"]:
        assert {"path", "line", "start_line", "end_line", "score", "language"} <= set(hit)
        assert {"kind", "symbol", "text"} <= set(hit)
    first = next(hit for hit in answer["results"] if hit["path"] == "src/a.py")
    assert (first["start_line"], first["end_line"], first["text"]) == (1, 3, HELLO.rstrip("\n"))


def test_command_and_library_give_the_same_hits(repo: GitSandbox, shell: Terminal) -> None:
    answer = json.loads(shell.ragit("search", "--json", "hello", code=0).out)
    with ragit.open(repo.path) as index:
        found = index.search("hello")
    assert [(h["path"], h["score"]) for h in answer["results"]] == [
        (h.path, round(h.score, 4)) for h in found.hits
    ]


def paths(shell: Terminal, *args: str) -> list[str]:
    result = shell.ragit("search", "--json", *args)
    return [hit["path"] for hit in json.loads(result.out)["results"]]


def test_search_options_have_effect(shell: Terminal) -> None:
    assert len(paths(shell, "-k", "1", "hello")) == 1
    assert paths(shell, "--path", "docs/", "hello") == ["docs/b.md"]
    assert paths(shell, "--path", "*.py", "--path", "docs/", "hello") == paths(shell, "hello")
    assert paths(shell, "--language", "markdown", "hello") == ["docs/b.md"]
    assert paths(shell, "--min-score", "99", "hello") == []
    assert paths(shell, "hello", "world") == paths(shell, "hello world")
    assert paths(shell, "--mode", "keyword", "greeting") == ["src/a.py"]
    assert paths(shell, "--ref", "HEAD:docs", "hello") == ["b.md"]


@pytest.mark.parametrize(
    ("folder", "pattern", "found"),
    [
        (".", "./src", ["src/a.py"]),
        (".", ".", ["src/a.py", "docs/b.md"]),
        ("src", ".", ["src/a.py"]),
        ("src", "./a.py", ["src/a.py"]),
        ("src", "../docs/*.md", ["docs/b.md"]),
        ("src", "docs", ["docs/b.md"]),
        ("src", "{top}/docs/", ["docs/b.md"]),
        ("src", "SRC", []),
    ],
)
def test_path_option_is_relative_to_the_current_folder(
    shell: Terminal, folder: str, pattern: str, found: list[str]
) -> None:
    asked = pattern.format(top=Path(shell.folder).resolve())
    result = shell.ragit("-C", folder, "search", "--json", "--path", asked, "hello")
    assert sorted(hit["path"] for hit in json.loads(result.out)["results"]) == sorted(found)


def test_path_option_follows_a_link_to_the_repository(
    shell: Terminal, tmp_path_factory: pytest.TempPathFactory
) -> None:
    link = tmp_path_factory.mktemp("way") / "link"
    link.symlink_to(shell.folder)
    for pattern in (f"{link}/docs", f"{link}/docs/", f"{link}/docs/*.md"):
        assert paths(shell, "--path", pattern, "hello") == ["docs/b.md"]
    assert len(paths(shell, "--path", str(link), "hello")) == 2


def test_path_outside_the_repository_is_refused(shell: Terminal) -> None:
    assert (
        "outside the repository"
        in shell.refused("-C", "src", "search", "--path", "../../x", "hello").err
    )
    assert "empty path" in shell.refused("search", "--path", "", "hello").err


def test_exit_status(shell: Terminal) -> None:
    shell.ragit("search", "hello", code=0)
    shell.ragit("search", "--mode", "keyword", "absent", code=1)
    shell.ragit("search", "--ref", "absent", "hello", code=2)
    shell.ragit("check", code=0)
    shell.ragit("check", "--json", code=0)


def test_check_lists_missing_files_and_the_fix_works(repo: GitSandbox, shell: Terminal) -> None:
    shell.ragit("index", "-q", code=0)
    repo.write("src/new.py", "x = 1\n")
    repo.git("add", "-A")
    stale = shell.ragit("check", "--staged", code=1)
    assert "src/new.py" in stale.out
    fix = stale.out.splitlines()[-1].removeprefix("to fix it: ").split()
    shell.ragit(*fix[1:], code=0)
    shell.ragit("check", "--staged", code=0)


def test_explain_full_and_context(shell: Terminal) -> None:
    assert "raised by" in shell.ragit("search", "--explain", "hello", code=0).out
    assert "  3- " in shell.ragit("search", "--full", "-k1", "--path", "*.py", "hello", code=0).out
    shell.ragit("search", "-C", "2", "hello", code=0)
    plain = json.loads(shell.ragit("search", "--json", "--no-optimize", "hello").out)["results"]
    assert plain and all("optimized" not in hit for hit in plain)


def test_index_reports_its_work_as_json(shell: Terminal) -> None:
    report = json.loads(shell.ragit("index", "--json", code=0).out)
    assert (report["files"], report["indexed"], report["dry_run"]) == (2, 2, False)
    assert report["embedded"] == report["chunks"]
    assert shell.ragit("index", "-q", code=0) == (0, "", "")
    again = json.loads(shell.ragit("index", "--dry-run", "--json", code=0).out)
    assert (again["indexed"], again["dry_run"]) == (0, True)
    foreseen = json.loads(shell.ragit("index", "--rebuild", "--dry-run", "--json", code=0).out)
    rebuilt = json.loads(shell.ragit("index", "--rebuild", "--json", code=0).out)
    assert rebuilt["indexed"] == 2
    assert (foreseen["indexed"], foreseen["embedded"]) == (rebuilt["indexed"], rebuilt["embedded"])


@pytest.mark.parametrize(
    "args",
    [
        ("search", "--staged", "--committed", "hello"),
        ("index", "--worktree", "--staged"),
        ("check", "--staged", "--worktree"),
    ],
)
def test_several_scopes_at_once_are_refused(shell: Terminal, args: tuple[str, ...]) -> None:
    assert "several trees are asked for: --staged and --" in shell.refused(*args).err


def test_status_gc_and_config_as_json(shell: Terminal) -> None:
    shell.ragit("index", "-q", code=0)
    status = json.loads(shell.ragit("status", "--json", code=0).out)
    assert (status["exists"], status["refs"][0]["missing"]) == (True, 0)
    assert json.loads(shell.ragit("gc", "--json", code=0).out)["dropped"] == 0
    config = json.loads(shell.ragit("-c", "retrieval.topK=3", "config", "--json", code=0).out)
    assert config["retrieval.topK"] == {
        "value": 3,
        "origin": "command line",
        "help": config["retrieval.topK"]["help"],
    }


def test_status_lists_skipped_files(repo: GitSandbox, shell: Terminal) -> None:
    repo.write("data.bin", b"\0\1")
    repo.write("empty", "")
    (repo.path / "link").symlink_to("nowhere")
    repo.commit()
    shell.ragit("index", "-q", code=0)
    assert "\n  symlink  link\n" in shell.ragit("status", "--skipped", code=0).out
    named = json.loads(shell.ragit("status", "--skipped", "--json", code=0).out)
    assert {file["path"]: file["reason"] for file in named["skipped_files"]} == {
        "empty": "empty",
        "data.bin": "binary",
        "link": "symlink",
    }
    assert sum(named["skipped"].values()) == 3
    assert "skipped_files" not in json.loads(shell.ragit("status", "--json").out)
    assert "data.bin" not in shell.ragit("status").out


def test_search_announces_long_indexing(
    repo: GitSandbox, shell: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stderr() -> str:
        return shell.ragit("search", "--mode", "keyword", "word", code=0).err

    def add(name: str, count: int) -> None:
        for number in range(count):
            repo.write(f"{name}{number}.txt", f"word {name} {number}\n")

    add("first", 19)
    assert stderr() == ""
    add("more", 199)
    assert stderr() == ""
    add("many", 200)
    assert stderr() == "indexing 200 files first\n"
    monkeypatch.setattr(
        "io.TextIOWrapper", type("Screen", (io.TextIOWrapper,), {"isatty": lambda _: True})
    )
    add("on a terminal", 20)
    assert "indexing 20 files first\n" in stderr()
    add("edits", 19)
    assert "indexing" not in stderr()
    monkeypatch.undo()
    repo.write("a.rtf", "{\\rtf1 word}")
    assert stderr() == "indexing 1 file first\n"


def test_status_includes_uncommitted_files(repo: GitSandbox, shell: Terminal) -> None:
    repo.commit()
    shell.ragit("index", "-q", code=0)
    repo.write("data.bin", b"\0\1")
    repo.write("new.py", "def new(): ...\n")
    repo.write("huge.txt", "word\n" * 300_000)  # too large to be part of the tree
    before = json.loads(shell.ragit("status", "--json", code=0).out)["refs"]
    assert [row["name"] for row in before] == [
        "HEAD + uncommitted changes",
        "HEAD",
        "refs/heads/main",
    ]
    searched = json.loads(shell.ragit("search", "--json", "new").out)["tree"]
    status = json.loads(shell.ragit("status", "--skipped", "--json", code=0).out)
    assert status["refs"][0] == {
        **before[0],
        "tree": searched,
        "files": before[1]["files"] + 1,
        "missing": 0,
    }
    assert status["skipped"] == {"binary": 1, "too large": 1}
    assert [file["path"] for file in status["skipped_files"]] == ["data.bin", "huge.txt"]
    assert status["refs"][1:] == before[1:]


@pytest.mark.parametrize(
    ("args", "message", "hint"),
    [
        (["serch", "x"], "did you mean search?", "ragit --help"),
        (["how", "is", "it"], "did you mean show?", "ragit search how is it"),
        (["serch", "x", "y"], "did you mean search?", "ragit search x y"),
        (["index", "--dryrun"], "--dry-run", "ragit index --help"),
        (["search"], "QUERY", "ragit search --help"),
        (["search", "-k", "0", "x"], "-k", "ragit search --help"),
        (
            ["search", "-k", "ten", "x"],
            "'ten' is not a whole number of at least 1",
            "search --help",
        ),
        (["search", "-k", "0", "x"], "'0' is not a whole number of at least 1", "search --help"),
        (["search", "-C", "-1", "x"], "'-1' is not a whole number of at least 0", "search --help"),
        (
            ["search", "--min-score", "high", "x"],
            "'high' is not a number of at least 0",
            "search --help",
        ),
        (["eval", "--min-mrr", "2"], "'2' is not a number from 0 to 1", "ragit eval --help"),
        (["-c", "nothing", "search", "x"], "NAME=VALUE", "ragit --help"),
        (["hooks", "instal"], "instal", "ragit hooks --help"),
        (["eval"], "--golden", "ragit eval --help"),
        (["search", "--\x1b[2J"], "\\x1b", "ragit search --help"),
    ],
)
def test_usage_error_is_one_sentence_and_one_hint(
    shell: Terminal, args: list[str], message: str, hint: str
) -> None:
    refused = shell.refused(*args)
    assert message in refused.err
    assert hint in refused.hint


@pytest.mark.parametrize("args", [[], ["hooks"]], ids=["ragit", "ragit hooks"])
def test_command_without_arguments_prints_help(shell: Terminal, args: list[str]) -> None:
    result = shell.ragit(*args, code=2)
    assert result.err.startswith("Usage: ragit")
    assert "\\n" not in result.err
    assert "\nCommands:\n" in result.err


def test_missing_choice_lists_the_choices(shell: Terminal) -> None:
    assert "bash, zsh, fish" in shell.refused("completion").err


def test_missing_model_file_hints_at_its_setting(shell: Terminal) -> None:
    refused = shell.refused("-c", "embedding.model=text-embedding-3-small", "search", "hello")
    assert "embedding.model" in refused.hint


def test_config_shows_one_setting_or_section(shell: Terminal) -> None:
    for name in ("retrieval.topK", "RETRIEVAL.TOPK", "ragit.retrieval.topk"):
        lines = shell.ragit("config", name, code=0).out.splitlines()
        assert lines[0] == "[retrieval]"
        assert lines[1].split() == ["topK", "10", "default"]
        assert "hits" in lines[2]
        assert len(lines) == 3
    section = json.loads(shell.ragit("config", "retrieval.hybridSearch", "--json", code=0).out)
    assert section
    assert all(name.startswith("retrieval.hybridSearch.") for name in section)
    for name in ("retrieval.topKK", "topK", "topkk"):
        assert "Did you mean retrieval.topK?" in shell.refused("config", name).hint
    assert "`ragit config` lists" in shell.refused("config", "nothing.like.it").hint


def test_empty_query_is_refused_and_punctuation_has_no_hits(shell: Terminal) -> None:
    for query in ("", "  ", "\n"):
        assert "the query is empty" in shell.refused("search", query).err
    result = shell.ragit("search", "--", "->*", code=1)
    assert "no letter or digit" in result.err


def on_a_terminal(repo: GitSandbox, *arguments: str) -> list[str]:
    """Return the lines that a successful command leaves on a terminal."""
    ours, theirs = os.openpty()
    result = b""
    with subprocess.Popen(
        [RAGIT, *arguments],
        cwd=repo.path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "GIT_PAGER": "cat"},
    ) as running:
        os.close(theirs)
        with suppress(OSError):  # raised on Linux once the other end is closed
            while piece := os.read(ours, 4096):
                result += piece
    os.close(ours)
    assert running.returncode == 0
    return result.decode().split("\r\n")


terminals = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


@terminals
def test_terminal_output_ends_with_the_searched_tree(repo: GitSandbox, shell: Terminal) -> None:
    shell.ragit("index", "-q", code=0)
    *_, last, end = on_a_terminal(repo, "search", "hello")
    assert f"of HEAD (tree {repo.tree()[:10]}), " in last and end == ""


@terminals
def test_terminal_shows_a_progress_bar_while_indexing(repo: GitSandbox) -> None:
    for number in range(30):
        repo.write(f"f{number}.txt", f"word number {number}\n")
    first, bar, hit, *_ = on_a_terminal(repo, "search", "number 7")
    assert (first, "f7.txt" in hit) == ("indexing 30 files first", True)
    assert "]  1/30" in bar and "]  30/30" in bar
    assert not [line for line in on_a_terminal(repo, "search", "number 8") if "/30" in line]


def test_paths_are_utf8_in_an_ascii_locale(
    repo: GitSandbox,
) -> None:
    """In an ASCII locale Python decodes names with surrogates; a tree's paths are UTF-8 all the
    same.
    """
    repo.write("größe.bin", b"\0\1")
    repo.write("größe.py", "def widget(): ...\n")
    repo.commit()
    shell = Terminal(
        repo.path, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", PYTHONIOENCODING="utf-8"
    )
    hit = json.loads(shell.process("search", "--json", "widget", code=0).out)["results"][0]
    assert hit["path"] == "größe.py"
    skipped = json.loads(shell.process("status", "--skipped", "--json", code=0).out)[
        "skipped_files"
    ]
    assert [file["path"] for file in skipped] == ["größe.bin"]


def test_untrusted_settings_file_cannot_set_the_embedding_server(
    repo: GitSandbox, shell: Terminal
) -> None:
    """An untrusted settings file may tune, but not choose where code is sent or what is written."""
    repo.write(
        ".ragit.toml",
        '[retrieval]\ntopK = 1\n[embedding]\nprovider = "openai"\nbaseUrl = "http://127.0.0.1:9/v1"\n',
    )
    result = shell.ragit("search", "--json", "hello", code=0)
    answer = json.loads(result.out)
    assert (len(answer["results"]), answer["degraded"]) == (1, None)
    assert "ignored until `ragit trust`: embedding.provider, embedding.baseUrl" in result.err
    assert "ignored" in shell.ragit("config", code=0).out
    assert (
        "ragit trust --yes" in shell.ragit("trust", code=2).err
    )  # without a terminal, the question cannot be answered
    assert "ignored until" in shell.ragit("search", "hello", code=0).err
    shell.ragit("trust", "--yes", code=0)
    assert (
        "127.0.0.1:9"
        in json.loads(shell.ragit("search", "--json", "hello", code=0).out)["degraded"]
    )
    repo.write(".ragit.toml", (repo.path / ".ragit.toml").read_text() + "\n# changed\n")
    assert "ignored until" in shell.ragit("search", "hello", code=0).err
    shell.ragit("trust", "--yes", code=0)
    shell.ragit("trust", "--revoke", code=0)
    assert "ignored until" in shell.ragit("search", "hello", code=0).err


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_script_is_printed(shell: Terminal, name: str) -> None:
    assert "_RAGIT_COMPLETE" in shell.ragit("completion", name, code=0).out


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("ragit sea", "search"),
        ("ragit search --language pyth", "python"),
        ("ragit search --format vim", "vimgrep"),
        ("ragit search --mode key", "keyword"),
        ("ragit search --ref v1", "v1.0"),
        ("ragit -C src search --ref ma", "main"),
        ("ragit index v1", "v1.0"),
        ("ragit config retrieval.top", "retrieval.topK"),
    ],
)
def test_completion_suggests_commands_values_and_refs(
    repo: GitSandbox, shell: Terminal, typed: str, completed: str
) -> None:
    repo.tag("v1.0")
    env = {
        **shell.env,
        "_RAGIT_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    result = subprocess.run(
        [RAGIT], env=env, cwd=shell.folder, capture_output=True, text=True, check=False
    )
    assert f"plain,{completed}" in result.stdout.splitlines()


def test_progress_without_a_terminal_is_printed_every_15_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ragit.cli import progress

    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    bar, quiet = progress.Bar(quiet=False), progress.Bar(quiet=True)
    for second in range(60):
        now[0] = float(second)
        bar(second * 20, 1200)
        quiet(second * 20, 1200)
    bar(1200, 1200)
    assert capsys.readouterr().err.splitlines() == [
        "indexing: 100 of 1,200",
        "indexing: 400 of 1,200",
        "indexing: 700 of 1,200",
        "indexing: 1,000 of 1,200",
    ]


ANSWERS = [
    "search hello",
    "search --json hello",
    "status",
    "check",
    "config",
    "index",
    "gc",
    "--help",
    "--version",
    "search --help",
    "completion bash",
    "hooks uninstall",
]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("command", ANSWERS)
def test_full_output_device_is_reported_as_an_error(shell: Terminal, command: str) -> None:
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(
            [RAGIT, *command.split()],
            stdout=full,
            stderr=-1,
            env=shell.env,
            cwd=shell.folder,
            text=True,
            check=False,
        )
    assert (result.returncode, result.stderr.splitlines()[0]) == (
        2,
        "error: cannot write the answer: No space left on device",
    )


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_cause_no_traceback(shell: Terminal, closed: str) -> None:
    for command, code in (("search hello", 0), ("status", 0), ("search --ref nothing hello", 2)):
        line = f'"{RAGIT}" {command} {closed}'
        result = subprocess.run(
            line,
            shell=True,
            capture_output=True,
            env=shell.env,
            cwd=shell.folder,
            text=True,
            check=False,
        )
        assert result.returncode == code, result
        assert "Traceback" not in result.stderr
        assert ("src/a.py" in result.stdout) == (
            command == "search hello" and ">&-" not in closed.replace("2>&-", "")
        )


def test_version_and_help(shell: Terminal) -> None:
    assert shell.ragit("--version", code=0).out == f"ragit, version {ragit.__version__}\n"
    listed = shell.ragit("--help", code=0).out
    assert listed.index("  search") < listed.index("  index") < listed.index("  status")
    assert shell.ragit(
        "-C", "src", "search", "-k1", "--path", "*.py", "hello", code=0
    ).out.startswith("a.py:1\n")


def test_short_formats_leave_out_far_weaker_hits(shell: Terminal, repo: GitSandbox) -> None:
    repo.write("src/c.py", "def unrelated():\n    return 'hello'\n")
    repo.commit()
    asked = ("search", "--mode", "keyword", "hello greeting name")
    everything = json.loads(shell.ragit(*asked, "--json", code=0).out)["results"]
    for name in ("compact", "markdown"):
        kept = shell.ragit("-c", "retrieval.leastShare=0.99", *asked, "--format", name, code=0)
        weaker = len(everything) - 1
        assert f"{weaker} weaker hits are left out (retrieval.leastShare)" in kept.out + kept.err
        result = shell.ragit("-c", "retrieval.leastShare=0", *asked, "--format", name, code=0)
        assert "weaker" not in result.out + result.err
    compact = shell.ragit("-c", "retrieval.leastShare=0", *asked, "--format", "compact", code=0)
    assert len(compact.out.splitlines()) == len(everything)


def test_vimgrep_leaves_out_far_weaker_hits(shell: Terminal, repo: GitSandbox) -> None:
    """In a small repository, even unrelated chunks reach the number of hits asked for."""
    repo.write(
        "src/raw.c", "/* Leave the raw mode of the terminal. */\nvoid leave_raw_mode(void)\n{\n}\n"
    )
    repo.write("src/c.c", "int count(int c)\n{\n\treturn c;\n}\n")
    repo.write("Makefile", "all: kilo\n\nkilo: kilo.c\n\tcc -o kilo kilo.c\n")
    repo.commit()
    everything = json.loads(shell.ragit("search", "raw mode", "--json", code=0).out)["results"]
    near = [hit for hit in everything if hit["score"] >= 0.1 * everything[0]["score"]]
    assert near[0]["path"] == "src/raw.c" and len(near) < len(everything)
    listed = shell.ragit("search", "raw mode", "--format", "vimgrep", code=0)
    assert len(listed.out.splitlines()) == len(near)
    assert "left out (retrieval.leastShare)" in listed.err
    for more in (["--guess"], ["--explain"]):
        result = shell.ragit("search", "raw mode", *more, code=0)
        assert "left out" not in result.out + result.err
