"""ragit as a library, with all operations of the command line.

with ragit.open("path/to/repository") as index:
    index.index()
    for hit in index.search("where are offsets committed?"):
        print(hit.path, hit.start_line, hit.symbol)
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ragit.errors import GitFailed, UnknownRevision
from ragit.git import Revision, clean_env
from ragit.git import pager_command as pager_command
from ragit.query import Query, checked, is_about_history
from ragit.records import replaced
from ragit.remembered import Remembered
from ragit.repository.early_status import EarlyStatus, cache_folder, start_early_status
from ragit.repository.history_questions import HistoryQuestions, Parts
from ragit.repository.recent import Recent
from ragit.repository.settings import Settings
from ragit.repository.taking_query import taking_options_of
from ragit.repository.targets import Targets
from ragit.types import LOST_SINCE_INDEXED, Answer, OnIndex, Progress, Target, path_text

if TYPE_CHECKING:
    from ragit.config import Config
    from ragit.git import Logged
    from ragit.index import Indexer
    from ragit.reports import (
        EmbedderTried,
        FileDescribed,
        FreshnessReport,
        GcReport,
        ImageDescribed,
        IndexReport,
        StatusReport,
    )
    from ragit.search import Kept, OpenTree, Searcher
    from ragit.usages import Usages

CACHED_ANSWERS = 256
"""Limit of cached answers. The tree is part of the key, so a changed tree is searched anew."""


def open_repository(
    path: Path | str = ".",
    *,
    env: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
    early: EarlyStatus | None = None,
) -> Ragit:
    """Open the index of the repository around `path`, or of the one opened early.

    `flags` are settings by their dotted name (`ragit config` lists them), above all other layers.
    Raises NotARepository and ConfigError.
    """
    environ = dict(os.environ if env is None else env)
    return Ragit(
        early or start_early_status(path, environ, worktree=False), environ, dict(flags or {})
    )


class Ragit(HistoryQuestions):
    """One repository with its index. Holds processes and files: close it, or use it in a `with`."""

    def __init__(
        self, early: EarlyStatus, environ: Mapping[str, str], flags: Mapping[str, object]
    ) -> None:
        self._environ = environ
        self._flags = flags
        self._repo = early.repo
        self._targets = Targets(early, lambda path: self._indexer.selector.most_bytes(path))
        self._recent: Recent[tuple[str | None, str], Target] = Recent()
        try:
            self.settings = Settings(self._repo, environ, flags)
            """Merged settings of all layers, and those that need permission."""
        except BaseException:
            self._repo.close()  # a git process may already be running
            raise
        self._answers: Remembered[tuple[object, ...], Answer] = Remembered(CACHED_ANSWERS)

    def __enter__(self) -> Ragit:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop all processes and close all files."""
        self._release_store()
        self._repo.close()

    @property
    def config(self) -> Config:
        """Return the settings in force."""
        return self.settings.config

    @property
    def top(self) -> Path | None:
        """Return the top of the working tree; None for a bare repository."""
        return self._repo.top

    @property
    def folder_in_tree(self) -> str:
        """Return the opened folder below the top of the tree, without a final slash; empty for the
        top.
        """
        return path_text(self._repo.prefix.rstrip(b"/"))

    @property
    def folder(self) -> Path:
        """Return the folder of ragit's files about this repository, also used by hooks and their
        worker.
        """
        return self._repo.common_dir / "ragit"

    @cached_property
    def store_path(self) -> Path:
        """Return the index file: in the git directory, or in the user's cache if that is
        read-only.
        """
        path = self.config.store_file(self._repo.common_dir)
        if self.config.index.store_path or self._may_write:
            return path
        cached = self._cached_store_path
        readable = path.exists() and not self.folder.is_symlink()
        return path if readable and not cached.exists() else cached

    @property
    def _may_write(self) -> bool:
        """Return whether the store in the git directory is writable."""
        writable = self.folder if self.folder.exists() else self._repo.common_dir
        return os.access(writable, os.W_OK) and not self.folder.is_symlink()

    @cached_property
    def _cached_store_path(self) -> Path:
        """Return the index file of a repository with a read-only git directory."""
        import hashlib  # loads OpenSSL, and most git directories are writable

        name = hashlib.sha256(os.fsencode(self._repo.common_dir)).hexdigest()[:16]
        return cache_folder(self._environ) / name / "index.db"

    # -- the three calls

    def index(
        self,
        *revisions: str,
        scope: str = "committed",
        all_branches: bool = False,
        rebuild: bool = False,
        dry_run: bool = False,
        fetch_missing: bool = False,
        describe: bool = True,
        retry: bool = True,
        progress: Progress | None = None,
    ) -> IndexReport:
        """Complete the index of these revisions, or by `scope` of HEAD's, the staged or working
        tree.

        `fetch_missing` first downloads objects missing from a partial clone. Models are asked for
        descriptions, if the settings want any, unless `describe` is False. Slow files that earlier
        runs deferred are tried again, unless `retry` is False. Raises UnknownRevision.
        """
        self._targets.look_again()
        self._release_store()
        if fetch_missing:
            self._repo.fetch_trees(self._repo.trees_named(revisions or ["HEAD"]))
        wanted: list[Revision | Target] = [self._repo.resolve(revision) for revision in revisions]
        if all_branches:
            wanted += self._repo.branches()
        trees = list(dict.fromkeys(one.tree for one in wanted or [self._targets.of(None, scope)]))
        if fetch_missing:
            self._indexer.fetch(trees)
        if dry_run:
            return self._indexer.dry_run(
                trees, progress=progress, describe=describe, retry=retry, anew=rebuild
            )
        work = self._indexer.rebuild if rebuild else self._indexer.complete
        return work(trees, progress=progress, describe=describe, retry=retry)

    @taking_options_of(Query)
    def search(self, query: Query) -> Answer:
        """Return the best hits for a query, in a revision or in HEAD with the uncommitted changes.

        Takes a text with the fields of `ragit.query.Query` as keyword arguments, or such a `Query`.
        Path patterns are relative to the top of the repository; those that begin with `./` or `../`
        to the opened folder. Files missing from the index are indexed first, unless `index` is
        False or the freshness policy forbids it.

        Raises UnknownRevision, UnknownLanguage, NotIndexed, ConfigError.
        """
        return self.ask(query)

    def ask(self, query: Query, on_index: OnIndex | None = None) -> Answer:
        """Return the answer to a query, as `search` does.

        `on_index` is called with the files to index first, and may return a progress callback.
        """
        self._targets.look_again()
        query = self._targets.from_top(checked(query))
        self._targets.begin(query)
        searcher = self._searcher  # loaded while git reads the working tree
        searcher.check(query)
        target, answer = self._answered(query, on_index)
        if query.recurse_submodules:
            return self._with_submodules(query, target, answer, on_index)
        return answer

    def ask_below(self, path: str, query: Query, on_index: OnIndex | None = None) -> Answer:
        """Return the answer to a query about one file or folder below the opened folder, with a
        note.
        """
        answer = self.ask(replaced(query, paths=(self._targets.literal(path),)), on_index)
        note = (
            f"only {path} was searched, since it is a path; quote the query to search for the word"
        )
        return replaced(answer, notes=(note, *answer.notes))

    def has_path(self, path: str, query: Query) -> bool:
        """Return whether the tree of a query has a file or folder, relative to the opened
        folder.
        """
        return self._targets.has(path, query)

    def like(self, place: str, query: Query, on_index: OnIndex | None = None) -> Answer:
        """Return chunks similar to the chunk at FILE:LINE, relative to the opened folder.

        The query's text is ignored. Raises ConfigError if it is no FILE:LINE, and NoSuchPath.
        """
        from ragit.repository import similar

        file, line = similar.parse_place(place)
        query = checked(query)
        with self.reading(query.ref, query.scope, index=query.index, on_index=on_index) as opened:
            sample = similar.sample_at(opened, self._targets.file(file), line)
        top_k = query.top_k or self.config.retrieval.top_k
        answer = self.ask(similar.as_query(query, sample, top_k), on_index)
        return similar.without_sample(answer, sample, top_k)

    def reading(
        self,
        ref: str | None = None,
        scope: str = "worktree",
        *,
        index: bool = True,
        on_index: OnIndex | None = None,
        fresh_s: float = 0.0,
    ) -> AbstractContextManager[OpenTree]:
        """Open a revision's tree to read its chunks and texts, or by `scope` HEAD's, the staged or
        working tree.

        Missing files are indexed first, unless `index` is False or the freshness policy forbids it.
        A tree opened less than `fresh_s` seconds ago is reused without asking git. Raises
        UnknownRevision and NotIndexed.
        """
        target = self._recent.get((ref, scope), fresh_s)
        if target is None:
            target = self._looked_up(ref, scope)
            self._recent.put((ref, scope), target)
        from ragit.search import TreeOpener

        opener = TreeOpener(self.config, self._indexer, self._kept)
        return opener.open(target, index=index, on_index=on_index)

    def _looked_up(self, ref: str | None, scope: str) -> Target:
        self._targets.look_again()
        self._targets.begin(Query("", ref=ref, scope=scope))
        _ = self._indexer  # loaded while git reads the working tree
        return self._targets.of(ref, scope)

    def path_from_top(self, path: str) -> bytes:
        """Return a path relative to the opened folder as one from the top, as git has it."""
        return self._targets.file(path)

    def usages(
        self,
        name: str,
        *,
        relation: str = "uses",
        ref: str | None = None,
        scope: str = "worktree",
        paths: Sequence[str] = (),
        top_k: int = 100,
        page: int = 1,
        index: bool = True,
        on_index: OnIndex | None = None,
    ) -> Usages:
        """Return one page of the lines of a tree that contain a name as a whole word.

        The tree, `paths` and `index` are as for `search`; `relation` is "uses", "callers",
        "callees" or "overrides". Raises ConfigError for an invalid name, UnknownRevision and
        NotIndexed.
        """
        from ragit import usages
        from ragit.repository.find_usages import find_usages

        owner, word = usages.parted(name)
        tree = checked(Query(word, ref=ref, scope=scope, paths=paths))
        query = usages.checked(usages.UsagesQuery(word, relation, (), top_k, page, owner))
        with (
            self.reading(ref, scope, index=index, on_index=on_index) as opened,
            self._world_of(opened) as world,
        ):
            paths = self._targets.from_top(tree).paths
            return find_usages(opened, world, replaced(query, paths=paths))

    def status(self) -> StatusReport:
        """Return what is indexed, for which refs, and which files of the searched tree are not."""
        self._targets.look_again()
        from ragit.index import status_of

        searched, left_out = self._targets.working()
        return status_of(
            self._indexer, searched, left_out, [self._repo.head(), *self._repo.branches()]
        )

    def describe(
        self, path: str, *, ref: str | None = None, now: bool = False
    ) -> ImageDescribed | FileDescribed:
        """Return the stored descriptions of a file, in HEAD with its uncommitted changes or in a
        revision.

        An image has one description, any other file one for each chunk. `now` requests the
        description of an image that has none. `path` is relative to the opened folder. Raises
        NotDescribed, UnknownRevision, and RemoteFailed if the request failed.
        """
        self._targets.look_again()
        target = self._targets.of(ref, "worktree")
        wanted = self._targets.file(path)
        from ragit.repository.description import description_of

        return description_of(self._repo, self._indexer, target, wanted, now=now)

    # -- freshness, upkeep

    def check(
        self, revision: str | None = None, *, scope: str = "committed", fix: bool = False
    ) -> FreshnessReport:
        """Return whether a tree is completely indexed: a revision's, or by `scope` HEAD's, the
        staged or the working tree.

        `fix` completes the index first.
        """
        self._targets.look_again()
        from ragit.index import freshness_of

        target = self._targets.of(revision, scope)
        found = freshness_of(self._indexer, target)
        if fix and not (found.indexed and found.fresh):
            self._indexer.complete([target.tree], near=target.near)
            found = freshness_of(self._indexer, target)
        return found

    def searched_paths(
        self, revision: str | None = None, *, scope: str = "worktree"
    ) -> frozenset[str]:
        """Return the indexed paths of a tree."""
        self._targets.look_again()
        target = self._targets.of(revision, scope)
        with self._indexer.reading() as store:
            resolved = self._indexer.trees.resolve(store, target.tree, near=target.near)
        return frozenset(path_text(path) for path in resolved.snapshot.paths)

    def log(self, revision: str = "HEAD", *, most: int) -> list[Logged]:
        """Return the newest `most` commits that a revision reaches, with changed paths. Raises
        UnknownRevision.
        """
        self._targets.look_again()
        commit = self._repo.resolve(revision).commit
        return [] if commit is None else self._repo.log(commit, most)

    def test_embedder(self) -> EmbedderTried:
        """Request two vectors from the configured embedder, and return the result.

        Raises EmbedderUnavailable and ConfigError.
        """
        from ragit.index import tried

        with self._indexer.reading() as store:
            return tried(self.config, store)

    def gc(self) -> GcReport:
        """Drop what no ref, worktree, staged tree or recent reflog entry reaches."""
        from ragit.repository.ref_labels import forget_map

        self._targets.look_again()
        self._release_store()
        trees = self._targets.reachable(self.config.gc.reflog_days)
        forget_map(self.store_path)
        freed = self._repo.prune_private_objects(trees)  # first, since it needs no disk space
        return replaced(self._indexer.collect(trees), object_bytes=freed)

    # -- parts

    @cached_property
    def _indexer(self) -> Indexer:
        from ragit.index import Indexer

        found = Indexer(self._repo, self.config, self.store_path, self.settings.chunkers_in_force())
        if not (self.config.index.store_path or self._may_write):
            found.elsewhere = self._cached_store_path
        return found

    @cached_property
    def _searcher(self) -> Searcher:
        from ragit.search import Searcher

        return Searcher(self.config, self._indexer, self._kept)

    @cached_property
    def _kept(self) -> Kept:
        from ragit.search import Kept

        return Kept(self._repo, self._indexer)

    def _release_store(self) -> None:
        """Close the files that searches keep open; the next operation may need the store alone."""
        if "_kept" in self.__dict__:
            self._kept.release()

    def _parts(self) -> Parts:
        from ragit.search import TreeOpener

        repo, config, indexer = self._repo, self.config, self._indexer
        opener = TreeOpener(config, indexer, self._kept)
        return Parts(repo, config, self._targets, indexer, lambda: self._searcher, opener)

    def _answered(self, asked: Query, on_index: OnIndex | None) -> tuple[Target, Answer]:
        """Answer a query; rewrite damaged objects of uncommitted work and try again."""
        try:
            target, answer = self._once(asked, on_index)
            if not answer.completeness.absent and LOST_SINCE_INDEXED not in answer.degraded:
                return target, answer
        except GitFailed:
            if not self._repo.remove_damaged_objects():
                raise
        else:
            if not self._repo.remove_damaged_objects():
                return target, answer
        self._indexer.absent.clear()
        return self._once(asked, on_index)

    def _once(self, asked: Query, on_index: OnIndex | None) -> tuple[Target, Answer]:
        if is_about_history(asked):
            return self._about_history(asked, on_index)
        target = self._targets.asked(asked)
        key = target.tree, target.without, asked  # all that an answer depends on
        known = self._answers.get(key)
        if known:
            return target, replaced(known, ref=target.name)
        answer = self._searcher.search(asked, target, on_index)
        if answer.completeness.settled and not answer.degraded:
            self._answers.add(key, answer)
        return target, answer

    def _about_history(self, asked: Query, on_index: OnIndex | None) -> tuple[Target, Answer]:
        from ragit.repository import ref_labels
        from ragit.repository.with_history import with_history

        refs = ref_labels.asked_refs(self._repo, asked)
        if asked.refs or asked.all_refs:
            target = ref_labels.union_target(asked, refs, self._indexer.trees.union)
        else:
            target = self._targets.asked(asked)
        answer = self._searcher.search(asked, target, on_index)
        return target, with_history(self._repo, self._indexer, self.store_path, asked, refs, answer)

    def _with_submodules(
        self, query: Query, target: Target, answer: Answer, on_index: OnIndex | None
    ) -> Answer:
        from ragit.repository import submodules

        found = []
        for folder, asked in submodules.queries(query, self._repo.entries(target.tree)):
            inner = self._submodule(folder)
            if inner is not None:
                with inner, suppress(UnknownRevision):  # the commit is not downloaded
                    answered = inner.ask(asked, on_index)
                    found.append(submodules.Inner(folder, answered, inner.settings.warnings))
        return submodules.joined(answer, found, query.top_k or self.config.retrieval.top_k)

    def _submodule(self, folder: str) -> Ragit | None:
        """Open the repository checked out at a folder, with its own settings and store; None if
        none.
        """
        place = self._repo.top / folder if self._repo.top else None
        if place is None or not (place / ".git").exists():
            return None
        environ = clean_env(self._environ)
        environ.pop("RAGIT_INDEX_STORE_PATH", None)
        flags = {name: v for name, v in self._flags.items() if name != "index.storePath"}
        return open_repository(place, env=environ, flags=flags)
