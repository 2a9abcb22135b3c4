"""The command `ragit context`."""

from __future__ import annotations

import sys
from typing import Any

from ragit.cli.call import Call
from ragit.cli.declare import WholeNumber, argument, command, flag, option
from ragit.cli.indexing import telling
from ragit.cli.reading import reading_options, start_for, take_tree
from ragit.errors import ConfigError


@command(short_help="Gather what code at a line needs to know of other files.")
@argument("place", metavar="PATH:LINE", required=True)
@reading_options
@flag("--stdin", help="Read the unsaved text of the file from standard input.")
@option(
    "--max-tokens",
    kind=WholeNumber(1),
    default=1200,
    show_default=True,
    metavar="N",
    help="Print about N tokens at most.",
)
def context(call: Call, /, place: str, stdin: bool, max_tokens: int, **options: Any) -> int:
    """Gather context for a model that completes code at LINE of PATH.

    Prints declarations in other files of names that the lines around it use or the file imports,
    then code that shares rare words with these lines. Uses neither vectors nor a server. Exit
    status: 0 some, 1 none, 2 error.

    \b
    Examples:
      ragit context src/session.py:120
      cat unsaved.py | ragit context --stdin --max-tokens 600 src/session.py:120
    """
    path, line = _place(place)
    tree = take_tree(options)
    early = start_for(call, tree)
    text = sys.stdin.buffer.read().decode("utf-8", "replace") if stdin else None
    from ragit.cli.shared import open_index, print_lines, render_options, tell
    from ragit.render import contexts

    with open_index(call, early) as index:
        show = contexts.format_named(options.pop("format_name"))
        found = index.context(
            path, line, text, max_tokens=max_tokens, on_index=telling(call), **tree
        )
        style = render_options(options, index)
    print_lines(show(found, style), page=show is contexts.text)
    for note in contexts.notes(found):
        tell(note)
    return 0 if found.signatures or found.similar else 1


def _place(text: str) -> tuple[str, int]:
    path, _, line = text.rpartition(":")
    if not path or not line.isdecimal():
        raise ConfigError(f"{text!r} is not PATH:LINE", "For example: ragit context src/a.py:12")
    return path, int(line)
