"""A golden set from a repository's own history: a commit's subject asks, the files it changed answer. Pure but for
what it is handed.

A commit is searched for at its parent's tree, where its change is not there yet. What says nothing of the code it
changes is left out, each commit for a reason that is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ragit.git.history import Logged
from ragit.judgements import Expected, Question

MANY = 10
"""Files from which a commit is a mass edit: a rename, a reformatting, a new licence head. Its subject is of none."""

FEWEST_WORDS = 3
"""Words of a subject that asks for something; "Fix typo" and "More tests" fit anything."""

_BOT = re.compile(
    r"\[bot\]|(?<![a-z])bot(?![a-z])|dependabot|renovate|weblate|github-?actions|pre-commit-ci",
    re.I,
)
_REVERT = re.compile(r"(revert|reapply|fixup!|squash!|amend!|backport|cherry[- ]?pick)", re.I)
_RELEASE = re.compile(
    r"(bump|upgrade|update|pin) .*(v?\d+\.\d+|versions?|dependenc|dependabot|requirements|submodule|copyright)"
    r"|(prepare|cut|tag|start|begin|post|mark|set)?\W*(for )?(the )?(next )?(release|version|development)\b"
    r"|bump\b|v?\d+\.\d+[\w.-]*$",
    re.I,
)
_CHORE = re.compile(
    r"\b(typos?|spelling|whitespace|white space|lint(ing|er)?|format(ting)? (code|files?)|reformat|cleanup|clean up|"
    r"changelog|release notes|license headers?|copyright|merge (branch|pull|tag|commit|remote))\b",
    re.I,
)
_PREFIX = re.compile(
    r"^\s*(\[[^\]]{1,30}\]|(feat|fix|perf|refactor|chore|docs?|tests?|build|ci|style)(\([^)]*\))?!?:|"
    r"(fix(es)? |closes? )?#\d+\b:?|(?-i:[A-Z][A-Z0-9]+(-\d+)?)[:;])\s*[-:]?\s*",
    re.I,
)
_SUFFIX = re.compile(r"\s*[(\[]?((closes?|fix(es)?|see|re:?|gh-)\s*)?#\d+[)\]]?\s*\.?$", re.I)
_WORD = re.compile(r"[^\W\d_]{2,}")
_COMPANION = re.compile(
    r"(^|/)(change(s|log)|history|news|release[-_]?notes|authors|contributors)[^/]*$|\.lock$|(^|/)[^/]*lock\.(json|yaml)$"
    r"|(^|/)go\.sum$|(^|/)(changes|changelog\.d|newsfragments)/",
    re.I,
)


_PAPERS = re.compile(
    r"\.(md|mdx|rst|txt|adoc|tex|html?|css|svg|toml|ya?ml|json|ini|cfg|conf|xml|properties|lock|in)$"
    r"|(^|/)(\.[^/]*|license|makefile|dockerfile)$",
    re.I,
)
_TESTS = re.compile(
    r"(^|/)(tests?|testing|specs?|__tests__)/|(^|/)(test_[^/]*|[^/]*[._-](test|spec)s?)\.\w+$|Tests?\.\w+$"
)


class Candidate(NamedTuple):
    """A commit whose subject may be a query."""

    parent: str
    query: str
    paths: tuple[str, ...]


def candidates(commits: Iterable[Logged], left_out: Counter[str]) -> Iterator[Candidate]:
    """The commits that ask for something, in order; `left_out` counts the others by reason."""
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
    """Why a commit says nothing of the code it changes, in words; empty if it may."""
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
    """A subject without what trackers and conventions put around it: of "fix(io): Close pipes (#12)", "Close pipes"."""
    text, before = subject, ""
    while text != before:
        before = text
        text = _SUFFIX.sub("", _PREFIX.sub("", text, count=1), count=1)
    return text.strip()


def targets(commit: Logged) -> tuple[str, ...]:
    """The files that answer: changed ones that were there before, without logs of changes and locks beside them."""
    paths = [path for letter, path in commit.changes if letter in "MD" and path.isprintable()]
    telling = [path for path in paths if not _COMPANION.search(path)]
    return tuple(telling or paths)


def _category(paths: Sequence[str]) -> str:
    """What a commit changed, in a word: code as soon as one file of it is no test and no document."""
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
    """The first `wanted` questions. `make_ready` is told the trees to come, `searched` gives the paths found in one."""
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
