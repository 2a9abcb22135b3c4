"""The table of tools: their texts for a model, and the modules that answer. Pure.

To add a tool: a row of TOOLS, and a module with `answer(workspace, arguments, call)` that returns a
Listing. Every token here is paid in every session of every client, so `tests/test_mcp_tools.py`
limits all rows together to 1,500.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ragit.records import NamedTuple

Schema = Mapping[str, object]


class Tool(NamedTuple):
    """One tool as clients list it."""

    name: str
    title: str
    description: str
    arguments: Mapping[str, Schema]
    required: tuple[str, ...]
    module: str
    """The module of this package that answers."""
    tokens: int
    """The default size of a page, at three bytes per token."""
    needs_images: bool = False
    """True if it is listed only if image descriptions are configured."""

    @property
    def schema(self) -> dict[str, object]:
        """The JSON schema of the arguments."""
        properties = {name: dict(schema) for name, schema in self.arguments.items()}
        return {
            "type": "object",
            "properties": properties,
            "required": list(self.required),
            "additionalProperties": False,
        }


def _text(description: str) -> Schema:
    return MappingProxyType({"type": "string", "description": description})


REPOSITORY = {"repository": _text("Its folder. Default: the server's.")}
REF = {"ref": _text("Default: the files as they are now.")}
PATH = {"path": _text("Only paths that match this glob, or all but !glob.")}
LANGUAGE = {"language": _text("E.g. python.")}
TREES = {
    "refs": _text("All branches and tags that match, at once, e.g. v2.*"),
    "new_in": _text("Only what a range brought: main...topic; - for this branch."),
    "gone_since": _text("Only code of this revision that is gone now."),
}
CURSOR = {"cursor": _text("The next page, from a result's last line.")}


def _max_tokens(usual: int) -> dict[str, Schema]:
    return {
        "max_tokens": MappingProxyType(
            {"type": "integer", "minimum": 100, "description": f"Default: {usual}."}
        )
    }


TOOLS: tuple[Tool, ...] = (
    Tool(
        "search_semantic",
        "Search code by meaning and words",
        "Find the places of a repository that answer a question, by meaning and by words, best"
        " first: path:lines, kind, symbol, score and the lines that answer. Use it to find where"
        " something is done when you do not know its name, or where a name is defined. Always up to"
        " date, uncommitted changes included. To list every occurrence of an exact string, use"
        " grep.",
        {
            "query": _text("A question, words, a symbol, or an error message."),
            **REPOSITORY,
            **REF,
            **TREES,
            **PATH,
            **LANGUAGE,
            **_max_tokens(1500),
            **CURSOR,
        },
        ("query",),
        "search",
        1500,
    ),
    Tool(
        "find_usages",
        "Find the usages of a name",
        "List every line that holds a name as a whole word: its definitions, then its uses by how"
        " surely they mean a definition, tests last. Each line says how it is used and inside which"
        " function. Complete, at any revision. Use it before you change or rename something.",
        {
            "name": _text("A name, such as parse_config or Config.parse."),
            **REPOSITORY,
            **REF,
            **PATH,
            **_max_tokens(2500),
            **CURSOR,
        },
        ("name",),
        "usages",
        2500,
    ),
    Tool(
        "get_file_skeleton",
        "Outline a file or folder",
        "List what a file declares, without bodies: line, signature and the first sentence of its"
        " documentation, nested. For a folder, one line for each file. Use it before you read a"
        " long file.",
        {
            "path": _text("A file or folder, from the top of the repository. Default: the top."),
            **REPOSITORY,
            **REF,
            **_max_tokens(2500),
            **CURSOR,
        },
        (),
        "skeleton",
        2500,
    ),
    Tool(
        "code_history",
        "Ask for the history of code",
        "since: the commit and first tag that brought code, its moves and earlier versions. gone:"
        " when a definition was removed, and where it stood last. diff: the definitions that a"
        " range added, removed, changed, moved or renamed; with query, the best first.",
        {
            "question": MappingProxyType({"type": "string", "enum": ["since", "gone", "diff"]}),
            "of": _text("since: PATH:LINE or a symbol; gone: a symbol; diff: A..B or A...B."),
            "query": MappingProxyType({"type": "string"}),
            **REPOSITORY,
            **REF,
            **CURSOR,
        },
        ("question",),
        "history",
        2500,
    ),
    Tool(
        "describe_image",
        "Describe an image",
        "Return the stored description of an image of the repository. Asks no model.",
        {"path": _text("The image, from the top of the repository."), **REPOSITORY, **REF},
        ("path",),
        "image",
        1500,
        needs_images=True,
    ),
)
"""All tools, in the order of listing. At most five."""

INSTRUCTIONS = (
    "ragit searches git repositories by meaning and by words, at any commit, with uncommitted"
    " changes, offline. Ask search_semantic first when you do not know where something is,"
    " find_usages for all uses of a name, get_file_skeleton before you read a long file. The last"
    " line of a result names the searched tree, says whether all of it was indexed, and holds the"
    " cursor of the next page. For an exact string or a pattern use grep."
)
"""Text about the server that a client may hand to its model."""


def tool_named(name: str) -> Tool | None:
    """Return the tool of that name; None if there is none."""
    return next((tool for tool in TOOLS if tool.name == name), None)
