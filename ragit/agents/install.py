"""Plans the changes in agents' files, and applies them.

Planning only reads. There is one step for each file, since several agents share some.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ragit.agents import disk
from ragit.agents.parts import ABSENT, Instructions, Part, Server, Skill
from ragit.agents.paths import AgentPaths
from ragit.agents.row import Agent
from ragit.agents.table import AGENTS
from ragit.agents.unfit import Unfit
from ragit.agents.words import Words
from ragit.records import NamedTuple, replaced
from ragit.reports import AgentChange, AgentStatus

PARTS = ("server", "instructions", "skill")
"""Parts of an installation into an agent."""

NONE, UNREADABLE = "none", "unreadable"


class Step(NamedTuple):
    """A planned change of one file."""

    change: AgentChange
    before: str | None = None
    after: str | None = None

    @property
    def is_open(self) -> bool:
        """Return whether there is something to write or remove."""
        return self.change.action in ("add", "update", "remove")


class _Target(NamedTuple):
    agent: Agent
    part: Part
    path: Path


class Installation:
    """ragit in the agents of a user, or of a repository."""

    def __init__(self, paths: AgentPaths, command: str, words: Words) -> None:
        """`command` is the absolute path for agents to start."""
        self._paths = paths
        self._command = command
        self._words = words

    def found(self) -> list[Agent]:
        """Return the agents that are installed."""
        return [agent for agent in AGENTS if self._paths.is_there(agent)]

    def additions(self, agents: Iterable[Agent], parts: Sequence[str] = PARTS) -> list[Step]:
        """Return the steps that install parts into agents."""
        targets = [
            one for agent in agents for one in self._targets(agent) if one.part.name in parts
        ]
        return [self._addition(group) for group in _by_file(targets)]

    def removals(self, agents: Sequence[Agent]) -> list[Step]:
        """Return the steps that remove all of ragit's parts from agents.

        A file of instructions or a skill that another agent with ragit's server reads is kept.
        """
        targets = [one for agent in agents for one in self._existing(agent)]
        others = [agent for agent in AGENTS if agent not in agents]
        steps = [self._removal(group, others) for group in _by_file(targets)]
        return [step for step in steps if step is not None]

    def snippets(self, agents: Iterable[Agent], parts: Sequence[str] = PARTS) -> list[AgentChange]:
        """Return the text to add by hand, and where. Reads no file."""
        groups = self._wanted(agents, parts)
        return [_change(group, "add", snippet=group[0].part.snippet()) for group in groups]

    def states(self, agents: Iterable[Agent] = AGENTS) -> list[AgentStatus]:
        """Return the installed parts of each agent."""
        return [self._status(agent) for agent in agents]

    def apply(self, steps: Iterable[Step]) -> list[AgentChange]:
        """Apply all steps, and return the result of each; one that fails is refused."""
        return [self._applied(step) for step in steps]

    # Targets

    def _wanted(self, agents: Iterable[Agent], parts: Sequence[str]) -> list[list[_Target]]:
        targets = [one for agent in agents for one in self._targets(agent)]
        return _by_file(one for one in targets if one.part.name in parts)

    def _targets(self, agent: Agent) -> Iterator[_Target]:
        """Yield the parts of an agent, each with its file."""
        paths = self._paths
        if file := paths.file(agent):
            yield self._server(agent, file)
        if path := paths.instructions(agent):
            yield _Target(agent, Instructions(self._words.instructions), path)
        if path := paths.skill(agent):
            yield _Target(agent, Skill(self._words.skill), path)

    def _existing(self, agent: Agent) -> list[_Target]:
        """Return the parts of an agent with each existing file that may contain one."""
        others = [one for one in self._targets(agent) if not isinstance(one.part, Server)]
        servers = [self._server(agent, file) for file in self._paths.files(agent)]
        return [one for one in [*servers, *others] if os.path.lexists(one.path)]

    def _server(self, agent: Agent, file: Path) -> _Target:
        project, toml = self._paths.top is not None, file.suffix == ".toml"
        return _Target(agent, Server(agent, self._command, toml=toml, project=project), file)

    def _read(self, target: _Target) -> str | None:
        return disk.read(target.path, self._paths.top)

    # Steps

    def _addition(self, group: Sequence[_Target]) -> Step:
        part, path = group[0].part, group[0].path
        try:
            before = self._read(group[0])
            if before is None:
                return Step(_change(group, "add"), None, disk.with_folders(part.new_file(), path))
            after = part.added(before)
            if after == before:
                return Step(_change(group, "keep", "it is there"))
            disk.check_writable(path)
            action = "add" if part.state(before) == ABSENT else "update"
            return Step(_change(group, action, disk.link_note(path)), before, after)
        except Unfit as error:
            return Step(_change(group, "refuse", str(error), part.snippet()))

    def _removal(self, group: Sequence[_Target], others: Sequence[Agent]) -> Step | None:
        part, path = group[0].part, group[0].path
        try:
            before = self._read(group[0])
            if before is None or part.state(before) == ABSENT:
                return None
            if users := self._users(group[0], others):
                return Step(_change(group, "keep", f"{', '.join(users)} read it, too"))
            disk.check_writable(path)
            return Step(
                _change(group, "remove", disk.link_note(path)), before, part.removed(before)
            )
        except Unfit as error:
            return Step(_change(group, "refuse", str(error)))

    def _users(self, target: _Target, others: Sequence[Agent]) -> list[str]:
        """Return the titles of other agents that have ragit's server and read the same file."""
        if isinstance(target.part, Server):
            return []
        mine = self._paths.files(target.agent)
        return [
            agent.title
            for agent in others
            if any(one.path == target.path for one in self._targets(agent))
            and self._paths.file(agent) not in mine
            and self._has_server(agent)
        ]

    def _has_server(self, agent: Agent) -> bool:
        file = self._paths.file(agent)
        return file is not None and bool(self._command_line(self._server(agent, file)))

    def _applied(self, step: Step) -> AgentChange:
        if not step.is_open:
            return step.change
        try:
            disk.replace(Path(step.change.file), step.before, step.after)
        except Unfit as error:
            return replaced(step.change, action="refuse", note=str(error))
        return step.change

    # Status

    def _status(self, agent: Agent) -> AgentStatus:
        file = self._paths.file(agent)
        target = self._server(agent, file) if file else None
        server, note = self._state(target)
        states = {one.part.name: self._state(one)[0] for one in self._targets(agent)}
        return AgentStatus(
            name=agent.name,
            title=agent.title,
            found=self._paths.is_there(agent),
            file=str(file or ""),
            server=server,
            command=self._command_line(target),
            note=note,
            instructions=states.get("instructions", NONE),
            skill=states.get("skill", NONE),
        )

    def _state(self, target: _Target | None) -> tuple[str, str]:
        """Return the state of a part, and why its file is unreadable."""
        if target is None:
            return NONE, ""
        try:
            text = self._read(target)
            return (ABSENT if text is None else target.part.state(text)), ""
        except Unfit as error:
            return UNREADABLE, str(error)

    def _command_line(self, target: _Target | None) -> tuple[str, ...]:
        """Return the command line in ragit's entry; empty without one."""
        if target is None or not isinstance(target.part, Server):
            return ()
        try:
            return target.part.command(self._read(target) or "")
        except Unfit:
            return ()


def _by_file(targets: Iterable[_Target]) -> list[list[_Target]]:
    """Group the targets by file, in the order of the first."""
    groups: dict[Path, list[_Target]] = {}
    for target in targets:
        groups.setdefault(target.path, []).append(target)
    return list(groups.values())


def _change(
    group: Sequence[_Target], action: str, note: str = "", snippet: str = ""
) -> AgentChange:
    titles = tuple(dict.fromkeys(one.agent.title for one in group))
    return AgentChange(titles, group[0].part.name, str(group[0].path), action, note, snippet)
