"""Installs ragit into coding agents: its server's entry, lines of instructions, and a skill.

`table.py` has a row for each agent. Files are edited by insertions that can be removed exactly. A
file that cannot be parsed, or where anything else would change, is not touched.
"""

from __future__ import annotations

from ragit.agents.command import own_command
from ragit.agents.discovery import Silent, tools_of
from ragit.agents.install import PARTS, Installation, Step
from ragit.agents.paths import AgentPaths, project_top
from ragit.agents.row import Agent
from ragit.agents.table import AGENTS
from ragit.agents.words import Words, write_words
