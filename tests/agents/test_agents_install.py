"""Tests of installing ragit into agents: every agent, every kind of file, rejected changes, CLI."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sandbox import GitSandbox
from terminal import RAGIT, Terminal
from test_render import faults, schemas

from ragit.agents import (
    AGENTS,
    Agent,
    AgentPaths,
    Installation,
    disk,
    own_command,
    tools_of,
    write_words,
)
from ragit.agents.row import command_of, is_ours
from ragit.agents.unfit import Unfit
from ragit.cli import COMMANDS
from ragit.config import parse_toml
from ragit.errors import ConfigError
from ragit.mcp import TOOLS

PAGE = Path(__file__).parents[2] / "docs" / "agents.md"
ROWS = pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
BOTH = pytest.mark.parametrize("project", [False, True], ids=["user", "project"])
WORDS = write_words({"search": "Usage: ragit search"}, ["search_semantic"])
COMMAND = "/opt/ragit/bin/ragit"

FOLDERS = tuple(
    "CLAUDE_CONFIG_DIR CODEX_HOME COPILOT_HOME OPENCODE_CONFIG CLINE_MCP_SETTINGS_PATH APPDATA".split()
)
"""Environment variables that move the files of agents."""


@pytest.fixture
def user_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty home folder."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in FOLDERS:
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def terminal(user_home: Path, repo: GitSandbox) -> Terminal:
    repo.commit()
    return Terminal(repo.path, HOME=str(user_home))


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return content and mode of every file, folder and link."""
    return {
        str(path.relative_to(folder)): (
            str(path.readlink()).encode()
            if path.is_symlink()
            else b""
            if path.is_dir()
            else path.read_bytes(),
            path.lstat().st_mode,
        )
        for path in folder.rglob("*")
        if ".git/" not in f"{path}/"
    }


def make_installation(
    user_home: Path, top: Path | None = None, command: str = COMMAND
) -> Installation:
    return Installation(AgentPaths({"HOME": str(user_home)}, "linux", top), command, WORDS)


def install(installation: Installation, agents: list[Agent]) -> set[str]:
    """Install, and return the actions."""
    return {change.action for change in installation.apply(installation.additions(agents))}


# Every agent


@ROWS
@BOTH
def test_uninstall_restores_an_empty_home(user_home: Path, agent: Agent, project: bool) -> None:
    top = user_home / "repository" if project else None
    (user_home / "repository").mkdir()
    before = snapshot(user_home)
    installation = make_installation(user_home, top)
    assert install(installation, [agent]) == {"add"}
    once = snapshot(user_home)
    assert install(installation, [agent]) == {"keep"}
    assert snapshot(user_home) == once
    installation.apply(installation.removals([agent]))
    assert snapshot(user_home) == before


@ROWS
@BOTH
def test_uninstall_restores_existing_files(user_home: Path, agent: Agent, project: bool) -> None:
    top = user_home if project else None
    places = AgentPaths({"HOME": str(user_home)}, "linux", top)
    installation = make_installation(user_home, top)
    file, instructions = places.file(agent), places.instructions(agent)
    contents = {
        file: b'\xef\xbb\xbf{\r\n  // mine\r\n  "a": 1,\r\n}',
        instructions: b"# R\xe9gles\r\nno end",
    }
    for path in [path for path in (file, instructions) if path]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"a = 1 # mine" if path.suffix == ".toml" else contents[path])
        path.chmod(0o600)
    before = snapshot(user_home)
    assert install(installation, [agent]) == {"add"}
    assert install(installation, [agent]) == {"keep"}
    for path in [path for path in (file, instructions) if path]:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.read_bytes() != before[str(path.relative_to(user_home))][0]
    installation.apply(installation.removals([agent]))
    assert snapshot(user_home) == before


@ROWS
@BOTH
def test_entry_holds_the_command_and_follows_its_path(
    user_home: Path, agent: Agent, project: bool
) -> None:
    installation = make_installation(user_home, user_home if project else None)
    install(installation, [agent])
    (state,) = installation.states([agent])
    if project and not agent.project_files:
        assert (state.server, state.file, state.command) == ("none", "", ())
        return
    assert state.command == (COMMAND, "mcp")
    assert (state.server, state.skill) == ("installed", "installed")
    moved = make_installation(user_home, user_home if project else None, "/usr/bin/ragit")
    assert moved.states([agent])[0].server == "outdated"
    assert install(moved, [agent]) == {"update", "keep"}
    assert moved.states([agent])[0].command == ("/usr/bin/ragit", "mcp")


def test_entry_has_the_form_of_each_agent(user_home: Path) -> None:
    installation = make_installation(user_home)
    install(installation, list(AGENTS))
    entries: dict[str, Any] = {}
    for agent in AGENTS:
        file = AgentPaths({"HOME": str(user_home)}, "linux").file(agent)
        if file and file.suffix == ".json":
            entries[agent.name] = json.loads(file.read_text())
    plain = {"command": COMMAND, "args": ["mcp"]}
    assert entries["claude-code"] == {"mcpServers": {"ragit": {"type": "stdio", **plain}}}
    assert entries["cursor"] == entries["cline"] == {"mcpServers": {"ragit": plain}}
    assert entries["vscode"] == {"servers": {"ragit": {"type": "stdio", **plain}}}
    assert entries["zed"]["context_servers"]["ragit"]["source"] == "custom"
    assert entries["opencode"] == {"mcp": {"ragit": {"type": "local", "command": [COMMAND, "mcp"]}}}
    assert (user_home / ".codex" / "config.toml").read_text() == (
        "# ragit: begin, new file\n[mcp_servers.ragit]\n"
        f'command = "{COMMAND}"\nargs = ["mcp"]\n# ragit: end\n\n'
    )


def test_removing_agents_one_by_one_leaves_nothing(user_home: Path) -> None:
    installation = make_installation(user_home, user_home)
    install(installation, list(AGENTS))
    for agent in AGENTS:
        installation.apply(installation.removals([agent]))
    assert snapshot(user_home) == {}


def test_skill_shared_with_another_agent_is_kept(user_home: Path) -> None:
    codex, zed = (agent for agent in AGENTS if agent.name in ("codex", "zed"))
    installation = make_installation(user_home)
    install(installation, [codex, zed])
    steps = {step.change.part: step.change for step in installation.removals([zed])}
    assert (steps["skill"].action, steps["skill"].note) == ("keep", "Codex read it, too")
    assert steps["server"].action == steps["instructions"].action == "remove"


# Files of every kind


CLAUDE = AGENTS[0]


@pytest.mark.parametrize(
    "content", [b"{", b"", b'{"a": 1} x', b"\xff\xfe{\0}\0", b"[]", b'{"mcpServers": 1}', b"\xff"]
)
def test_unparsable_file_is_not_changed(user_home: Path, content: bytes) -> None:
    file = user_home / ".claude.json"
    file.write_bytes(content)
    installation = make_installation(user_home)
    (step,) = installation.additions([CLAUDE], ["server"])
    if not content:  # as good as no file
        assert step.change.action == "add"
        return
    assert step.change.action == "refuse"
    assert json.loads(step.change.snippet)["mcpServers"]["ragit"]["command"] == COMMAND
    installation.apply([step])
    assert file.read_bytes() == content
    assert installation.states([CLAUDE])[0].server in ("unreadable", "absent")


def test_entry_written_by_the_user_is_not_changed(user_home: Path) -> None:
    file = user_home / ".claude.json"
    text = '{"mcpServers": {"ragit": {"command": "docker", "args": ["run", "ragit"]}}}'
    file.write_text(text)
    installation = make_installation(user_home)
    (step,) = installation.additions([CLAUDE], ["server"])
    assert (step.change.action, "docker run ragit" in step.change.note) == ("refuse", True)
    assert installation.removals([CLAUDE]) == []
    assert file.read_text() == text


def test_symlink_is_followed_and_reported(user_home: Path) -> None:
    real = user_home / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text("{}")
    link = user_home / ".claude.json"
    link.symlink_to(real)
    installation = make_installation(user_home)
    before = snapshot(user_home)
    (step,) = installation.additions([CLAUDE], ["server"])
    assert step.change.note == f"a link to {real}"
    installation.apply([step])
    assert link.is_symlink()
    assert "ragit" in real.read_text()
    installation.apply(installation.removals([CLAUDE]))
    assert snapshot(user_home) == before


def test_dangling_symlink_is_rejected(user_home: Path) -> None:
    (user_home / ".claude.json").symlink_to(user_home / "gone.json")
    installation = make_installation(user_home)
    (step,) = installation.additions([CLAUDE], ["server"])
    assert (step.change.action, "leads nowhere" in step.change.note) == ("refuse", True)
    assert not (user_home / "gone.json").exists()


@pytest.mark.parametrize("link", [".mcp.json", ".claude"])
def test_symlink_out_of_the_repository_is_rejected(
    user_home: Path, repo: GitSandbox, link: str
) -> None:
    outside = user_home / "outside"
    (outside / "skills").mkdir(parents=True)
    (outside / "file").write_text("{}")
    target = outside if link == ".claude" else outside / "file"
    (repo.path / link).symlink_to(target)
    before = snapshot(user_home)
    installation = make_installation(user_home, repo.path)
    steps = installation.additions([CLAUDE], ["server" if link == ".mcp.json" else "skill"])
    assert [step.change.action for step in steps] == ["refuse"]
    assert "leads out of it" in steps[0].change.note
    installation.apply(steps)
    assert snapshot(user_home) == before


def test_read_only_file_is_rejected(user_home: Path) -> None:
    file = user_home / ".claude.json"
    file.write_text("{}")
    file.chmod(0o444)
    installation = make_installation(user_home)
    (step,) = installation.additions([CLAUDE], ["server"])
    assert (step.change.action, step.change.note) == ("refuse", "it is read-only")
    assert installation.states([CLAUDE])[0].server == "absent"


def test_folder_in_place_of_a_file_is_rejected(user_home: Path) -> None:
    (user_home / ".claude.json").mkdir()
    (step,) = make_installation(user_home).additions([CLAUDE], ["server"])
    assert (step.change.action, step.change.note) == ("refuse", "it is no file")


def test_file_changed_after_planning_is_not_written(user_home: Path) -> None:
    file = user_home / ".claude.json"
    file.write_text("{}")
    installation = make_installation(user_home)
    steps = installation.additions([CLAUDE], ["server"])
    file.write_text('{"new": 1}')
    (change,) = installation.apply(steps)
    assert (change.action, change.note) == ("refuse", "it was changed in the meantime")
    assert file.read_text() == '{"new": 1}'


def test_file_is_replaced_atomically(user_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers see the old or the new file, and a failed write leaves the old one."""
    file = user_home / "settings.json"
    file.write_text("old")
    opened = file.open()

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken, pytest.raises(Unfit, match="No space left"):
        broken.setattr(Path, "replace", full)
        disk.replace(file, "old", "new")
    assert [path.name for path in user_home.iterdir()] == ["settings.json"]
    disk.replace(file, "old", "new")
    assert (opened.read(), file.read_text()) == ("old", "new")
    opened.close()


def test_edited_skill_is_not_changed(user_home: Path) -> None:
    installation = make_installation(user_home)
    install(installation, [CLAUDE])
    skill = user_home / ".claude" / "skills" / "ragit" / "SKILL.md"
    skill.write_text(skill.read_text().replace("# Search", "# My search"))
    for steps in (installation.additions([CLAUDE], ["skill"]), installation.removals([CLAUDE])):
        (change,) = (step.change for step in steps if step.change.part == "skill")
        assert (change.action, "it was edited" in change.note) == ("refuse", True)


def test_outdated_skill_is_updated(user_home: Path) -> None:
    old = Installation(
        AgentPaths({"HOME": str(user_home)}, "linux"), COMMAND, write_words({"search": "old"}, [])
    )
    install(old, [CLAUDE])
    installation = make_installation(user_home)
    assert installation.states([CLAUDE])[0].skill == "outdated"
    assert install(installation, [CLAUDE]) == {"keep", "update"}
    assert installation.states([CLAUDE])[0].skill == "installed"


def test_environment_variables_move_the_files_of_agents(tmp_path: Path) -> None:
    environ = {name: f"/elsewhere/{name}" for name in (*FOLDERS, "HOME", "XDG_CONFIG_HOME")}
    found = {agent.name: AgentPaths(environ, "linux").file(agent) for agent in AGENTS}
    assert found["claude-code"] == Path("/elsewhere/CLAUDE_CONFIG_DIR/.claude.json")
    assert found["codex"] == Path("/elsewhere/CODEX_HOME/config.toml")
    assert found["opencode"] == Path("/elsewhere/OPENCODE_CONFIG")
    assert found["vscode"] == Path("/elsewhere/XDG_CONFIG_HOME/Code/User/mcp.json")
    assert found["cline"] == Path("/elsewhere/CLINE_MCP_SETTINGS_PATH")
    mac = {agent.name: AgentPaths({"HOME": "/u"}, "darwin").file(agent) for agent in AGENTS}
    assert mac["vscode"] == Path("/u/Library/Application Support/Code/User/mcp.json")
    windows = {agent.name: AgentPaths(environ, "win32").file(agent) for agent in AGENTS}
    assert windows["zed"] == Path("/elsewhere/APPDATA/Zed/settings.json")


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"command": "/usr/bin/ragit", "args": ["mcp"]}, True),
        ({"command": ["/usr/bin/ragit", "mcp"], "type": "local"}, True),
        ({"command": "C:\\tools\\ragit.exe", "args": ["mcp"]}, True),
        ({"command": "ragit", "args": ["mcp"]}, False),
        ({"command": "/usr/bin/ragit", "args": ["mcp", "-v"]}, False),
        ({"command": "/usr/bin/sh", "args": ["mcp"]}, False),
        ({"command": ["/usr/bin/ragit", 1]}, False),
        ({"url": "https://example.org"}, False),
        ("/usr/bin/ragit mcp", False),
        (None, False),
    ],
)
def test_entries_of_ragit_are_recognised(entry: object, expected: bool) -> None:
    assert is_ours(entry) is expected
    assert not expected or command_of(entry)[1:] == ["mcp"]


# The command


def test_own_command_is_the_running_script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert own_command() == str(RAGIT)
    link = tmp_path / "ragit"
    link.symlink_to(RAGIT)
    monkeypatch.setattr(sys, "argv", [str(link), "agents"])
    assert own_command() == str(link)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["./ragit", "agents"])
    assert own_command() == str(link)


@pytest.mark.parametrize(
    ("folder", "message"), [("uv/archive-v0/x/bin", "temporary"), ("bin", "no ragit command")]
)
def test_temporary_or_missing_command_is_rejected(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: str, message: str
) -> None:
    place = tmp_path / folder
    place.mkdir(parents=True)
    if message == "temporary":
        (place / "ragit").symlink_to(RAGIT)
    monkeypatch.setattr(sys, "executable", str(place / "python"))
    monkeypatch.setattr(sys, "argv", ["pytest"])
    with pytest.raises(ConfigError, match=message):
        own_command()


# The command line


def test_install_without_names_needs_yes(terminal: Terminal, user_home: Path) -> None:
    (user_home / ".cursor").mkdir()
    output = terminal.ragit("agents", "install", code=2)
    assert "add     server        " in output.out
    assert output.hint == "Name the agents, or add --yes: ragit agents install --yes"
    listed = terminal.ragit("agents", "install", "--dry-run", code=0).out
    assert listed == output.out
    assert [path.name for path in user_home.rglob("*")] == [".cursor"]
    done = terminal.ragit("agents", "install", "--yes", code=0).out
    output = terminal.ragit("agents", "uninstall", code=2)
    assert output.hint == "Name the agents, or add --yes: ragit agents uninstall --yes"
    assert done == f"{listed}changed 2 files; agents read them when they start\n"
    assert terminal.ragit("agents", "install", code=0).out.endswith("there is nothing to do\n")
    terminal.ragit("agents", "uninstall", code=2)
    terminal.ragit("agents", "uninstall", "-y", code=0)
    assert [path.name for path in user_home.rglob("*")] == [".cursor"]
    assert terminal.ragit("agents", "uninstall", code=0).out == "there is nothing to do\n"


def test_no_agent_and_unknown_agent_are_errors(terminal: Terminal) -> None:
    assert "no agent was found" in terminal.refused("agents", "install").err
    assert "no agent is called 'emacs'" in terminal.refused("agents", "install", "emacs").err
    terminal.refused("agents", "status", "emacs")


def test_project_install_writes_only_project_files(
    terminal: Terminal, repo: GitSandbox, user_home: Path
) -> None:
    (repo.path / "src").mkdir()
    below = Terminal(repo.path / "src", HOME=str(user_home))
    below.ragit("agents", "install", "--project", "cursor", "claude-code", code=0)
    entry = json.loads((repo.path / ".mcp.json").read_text())["mcpServers"]["ragit"]
    assert entry["command"] == str(RAGIT)
    names = {str(path.relative_to(repo.path)) for path in repo.path.rglob("*") if path.is_file()}
    assert {name for name in names if not name.startswith(".git/")} == {
        ".mcp.json",
        ".cursor/mcp.json",
        "AGENTS.md",
        "CLAUDE.md",
        ".agents/skills/ragit/SKILL.md",
        ".claude/skills/ragit/SKILL.md",
    }
    assert list(user_home.iterdir()) == []
    outside = Terminal(user_home, HOME=str(user_home))
    assert "not a git repository" in outside.refused("agents", "status", "--project").err


def test_print_writes_no_file(terminal: Terminal, user_home: Path) -> None:
    output = terminal.ragit("agents", "install", "--print", "codex", "--only", "server", code=0).out
    assert output == (
        f"{user_home}/.codex/config.toml  (Codex, server)\n"
        f'  [mcp_servers.ragit]\n  command = "{RAGIT}"\n  args = ["mcp"]\n\n'
    )
    everything = terminal.ragit("agents", "install", "--print", code=0).out
    assert all(agent.title in everything for agent in AGENTS)
    assert list(user_home.iterdir()) == []


def test_rejected_change_is_printed_with_its_snippet(terminal: Terminal, user_home: Path) -> None:
    (user_home / ".cursor").mkdir()
    (user_home / ".cursor" / "mcp.json").write_text("{")
    output = terminal.ragit("agents", "install", "cursor", code=1).out
    assert "refuse  server" in output
    assert "it is not JSON (line 1: a value is missing)" in output
    assert f'"command": "{RAGIT}"' in output
    assert "changed 1 files" in output


def test_status_as_text_and_json(terminal: Terminal, user_home: Path) -> None:
    (user_home / ".codex").mkdir()
    assert terminal.ragit("agents", "status", "codex", code=1).out.startswith(
        "codex  server absent"
    )
    terminal.ragit("agents", "install", "codex", code=0)
    terminal.ragit("agents", "status", "codex", code=0)
    rows = json.loads(terminal.ragit("agents", "status", "--json").out)
    assert [row["name"] for row in rows] == [agent.name for agent in AGENTS]
    assert not list(faults(rows, schemas()["agents"]))
    assert rows[1]["command"] == [str(RAGIT), "mcp"]


# The instructions for agents


def test_skill_quotes_the_help_of_the_commands(terminal: Terminal, user_home: Path) -> None:
    terminal.ragit("agents", "install", "claude-code", code=0)
    skill = (user_home / ".claude" / "skills" / "ragit" / "SKILL.md").read_text()
    assert re.match(r"---\nname: ragit\ndescription: >-\n(  .+\n){1,4}---\n", skill)
    sections = re.findall(r"^## ragit (\w+)\n\n```\n(.*?)\n```\n", skill, re.MULTILINE | re.DOTALL)
    assert "search" in dict(sections)
    for name, text in sections:
        printed = terminal.ragit(name, "--help", code=0).out
        left_out = set(re.findall(r"--[a-z-]+", printed)) - set(re.findall(r"--[a-z-]+", text))
        assert {"--help", "--color"} & left_out
        assert not left_out & {"--ref", "--path", "--max-tokens", "--json", "--format"}
        words = " ".join(printed.split())
        for paragraph in re.findall(r"(?:^  \S.*\n)+", text.partition("Options:")[0], re.MULTILINE):
            assert " ".join(paragraph.split()) in words
        for option, description in re.findall(
            r"^  (--[a-z-]+)[^\n]*?  +(\S.*)$", text, re.MULTILINE
        ):
            assert option in printed
            assert " ".join(description.split()[:4]) in words
    for width in ("60", "250"):
        terminal.env["COLUMNS"] = width
        assert "there is nothing to do" in terminal.ragit("agents", "install", "claude-code").out


def test_instructions_are_short_and_name_existing_tools(
    terminal: Terminal, user_home: Path
) -> None:
    terminal.ragit("agents", "install", "claude-code", code=0)
    first, *lines, last = (user_home / ".claude" / "CLAUDE.md").read_text().splitlines()[:6]
    assert (first, last) == ("<!-- ragit: begin, new file -->", "<!-- ragit: end -->")
    assert lines[0].startswith("If this is a git repository")
    text = " ".join(lines)
    assert len(text) < 600
    assert set(re.findall(r"`ragit (\w+)", text)) <= COMMANDS.keys()
    tools = [tool.name for tool in TOOLS if not tool.needs_images]
    assert all(f"`{name}`" in text for name in tools)
    assert re.findall(r"`(\w+_\w+)`", text) == tools


def test_docs_page_lists_every_agent_and_its_source() -> None:
    text = PAGE.read_text("utf-8")
    for agent in AGENTS:
        assert f"| `{agent.name}` | {agent.title} |" in text
        assert agent.page in text


@pytest.fixture(autouse=True)
def no_temporary_files(user_home: Path) -> Iterator[None]:
    """Fail if a temporary file is left."""
    yield
    assert not list(user_home.rglob("*.ragit-*"))


def test_installed_entry_starts_a_server_without_path(terminal: Terminal, user_home: Path) -> None:
    """Start the entry with an empty PATH, as an agent not started from a shell does."""
    names = [agent.name for agent in AGENTS]
    terminal.ragit("agents", "install", *names, "--only", "server", code=0)
    lines = set()
    for agent in AGENTS:
        file = AgentPaths({"HOME": str(user_home)}, sys.platform).file(agent)
        assert file is not None
        text = file.read_text()
        data = json.loads(text) if file.suffix == ".json" else parse_toml(text, file.name)
        for key in (*agent.keys[-1], "ragit"):
            data = data[key]
        lines.add(tuple(command_of(data)))
    assert lines == {(str(RAGIT), "mcp")}  # the entries are equal: one start tests all
    assert "search_semantic" in tools_of(lines.pop(), os.environ)
