"""ragit as a library, and all that the command line calls.

with ragit.open("path/to/repository") as index:
    index.index()
    for hit in index.search("where are offsets committed?"):
        print(hit.path, hit.start_line, hit.symbol)
"""

from __future__ import annotations

import os
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from ragit import globs, trust
from ragit.ahead import Ahead, cache_folder, look_ahead
from ragit.chunk import languages
from ragit.config import FILE_NAME, Config, Loaded, SettingRow, TomlFile, describe, load, read_file
from ragit.errors import ConfigError, GitFailed, NotDescribed, UnknownRevision
from ragit.git import GITLINK, GitStatus, Revision, clean_env
from ragit.rank.signals import MEANINGS as MEANINGS  # for whoever shows why a hit is where it is
from ragit.rank.signals import SIGNAL_NAMES
from ragit.records import replaced
from ragit.reports import (
    Asked,
    EmbedderTried,
    FreshnessReport,
    GcReport,
    ImageDescribed,
    IndexReport,
    RefStatus,
    StatusReport,
)
from ragit.types import Answer, Oid, Progress, Query, Target

if TYPE_CHECKING:
    from ragit.chunkers import Named, Place
    from ragit.git.history import Logged
    from ragit.index import Composed, Indexer
    from ragit.search import Searcher

CACHED_ANSWERS = 256
"""Answers a long-lived process remembers; the tree is part of the key, so a change of the tree misses."""

DAY = 86_400


def open_repository(
    path: Path | str = ".",
    *,
    env: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
    ahead: Ahead | None = None,
) -> Ragit:
    """The index of the repository that `path` lies in, or that was opened ahead.

    `flags` are settings by their dotted name (`ragit config` lists them), above all other layers. Raises
    NotARepository and ConfigError.
    """
    environ = dict(os.environ if env is None else env)
    return Ragit(ahead or look_ahead(path, environ, worktree=False), environ, dict(flags or {}))


class Ragit:
    """One repository with its index. Holds processes and files: close it, or use it in a `with`."""

    def __init__(self, ahead: Ahead, environ: Mapping[str, str], flags: Mapping[str, object]) -> None:
        self._environ = environ
        self._flags = flags
        self._repo, self._status = ahead
        try:
            self.loaded: Loaded = self._load()
        except BaseException:
            self._repo.close()  # git may be at work already, and nobody else can end it
            raise
        self._answers: OrderedDict[tuple[Oid, Query], Answer] = OrderedDict()
        self._looked = False

    def __enter__(self) -> Ragit:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End what was started."""
        self._repo.close()

    @property
    def config(self) -> Config:
        """The settings in force."""
        return self.loaded.config

    @property
    def top(self) -> Path | None:
        """The top of the working tree; None for a bare repository."""
        return self._repo.top

    @property
    def folder(self) -> Path:
        """Where ragit keeps what belongs to this repository; hooks and their worker leave word here."""
        return self._repo.common_dir / "ragit"

    @cached_property
    def store_path(self) -> Path:
        """The index file: in the git directory, or under the user's cache where that cannot be written."""
        path = self.config.store_file(self._repo.common_dir)
        if self.config.index.store_path or path.exists() or os.access(self._repo.common_dir, os.W_OK):
            return path
        import hashlib  # loads OpenSSL, and most git directories can be written

        name = hashlib.sha256(os.fsencode(self._repo.common_dir)).hexdigest()[:16]
        return cache_folder(self._environ) / name / "index.db"

    # -- the three calls ---------------------------------------------------------------------------------------------

    def index(
        self,
        *revisions: str,
        scope: str = "committed",
        all_branches: bool = False,
        rebuild: bool = False,
        dry_run: bool = False,
        fetch_missing: bool = False,
        describe: bool = True,
        progress: Progress | None = None,
    ) -> IndexReport:
        """Make the trees of these revisions complete; if none is named, by `scope` HEAD's, the staged or working tree.

        `fetch_missing` first downloads what a partial clone lacks of them. Models are asked for descriptions, if the
        settings want any, unless `describe` is False. Raises UnknownRevision.
        """
        self._look_again()
        if fetch_missing:
            self._repo.fetch_trees(self._repo.trees_named(revisions or ["HEAD"]))
        wanted: list[Revision | Target] = [self._repo.resolve(revision) for revision in revisions]
        if all_branches:
            wanted += self._repo.branches()
        trees = list(dict.fromkeys(one.tree for one in wanted or [self._target(None, scope, None)]))
        if fetch_missing:
            self._indexer.fetch(trees)
        if dry_run:
            return self._indexer.rehearse(trees, progress=progress, describe=describe, anew=rebuild)
        work = self._indexer.rebuild if rebuild else self._indexer.complete
        return work(trees, progress=progress, describe=describe)

    def search(
        self,
        query: str | Query,
        *,
        ref: str | None = None,
        scope: str = "worktree",
        paths: Sequence[str] = (),
        languages: Sequence[str] = (),
        mode: str = "hybrid",
        top_k: int | None = None,
        min_score: float | None = None,
        keyword_weight: float | None = None,
        query_prefix: str | None = None,
        optimize: bool | None = None,
        rerank: bool | None = None,
        rewrite: bool | None = None,
        index: bool = True,
        explain: bool = False,
        recurse_submodules: bool = False,
        on_index: Callable[[int], None] | None = None,
    ) -> Answer:
        """The best places for a query: in a revision, or in HEAD with the uncommitted changes of this worktree.

        What the tree lacks is indexed first, unless `index` is False or the freshness policy says otherwise;
        `on_index` is told how many files that is. `recurse_submodules` goes on in those that are checked out, each with
        its own store. `explain` looks also for what a demotion kept out. Options left None are as configured. `paths`
        are patterns from the top; those that begin with `./` or `../` are of the opened folder.
        Raises UnknownRevision, UnknownLanguage, NotIndexed, ConfigError.
        """
        if isinstance(query, Query):
            return self._ask(query, recurse_submodules, on_index)
        asked = Query(
            query,
            ref=ref,
            scope=scope,
            paths=tuple(paths),
            languages=tuple(languages),
            mode=mode,
            top_k=top_k,
            min_score=min_score,
            keyword_weight=keyword_weight,
            query_prefix=query_prefix,
            optimize=optimize,
            rerank=rerank,
            rewrite=rewrite,
            index=index,
            explain=explain,
        )
        return self._ask(asked, recurse_submodules, on_index)

    def _ask(self, asked: Query, recurse_submodules: bool, on_index: Callable[[int], None] | None) -> Answer:
        asked = self._from_top(asked)
        self._look_again()
        status = self._start_status() if asked.ref is None and asked.scope == "worktree" else None
        searcher = self._searcher  # loaded while git looks at the working tree
        searcher.check(asked)
        target = self._target(asked.ref, asked.scope, status)
        answer = self._remembered(asked, target) or self._answer(searcher, asked, target, on_index)
        return self._with_submodules(asked, target, answer, on_index) if recurse_submodules else answer

    def status(self) -> StatusReport:
        """What is indexed, for which refs, and what is not."""
        self._look_again()
        with self._indexer.reading() as store:
            refs = [self._repo.head(), *self._repo.branches()]
            composed = {tree: self._indexer.composer.compose(store, tree) for tree in {ref.tree for ref in refs}}
            info = store.info() if store else None
            head = composed[refs[0].tree]
            undescribed = self._indexer.undescribed(store, head)
            described = self._indexer.has_descriptions(store) if store else 0
        embedder = self._indexer.embedder
        return StatusReport(
            store=str(self.store_path),
            exists=info is not None,
            bytes=info.bytes if info else 0,
            chunkings=info.chunkings if info else 0,
            chunks=info.chunks if info else 0,
            embedder=embedder.fingerprint if embedder else "",
            other_embedders=tuple(
                f for f in (info.embedders if info else ()) if not embedder or f != embedder.fingerprint
            ),
            refs=tuple(_ref_status(ref, composed[ref.tree]) for ref in refs),
            skipped=dict(sorted(Counter(head.snapshot.skipped.values()).items())),
            descriptions=(described, undescribed) if self._indexer.describes else None,
        )

    def describe(self, path: str, *, ref: str | None = None, now: bool = False) -> ImageDescribed:
        """What is stored about an image of HEAD with its uncommitted changes, or of a revision; `now` asks for it where
        nothing is.

        `path` is of the opened folder. Raises NotDescribed, UnknownRevision, and RemoteFailed if a model was asked.
        """
        self._look_again()
        asking = self._indexer.selector.images
        if asking is None:
            raise NotDescribed("nobody describes images here", "Type: git config ragit.imageDescription.enabled true")
        target = self._target(ref, "worktree", None)
        wanted = self._file_from_top(path)
        blobs = [entry.oid for entry in self._repo.entries(target.tree) if entry.path == wanted]
        if not blobs:
            name = os.fsdecode(wanted)
            raise NotDescribed(f"there is no {name} in {target.name}", "Paths count from the folder you are in")
        text = self._indexer.describe(blobs[0]) if now else self._indexer.described(blobs[0])
        return ImageDescribed(os.fsdecode(wanted), target.name, blobs[0], asking.fingerprint, text)

    # -- freshness, upkeep -------------------------------------------------------------------------------------------

    def check(self, revision: str | None = None, *, scope: str = "committed", fix: bool = False) -> FreshnessReport:
        """Whether a tree is completely indexed: a revision's, or by `scope` HEAD's, the staged or the working tree.

        `fix` completes an index that lacks some of it; where there is no index at all, it makes none.
        """
        self._look_again()
        status = self._repo.start_status() if revision is None and scope == "worktree" else None
        target = self._target(revision, scope, status)
        found = self._freshness(target)
        if fix and found.indexed and not found.fresh:
            self._indexer.complete([target.tree], near=target.near)
            found = self._freshness(target)
        return found

    def _freshness(self, target: Target) -> FreshnessReport:
        with self._indexer.reading() as store:
            composed = self._indexer.composer.compose(store, target.tree, near=target.near)
        missing = tuple(file.path.decode("utf-8", "surrogateescape") for file in composed.missing)
        return FreshnessReport(target.name, target.tree, missing, indexed=store is not None)

    def searched_paths(self, revision: str | None = None, *, scope: str = "worktree") -> frozenset[str]:
        """The paths that a search looks at: those of a tree that are indexed, without the skipped and the missing."""
        self._look_again()
        target = self._target(revision, scope, None)
        with self._indexer.reading() as store:
            composed = self._indexer.composer.compose(store, target.tree, near=target.near)
        return frozenset(path.decode("utf-8", "surrogateescape") for path in composed.snapshot.paths)

    def log(self, revision: str = "HEAD", *, most: int) -> list[Logged]:
        """The newest commits that a revision reaches, with the paths that each changed. Raises UnknownRevision."""
        self._look_again()
        commit = self._repo.resolve(revision).commit
        return [] if commit is None else self._repo.log(commit, most)

    def test_embedder(self) -> EmbedderTried:
        """Ask the configured embedder for two vectors, and say what it is. EmbedderUnavailable, ConfigError."""
        from ragit.index.probe import tried

        return tried(self.config)

    def gc(self) -> GcReport:
        """Drop what no ref, worktree, staged tree or recent reflog entry reaches."""
        self._look_again()
        trees = self._reachable_trees()
        report = self._indexer.collect(trees)
        return replaced(report, object_bytes=self._repo.prune_private_objects(trees))

    def settings(self) -> list[SettingRow]:
        """Every setting, its value and where it came from."""
        rows = describe(self.loaded)
        if not self.config.chunkers:
            return rows
        from ragit import chunkers

        notes = [*chunkers.warnings(self.chunkers), *chunkers.instead(self.chunkers)]
        return [row._replace(origin="; ".join((row.origin, *notes))) if row.name == "chunkers" else row for row in rows]

    @property
    def warnings(self) -> list[str]:
        """What the settings ask for and do not get, a sentence each."""
        said = [self.loaded.warning] if self.loaded.warning else []
        if self.config.chunkers:
            from ragit import chunkers

            said += chunkers.warnings(self.chunkers)
        return said

    def asked(self) -> Asked:
        """What this repository asks to be allowed: settings of its .ragit.toml, and chunkers, as they stand now.

        ConfigError if there is nothing.
        """
        from ragit import permission

        content = self._toml()
        loaded = self._resolved(TomlFile(content, trusted=True) if content is not None else None)
        return permission.asked(content, loaded.config, self._chunker_place())

    def trust(self, asked: Asked | None = None, *, allow: bool = True) -> Path:
        """Allow what this repository asks for (or stop allowing all of it); the path of its .ragit.toml.

        Takes effect when the repository is opened again.
        """
        if self._repo.top is None:
            raise ConfigError("a bare repository has no .ragit.toml", "Use git config ragit.* instead")
        if allow:
            from ragit import permission

            permission.allow(asked or self.asked(), self._chunker_place())
        else:
            trust.distrust(trust.record_path(self._environ), self._repo.common_dir)
        return self._repo.top / FILE_NAME

    # -- parts -------------------------------------------------------------------------------------------------------

    def _start_status(self) -> GitStatus:
        """The look at the working tree that was started ahead, for the first who asks; a new one after that."""
        status, self._status = self._status, None
        return status or self._repo.start_status()

    def _toml(self) -> bytes | None:
        return read_file(self._repo.top / FILE_NAME) if self._repo.top else None

    def _load(self) -> Loaded:
        content = self._toml()
        if content is None:
            return self._resolved(None)
        record, common_dir, top = trust.record_path(self._environ), self._repo.common_dir, self._repo.top
        return self._resolved(TomlFile(content, trusted=trust.is_trusted(record, common_dir, content, worktree=top)))

    def _resolved(self, file: TomlFile | None) -> Loaded:
        git = self._repo.config(r"^ragit\.")
        return load(file, git, self._environ, self._flags, signal_names=SIGNAL_NAMES, languages=languages())

    def _chunker_place(self) -> Place:
        from ragit.chunkers import Place

        return Place(self._repo.top, self._repo.common_dir, trust.record_path(self._environ))

    @cached_property
    def chunkers(self) -> list[Named]:
        """The chunkers of your own that the settings name, and what became of each, as long as this is open."""
        if not self.config.chunkers:
            return []
        from ragit import chunkers

        return chunkers.named(self.config.chunkers, self._chunker_place())

    @cached_property
    def _indexer(self) -> Indexer:
        from ragit.index import Indexer

        if not self.config.chunkers:
            return Indexer(self._repo, self.config, self.store_path)
        from ragit import chunkers

        return Indexer(self._repo, self.config, self.store_path, chunkers.in_force(self.chunkers))

    @cached_property
    def _searcher(self) -> Searcher:
        from ragit.search import Searcher

        return Searcher(self._repo, self.config, self._indexer)

    def _look_again(self) -> None:
        """See where HEAD stands now: it may have moved since the last call (the first one finds it just looked up)."""
        if self._looked:
            self._repo.refresh()
        self._looked = True

    def _from_top(self, query: Query) -> Query:
        if not query.paths:
            return query
        return replaced(query, paths=tuple(map(self._path_from_top, query.paths)))

    def _file_from_top(self, path: str) -> bytes:
        """A file's path as git has it."""
        top = self._repo.top or self._repo.common_dir
        found = os.path.relpath(os.path.join(top, os.fsdecode(self._repo.prefix), path), top)  # noqa: PTH118
        return os.fsencode(found).replace(os.sep.encode(), b"/")

    def _path_from_top(self, pattern: str) -> str:
        top = str(self._repo.top) if self._repo.top else None
        if not pattern.strip():
            raise ConfigError("an empty path is asked for", "Leave the path out, or name a file, a folder or a pattern")
        if top and pattern.startswith("/") and not Path(pattern).is_relative_to(top):
            real = os.path.realpath(pattern)  # one may have come here by a link, and a shell names the way one came
            pattern = real if Path(real).is_relative_to(top) else pattern
        found = globs.from_top(pattern, os.fsdecode(self._repo.prefix), top)
        if found is None:
            raise ConfigError(f"{pattern} is outside the repository", f"It begins at {top or self._repo.common_dir}")
        return found

    def _target(self, revision: str | None, scope: str, status: GitStatus | None) -> Target:
        if revision is not None:
            found = self._repo.resolve(revision)
            return Target(revision, found.tree, self._repo.head().tree)
        if scope == "worktree":
            working = self._repo.working_tree(self._indexer.selector.most_bytes, status)
            head = self._repo.head()
            name = "HEAD" if working.tree == head.tree else "HEAD + uncommitted changes"
            return Target(name, working.tree, head.tree)
        head = self._repo.head()
        if scope == "staged":
            return Target("staged changes", self._repo.staged_tree(), head.tree)
        return Target("HEAD", head.tree, head.tree)

    def _answer(
        self, searcher: Searcher, query: Query, target: Target, on_index: Callable[[int], None] | None
    ) -> Answer:
        answer = searcher.search(query, target, on_index)
        if answer.complete and not answer.degraded and not answer.undescribed:
            self._answers[target.tree, query] = answer
            if len(self._answers) > CACHED_ANSWERS:
                self._answers.popitem(last=False)
        return answer

    def _with_submodules(
        self, query: Query, target: Target, answer: Answer, on_index: Callable[[int], None] | None
    ) -> Answer:
        from ragit import submodules

        found = []
        for entry in self._repo.entries(target.tree):
            folder = os.fsdecode(entry.path)
            asked = submodules.inside(query, folder, entry.oid) if entry.mode == GITLINK else None
            inner = self._submodule(folder) if asked is not None else None
            if asked is not None and inner is not None:
                with inner, suppress(UnknownRevision):  # the commit is not downloaded
                    found.append((folder, inner.search(asked, recurse_submodules=True, on_index=on_index)))
        return submodules.joined(answer, found, query.top_k or self.config.retrieval.top_k)

    def _submodule(self, folder: str) -> Ragit | None:
        """The repository checked out at a folder, with settings and a store of its own; None if there is none."""
        place = self._repo.top / folder if self._repo.top else None
        if place is None or not (place / ".git").exists():
            return None
        environ = clean_env(self._environ)
        environ.pop("RAGIT_INDEX_STORE_PATH", None)
        ahead = look_ahead(place, environ, worktree=False)
        return Ragit(ahead, environ, {name: v for name, v in self._flags.items() if name != "index.storePath"})

    def _remembered(self, query: Query, target: Target) -> Answer | None:
        answer = self._answers.get((target.tree, query))
        return replaced(answer, ref=target.name) if answer else None

    def _reachable_trees(self) -> set[Oid]:
        """Trees that gc keeps: of all refs, all worktrees' HEADs, recent reflog entries, and the uncommitted states
        here.
        """
        repo = self._repo
        since = time.time() - self.config.gc.reflog_days * DAY
        commits = {worktree.head for worktree in repo.worktrees() if worktree.head}
        trees = {revision.tree for revision in repo.refs()} | set(repo.trees_of(commits).values())
        trees |= {entry.tree for entry in repo.reflog() if entry.seconds >= since}
        trees |= {repo.head().tree}
        if repo.top is not None:
            trees |= {repo.working_tree(self._indexer.selector.most_bytes).tree, *self._staged()}
        return trees

    def _staged(self) -> set[Oid]:
        try:
            return {self._repo.staged_tree()}
        except GitFailed:  # there are conflicts: what is staged is no tree yet
            return set()


def _ref_status(ref: Revision, composed: Composed) -> RefStatus:
    return RefStatus(ref.name, ref.tree, len(composed.snapshot.paths), len(composed.missing))
