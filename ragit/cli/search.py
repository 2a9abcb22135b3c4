"""`ragit search`, the command that must start fast.

It imports only what every query needs, mostly while git reads the working tree.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragit.cli import complete
from ragit.cli.call import Call
from ragit.cli.color import color_option
from ragit.cli.declare import WholeNumber, alias, argument, command, flag, option
from ragit.cli.indexing import telling
from ragit.cli.options import make_query, query_options
from ragit.errors import ConfigError
from ragit.query import is_about_worktree, is_range
from ragit.records import replaced
from ragit.repository import start_early_status

if TYPE_CHECKING:
    from ragit.query import Query
    from ragit.repository import Ragit
    from ragit.types import Answer, OnIndex


_RANGE = "--new-in"
"""The option whose value may be missing before the query."""

_HELP = "ragit search --help says what there is"


def _with_values(args: Sequence[str]) -> list[str]:
    """Return arguments in which this option without a value has an empty one."""
    found = []
    options = True
    for word, after in zip(args, [*args[1:], ""], strict=False):
        options = options and word != "--"
        bare = options and word == _RANGE and not is_range(after)
        found.append(f"{_RANGE}=" if bare else word)
    return found


def _hints() -> Mapping[str, str]:
    """Return hints for options of other search tools."""
    from ragit.cli.unknown_options import HINTS

    return HINTS


@command(
    short_help="Find the places that answer a symbol, words or a question.",
    prepare=_with_values,
    hints=_hints,
)
@argument("query", takes_rest=True)
@query_options
@option(
    "--like",
    metavar="FILE:LINE",
    help="Search for code like what stands there, instead of a query.",
)
@option(
    "--format",
    "format_name",
    default="text",
    metavar="NAME",
    show_default=True,
    shell_complete=complete.formats,
    help="text, json, vimgrep, markdown or compact.",
)
@alias("--json", "format_name", "json", help="The same as --format json.")
@option(
    "--max-lines",
    kind=WholeNumber(1),
    metavar="N",
    help="Show at most N lines of each hit.  [default: 6 in text, all in json and markdown]",
)
@option(
    "--max-tokens",
    kind=WholeNumber(1),
    metavar="N",
    help="Show as many hits as fit into about N tokens, with 10 lines each unless --max-lines says"
    " otherwise.",
)
@flag("--full", help="Show whole chunks.")
@option(
    "-C",
    "--context",
    kind=WholeNumber(0),
    default=0,
    show_default=True,
    metavar="N",
    help="Show N lines around matching lines, as grep does. Before the command, -C names a folder.",
)
@color_option
def search(call: Call, /, query: tuple[str, ...], **options: Any) -> int:
    """Find the places that answer QUERY: a symbol, some words, or a question.

    Searches HEAD with the uncommitted changes of this worktree. `-` reads the query from standard
    input. If the last of several words is a file or folder of the tree, the search is limited to
    it. Exit status: 0 hits, 1 none, 2 error.

    \b
    Examples:
      ragit search HTTPException
      ragit search "how does a plugin get loaded?" src/
      ragit search --ref v1.2 --json retry backoff
      make 2>&1 | ragit search -
    """
    text = _text(query, options["like"])
    asked = make_query(text, options)
    early = start_early_status(call.directory, os.environ, worktree=is_about_worktree(asked))
    from ragit import render
    from ragit.cli.shared import open_index, print_lines, render_options, tell

    with open_index(call, early) as index:
        show = render.format_named(options["format_name"])
        answer = _answer(index, asked, query, options["like"], telling(call))
        style = render_options({**options, "explain": asked.explain}, index)
        if not asked.guess and not asked.explain:
            share = render.LEAST_SHARE.get(options["format_name"], 0.0)
            answer = render.strongest(answer, share * index.config.retrieval.least_share)
    answer, style = render.fitted(answer, style, show)
    is_text = options["format_name"] == "text"
    print_lines(show(answer, style), page=is_text)
    for line in render.notes(answer):
        tell(line)
    if answer.hits and is_text and sys.stdout.isatty() and sys.stderr.isatty():
        tell(f"\n{render.summary(answer)}")
    return 0 if answer.hits else 1


def _text(words: tuple[str, ...], like: str | None) -> str:
    """Return the text of the query: the words, standard input for `-`, or the place for --like."""
    if like is not None and words:
        raise ConfigError("give either QUERY or --like", _HELP)
    if not words and like is None:
        raise ConfigError("Missing argument 'QUERY...'", _HELP)
    if words == ("-",):
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    return like if like is not None else " ".join(map(_utf8, words))


def _utf8(word: str) -> str:
    """Return an argument decoded as UTF-8, if it is, whatever the locale's encoding."""
    if sys.platform == "win32" or word.isascii():
        return word
    try:
        return os.fsencode(word).decode()
    except UnicodeError:
        return word


def _answer(
    index: Ragit, asked: Query, words: tuple[str, ...], like: str | None, on_index: OnIndex
) -> Answer:
    if like is not None:
        return index.like(like, asked, on_index)
    folder = words[-1] if len(words) > 1 and not asked.paths else ""
    if not folder or not index.has_path(folder, asked):
        answer = index.ask(asked, on_index)
        if not _is_like_a_path(folder):
            return answer
        note = f"{_utf8(folder)} is not in {answer.ref}, so its words were searched everywhere"
        return replaced(answer, notes=(note, *answer.notes))
    return index.ask_below(folder, replaced(asked, text=" ".join(map(_utf8, words[:-1]))), on_index)


def _is_like_a_path(word: str) -> bool:
    """Return whether a word is written as a path, or is the absolute path of an existing file."""
    if word.endswith("/") or word.startswith(("./", "../")):
        return True
    return word.startswith("/") and Path(word).exists()
