"""The command `ragit diff`."""

from __future__ import annotations

from typing import Any

import click

from ragit.cli import complete
from ragit.cli.indexing import on_index
from ragit.cli.numbers import WholeNumber
from ragit.cli.shared import open_index, print_lines, render_options, tell
from ragit.render import changes

_DIFF_FORMATS = {
    "text": changes.diff_text,
    "json": changes.diff_json,
    "markdown": changes.diff_markdown,
}


@click.command(short_help="List the definitions that a range of commits added or changed.")
@click.argument("range", required=False, default="", shell_complete=complete.refs)
@click.argument("query", nargs=-1)
@click.option("-k", "--top-k", type=WholeNumber(1), metavar="N", help="Show at most N changes.")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(list(_DIFF_FORMATS)),
    default="text",
    show_default=True,
    help="How to print it.",
)
@click.option("--json", "format_name", flag_value="json", help="The same as --format json.")
@click.option("--no-index", is_flag=True, help="Answer from what is indexed already.")
@click.pass_context
def diff(ctx: click.Context, /, range: str, query: tuple[str, ...], **options: Any) -> int:
    """List the definitions that RANGE added, removed, changed, moved or renamed.

    RANGE is A..B, or A...B for what B has since it left A. Without it, HEAD with the uncommitted
    changes is compared with the commit where it left its upstream. With QUERY, only changes that
    it finds are listed, the best first. Exit status: 0 changes, 1 none, 2 error.

    \b
    Examples:
      ragit diff
      ragit diff v1.2..HEAD
      ragit diff main...topic retry backoff
    """
    revisions, text = _split(range, query)
    with open_index(ctx) as index:
        found = index.diff(
            revisions,
            text,
            top_k=options["top_k"],
            index=not options["no_index"],
            on_index=on_index,
        )
        style = render_options(options, index)
    is_text = options["format_name"] == "text"
    print_lines(_DIFF_FORMATS[options["format_name"]](found, style), page=is_text)
    for line in changes.diff_notes(found):
        tell(line)
    return 0 if found.changes else 1


def _split(first: str, query: tuple[str, ...]) -> tuple[str, str]:
    """Return the range and the query: the first word is the range if it is written as one."""
    if ".." in first and not any(sign.isspace() for sign in first):
        return first, " ".join(query)
    return "", " ".join((first, *query)).strip()
