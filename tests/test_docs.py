"""Tests that documentation agrees with the code: commands, links, the block that CI runs, and a
page for every command, exit code, format, signal and language.

`python tests/test_docs.py` updates the table of languages.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import ragit
from ragit.__main__ import EXIT_BUG, EXIT_ERROR, EXIT_INTERRUPT
from ragit.chunk import languages
from ragit.chunk.names import require
from ragit.chunk.readers import _RULES
from ragit.chunk.row import Language
from ragit.cli import COMMANDS, cli
from ragit.config import KNOBS, TomlFile, load
from ragit.errors import RagitError
from ragit.rank import SIGNAL_NAMES
from ragit.render import FORMATS

TOP = Path(__file__).parents[1]
README = TOP / "README.md"
ARCHITECTURE = TOP / "docs" / "architecture.md"
LANGUAGES = TOP / "docs" / "languages.md"
PAGES = sorted([TOP / "README.md", *(TOP / "docs").glob("**/*.md")])


def commands(group: click.Group, name: str = "ragit") -> dict[str, click.Command]:
    """Return all commands by their words, groups included."""
    found: dict[str, click.Command] = {name: group}
    context = click.Context(group)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        assert command is not None
        if isinstance(command, click.Group):
            found |= commands(command, f"{name} {word}")
        else:
            found[f"{name} {word}"] = command
    return found


ALL = commands(cli)


@pytest.mark.parametrize("name", ALL)
def test_every_command_has_a_summary_example_and_option_help(name: str) -> None:
    command = ALL[name]
    assert command.help
    assert isinstance(command, click.Group) or re.search(r"\bExamples?:", command.help), (
        f"{name} shows no example"
    )
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts[0]} has no help"


def test_command_summaries_fit_into_80_columns() -> None:
    for name in ("", "agents", "hooks"):
        listed = CliRunner().invoke(cli, [*name.split(), "--help"], terminal_width=80).output
        assert "..." not in listed.partition("Commands:")[2]


@pytest.mark.parametrize("name", ALL)
def test_examples_in_help_parse(name: str) -> None:
    for line in re.findall(r"^\s+((?:git )?ragit .+)$", ALL[name].help or "", re.MULTILINE):
        assert_parses(line)


def assert_parses(line: str) -> None:
    """Fail unless a line of shell parses: the command, its options and its arguments exist."""
    typed = shlex.split(re.split(r"[|)]| > ", line)[0].replace('"$(', ""), comments=True)
    words = typed[typed.index("ragit") + 1 :]
    while words[:1] in (["-C"], ["-c"]):
        words = words[2:]
    if words[:1] in ([], ["--version"], ["--help"]):
        return
    name = max(
        (known for known in ALL if f"ragit {' '.join(words)} ".startswith(f"{known} ")), key=len
    )
    command = ALL[name]
    assert not isinstance(command, click.Group), line
    command.make_context(name, words[len(name.split()) - 1 :])


def shell_lines(page: Path) -> list[str]:
    """Return the lines to type: in console blocks after `$ `, in sh blocks all of them."""
    lines: list[str] = []
    for kind, block in re.findall(
        r"^```(console|sh|bash)\n(.*?)^```",
        page.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    ):
        typed = block.splitlines()
        lines += (
            [line[2:] for line in typed if line.startswith("$ ")] if kind == "console" else typed
        )
    return lines


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_documentation_parse(page: Path) -> None:
    for line in shell_lines(page):
        for part in re.split(r"&&|\|\||;", line):
            if re.match(r"\s*(git )?ragit ", part):
                assert_parses(part.strip())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_in_documentation_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_settings_in_documentation_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"git config (?:--\w+ )?ragit\.([A-Za-z]+(?:\.[A-Za-z]+)*)", text):
        assert name in KNOBS or name.rsplit(".", 1)[0] in KNOBS, f"{page.name}: {name}"
    variables = {knob.variable for knob in KNOBS.values()}
    for name in re.findall(r"\bRAGIT_[A-Z_]+", text):
        assert any(name.startswith(variable) for variable in variables), f"{page.name}: {name}"


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != "eval.md"], ids=lambda page: page.name
)
def test_settings_files_in_documentation_load(page: Path) -> None:
    """The blocks of eval.md are of a file of judgements."""
    for block in re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL):
        load(
            TomlFile(block.encode(), trusted=True),
            signal_names=lambda: SIGNAL_NAMES,
            languages=languages,
        )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_module_has_a_command(name: str) -> None:
    assert f"ragit {name}" in ALL or any(typed.startswith(f"ragit {name} ") for typed in ALL)


def test_ci_runs_the_commands_of_the_readme() -> None:
    text = (TOP / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(
        r"<!-- developer: begin -->\n```sh\n(.*?)```\n<!-- developer: end -->", text, re.DOTALL
    )
    assert "pip install -e '.[dev]'" in block
    assert block.rstrip().endswith("pytest")
    script = TOP / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "<!-- developer: begin -->" in script.read_text(encoding="utf-8")


def test_documentation_contains_no_machine_path() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"/(?:root|work|tmp)/\w", text), page.name


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def first_cells(page: Path, head: str) -> list[str]:
    """Return the code in the first column of the table whose head begins with `head`."""
    (table,) = re.findall(
        rf"^\| {head} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text_of(page), re.MULTILINE
    )
    return [
        name
        for row in table.splitlines()
        for name in re.findall(r"`([^`]+)`", row.split("|")[1]) or [row.split("|")[1].strip()]
    ]


def test_every_command_has_a_row_in_the_readme() -> None:
    rows = {
        " ".join(re.findall(r"[a-z]+", cell.partition("[")[0]))
        for cell in first_cells(README, "command")
    }
    assert rows == {name for name, command in ALL.items() if not isinstance(command, click.Group)}


def test_every_exit_code_is_documented() -> None:
    codes = {"0", "1", *map(str, (EXIT_ERROR, EXIT_BUG, EXIT_INTERRUPT))}
    assert set(first_cells(ARCHITECTURE, "exit code")) == codes
    (result,) = re.findall(r"^Exit status: .*(?:\n.+)*", text_of(README), re.MULTILINE)
    assert set(re.findall(r"\d+", result)) == codes


def test_every_output_format_is_documented() -> None:
    assert first_cells(ARCHITECTURE, "format") == list(FORMATS)
    assert all(f"`{name}`" in text_of(README) for name in FORMATS)


def test_every_top_level_module_is_documented() -> None:
    files = {file.stem for file in (TOP / "ragit").glob("*.py")}
    assert sorted(first_cells(ARCHITECTURE, "files of `ragit/`")) == sorted(files - {"__init__"})


def test_every_signal_is_documented_once() -> None:
    assert first_cells(ARCHITECTURE, "signal") == list(
        dict.fromkeys(first_cells(ARCHITECTURE, "signal"))
    )
    assert set(first_cells(ARCHITECTURE, "signal")) == set(SIGNAL_NAMES)


def test_every_table_of_the_store_is_documented(tmp_path: Path) -> None:
    from ragit.store import Store

    with Store(tmp_path / "index.db", writable=True) as store:
        store.add_embedder("one", 8)
        found = {
            name
            for (name,) in store._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
    made = {name for name in found if not re.match(r"sqlite_|term_", name)}
    assert {name.replace("_1", "_N") for name in made} == set(first_cells(ARCHITECTURE, "table"))


_BEGIN, _END = (
    "<!-- languages: made by `python tests/test_docs.py`; a test compares -->",
    "<!-- end -->",
)


def chunked_by(row: Language) -> str:
    if row.reader == "document":
        return "document"
    if row.name == "image":
        return "described, if you let a model"
    if row.grammar:
        return f"grammar `{row.grammar}`"
    if row.name == "auto" or row.reader not in {"none", *_RULES}:
        return "detected by content"
    return {"none": "skipped", "lines": "lines"}.get(row.reader, "rules")


def language_table() -> str:
    """Return the rows of the table of languages."""
    lines = ["| name | files | cut by |", "|---|---|---|"]
    for name in sorted(languages()):
        row = require(name)
        files = ", ".join(f"`{word}`" for word in row.files.split()) or "all other files"
        lines.append(f"| `{name}` | {files} | {chunked_by(row)} |")
    return "\n".join(lines) + "\n"


def test_every_language_is_documented() -> None:
    assert f"{_BEGIN}\n{language_table()}{_END}" in text_of(LANGUAGES), (
        "python tests/test_docs.py brings it up to date"
    )


def test_readme_names_every_parsed_language() -> None:
    readme = text_of(README)
    (section,) = re.findall(r"^## Languages\n(.*?)^## Commands", readme, re.MULTILINE | re.DOTALL)
    result = re.sub(
        r"[^a-z#+ ]",
        "",
        section.lower().replace("c++", "cpp").replace("c#", "csharp").replace("\n", " "),
    )
    spelt = {
        "tsx": "typescript",
        "ocaml_interface": "ocaml",
        "sln": "visual studio",
        "h": "cpp",
        "auto": "text",
    }
    for name in languages():
        if require(name).reader != "none":
            assert spelt.get(name, name) in result, name


def test_readme_is_short_and_begins_with_a_session() -> None:
    lines = text_of(README).splitlines()
    assert len(lines) <= 200
    assert "$ ragit search" in "\n".join(lines[:12])


def test_public_names_are_sorted_and_complete() -> None:
    assert ragit.__all__ == sorted(ragit.__all__)
    defined = {name for name in vars(ragit) if not name.startswith("_") and name != "annotations"}
    imported = {"Mapping", "Path", "TYPE_CHECKING"}
    rooms = {path.stem for path in (TOP / "ragit").iterdir()}
    assert set(ragit.__all__) == (defined - imported - rooms) | {"__version__"}


def test_error_tree_in_the_docstring_is_complete() -> None:
    import ragit.errors as room

    drawn = re.findall(r"[├└]── (\w+)", room.__doc__ or "")
    made = [
        one.__name__
        for one in vars(room).values()
        if isinstance(one, type) and issubclass(one, RagitError)
    ]
    assert sorted(drawn) == sorted(name for name in made if name != "RagitError")


if __name__ == "__main__":
    page = LANGUAGES.read_text(encoding="utf-8")
    made = f"{_BEGIN}\n{language_table()}{_END}"
    LANGUAGES.write_text(
        re.sub(re.escape(_BEGIN) + ".*?" + re.escape(_END), lambda _: made, page, flags=re.DOTALL),
        "utf-8",
    )
