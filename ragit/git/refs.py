"""Resolve names to commits and trees: revisions, refs, worktrees and reflogs. Reads only."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from ragit.errors import GitFailed, UnknownRevision
from ragit.git.command import Git
from ragit.git.layout import commit_tree
from ragit.records import NamedTuple
from ragit.types import Oid

KINDS = ("refs/heads", "refs/tags", "refs/remotes")

_NEAR = 3
"""Limit of suggested names."""


class Revision(NamedTuple):
    """The tree of a name, and its commit, unless the name is a tree's."""

    name: str
    commit: Oid | None
    tree: Oid


class Worktree(NamedTuple):
    """A working tree of the repository, or the bare repository itself (first, without a HEAD)."""

    path: Path
    head: Oid | None
    git_dir: Path
    branch: str
    """Short name; empty if HEAD is detached or the repository is bare."""


class Reflogged(NamedTuple):
    """A commit in a reflog, perhaps reached by no ref."""

    commit: Oid
    tree: Oid
    seconds: int
    """Time of the entry, since 1970."""


def resolve(git: Git, name: str, unborn: Oid) -> Revision:
    """Resolve a name; `unborn` is HEAD's tree before the first commit. Raises UnknownRevision."""
    _check_name(name)
    # After a colon, all is a path or a search text, so such a name is resolved before it is peeled.
    try:
        asked = (_peel(git, [name])[0] or name) if ":" in name else name
        commit, tree = _peel(git, [f"{asked}^{{commit}}", f"{asked}^{{tree}}"])
    except GitFailed as error:
        if "@{" not in name:
            raise
        # git ends with an error if the reflog does not reach back that far.
        raise UnknownRevision(f"no commit is named {name!r} ({error.message})", _REFLOG) from error
    if tree is None and commit is not None:
        tree = commit_tree(git, commit)
    if tree is not None:
        return Revision(name, commit, tree)
    if name in ("HEAD", "@") and _is_unborn(git):
        return Revision(name, None, unborn)
    if ".." in re.split(r":|[@^]\{", name)[0]:  # no ref's name contains it
        raise UnknownRevision(f"{name!r} is a range, and a range is no tree", "Name one revision")
    raise UnknownRevision(f"no commit or tree is named {name!r}", advice(git, name))


def commit_named(git: Git, name: str) -> Oid | None:
    """Return the commit of a revision, without looking at its tree; None if there is none.

    Raises UnknownRevision for an impossible name.
    """
    _check_name(name)
    for form in ("{}", "{}^{{commit}}"):  # `:/text` extends to its end, so it is looked up alone
        output = git.run(
            *("rev-parse", "--verify", "--quiet"), words=(form.format(name),), accept=(0, 1, 128)
        )
        name = output.decode().strip()
        if not name:
            return None
    return Oid(name)


def _check_name(name: str) -> None:
    if not name or name.startswith("-") or not name.isprintable():
        raise UnknownRevision(f"{name!r} is not a revision", "Name a branch, tag, commit or tree")


_REFLOG = "`git reflog` lists what is remembered; a clone remembers only what was done in it"


def _peel(git: Git, expressions: list[str]) -> list[Oid | None]:
    """Return the object id of each expression, None if unknown, in one call."""
    asked = "".join(f"{expression}\n" for expression in expressions)
    lines = git.run("cat-file", "--batch-check", stdin=os.fsencode(asked)).splitlines()
    # For a missing one git prints its words, two or three; a found one ends in its size.
    found = (line.rsplit(b" ", 2) for line in lines)
    return [
        Oid(words[0].decode()) if len(words) == 3 and words[2].isdigit() else None
        for words in found
    ]


def _is_unborn(git: Git) -> bool:
    branch = git.run("symbolic-ref", "--quiet", "HEAD", accept=(0, 1)).strip()
    return (
        bool(branch)
        and not git.run("for-each-ref", "--format=%(refname)", words=(os.fsdecode(branch),)).strip()
    )


def advice(git: Git, name: str) -> str:
    """Return a hint for an unknown name: what it lacks, or similar names."""
    revision = name.partition(":")[0]
    start = re.sub(_STEPS, "", revision)
    if start != revision and commit_named(git, start or "HEAD") is not None:
        if is_shallow(git):
            return f"This is a shallow clone, and its history ends before that: {_DEEPEN}"
        return f"The history of {start or 'HEAD'} does not go back that far: see `git log`"
    near = _near_names(git, name)
    if name in near:
        return (
            "It names the content of a file or something else without a tree: "
            "name a commit or a tree"
        )
    if near:
        return "Did you mean " + " or ".join(near) + "?"
    listed = "`git branch --all` and `git tag` list the names"
    if is_shallow(git):
        return f"{listed}; a shallow clone like this one lacks some: {_DEEPEN} --tags"
    return f"{listed}; a single-branch clone lacks some"


_STEPS = r"(?:[~^]\d*|\^\{[a-z]*\})+$"
"""Suffixes of a commit's name: `~2`, `^`, `^2~3`, `^{tree}`."""

_DEEPEN = "git fetch --unshallow"


def deepen_hint(git: Git) -> str:
    """Return how to get the older commits of a shallow clone; empty for any other clone."""
    return f"This is a shallow clone, and lacks older commits: {_DEEPEN}" if is_shallow(git) else ""


def is_shallow(git: Git) -> bool:
    """Return whether the clone lacks the parents of some commits."""
    return git.run("rev-parse", "--is-shallow-repository").strip() == b"true"


def _near_names(git: Git, name: str) -> list[str]:
    """Return names of refs like `name`, best first: those it begins, then those with a typo."""
    import difflib  # only an error needs it

    listed = os.fsdecode(git.run("for-each-ref", "--format=%(refname:lstrip=2)", *KINDS)).split()
    wanted = re.split(r"[~^:]|@\{", name)[0]
    by_tail = {ref.rsplit("/", 1)[-1]: ref for ref in reversed(listed)}
    begun = sorted((ref for ref in listed if wanted and ref.startswith(wanted)), key=len)
    close = difflib.get_close_matches(wanted, [*listed, *by_tail], _NEAR)
    near = (by_tail.get(match, match) if match not in listed else match for match in close)
    whole = [by_tail[wanted]] if wanted in by_tail else []
    return list(dict.fromkeys((*whole, *begun, *near)))[:_NEAR]


_REF_FORM = "%00".join(
    f"%({atom})"
    for atom in (
        *("refname", "symref", "objecttype", "objectname", "tree"),
        *("*objecttype", "*objectname", "*tree"),
    )
)


def refs(git: Git, kinds: Iterable[str] = KINDS) -> list[Revision]:
    """Return branches, tags and remote branches by full name; no symbolic refs."""
    found: list[Revision] = []
    nested: list[str] = []
    for line in git.run("for-each-ref", f"--format={_REF_FORM}", words=tuple(kinds)).splitlines():
        raw, symref, kind, oid, tree, tag_kind, tag_oid, tag_tree = (
            os.fsdecode(part) for part in line.split(b"\0")
        )
        if symref:
            continue
        if kind == "commit":
            found.append(Revision(raw, Oid(oid), Oid(tree)))
        elif tag_kind == "commit":
            found.append(Revision(raw, Oid(tag_oid), Oid(tag_tree)))
        else:
            nested.append(raw)  # a tag of a tag, or of a tree
    return found + _peeled(git, nested)


def _peeled(git: Git, names: list[str]) -> list[Revision]:
    oids = (
        _peel(git, [f"{name}^{{{kind}}}" for name in names for kind in ("commit", "tree")])
        if names
        else []
    )
    rows = zip(names, oids[::2], oids[1::2], strict=True)
    return [Revision(name, commit, tree) for name, commit, tree in rows if tree is not None]


def trees_of(git: Git, commits: Iterable[Oid]) -> dict[Oid, Oid]:
    """Return the tree of each existing commit, in one call."""
    wanted = list(commits)
    trees = _peel(git, [f"{commit}^{{tree}}" for commit in wanted]) if wanted else []
    return {commit: tree for commit, tree in zip(wanted, trees, strict=True) if tree is not None}


def reflog(git: Git) -> list[Reflogged]:
    """Return the entries of all reflogs of refs and worktrees whose commits still exist."""
    output = git.run(
        "log", "--walk-reflogs", "--all", "--date=unix", "--format=%H %T %gd", accept=(0, 128)
    )
    found = []
    for line in output.decode("utf-8", "surrogateescape").splitlines():
        commit, tree, entry = line.split(" ", 2)
        seconds = re.search(r"@\{(\d+)\}$", entry)
        if seconds:
            found.append(Reflogged(Oid(commit), Oid(tree), int(seconds[1])))
    return found


def worktrees(git: Git) -> list[Worktree]:
    """Return the main working tree, then the linked ones, even those whose folder is gone."""
    try:
        output, end = git.run("worktree", "list", "--porcelain", "-z"), b"\0"
    except GitFailed:  # git before 2.36 knows no -z
        output, end = git.run("worktree", "list", "--porcelain"), b"\n"
    blocks = (block.split(end) for block in output.split(end + end) if block)
    return [_worktree(dict(_pair(line) for line in block)) for block in blocks]


def _pair(line: bytes) -> tuple[bytes, bytes]:
    key, _, value = line.partition(b" ")
    return key, value


def _worktree(fields: dict[bytes, bytes]) -> Worktree:
    path = Path(os.fsdecode(fields[b"worktree"]))
    head = fields.get(b"HEAD", b"0").decode()
    branch = os.fsdecode(fields.get(b"branch", b"")).removeprefix("refs/heads/")
    return Worktree(
        path, Oid(head) if head.strip("0") else None, _git_dir(path, bare=b"bare" in fields), branch
    )


def _git_dir(path: Path, *, bare: bool) -> Path:
    link = path / ".git"
    if bare or not link.exists():
        return path
    if link.is_file():
        return path / os.fsdecode(link.read_bytes().removeprefix(b"gitdir: ").rstrip(b"\n"))
    return link
