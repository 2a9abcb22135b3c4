"""Open a tree for a question: index what is missing as far as the settings allow, and fix one state
of the store and the texts of its files.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

from ragit.config import Config
from ragit.errors import EmbedderUnavailable, NoSuchPath, NotIndexed, StoreBusy, WorkerDied
from ragit.git import Objects
from ragit.index import IndexedTree, Indexer, WaitingSearch, completeness_of
from ragit.records import NamedTuple
from ragit.search.kept import Kept
from ragit.search.texts import Texts
from ragit.search.whole_tree import WholeTree
from ragit.store import ChunkRow, Store
from ragit.types import Completeness, OnIndex, Target, index_command, path_text


class _State(NamedTuple):
    """One state of the store, and the tree in it."""

    store: Store | None
    tree: IndexedTree
    moment: ExitStack
    """Keeps the read transaction open."""
    without: IndexedTree | None = None
    refused: str = ""
    failed: str = ""
    indexed: bool = False

    @property
    def trees(self) -> list[IndexedTree]:
        """Return the tree, and the tree whose code is left out."""
        return [self.tree] if self.without is None else [self.tree, self.without]

    @property
    def complete(self) -> bool:
        """Return whether everything that the settings require of the trees is stored."""
        return all(tree.complete for tree in self.trees)


class OpenTree:
    """An indexed tree in one state of the store, valid until its `with` block ends."""

    def __init__(self, target: Target, state: _State, objects: Objects, kept: Kept) -> None:
        self.target = target
        self._kept = kept
        self.tree = state.tree
        self.without = state.without
        """The tree whose code is left out; None if none is."""
        self.trees = state.trees
        """`tree` and `without`."""
        self.objects = objects
        self.refused = state.refused
        """Reason why files that were missing have no vectors; else empty."""
        self.failed = state.failed
        """Reason why something is still missing; else empty."""
        self.indexed = state.indexed
        """True if files had to be indexed first."""
        self.store_or_none = state.store
        """The store; None before the first index, which only a tree without files can have."""
        self._texts: Texts | None = None

    @property
    def completeness(self) -> Completeness:
        """Return how much of the trees is indexed."""
        return completeness_of(self.store_or_none, self.trees)

    @property
    def store(self) -> Store:
        """Return the store. Raises NotIndexed if there is none."""
        if self.store_or_none is None:
            raise NotIndexed("nothing is indexed in this repository", "Type: ragit index")
        return self.store_or_none

    @property
    def texts(self) -> Texts:
        """Return the texts of files, each read once."""
        if self._texts is None:
            self._texts = Texts(self.objects, self.store, self._kept.texts)
        return self._texts

    @property
    def whole(self) -> WholeTree:
        """Return the tree with what earlier searches found out about it."""
        return self._kept.tree(self.tree.snapshot)

    def chunking_at(self, path: bytes) -> int | None:
        """Return the chunking of an indexed file by its path from the top; None if there is none
        (`tree.snapshot.skipped` may have the reason).
        """
        paths = self.tree.snapshot.paths  # sorted
        place = bisect_left(paths, path)
        if place == len(paths) or paths[place] != path:
            return None
        return self.tree.snapshot.chunkings[place]

    def chunks_of(self, chunking: int) -> list[ChunkRow]:
        """Return the chunks of a file, in order of lines."""
        return list(self.store.chunks_of(chunking).values())

    def chunk_at(self, path: bytes, line: int) -> tuple[ChunkRow, bytes]:
        """Return the smallest chunk at a line of a file, and its text in UTF-8.

        Raises NoSuchPath.
        """
        name = path_text(path)
        chunking = self.chunking_at(path)
        if chunking is None:
            why = self.tree.snapshot.skipped.get(path)
            if why:
                raise NoSuchPath(
                    f"{name} is not indexed: {why}", "`ragit status --skipped` lists all"
                )
            raise NoSuchPath(
                f"{self.target.name} has no file {name}", "Name a file of it, with a line"
            )
        held = [row for row in self.chunks_of(chunking) if row.start_line <= line <= row.end_line]
        if not held:
            raise NoSuchPath(f"{name} has no text at line {line}", "Name a line that is not blank")
        row = min(held, key=lambda one: one.end_line - one.start_line)
        return row, self.text_of(chunking)[row.start : row.end]

    def text_of(self, chunking: int) -> bytes:
        """Return the text of a file in UTF-8, to which its chunks' lines and offsets refer.

        It is empty for a blob that git lost, which is then in `texts.lost`.
        """
        self.texts.load([chunking])
        return self.texts[chunking]


class TreeOpener:
    """Opens trees of one repository, and indexes what they lack."""

    def __init__(self, config: Config, indexer: Indexer, kept: Kept) -> None:
        self._config = config
        self._indexer = indexer
        self._kept = kept

    @contextmanager
    def open(
        self,
        target: Target,
        *,
        index: bool = True,
        only_vectors: bool = False,
        patient: bool = False,
        on_index: OnIndex | None = None,
    ) -> Iterator[OpenTree]:
        """Open a tree, after indexing what it lacks if `index` and the settings allow that.

        If the embedding server does not answer, only words are indexed, or with `only_vectors`
        EmbedderUnavailable is raised. What would take long stays missing, unless `patient`.
        `on_index` is called with what is missing before it is indexed. Raises NotIndexed.
        """
        with ExitStack() as stack:
            kept = stack.enter_context(self._kept.taken())
            objects = kept.objects()
            state = self._state(stack, target, kept)
            if not state.complete and self._may_index(index, target, state):
                waiting = WaitingSearch(
                    state.trees,
                    state.store,
                    objects,
                    state.moment,
                    kept.is_in_place,
                    patient=patient,
                )
                state = self._completed(stack, target, state, waiting, kept, only_vectors, on_index)
            if state.store is None and not state.complete:
                raise NotIndexed("nothing is indexed in this repository", "Type: ragit index")
            yield OpenTree(target, state, objects, kept)
        if state.indexed:
            self._indexer.tidy()
        if index and self._config.freshness.policy == "refresh":
            for tree in state.trees:
                if tree.walked and tree.complete:
                    self._indexer.keep(tree.tree)

    def _state(self, stack: ExitStack, target: Target, kept: Kept) -> _State:
        """Return a reader that sees one state of the store until the stack is closed, and the tree
        in that state.
        """
        store = kept.store()
        moment = ExitStack()
        if store:
            stack.enter_context(moment)
            moment.enter_context(store.reading())
        without = target.without
        return _State(
            store,
            self._resolved(store, target),
            moment,
            self._resolved(store, without) if without else None,
        )

    def _resolved(self, store: Store | None, target: Target) -> IndexedTree:
        return self._indexer.trees.resolve(
            store, target.tree, near=target.near, absent=self._indexer.absent
        )

    def _may_index(self, index: bool, target: Target, state: _State) -> bool:
        policy = self._config.freshness.policy
        if policy == "refuse" and index:
            name = target.without.name if target.without and state.tree.complete else target.name
            what = completeness_of(state.store, state.trees).lacking(name)
            command = "ragit index REV ..." if target.union else index_command(name)
            raise NotIndexed(f"{what}, and freshness.policy is refuse", f"Type: {command}")
        return index and policy == "refresh"

    def _completed(
        self,
        stack: ExitStack,
        target: Target,
        state: _State,
        waiting: WaitingSearch,
        kept: Kept,
        only_vectors: bool,
        on_index: OnIndex | None,
    ) -> _State:
        """Index what is missing, as far as that is quick, and return the new state."""
        self._indexer.prepare(state.trees)
        progress = on_index(self._indexer.announced(state.trees)) if on_index else None
        complete = partial(
            Indexer.complete_for,
            trees=[tree.tree for tree in state.trees],
            near=target.near,
            progress=progress,
        )
        refused = failed = ""
        try:
            complete(self._indexer, waiting)
        except EmbedderUnavailable as error:
            if only_vectors:
                raise
            words_only = self._indexer.without_vectors()
            complete(words_only, waiting.without_reader())
            self._indexer.absent |= words_only.absent
            refused = error.message
        except StoreBusy as error:
            failed = error.message
        except WorkerDied as error:
            if not state.tree.snapshot.paths:
                raise
            failed = error.message
        if waiting.taken and not refused:
            tree, *others = waiting.trees
            without = others[0] if others else None
            return _State(state.store, tree, state.moment, without, failed=failed, indexed=True)
        state.moment.close()
        kept.close_store()
        return self._state(stack, target, kept)._replace(
            refused=refused, failed=failed, indexed=True
        )
