"""A repository, opened at a path: the interface of this package."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ragit.errors import GitFailed, UnknownRevision
from ragit.git import attributes, ignores, private, refs, uncommitted
from ragit.git.command import Git
from ragit.git.layout import EMPTY_TREES, commit_tree, discover
from ragit.git.objects import Objects, ObjectsRecipe
from ragit.git.refs import Reflogged, Revision, Worktree
from ragit.git.uncommitted import GitStatus, WorkingTree
from ragit.records import replaced
from ragit.types import Change, Entry, Oid

if TYPE_CHECKING:
    from ragit.git.ancestry import Ancestry
    from ragit.git.first_parents import Step
    from ragit.git.head_stamp import HeadStamp
    from ragit.git.history import Logged
    from ragit.git.ranges import Range
    from ragit.git.tree_objects import FilesOfTrees


class Repo:
    """A repository. It may hold processes and a temporary folder: close it, or use `with`."""

    def __init__(self, path: str, env: Mapping[str, str], scratch: Path | None) -> None:
        self._path, self._env = path, env
        self._layout = discover(path, env)
        self._stamp: HeadStamp | None = None
        self._private = private.Private(self._layout, scratch)
        self._open: list[Objects] = []
        self.sizes_here: dict[Oid, int] = {}
        """Sizes in bytes of objects found."""
        self._statuses: list[GitStatus] = []

    @classmethod
    def open(
        cls,
        path: Path | str = ".",
        env: Mapping[str, str] | None = None,
        scratch: Path | None = None,
    ) -> Repo:
        """Open the repository of `path`, or the one that `env` (default: the process's) names.

        `scratch` is a folder to write to if the git dir is read-only. Raises NotARepository.
        """
        return cls(str(path), dict(os.environ if env is None else env), scratch)

    def __enter__(self) -> Repo:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes and remove temporary files."""
        while self._statuses:
            self._statuses.pop().stop()
        while self._open:
            self._open.pop().close()
        self._private.close()

    def refresh(self) -> None:
        """Read HEAD again, which the user may have moved.

        From the second time on, no process runs if the files of HEAD are unchanged.
        """
        from ragit.git.head_stamp import head_stamp, names_commit  # only for a process that stays

        if self._stamp is not None and head_stamp(self._path, self._layout) == self._stamp:
            return
        self._layout = discover(self._path, self._env)
        stamp = head_stamp(self._path, self._layout)
        self._stamp = stamp if stamp and names_commit(stamp, self._layout) else None

    @property
    def common_dir(self) -> Path:
        """The git dir that all worktrees share."""
        return self._layout.common_dir

    @property
    def git_dir(self) -> Path:
        """The git dir of this worktree."""
        return self._layout.git_dir

    @property
    def top(self) -> Path | None:
        """The top of the working tree; None in a bare repository and inside a git dir."""
        return self._layout.top

    @property
    def prefix(self) -> bytes:
        """Path from the top to the opened folder: empty, or ending in a slash."""
        return self._layout.prefix

    @property
    def object_format(self) -> str:
        """Object format, "sha1" or "sha256"."""
        return self._layout.object_format

    @property
    def empty_tree(self) -> Oid:
        """Object id of the tree without entries."""
        return EMPTY_TREES[self._layout.object_format]

    @property
    def _reader(self) -> Git:
        return self._private.reader(self._layout.git)

    # Revisions and refs

    def head(self) -> Revision:
        """Return HEAD as of the last `refresh`; the empty tree before the first commit."""
        return Revision("HEAD", self._layout.commit, self._layout.tree)

    def resolve(self, rev: str) -> Revision:
        """Resolve a branch, tag, commit, tree, any git expression, or a kept tree of uncommitted
        work.

        Raises UnknownRevision.
        """
        try:
            return refs.resolve(self._layout.git, rev, self.empty_tree)
        except UnknownRevision:
            tree = self._private.tree_named(rev)
            if tree is None:
                raise
            return Revision(rev, None, tree)

    def range(self, text: str) -> Range:
        """Resolve a range; empty for the current branch since its upstream. Raises
        UnknownRevision.
        """
        from ragit.git import ranges  # few searches need it

        if text:
            return ranges.resolve_range(self._layout.git, text, self.resolve)
        return ranges.since_upstream(self._layout.git, self.head(), self.resolve)

    def branch(self) -> str:
        """Return the short name of the current branch; empty if HEAD is detached."""
        output = self._layout.git.run("symbolic-ref", "--quiet", "--short", "HEAD", accept=(0, 1))
        return os.fsdecode(output).strip()

    def refs(self) -> list[Revision]:
        """Return branches, tags and remote branches by full name."""
        return refs.refs(self._layout.git)

    def branches(self) -> list[Revision]:
        """Return local branches by full name."""
        return refs.refs(self._layout.git, ("refs/heads",))

    @property
    def shallow(self) -> bool:
        """True for a clone that lacks the parents of some commits."""
        return refs.is_shallow(self._layout.git)

    def hint_for_ref(self, name: str) -> str:
        """Return suggestions for a name or pattern that no ref has."""
        return refs.advice(self._layout.git, name)

    def trees_of(self, commits: Iterable[Oid]) -> dict[Oid, Oid]:
        """Return the tree of each existing commit, in one call."""
        return refs.trees_of(self._layout.git, commits)

    def reflog(self) -> list[Reflogged]:
        """Return the reflog entries of all refs and worktrees."""
        return refs.reflog(self._layout.git)

    def log(self, commit: Oid, most: int) -> list[Logged]:
        """Return the newest `most` commits that a commit reaches, with the changed paths."""
        from ragit.git import history  # no search needs it

        return history.log(self._layout.git, commit, most)

    def steps(self, since: Oid, head: Oid, paths: Sequence[bytes]) -> list[Step]:
        """Return changes of some paths on the first-parent line after `since` up to `head`, newest
        first.
        """
        from ragit.git import first_parents  # few searches need it

        return first_parents.steps(self._layout.git, since, head, paths)

    @property
    def ancestry(self) -> Ancestry:
        """Return the reader of code's history. To be closed."""
        from ragit.git.ancestry import Ancestry  # no search needs it

        return Ancestry(self._layout.git, self._layout.common_dir, self.diff)

    def worktrees(self) -> list[Worktree]:
        """Return the main working tree (or bare repository), then the linked ones."""
        return refs.worktrees(self._layout.git)

    # Trees

    def entries(self, tree: Oid) -> list[Entry]:
        """Return all files of a tree, in git's order, with symlinks and gitlinks."""
        output = self._reader.run("ls-tree", "-r", "-z", "--full-tree", words=(tree,))
        return [_entry(record) for record in output.split(b"\0") if record]

    def entries_at(self, tree: Oid, paths: Sequence[bytes]) -> list[Entry]:
        """Return the files of a tree at some paths, in no order."""
        if len(paths) > _LISTED:
            wanted = set(paths)
            return [entry for entry in self.entries(tree) if entry.path in wanted]
        words = (tree, *map(os.fsdecode, paths))
        ask = ("--literal-pathspecs", "ls-tree", "-z", "--full-tree")
        output = self._reader.run(*ask, words=words) if paths else b""
        return [_entry(record) for record in output.split(b"\0") if record]

    def files_of_trees(self, trees: Sequence[Oid]) -> FilesOfTrees:
        """Return the regular files of many trees, each tree object read once."""
        from ragit.git import tree_objects  # few searches need it

        with self.recipe().open() as objects:
            return tree_objects.files_of_trees(objects, trees)

    def diff(self, old: Oid, new: Oid) -> list[Change]:
        """Return the paths that differ, also by mode only. A rename is two changes.

        Each tree may be named by a commit.
        """
        from ragit.git.raw import change_of  # only after an edit, and for history

        output = self._reader.run(
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-abbrev",
            "--no-renames",
            "--ignore-submodules=none",
            words=(old, new),
        )
        fields = output.split(b"\0")
        return [
            change_of(facts, path) for facts, path in zip(fields[::2], fields[1::2], strict=False)
        ]

    def staged_tree(self) -> Oid:
        """Return the tree that a commit would record now. Raises GitFailed during conflicts."""
        return uncommitted.staged_tree(self._layout, self._private)

    def start_status(self) -> GitStatus:
        """Start `git status`, to be passed to `working_tree` later."""
        status = GitStatus(self._layout, self._private)
        self._statuses.append(status)
        return status

    def working_tree(
        self, max_bytes: int | Callable[[bytes], int], status: GitStatus | None = None
    ) -> WorkingTree:
        """Return HEAD with all uncommitted changes (tracked, or untracked and not ignored) as a
        tree.

        Changed files larger than `max_bytes` (for all files, or by path), embedded repositories and
        unreadable files are skipped and named. If HEAD moved since this repository was opened, the
        new HEAD counts, also for `head`.
        """
        most = max_bytes if callable(max_bytes) else lambda _: max_bytes
        for _ in range(_TRIES):
            found = uncommitted.working_tree(
                self._layout, self._private, status or self.start_status(), most
            )
            if found is not None:
                return found
            self.refresh()
            status = None
        raise GitFailed(
            "HEAD keeps moving", "Another git process is at work here; try again when it is done"
        )

    def attributes(
        self, entries: Iterable[Entry], paths: Sequence[bytes]
    ) -> dict[bytes, dict[str, str]]:
        """Return attributes of `paths` from the .gitattributes among `entries` (all files of a
        tree).

        For linguist-generated, linguist-vendored, linguist-language, diff, binary and ragit, where
        specified: "set", "unset" or the value.
        """
        return attributes.attributes(self._layout, self._private, entries, paths)

    def ignored(self, entries: Iterable[Entry], paths: Collection[bytes]) -> frozenset[bytes]:
        """Return those of `paths` that a .ragitignore among `entries` (all of a tree) ignores."""
        return ignores.ignored(self._layout, self._private, entries, paths)

    # Objects

    def recipe(self, *, bulk: bool = False) -> ObjectsRecipe:
        """Return the arguments to open the objects; picklable, for worker processes."""
        layout, callers = self._layout, self._env.get(private.ALTERNATES, "")
        folders = [str(self._private.objects), *callers.split(os.pathsep)]
        bulk = bulk and '"' not in callers  # libgit2 does not know git's quotes
        return ObjectsRecipe(
            self._reader,
            str(layout.objects),
            tuple(filter(None, folders)),
            layout.object_format,
            bulk,
        )

    def objects(self, *, bulk: bool = False) -> Objects:
        """Open the objects: by git for a few, with `bulk` by libgit2 for thousands. `close` closes
        them.
        """
        opened = self.recipe(bulk=bulk).open()
        self._open.append(opened)
        return opened

    @cached_property
    def _promisors(self) -> list[str]:
        """Remotes that a partial clone downloads from; empty for other repositories."""
        keys = self.config(r"^remote\..*\.promisor$")
        return sorted({key.removeprefix("remote.").removesuffix(".promisor") for key in keys})

    @property
    def partial(self) -> bool:
        """True for a partial clone, whose missing objects can be downloaded."""
        return bool(self._promisors)

    def absent(self, oids: Iterable[Oid]) -> set[Oid]:
        """Return the objects that are missing here, or whose header cannot be read."""
        wanted = set(oids) - self.sizes_here.keys()
        if not wanted:
            return set()
        with self.recipe().open() as objects:
            here = objects.sizes(wanted)
        self.sizes_here.update(here)
        return wanted - here.keys()

    def entries_here(self, tree: Oid) -> list[Entry]:
        """Return `entries`, but none for a tree that this partial clone lacks."""
        try:
            return self.entries(tree)
        except GitFailed:
            if not self._promisors:
                raise
            return []

    def trees_named(self, revisions: Iterable[str]) -> list[Oid]:
        """Return the trees of the named commits, even those that a partial clone lacks.

        Raises UnknownRevision for an impossible name.
        """
        git = self._layout.git
        commits = (refs.commit_named(git, revision) for revision in revisions)
        return [commit_tree(git, commit) for commit in commits if commit is not None]

    def fetch_trees(self, trees: Iterable[Oid]) -> None:
        """Download trees missing from a partial clone, with subtrees but no files, in one call."""
        lacking = []
        for tree in trees if self._promisors else ():
            try:
                self.entries(tree)
            except GitFailed:
                lacking.append(tree)
        self.fetch(lacking)

    def fetch(self, oids: Iterable[Oid]) -> None:
        """Download objects missing from a partial clone, in one call. Only this uses the
        network.
        """
        wanted = "".join(f"{oid}\n" for oid in oids).encode()
        env = {name: value for name, value in self._layout.git.env.items() if name not in _OFFLINE}
        if _PROTOCOLS in self._env:
            env[_PROTOCOLS] = self._env[_PROTOCOLS]
        for remote in self._promisors if wanted else ():
            Git(self._layout.git.cwd, env).run(*_FETCH, words=(remote,), stdin=wanted)

    def is_uncommitted(self, oid: Oid) -> bool:
        """Return whether an object was written for uncommitted work; it may be committed since."""
        return self._private.holds(oid)

    def committed(self, oids: Iterable[Oid]) -> set[Oid]:
        """Return the objects among the user's own, whether a commit reaches them or not."""
        with replaced(self.recipe(), git=self._layout.git, alternates=()).open() as objects:
            return set(objects.sizes(oids))

    def count_private_objects(self) -> int:
        """Return the number of objects written for uncommitted work."""
        return self._private.count()

    def remove_damaged_objects(self) -> int:
        """Remove damaged objects of uncommitted work; the working tree has to be read again
        then.
        """
        self.sizes_here.clear()
        return self._private.remove_damaged(self.object_format)

    def prune_private_objects(
        self,
        keep: Iterable[Oid],
        grace: float = private.GRACE_SECONDS,
        copies_grace: float = private.IN_USE_SECONDS,
    ) -> int:
        """Remove objects of uncommitted work that no tree of `keep` reaches; return bytes freed.

        Objects younger than `grace` seconds and copies of an index younger than `copies_grace`
        stay, since another process may be about to read them.
        """
        objects = self._private.objects
        return private.prune(objects, self.recipe(), keep, grace, copies_grace)

    # Configuration

    def config(self, pattern: str) -> dict[str, str]:
        """Return git's settings whose key matches a regular expression; "true" for a bare key."""
        return {key: value for key, (value, _) in self.config_origins(pattern).items()}

    def config_origins(self, pattern: str) -> dict[str, tuple[str, str]]:
        """Return such settings with the origin of each, such as "local file:.git/config"."""
        output = self._layout.git.run(
            *("config", "-z", "--show-scope", "--show-origin", "--get-regexp"),
            words=(pattern,),
            accept=(0, 1),
        )
        fields = os.fsdecode(output).split("\0")
        found = {}
        for scope, origin, setting in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
            key, given, value = setting.partition("\n")
            found[key] = (value if given else "true", f"{scope} {origin}")
        return found

    def set_config(self, key: str, value: str) -> None:
        """Set a value in this repository's git configuration."""
        self._layout.git.run("config", "--local", words=(key, value))

    def remove_config_section(self, name: str) -> None:
        """Remove a section of this repository's git configuration, if it exists."""
        self._layout.git.run(
            "config", "--local", "--remove-section", words=(name,), accept=(0, 128)
        )

    def hooks_dir(self) -> Path:
        """Return the folder of hooks: core.hooksPath, or the one in the common dir."""
        output = self._layout.git.run("rev-parse", "--path-format=absolute", "--git-path", "hooks")
        return Path(os.fsdecode(output[:-1]))


_LISTED = 256
"""Limit of paths passed to a git command by name."""

_TRIES = 5
"""Tries to see HEAD unmoved; a rebase moves it every 20 ms."""

_PROTOCOLS = "GIT_ALLOW_PROTOCOL"
_OFFLINE = (_PROTOCOLS, "GIT_NO_LAZY_FETCH")
_FETCH = (
    *("-c", "fetch.negotiationAlgorithm=noop", "-c", "gc.auto=0", "-c", "maintenance.auto=false"),
    *(
        "fetch",
        "--no-tags",
        "--no-write-fetch-head",
        "--recurse-submodules=no",
        "--filter=blob:none",
        "--stdin",
    ),
)


def _entry(record: bytes) -> Entry:
    """Parse `mode SP type SP oid TAB path`."""
    facts, _, path = record.partition(b"\t")
    mode, _, oid = facts.split(b" ")
    return Entry(path, int(mode, 8), Oid(oid.decode()))
