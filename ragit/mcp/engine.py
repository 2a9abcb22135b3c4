"""Run the tools, and keep their results for the next pages.

A page continues the kept list. If that is gone, the same list is computed again from the tree in
the cursor, which works as long as git has the tree.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from ragit.errors import ConfigError, NotARepository, RagitError, UnknownRevision
from ragit.mcp.arguments import Arguments, checked
from ragit.mcp.call import Call
from ragit.mcp.listing import Cursor, Listing, page, parsed, size_of, start
from ragit.mcp.tools import Tool
from ragit.mcp.workspace import Workspace, Workspaces

_KEPT = 64
"""Number of lists kept for their next pages."""


class _Answers(Protocol):
    def __call__(self, workspace: Workspace, arguments: Arguments, call: Call, /) -> Listing: ...


class Engine:
    """The tools of one server. Calls of one repository take turns, others run in parallel."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self._workspaces = Workspaces(folder, environ)
        self._lists: OrderedDict[tuple[Path, str, str], Listing] = OrderedDict()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close all repositories. Running calls continue."""
        self._workspaces.close()

    def run(self, tool: Tool, given: Mapping[str, object], call: Call) -> str:
        """Return the text of a tool's answer. Raises RagitError and Cancelled."""
        arguments = checked(tool, given)
        size = size_of(cast("int | None", arguments.get("max_tokens")), tool.tokens)
        repository = arguments.get("repository")
        try:
            workspace = self._workspaces.named(None if repository is None else str(repository))
            if "cursor" in arguments:
                cursor = parsed(str(arguments["cursor"]))
                return page(self._continued(tool, workspace, arguments, cursor, call), cursor, size)
            found = _answers(tool)(workspace, arguments, call)
        except NotARepository as error:
            raise NotARepository(error.message, _pass_repository(error)) from error
        first = start(found, tool.name, arguments)
        self._keep(workspace, first, found)
        return page(found, first, size)

    def _continued(
        self, tool: Tool, workspace: Workspace, arguments: Arguments, cursor: Cursor, call: Call
    ) -> Listing:
        """Return the list that a cursor continues. Raises ConfigError if it is unavailable."""
        with self._lock:
            found = self._lists.get((workspace.folder, cursor.tree, cursor.asked))
        if found is None:
            asked = {name: arguments[name] for name in arguments if name != "cursor"}
            try:
                found = _answers(tool)(workspace, {**asked, "ref": cursor.tree}, call)
            except UnknownRevision as error:
                raise ConfigError(
                    f"there is no tree {cursor.tree} here any more, which this cursor is of",
                    "Leave the cursor out to ask again",
                ) from error
        if start(found, tool.name, arguments)[:2] != cursor[:2]:
            raise ConfigError(
                "this cursor continues no result of this call",
                "Repeat all arguments as they were, or leave the cursor out to ask again",
            )
        return found

    def _keep(self, workspace: Workspace, first: Cursor, found: Listing) -> None:
        with self._lock:
            self._lists[workspace.folder, first.tree, first.asked] = found
            if len(self._lists) > _KEPT:
                self._lists.popitem(last=False)


def _answers(tool: Tool) -> _Answers:
    return cast(_Answers, import_module(f"ragit.mcp.{tool.module}").answer)


def _pass_repository(error: RagitError) -> str:
    """Return a hint for a call outside of any repository."""
    return "Pass repository: the absolute path of a folder in a git repository. " + error.hint
