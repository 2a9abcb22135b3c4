"""Make a golden set from history: a commit's subject is the query, its changed files the answer.

The query is searched in the tree of the commit's parent, without the change. Commits whose subject
does not describe their code are skipped, and counted by reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from ragit.git import Logged
from ragit.judgements import Expected, Question
from ragit.records import NamedTuple

MANY = 10
"""A commit of that many files is a mass edit (renames, formatting), which its subject does not
describe.
"""

FEWEST_WORDS = 3
"""Fewest words of a subject: "Fix typo" and "More tests" fit anything."""

_BOT = re.compile(
    r"\[bot\]|(?<![a-z])bot(?![a-z])|dependabot|renovate|weblate|github-?actions|pre-commit-ci",
    re.I,
)
_REVERT = re.compile(r"(revert|reapply|fixup!|squash!|amend!|backport|cherry[- ]?pick)", re.I)
_RELEASE = re.compile(
    r"(bump|upgrade|update|pin) .*"
    r"(v?\d+\.\d+|versions?|dependenc|dependabot|requirements|submodule|copyright)"
    r"|(prepare|cut|tag|start|begin|post|mark|set)?\W*(for )?(the )?(next )?"
    r"(release|version|development)\b"
    r"|bump\b|v?\d+\.\d+[\w.-]*$",
    re.I,
)
_CHORE = re.compile(
    r"\b(typos?|spelling|whitespace|white space|lint(ing|er)?|format(ting)? (code|files?)|"
    r"reformat|cleanup|clean up|"
    r"changelog|release notes|license headers?|copyright|merge (branch|pull|tag|commit|remote))\b",
    re.I,
)
_PREFIX = re.compile(
    r"^\s*(\[[^\]]{1,30}\]|"
    r"(feat|fix|perf|refactor|chore|docs?|tests?|build|ci|style)(\([^)]*\))?!?:|"
    r"(fix(es)? |closes? )?#\d+\b:?|(?-i:[A-Z][A-Z0-9]+(-\d+)?)[:;])\s*[-:]?\s*",
    re.I,
)
_SUFFIX = re.compile(r"\s*[(\[]?((closes?|fix(es)?|see|re:?|gh-)\s*)?#\d+[)\]]?\s*\.?$", re.I)
_WORD = re.compile(r"[^\W\d_]{2,}")
_COMPANION = re.compile(
    r"(^|/)(change(s|log)|history|news|release[-_]?notes|authors|contributors)[^/]*$"
    r"|\.lock$|(^|/)[^/]*lock\.(json|yaml)$"
    r"|(^|/)go\.sum$|(^|/)(changes|changelog\.d|newsfragments)/",
    re.I,
)


_PAPERS = re.compile(
    r"\.(md|mdx|rst|txt|adoc|tex|html?|css|svg|toml|ya?ml|json|ini|cfg|conf|xml"
    r"|properties|lock|in)$"
    r"|(^|/)(\.[^/]*|license|makefile|dockerfile)$",
    re.I,
)
_TESTS = re.compile(
    r"(^|/)(tests?|testing|specs?|__tests__)/"
    r"|(^|/)(test_[^/]*|[^/]*[._-](test|spec)s?)\.\w+$|Tests?\.\w+$"
)


class Candidate(NamedTuple):
    """A commit, with the query from its subject."""

    parent: str
    query: str
    paths: tuple[str, ...]


def candidates(commits: Iterable[Logged], left_out: Counter[str]) -> Iterator[Candidate]:
    """Return the commits that make a query, in order; count the others in `left_out`, by reason."""
    seen: set[str] = set()
    for commit in commits:
        query = cleaned(commit.subject)
        paths = targets(commit)
        if reason := unfit(commit, query) or ("new files only" if not paths else ""):
            left_out[reason] += 1
        elif query.lower() in seen:
            left_out["same subject again"] += 1
        else:
            seen.add(query.lower())
            yield Candidate(commit.parents[0], query, paths)


def unfit(commit: Logged, query: str) -> str:
    """Return why a commit's subject does not describe its code; empty if it may."""
    reasons = (
        ("merge", len(commit.parents) > 1),
        ("no parent", not commit.parents),
        ("bot", bool(_BOT.search(f"{commit.author} {commit.email}"))),
        ("mass edit", len(commit.changes) > MANY),
        ("revert or fixup", bool(_REVERT.match(commit.subject))),
        ("release or dependency", bool(_RELEASE.match(query))),
        ("housekeeping", bool(_CHORE.search(query))),
        (
            "short subject",
            len(set(_WORD.findall(query.lower()))) < FEWEST_WORDS and query.isascii(),
        ),
    )
    return next((reason for reason, holds in reasons if holds), "")


def cleaned(subject: str) -> str:
    """Strip prefixes and ticket numbers: "fix(io): Close pipes (#12)" gives "Close pipes"."""
    text, before = subject, ""
    while text != before:
        before = text
        text = _SUFFIX.sub("", _PREFIX.sub("", text, count=1), count=1)
    return text.strip()


def targets(commit: Logged) -> tuple[str, ...]:
    """Return the changed files that existed before, without change logs and lock files."""
    paths = [path for letter, path in commit.changes if letter in "MD" and path.isprintable()]
    telling = [path for path in paths if not _COMPANION.search(path)]
    return tuple(telling or paths)


def _category(paths: Sequence[str]) -> str:
    """Return code, test or docs; code if one file is neither a test nor a document."""
    code = [path for path in paths if not _PAPERS.search(path)]
    if not code:
        return "documents, settings"
    return "tests" if all(map(_TESTS.search, code)) else "code"


def questions(
    commits: Sequence[Logged],
    wanted: int,
    make_ready: Callable[[Sequence[str]], None],
    searched: Callable[[str], frozenset[str]],
    left_out: Counter[str],
) -> list[Question]:
    """Return the first `wanted` questions.

    `make_ready` is called with the trees to index; `searched` returns the paths of one.
    """
    waiting = candidates(commits, left_out)
    found: list[Question] = []
    while len(found) < wanted:
        batch = [one for one, _ in zip(waiting, range(wanted - len(found)), strict=False)]
        if not batch:
            break
        make_ready([one.parent for one in batch])
        for one in batch:
            here = searched(one.parent)
            paths = [path for path in one.paths if path in here]
            if not paths:
                left_out["files not searched"] += 1
                continue
            found.append(
                Question(one.query, tuple(map(Expected, paths)), _category(paths), one.parent)
            )
    return found
