"""The commands `ragit skeleton`, `ragit show` and `ragit map`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ragit.cli.call import Call
from ragit.cli.declare import WholeNumber, argument, command, flag, option
from ragit.cli.indexing import telling
from ragit.cli.reading import reading_options, start_for, take_tree

if TYPE_CHECKING:
    from ragit.outlines import Outline
    from ragit.repository import Ragit


def print_read(
    call: Call, options: dict[str, Any], ask: Callable[[Ragit, dict[str, Any]], Outline]
) -> int:
    """Call the opened repository with the options that name a tree, and print the answer."""
    tree = take_tree(options)
    early = start_for(call, tree)
    from ragit.cli.shared import open_index, print_lines, render_options, tell
    from ragit.render import outlines

    with open_index(call, early) as index:
        render = outlines.format_named(options.pop("format_name"))
        found = ask(index, {**tree, "on_index": telling(call)})
        style = render_options(options, index)
    print_lines(render(found, style), page=render is outlines.text)
    for note in outlines.notes(found):
        tell(note)
    return 0


@command(short_help="List what a file or folder defines, without bodies.")
@argument("path", default=".")
@reading_options
@option(
    "--max-lines", kind=WholeNumber(3), metavar="N", help="Show at most N lines, the outer levels."
)
def skeleton(call: Call, /, path: str, **options: Any) -> int:
    """List what PATH defines: of a file its declarations, of a folder a line for each file.

    Each line has the number of the line in the file, the declaration, and the first sentence of its
    documentation. Of documents, lists the headings. Exit status: 0 done, 2 error.

    \b
    Examples:
      ragit skeleton src/session.py
      ragit skeleton --ref v1.0 src/
    """
    return print_read(call, options, lambda index, tree: index.skeleton(path, **tree))


@command(short_help="Show the definition of a name, or at a line.")
@argument("name", metavar="SYMBOL|PATH:LINE", required=True)
@reading_options
@flag("--body", help="Show all of a class, not only its outline.")
@option(
    "--page", kind=WholeNumber(1), default=1, metavar="N", help="Show this page of a long list."
)
def show(call: Call, /, name: str, body: bool, page: int, **options: Any) -> int:
    """Show the whole definition of SYMBOL, or the one at a line of a file, with its documentation.

    Of a class its outline is shown. If SYMBOL has several definitions, they are listed; Owner.name
    and Owner::name narrow the list. Exit status: 0 done, 2 error.

    \b
    Examples:
      ragit show Session.open
      ragit show src/session.py:120
      ragit show --body Session
    """
    return print_read(
        call, options, lambda index, tree: index.show(name, body=body, page=page, **tree)
    )


@command("map", short_help="Draw the repository in a number of tokens.")
@argument("query", takes_rest=True)
@reading_options
@option(
    "--tokens",
    kind=WholeNumber(1),
    default=2000,
    show_default=True,
    metavar="N",
    help="Print about N tokens at most.",
)
def draw_map(call: Call, /, query: tuple[str, ...], tokens: int, **options: Any) -> int:
    """List the definitions that matter most, by file, as many as fit into N tokens.

    These are what most of the repository refers to, directly or through others (PageRank over the
    files); with QUERY, what the best files for it refer to. Exit status: 0 done, 2 error.

    \b
    Examples:
      ragit map --tokens 1000
      ragit map --ref v1.0 "where are retries limited?"
    """
    text = " ".join(query)
    return print_read(call, options, lambda index, tree: index.map(text, max_tokens=tokens, **tree))
