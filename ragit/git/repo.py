"""The face of the room: one repository, opened at a path, and what can be asked of it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from ragit.errors import GitFailed
from ragit.git import attributes, ignores, private, refs, uncommitted
from ragit.git.command import Git
from ragit.git.objects import Objects, ObjectsRecipe
from ragit.git.place import EMPTY_TREES, commit_tree, find
from ragit.git.refs import Reflogged, Revision, Worktree
from ragit.git.uncommitted import GitStatus, WorkingTree
from ragit.records import replaced
from ragit.types import Change, Entry, Oid

if TYPE_CHECKING:
    from ragit.git.history import Logged


class Repo:
    """A repository. Holds processes and perhaps a temporary folder: close it, or use it in `with`."""

    def __init__(self, path: str, env: Mapping[str, str], scratch: Path | None) -> None:
        self._path, self._env = path, env
        self._place = find(path, env)
        self._private = private.Private(self._place, scratch)
        self._open: list[Objects] = []
        self.sizes_here: dict[Oid, int] = {}
        """Sizes in bytes of objects that were found to be here."""
        self._statuses: list[GitStatus] = []

    @classmethod
    def open(
        cls,
        path: Path | str = ".",
        env: Mapping[str, str] | None = None,
        scratch: Path | None = None,
    ) -> Repo:
        """The repository that `path` lies in, or the one that `env` (by default the process's own) names.

        `scratch` is a folder to write to where the git dir cannot be written. Raises NotARepository.
        """
        return cls(str(path), dict(os.environ if env is None else env), scratch)

    def __enter__(self) -> Repo:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all processes that were started and remove what is temporary."""
        while self._statuses:
            self._statuses.pop().stop()
        while self._open:
            self._open.pop().close()
        self._private.close()

    def refresh(self) -> None:
        """See again where HEAD stands: for whoever keeps a repository open while the user works in it."""
        self._place = find(self._path, self._env)

    @property
    def common_dir(self) -> Path:
        """The git dir that all worktrees share."""
        return self._place.common_dir

    @property
    def git_dir(self) -> Path:
        """The git dir of this worktree."""
        return self._place.git_dir

    @property
    def top(self) -> Path | None:
        """The top of the working tree; None in a bare repository and inside a git dir."""
        return self._place.top

    @property
    def prefix(self) -> bytes:
        """Where the opened path lies below the top: empty, or ending in a slash."""
        return self._place.prefix

    @property
    def object_format(self) -> str:
        """ "sha1" or "sha256"."""
        return self._place.object_format

    @property
    def empty_tree(self) -> Oid:
        """The oid of the tree without entries."""
        return EMPTY_TREES[self._place.object_format]

    @property
    def _reader(self) -> Git:
        return self._private.reader(self._place.git)

    # Revisions and refs

    def head(self) -> Revision:
        """HEAD as it was on opening or at the last `refresh`; the empty tree before the first commit."""
        return Revision("HEAD", self._place.commit, self._place.tree)

    def resolve(self, rev: str) -> Revision:
        """What a revision means: a branch, tag, commit, tree or any expression of git's. Raises UnknownRevision."""
        return refs.resolve(self._place.git, rev, self.empty_tree)

    def branch(self) -> str:
        """The short name of the current branch, also before its first commit; empty if HEAD is detached."""
        said = self._place.git.run("symbolic-ref", "--quiet", "--short", "HEAD", accept=(0, 1))
        return os.fsdecode(said).strip()

    def refs(self) -> list[Revision]:
        """Branches, tags and remote branches by full name."""
        return refs.refs(self._place.git)

    def branches(self) -> list[Revision]:
        """Local branches by full name."""
        return refs.refs(self._place.git, ("refs/heads",))

    def trees_of(self, commits: Iterable[Oid]) -> dict[Oid, Oid]:
        """The tree of each commit that is there, in one call."""
        return refs.trees_of(self._place.git, commits)

    def reflog(self) -> list[Reflogged]:
        """What the reflogs of all refs and all worktrees remember."""
        return refs.reflog(self._place.git)

    def log(self, commit: Oid, most: int) -> list[Logged]:
        """The newest `most` commits that a commit reaches, with the paths that each changed."""
        from ragit.git import history  # no search needs it

        return history.log(self._place.git, commit, most)

    def worktrees(self) -> list[Worktree]:
        """The main working tree (or bare repository) first, then the linked ones."""
        return refs.worktrees(self._place.git)

    # Trees

    def entries(self, tree: Oid) -> list[Entry]:
        """All files of a tree, in git's order, with symlinks and gitlinks."""
        said = self._reader.run("ls-tree", "-r", "-z", "--full-tree", words=(tree,))
        return [_entry(record) for record in said.split(b"\0") if record]

    def diff(self, old: Oid, new: Oid) -> list[Change]:
        """The paths that differ between two trees, also by mode or type only. A rename is one gone and one new."""
        said = self._reader.run(
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-abbrev",
            "--no-renames",
            "--ignore-submodules=none",
            words=(old, new),
        )
        fields = said.split(b"\0")
        return [
            _change(facts, path) for facts, path in zip(fields[::2], fields[1::2], strict=False)
        ]

    def staged_tree(self) -> Oid:
        """The tree that a commit would record now. Raises GitFailed while there are conflicts."""
        return uncommitted.staged_tree(self._place, self._private)

    def start_status(self) -> GitStatus:
        """Start looking for uncommitted changes, to be handed to `working_tree` later."""
        status = GitStatus(self._place, self._private)
        self._statuses.append(status)
        return status

    def working_tree(
        self, max_bytes: int | Callable[[bytes], int], status: GitStatus | None = None
    ) -> WorkingTree:
        """HEAD with all uncommitted changes (tracked, or untracked and not ignored) as a tree.

        Changed files of more than `max_bytes` (of any file, or by path), embedded repositories and what cannot be read
        are skipped and named.
        If HEAD moved since this repository was opened, that counts (and `head` says so): the answer is of one moment.
        """
        most = max_bytes if callable(max_bytes) else lambda _: max_bytes
        for _ in range(_PATIENCE):
            found = uncommitted.working_tree(
                self._place, self._private, status or self.start_status(), most
            )
            if found is not None:
                return found
            self.refresh()
            status = None
        raise GitFailed(
            "HEAD keeps moving", "another git process is at work here; try again when it is done"
        )

    def attributes(
        self, entries: Iterable[Entry], paths: Sequence[bytes]
    ) -> dict[bytes, dict[str, str]]:
        """What the .gitattributes among `entries` (all files of a tree) say about `paths`.

        Only of linguist-generated, linguist-vendored, linguist-language, diff, binary and ragit, and only where they
        are specified: "set", "unset" or the given value.
        """
        return attributes.attributes(self._place, self._private, entries, paths)

    def ignored(self, entries: Iterable[Entry], paths: Collection[bytes]) -> frozenset[bytes]:
        """Those of `paths` that the .ragitignore files among `entries` (all files of a tree) take out."""
        return ignores.ignored(self._place, self._private, entries, paths)

    # Objects

    def recipe(self, *, bulk: bool = False) -> ObjectsRecipe:
        """How to open the objects; picklable, so that a worker process can open them itself."""
        place, callers = self._place, self._env.get(private.ALTERNATES, "")
        folders = [str(self._private.objects), *callers.split(os.pathsep)]
        bulk = bulk and '"' not in callers  # quoted by rules that git alone knows
        return ObjectsRecipe(
            self._reader,
            str(place.objects),
            tuple(filter(None, folders)),
            place.object_format,
            bulk,
        )

    def objects(self, *, bulk: bool = False) -> Objects:
        """Read objects: by git for a few, with `bulk` by libgit2 (slow to load) for thousands. Closed with this."""
        opened = self.recipe(bulk=bulk).open()
        self._open.append(opened)
        return opened

    @cached_property
    def _promisors(self) -> list[str]:
        """Remotes that a partial clone can download from; none in any other repository."""
        keys = self.config(r"^remote\..*\.promisor$")
        return sorted({key.removeprefix("remote.").removesuffix(".promisor") for key in keys})

    @property
    def partial(self) -> bool:
        """Whether this is a partial clone: what it lacks can be downloaded. In any other, what it lacks is lost."""
        return bool(self._promisors)

    def absent(self, oids: Iterable[Oid]) -> set[Oid]:
        """Those that are not here, or of which not even the header can be read."""
        wanted = set(oids) - self.sizes_here.keys()
        if not wanted:
            return set()
        with self.recipe().open() as objects:
            here = objects.sizes(wanted)
        self.sizes_here.update(here)
        return wanted - here.keys()

    def entries_here(self, tree: Oid) -> list[Entry]:
        """The same as `entries`, but none of a tree that this partial clone lacks."""
        try:
            return self.entries(tree)
        except GitFailed:
            if not self._promisors:
                raise
            return []

    def trees_named(self, revisions: Iterable[str]) -> list[Oid]:
        """Return the trees of the commits that are named, also those that a partial clone lacks.

        Raises UnknownRevision for what cannot be the name of a revision.
        """
        git = self._place.git
        commits = (refs.commit_named(git, revision) for revision in revisions)
        return [commit_tree(git, commit) for commit in commits if commit is not None]

    def fetch_trees(self, trees: Iterable[Oid]) -> None:
        """Download trees that a partial clone lacks, with all below them but no files, in one call."""
        lacking = []
        for tree in trees if self._promisors else ():
            try:
                self.entries(tree)
            except GitFailed:
                lacking.append(tree)
        self.fetch(lacking)

    def fetch(self, oids: Iterable[Oid]) -> None:
        """Download objects that a partial clone lacks, in one call. The only thing here that uses the network."""
        wanted = "".join(f"{oid}\n" for oid in oids).encode()
        env = {name: value for name, value in self._place.git.env.items() if name not in _OFFLINE}
        if _PROTOCOLS in self._env:
            env[_PROTOCOLS] = self._env[_PROTOCOLS]
        for remote in self._promisors if wanted else ():
            Git(self._place.git.cwd, env).run(*_FETCH, words=(remote,), stdin=wanted)

    def is_uncommitted(self, oid: Oid) -> bool:
        """Return True if an object was written for uncommitted work; it may be committed since."""
        return self._private.holds(oid)

    def committed(self, oids: Iterable[Oid]) -> set[Oid]:
        """Return those that the user's own objects hold, whether a commit names them or not."""
        with replaced(self.recipe(), git=self._place.git, alternates=()).open() as objects:
            return set(objects.sizes(oids))

    def remove_damaged_objects(self) -> int:
        """Remove damaged objects of uncommitted work, which is to be looked at again then."""
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
        stay: another process may be about to read them.
        """
        objects = self._private.objects
        return private.prune(objects, self.recipe(), keep, grace, copies_grace)

    # Configuration

    def config(self, pattern: str) -> dict[str, str]:
        """git's settings whose key matches a regular expression; the last value of each, "true" for a bare key."""
        return {key: value for key, (value, _) in self.config_origins(pattern).items()}

    def config_origins(self, pattern: str) -> dict[str, tuple[str, str]]:
        """The same, with where each was set: "local file:.git/config", "command command line:"."""
        said = self._place.git.run(
            *("config", "-z", "--show-scope", "--show-origin", "--get-regexp"),
            words=(pattern,),
            accept=(0, 1),
        )
        fields = os.fsdecode(said).split("\0")
        found = {}
        for scope, origin, setting in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
            key, given, value = setting.partition("\n")
            found[key] = (value if given else "true", f"{scope} {origin}")
        return found

    def set_config(self, key: str, value: str) -> None:
        """Set one of git's settings of this repository, for all its worktrees."""
        self._place.git.run("config", "--local", words=(key, value))

    def remove_config_section(self, name: str) -> None:
        """Remove a section of this repository's settings, if there is one."""
        self._place.git.run("config", "--local", "--remove-section", words=(name,), accept=(0, 128))

    def hooks_dir(self) -> Path:
        """Where git looks for hooks here: core.hooksPath, or the folder in the common dir."""
        said = self._place.git.run("rev-parse", "--path-format=absolute", "--git-path", "hooks")
        return Path(os.fsdecode(said[:-1]))


_PATIENCE = 5
"""A rebase moves HEAD every 20 ms, but not often five times in a row between our two looks at it."""

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
_NO_OID = re.compile(rb"0+")


def _entry(record: bytes) -> Entry:
    """Read `mode SP type SP oid TAB path`."""
    facts, _, path = record.partition(b"\t")
    mode, _, oid = facts.split(b" ")
    return Entry(path, int(mode, 8), Oid(oid.decode()))


def _change(facts: bytes, path: bytes) -> Change:
    """Read `:old-mode SP new-mode SP old-oid SP new-oid SP status`; the absent side is all zeros."""
    old_mode, new_mode, old_oid, new_oid, _ = facts[1:].split(b" ")
    return Change(path, _side(path, old_mode, old_oid), _side(path, new_mode, new_oid))


def _side(path: bytes, mode: bytes, oid: bytes) -> Entry | None:
    return None if _NO_OID.fullmatch(mode) else Entry(path, int(mode, 8), Oid(oid.decode()))
