"""Defines the query: its text, its options, and their values. Pure.

This is the only list of search options. `Ragit.search` takes these fields as keyword arguments, and
`ragit search` makes its command line options from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragit.errors import ConfigError
from ragit.records import NamedTuple, Record, replaced

MODES = ("hybrid", "keyword", "vector")
SCOPES = ("worktree", "committed", "staged")


class Query(Record):
    """The text of a search and its options. None means the configured value."""

    text: str
    ref: str | None = None
    scope: str = "worktree"
    new_in: str | None = None
    gone_since: str | None = None
    in_refs: Sequence[str] = ()
    refs: Sequence[str] = ()
    all_refs: bool = False
    complete: bool = False
    paths: Sequence[str] = ()
    languages: Sequence[str] = ()
    mode: str = "hybrid"
    top_k: int | None = None
    min_score: float | None = None
    keyword_weight: float | None = None
    query_prefix: str | None = None
    optimize: bool | None = None
    rerank: bool | None = None
    rewrite: bool | None = None
    index: bool = True
    guess: bool = False
    recurse_submodules: bool = False
    explain: bool = False


class Option(NamedTuple):
    """The meaning of a query's option, and its valid values."""

    help: str
    flags: tuple[str, ...] = ()
    """Names on the command line; empty to derive them from the field's name."""
    metavar: str = ""
    setting: str = ""
    """Setting that is the default of the option."""
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


OPTIONS: Mapping[str, Option] = {
    "ref": Option(
        "Search this branch, tag, commit or tree instead of the working tree.", metavar="REV"
    ),
    "scope": Option(
        "Search HEAD with uncommitted changes, HEAD, or what is staged.", choices=SCOPES
    ),
    "new_in": Option(
        "Search only what a range of commits brought: code that B has and A lacks. Without a range,"
        " what this branch has since it left its upstream, with uncommitted changes.",
        metavar="[A..B]",
    ),
    "gone_since": Option(
        "Search only what is gone: code that this branch, tag, commit or tree has and HEAD with"
        " uncommitted changes lacks.",
        metavar="REV",
    ),
    "in_refs": Option(
        "Say of each hit which of these branches and tags have its code. GLOB is a name or a"
        " pattern such as 'v3.*'. May be repeated.",
        metavar="GLOB",
    ),
    "refs": Option(
        "Search the files of all these branches and tags at once, each text once, with the refs"
        " that have it. GLOB is a name or a pattern such as 'v3.*'. May be repeated.",
        metavar="GLOB",
    ),
    "all_refs": Option("Search the files of HEAD and of all branches and tags at once."),
    "complete": Option(
        "With --refs or --all-refs: index all that is missing first, however long that takes."
    ),
    "paths": Option(
        "Search only paths that match GLOB, or all but those that match !GLOB. GLOB counts from the"
        " top of the repository, ./GLOB from the current folder. May be repeated.",
        flags=("--path",),
        metavar="GLOB",
    ),
    "languages": Option(
        "Search only files in this language. May be repeated.",
        flags=("--language",),
        metavar="NAME",
    ),
    "mode": Option("Rank by words, by meaning, or by both.", choices=MODES),
    "top_k": Option(
        "Show at most this many hits.", flags=("-k", "--top-k"), setting="retrieval.topK", low=1
    ),
    "min_score": Option("Leave out hits below this score.", setting="retrieval.minScore", low=0),
    "keyword_weight": Option(
        "Share of the keyword score in hybrid mode.",
        setting="retrieval.hybridSearch.keywordWeight",
        low=0,
        high=1,
    ),
    "query_prefix": Option(
        "Text to put before the query when it is embedded.",
        metavar="TEXT",
        setting="embedding.queryPrefix",
    ),
    "optimize": Option(
        "Merge neighbours, drop near-duplicates and limit the hits of one file.",
        setting="retrieval.contextOptimization.enabled",
    ),
    "rerank": Option(
        "Let the configured model order the best hits.", setting="retrieval.reranking.enabled"
    ),
    "rewrite": Option("Search also for related words.", setting="retrieval.queryRewriting.enabled"),
    "index": Option("Answer from what is indexed already."),
    "guess": Option("Show the nearest places even where nothing fits the query."),
    "recurse_submodules": Option("Search checked-out submodules too."),
    "explain": Option("Say why each hit is where it is."),
}
"""All fields of a query but its text, in the order of the help."""


def checked(query: Query) -> Query:
    """Return the query in a hashable form. Raises ConfigError for an invalid value."""
    for name, option in OPTIONS.items():
        _check(name, getattr(query, name), option)
    _check_trees(query)
    return replaced(query, **{name: _several(getattr(query, name)) for name in _LISTS})


def is_range(text: str) -> bool:
    """Return whether a text has the form of a range. Names of revisions contain no two dots."""
    return ".." in text and not any(sign.isspace() for sign in text)


def is_about_worktree(query: Query) -> bool:
    """Return whether a query needs the uncommitted changes of the working tree."""
    named = query.ref is not None or query.new_in or query.refs or query.all_refs
    return query.scope == "worktree" and not named


def is_about_history(query: Query) -> bool:
    """Return whether hits of a query refer to other trees than the searched one."""
    return bool(query.gone_since is not None or query.in_refs or query.refs or query.all_refs)


def _check_trees(query: Query) -> None:
    """Raise ConfigError for options that name different trees to search."""
    if query.ref is not None and query.scope != "worktree":
        raise ConfigError(
            f"both a revision and {query.scope} are asked for",
            "Name one tree: --ref, --staged or --committed",
        )
    union = bool(query.refs or query.all_refs)
    given = _exclusive(query, union)
    if len(given) > 1:
        raise ConfigError(
            f"{' and '.join(given)} exclude each other", "Each of them names what is searched"
        )
    if query.complete and not (union and query.index):
        raise ConfigError(
            "complete is for a search of several refs that may index",
            "Give it with refs or all_refs; `ragit index` completes a single tree",
        )


def _exclusive(query: Query, union: bool) -> list[str]:
    """Return the given options that exclude each other; `union`: the query has several refs."""
    given = [name for name in _TREES if getattr(query, name) not in (None, (), False)]
    if query.recurse_submodules and given and given != ["ref"]:
        given.append("recurse_submodules")
    if query.scope != "worktree" and (query.new_in or union):
        given.append(query.scope)
    if query.in_refs and union:
        given.append("in_refs")
    return given


_LISTS = ("paths", "languages", "in_refs", "refs")
"""Options with several values."""

_TREES = ("ref", "new_in", "gone_since", "refs", "all_refs")
"""Options that each name the tree to search."""


def _several(values: Sequence[str]) -> tuple[str, ...]:
    return (values,) if isinstance(values, str) else tuple(values)


def _check(name: str, value: object, option: Option) -> None:
    if option.choices and value not in option.choices:
        raise ConfigError(f"unknown {name} {value!r}", f"There are {', '.join(option.choices)}")
    if value is None or not isinstance(value, int | float):
        return
    if option.low is not None and not value >= option.low:
        raise ConfigError(f"{name} is {value}", f"It is at least {option.low}")
    if option.high is not None and not value <= option.high:
        raise ConfigError(f"{name} is {value}", f"It is at most {option.high}")
