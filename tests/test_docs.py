"""Documentation that cannot drift: commands that exist, links that lead somewhere, the block that CI runs."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import click
import pytest

from ragit.cli import COMMANDS, cli
from ragit.config import KNOBS

TOP = Path(__file__).parents[1]
PAGES = sorted([TOP / "README.md", *(TOP / "docs").glob("**/*.md")])


def commands(group: click.Group, name: str = "ragit") -> dict[str, click.Command]:
    """All commands by the words one types, groups included."""
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
def test_every_command_has_a_summary_an_example_and_helped_options(name: str) -> None:
    command = ALL[name]
    assert command.help
    assert isinstance(command, click.Group) or re.search(r"\bExamples?:", command.help), f"{name} shows no example"
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts[0]} has no help"


@pytest.mark.parametrize("name", ALL)
def test_examples_in_help_are_commands_that_parse(name: str) -> None:
    for line in re.findall(r"^\s+((?:git )?ragit .+)$", ALL[name].help or "", re.MULTILINE):
        parses(line)


def parses(line: str) -> None:
    """Fail unless a line of shell would be taken: the command, its options and its arguments exist."""
    typed = shlex.split(re.split(r"[|)]| > ", line)[0].replace('"$(', ""), comments=True)
    words = typed[typed.index("ragit") + 1 :]
    while words[:1] in (["-C"], ["-c"]):
        words = words[2:]
    if words[:1] in ([], ["--version"], ["--help"]):
        return
    name = max((known for known in ALL if f"ragit {' '.join(words)} ".startswith(f"{known} ")), key=len)
    command = ALL[name]
    assert not isinstance(command, click.Group), line
    command.make_context(name, words[len(name.split()) - 1 :])


def shell_lines(page: Path) -> list[str]:
    """Lines that a reader would type: in console blocks after `$ `, in sh blocks all of them."""
    lines: list[str] = []
    for kind, block in re.findall(
        r"^```(console|sh|bash)\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    ):
        typed = block.splitlines()
        lines += [line[2:] for line in typed if line.startswith("$ ")] if kind == "console" else typed
    return lines


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_on_a_page_parse(page: Path) -> None:
    for line in shell_lines(page):
        for part in re.split(r"&&|\|\||;", line):
            if re.match(r"\s*(git )?ragit ", part):
                parses(part.strip())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_settings_on_a_page_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"git config (?:--\w+ )?ragit\.([A-Za-z]+(?:\.[A-Za-z]+)*)", text):
        assert name in KNOBS or name.rsplit(".", 1)[0] in KNOBS, f"{page.name}: {name}"
    variables = {knob.variable for knob in KNOBS.values()}
    for name in re.findall(r"\bRAGIT_[A-Z_]+", text):
        assert any(name.startswith(variable) for variable in variables), f"{page.name}: {name}"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_its_name(name: str) -> None:
    assert f"ragit {name}" in ALL or any(typed.startswith(f"ragit {name} ") for typed in ALL)


def test_ci_runs_what_the_readme_says() -> None:
    text = (TOP / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"<!-- developer: begin -->\n```sh\n(.*?)```\n<!-- developer: end -->", text, re.DOTALL)
    assert "pip install -e '.[dev]'" in block
    assert block.rstrip().endswith("pytest")
    script = TOP / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "<!-- developer: begin -->" in script.read_text(encoding="utf-8")


def test_nothing_names_a_machine() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"/(?:root|work|tmp)/\w", text), page.name
