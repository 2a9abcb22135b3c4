"""The commands `ragit diff` and `ragit since`."""

from __future__ import annotations

from typing import Any

from ragit.cli import complete
from ragit.cli.call import Call
from ragit.cli.declare import Choice, WholeNumber, alias, argument, command, flag, option
from ragit.cli.indexing import bar_of, telling
from ragit.cli.shared import open_index, print_lines, render_options, tell
from ragit.render import changes
from ragit.render import since as ages

_DIFF_FORMATS = {
    "text": changes.diff_text,
    "json": changes.diff_json,
    "markdown": changes.diff_markdown,
}


@command(short_help="List the definitions that a range of commits added or changed.")
@argument("range", default="", shell_complete=complete.refs)
@argument("query", takes_rest=True)
@option("-k", "--top-k", kind=WholeNumber(1), metavar="N", help="Show at most N changes.")
@option(
    "--format",
    "format_name",
    kind=Choice(tuple(_DIFF_FORMATS)),
    default="text",
    show_default=True,
    help="How to print it.",
)
@alias("--json", "format_name", "json", help="The same as --format json.")
@flag("--no-index", help="Answer from what is indexed already.")
def diff(call: Call, /, range: str, query: tuple[str, ...], **options: Any) -> int:
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
    with open_index(call) as index:
        found = index.diff(
            revisions,
            text,
            top_k=options["top_k"],
            index=not options["no_index"],
            on_index=telling(call),
        )
        style = render_options(options, index)
    is_text = options["format_name"] == "text"
    print_lines(_DIFF_FORMATS[options["format_name"]](found, style), page=is_text)
    for line in changes.diff_notes(found):
        tell(line)
    return 0 if found.changes else 1


def _split(first: str, query: tuple[str, ...]) -> tuple[str, str]:
    """Return range and query: the first word is the range if it contains `..` and no space."""
    if ".." in first and not any(sign.isspace() for sign in first):
        return first, " ".join(query)
    return "", " ".join((first, *query)).strip()


@command(short_help="Tell since when code exists, or when it was removed.")
@argument("place", metavar="PATH:LINE|SYMBOL", required=True)
@flag("--gone", help="Tell when the definition of SYMBOL was removed.")
@option(
    "--ref",
    metavar="REV",
    shell_complete=complete.refs,
    help="The code as it is in this branch, tag or commit, and its history.",
)
@option(
    "--versions",
    kind=WholeNumber(0),
    metavar="N",
    help="List at most N earlier versions of the definition.  [default: 5]",
)
@flag("--json", "as_json", help="Print it as JSON.")
@flag("--no-index", help="Answer from what is indexed already.")
def since(call: Call, /, place: str, gone: bool, as_json: bool, **options: Any) -> None:
    """Tell which commit brought the code at a line of a file, or the definition of a symbol.

    The text is followed through renamed files and moves from one file to another. Also prints the
    first tag that contains it, and earlier versions of the definition.

    \b
    Examples:
      ragit since src/session.py:40
      ragit since Session.close
      ragit since --gone legacy_login
    """
    asked = {"ref": options["ref"], "index": not options["no_index"], "on_index": telling(call)}
    with open_index(call) as index:
        style = render_options({}, index)
        if gone:
            removed = index.gone(place, progress=bar_of(call, "commits"), **asked)
            lines = (ages.gone_json if as_json else ages.gone_text)(removed, style)
        else:
            found = index.since(place, versions=options["versions"], **asked)
            lines = (ages.since_json if as_json else ages.since_text)(found, style)
    print_lines(lines)
