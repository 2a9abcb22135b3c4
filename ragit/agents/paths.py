"""Finds the files of agents: of a user, or of a repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ragit.agents.row import NAME, Agent
from ragit.errors import NotARepository
from ragit.git import Repo


class AgentPaths:
    """The paths of agents' files for one user, and for a repository if given."""

    def __init__(self, environ: Mapping[str, str], platform: str, top: Path | None = None) -> None:
        """With `top`, the top of a repository's working tree, paths are those of the project."""
        self._roots = _roots(environ, platform)
        self.home = Path(self._roots["home"])
        self.top = top

    def is_there(self, agent: Agent) -> bool:
        """Return whether an agent was used, by its files."""
        return any(self._path(path).exists() for path in agent.found)

    def file(self, agent: Agent) -> Path | None:
        """Return the file of servers: the first that exists, else the first; None without one."""
        files = self.files(agent)
        existing = [file for file in files if file.exists()]
        return next(iter(existing or files), None)

    def files(self, agent: Agent) -> list[Path]:
        """Return all files that may hold an agent's servers."""
        return self._paths(agent.project_files if self.top else agent.files)

    def instructions(self, agent: Agent) -> Path | None:
        """Return the file of instructions; None if the agent has none."""
        return self._first(agent.project_instructions if self.top else agent.instructions)

    def skill(self, agent: Agent) -> Path | None:
        """Return the file of ragit's skill; None if the agent has no skills."""
        folder = self._first(agent.project_skills if self.top else agent.skills)
        return folder / NAME / "SKILL.md" if folder else None

    def _first(self, path: str) -> Path | None:
        return next(iter(self._paths([path] if path else [])), None)

    def _paths(self, paths: Sequence[str]) -> list[Path]:
        if self.top is not None:
            return [self.top / path for path in paths]
        return [self._path(path) for path in paths]

    def _path(self, path: str) -> Path:
        return Path(path.format(**self._roots))


def project_top(directory: Path | str) -> Path:
    """Return the top of the working tree around a folder. Raises NotARepository."""
    with Repo.open(directory) as repo:
        if repo.top is None:
            raise NotARepository(
                "a bare repository has no files for agents", "Go without --project, or to a clone"
            )
        return repo.top


def _roots(environ: Mapping[str, str], platform: str) -> dict[str, str]:
    """Return the roots of paths in rows, by name."""
    home = environ.get("HOME") or environ.get("USERPROFILE") or str(Path.home())
    config = environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    roaming = environ.get("APPDATA") or f"{home}/AppData/Roaming"
    claude = environ.get("CLAUDE_CONFIG_DIR")
    support = {"darwin": f"{home}/Library/Application Support", "win32": roaming}
    return {
        "home": home,
        "config": config,
        "claude": claude or f"{home}/.claude",
        "claude_file": f"{claude or home}/.claude.json",
        "codex": environ.get("CODEX_HOME") or f"{home}/.codex",
        "copilot": environ.get("COPILOT_HOME") or f"{home}/.copilot",
        "code": f"{support.get(platform, config)}/Code/User",
        "zed": f"{roaming}/Zed" if platform == "win32" else f"{config}/zed",
        "opencode_file": environ.get("OPENCODE_CONFIG") or f"{config}/opencode/opencode.json",
        "cline_file": environ.get("CLINE_MCP_SETTINGS_PATH")
        or f"{home}/.cline/data/settings/cline_mcp_settings.json",
    }
