"""Resolve ranges of commits in git's notation: A..B, A...B, a branch since its upstream."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from ragit.errors import UnknownRevision
from ragit.git.command import Git
from ragit.git.refs import Revision, deepen_hint
from ragit.records import NamedTuple

_RANGE = re.compile(r"(.*?)(\.{2,3})(.*)", re.DOTALL)


SHORT = 12
"""Digits of a commit in a displayed name."""


class Range(NamedTuple):
    """Two trees to compare: the range adds what `new` has and `old` lacks."""

    name: str
    """As typed; for a branch since its upstream, without the name of `new`."""
    old: Revision
    new: Revision | None
    """None for the current tree: of the working tree, of the index or of HEAD."""


def resolve_range(git: Git, text: str, resolve: Callable[[str], Revision]) -> Range:
    """Resolve `A..B` (both trees as they are) or `A...B` (from where B left A). An empty side is
    HEAD.

    Raises UnknownRevision for a text that is no range, unknown revisions, sides in the wrong order
    and, for `A...B`, sides without a common commit.
    """
    found = _RANGE.fullmatch(text)
    if found is None:
        raise UnknownRevision(
            f"{text!r} is not a range", "Write it as git does: v1..v2, or main...topic"
        )
    old, new = (resolve(side or "HEAD") for side in (found[1], found[3]))
    base = _base(git, old, new)
    if base and base == new.commit != old.commit:
        raise UnknownRevision(
            f"{text} is in the wrong order: {old.name} comes after {new.name}",
            f"Did you mean {new.name}{found[2]}{old.name}?",
        )
    if found[2] == "...":
        old = _common(git, base, old, new, resolve)
    return Range(text, old, new)


def since_upstream(git: Git, head: Revision, resolve: Callable[[str], Revision]) -> Range:
    """Return the range from where HEAD left its upstream to the current tree.

    Without an upstream, the remote's default branch or the local one is used. Raises
    UnknownRevision if there is neither, or no common commit.
    """
    name = _upstream(git) or _default_branch(git) or _local_default(git)
    if not name or head.commit is None:
        raise UnknownRevision(
            "this branch has no upstream to compare with", "Name a range, such as main...HEAD"
        )
    upstream = resolve(name)
    old = _common(git, _base(git, upstream, head), upstream, head, resolve)
    return Range(f"{name}...", old, None)


def _base(git: Git, old: Revision, new: Revision) -> str:
    """Return the best common commit of two revisions; empty if none."""
    if not (old.commit and new.commit):
        return ""
    output = git.run("merge-base", words=(old.commit, new.commit), accept=(0, 1))
    return output.decode().strip()


def _common(
    git: Git, base: str, old: Revision, new: Revision, resolve: Callable[[str], Revision]
) -> Revision:
    if base:
        return resolve(base)._replace(name=base[:SHORT])
    raise UnknownRevision(
        f"{old.name} and {new.name} have no common commit here",
        deepen_hint(git) or f"Compare them as they are: {old.name}..{new.name}",
    )


def _upstream(git: Git) -> str:
    """Return the short name of the current branch's upstream; empty if none."""
    output = git.run(
        *("rev-parse", "--verify", "--quiet", "--abbrev-ref", "@{upstream}"), accept=(0, 1, 128)
    )
    return os.fsdecode(output).strip()


def _default_branch(git: Git) -> str:
    """Return the short name of the remote's default branch, with several remotes that of
    `origin`.
    """
    output = git.run("for-each-ref", "--format=%(symref:lstrip=2)", "refs/remotes/*/HEAD")
    names = os.fsdecode(output).split()
    of_origin = [name for name in names if name.startswith("origin/")]
    return (of_origin or names)[0] if of_origin or len(names) == 1 else ""


def _local_default(git: Git) -> str:
    """Return the default branch of a repository without a remote: init.defaultBranch, main or
    master.

    Empty if HEAD is on it, or none of them exists.
    """
    output = git.run("config", "--get", "init.defaultBranch", accept=(0, 1))
    head = os.fsdecode(git.run("symbolic-ref", "--quiet", "HEAD", accept=(0, 1))).strip()
    listed = os.fsdecode(git.run("for-each-ref", "--format=%(refname)", "refs/heads")).split()
    names = [name for name in (os.fsdecode(output).strip(), "main", "master") if name]
    found = next((name for name in names if f"refs/heads/{name}" in listed), "")
    return "" if f"refs/heads/{found}" == head else found
