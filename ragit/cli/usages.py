"""The command `ragit usages`."""

from __future__ import annotations

from typing import Any

from ragit.cli.call import Call
from ragit.cli.declare import WholeNumber, argument, command, flag, option
from ragit.cli.indexing import telling
from ragit.cli.reading import reading_options, start_for, take_tree
from ragit.errors import ConfigError

_RELATIONS = ("callers", "callees", "overrides")


@command(short_help="List all places that use a name.")
@argument("name", required=True)
@flag("--callers", help="List the definitions that call NAME.")
@flag("--callees", help="List what the definition of NAME calls.")
@flag("--overrides", help="List the methods of that name in related types.")
@option(
    "--path",
    "paths",
    default=(),
    repeatable=True,
    metavar="GLOB",
    help="Only in paths that match GLOB, or all but those that match !GLOB. May be repeated.",
)
@reading_options
@option(
    "-k",
    "--top-k",
    kind=WholeNumber(1),
    default=100,
    show_default=True,
    metavar="N",
    help="Show N lines.",
)
@option("--page", kind=WholeNumber(1), default=1, metavar="P", help="Show the Pth N lines.")
def usages(call: Call, /, name: str, color: str, **options: Any) -> int:
    """List all places that use NAME: a function, type, method or variable.

    Lists all lines of indexed text that contain NAME as a whole word: its definitions, then the
    others, each with the rule that links it to a definition, those of tests last. Exit status: 0
    some, 1 none, 2 error.

    \b
    Examples:
      ragit usages commit_offset
      ragit usages --callers KafkaConsumer.poll
      ragit usages --ref v1.2 --path 'src/*.py' --json Session
    """
    options["relation"] = _relation(options)
    tree = take_tree(options)
    early = start_for(call, tree)
    from ragit.cli.shared import open_index, print_lines, render_options, tell
    from ragit.render import usages as shown

    with open_index(call, early) as index:
        show = shown.format_named(options.pop("format_name"))
        found = index.usages(name, on_index=telling(call), **tree, **options)
        style = render_options({"color": color}, index)
    print_lines(show(found, style), page=show is shown.text)
    for line in shown.notes(found):
        tell(line)
    return 0 if found.total or found.definitions else 1


def _relation(options: dict[str, Any]) -> str:
    """Remove the relation from the options, and return it. Raises ConfigError if there are
    several.
    """
    given = [name for name in _RELATIONS if options.pop(name)]
    if len(given) > 1:
        raise ConfigError(f"both --{' and --'.join(given)} are asked for", "Ask for one of them")
    return given[0] if given else "uses"
