"""`ragit search`: the one command that must start fast.

It imports nothing that a query does not need, and most of what it needs only after git has begun to look at the working
tree.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from ragit.cli.options import make_query, query_options
from ragit.repository.early_status import look_ahead
from ragit.types import Progress, ToIndex

HANDFUL = 20
"""Missing files from which a search on a terminal says that it indexes first: fewer are edits, indexed in no time."""

BLINK = 200
"""The same elsewhere, where nobody waits. Documents, which take longer, and what a server is sent, are always told."""


@click.command(short_help="Find the places that answer a symbol, words or a question.")
@click.argument("query", nargs=-1, required=True)
@query_options
@click.option("--format", "format_name", default="text", help="text, json, vimgrep or markdown.")
@click.option("--json", "format_name", flag_value="json", help="The same as --format json.")
@click.option("--full", is_flag=True, help="Show whole chunks.")
@click.option(
    "-C",
    "--context",
    type=click.IntRange(0),
    default=0,
    help="Lines to show around matching lines.",
)
@click.pass_context
def search(ctx: click.Context, /, query: tuple[str, ...], **options: Any) -> int:
    """Find the places that answer QUERY: a symbol, some words, or a question.

    Searches HEAD with the uncommitted changes of this worktree. Exit status: 0 hits, 1 none, 2 error.

    \b
    Examples:
      ragit search HTTPException
      ragit search "how does a plugin get loaded?" --path 'src/**/*.py'
      ragit search --ref v1.2 --json retry backoff
    """
    asked = make_query(" ".join(map(_utf8, query)), options)
    worktree = asked.ref is None and asked.scope == "worktree"
    ahead = look_ahead(ctx.obj["directory"], os.environ, worktree=worktree)
    from ragit import render
    from ragit.cli.shared import look, open_index, print_lines, tell

    with open_index(ctx, ahead) as index:
        show = render.format_named(options["format_name"])
        answer = index.ask(asked, _on_index)
        print_lines(show(answer, look({**options, "explain": asked.explain})))
    for line in render.notes(answer):
        tell(line)
    if (
        answer.hits
        and options["format_name"] == "text"
        and sys.stdout.isatty()
        and sys.stderr.isatty()
    ):
        tell(f"\n{render.summary(answer)}")
    return 0 if answer.hits else 1


def _utf8(word: str) -> str:
    """Return an argument read as UTF-8, if it is, whatever encoding the locale names."""
    if sys.platform == "win32" or word.isascii():
        return word
    try:
        return os.fsencode(word).decode()
    except UnicodeError:
        return word


def _on_index(lacking: ToIndex) -> Progress | None:
    """Say that there is something to wait for, where there is, and on a terminal how far it is."""
    from ragit import render
    from ragit.cli.progress import Bar
    from ragit.cli.shared import tell

    least = HANDFUL if sys.stderr.isatty() else BLINK
    if lacking.files < least and not lacking.documents and not lacking.server:
        return None
    tell(render.indexing(lacking))
    bar = Bar(quiet=False)
    click.get_current_context().call_on_close(bar.close)
    return bar
