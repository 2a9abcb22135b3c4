"""Tests of reading and writing rows, and of query plans that touch only what they need."""

from __future__ import annotations

import random
import re
import tempfile
import threading
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from storing import tampered

from ragit import postings
from ragit.errors import StoreTooNew, StoreTooOld, StoreUnreadable
from ragit.records import replaced
from ragit.store import VERSION, ChunkRow, NewChunking, Snapshot, Store, chunk_id, snapshots
from ragit.types import LOST, Chunk, Oid

DIMENSIONS = 64
ENTITY = "static:test:64"


def vector(seed: int) -> tuple[bytes, bytes]:
    """Return sign bits and bytes of a made-up vector."""
    chance = random.Random(seed)
    values = array("b", (chance.randint(-127, 127) for _ in range(DIMENSIONS)))
    bits = bytearray(DIMENSIONS // 8)
    for i, value in enumerate(values):
        if value > 0:
            bits[i >> 3] |= 1 << (i & 7)
    return bytes(bits), values.tobytes()


def chunking(
    number: int, texts: Iterable[str] = ("alpha beta", "gamma"), *, vectors: bool = True
) -> NewChunking:
    chunks = [
        Chunk(i + 1, i + 1, 0, len(text), text, symbol=f"name_{number}")
        for i, text in enumerate(texts)
    ]
    packed = postings.pack(chunks)
    return NewChunking(
        oid=Oid(f"{number:040x}"),
        language="python",
        fingerprint="f",
        resolved="python",
        skipped="",
        length=packed.length,
        columns=packed.columns,
        forward=packed.forward,
        chunks=tuple(
            ChunkRow(
                f"{c.text}".encode().ljust(16)[:16],
                i + 1,
                i + 1,
                0,
                5,
                "function",
                c.symbol,
                "",
                "",
            )
            for i, c in enumerate(chunks)
        ),
        vectors=tuple(vector(number * 100 + i) for i in range(len(chunks))) if vectors else None,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a b" / "index?#%.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """Open a store with fifty chunkings of two chunks each."""
    with Store(path, writable=True) as opened:
        with opened.writing():
            embedder = opened.add_embedder(ENTITY, DIMENSIONS)
            for number in range(1, 51):
                opened.add(chunking(number, (f"alpha word{number}", "gamma")), embedder)
        yield opened


def numbers(store: Store) -> dict[str, int]:
    return {oid: number for number, oid, _, _ in store.all_keys()}


# Plans


def plans(store: Store, act: Callable[[], object]) -> dict[str, list[str]]:
    """Return the statements that `act` runs, each with SQLite's plan."""
    found: dict[str, tuple[Any, ...]] = {}

    def record(_: object, sql: str, bindings: Any) -> bool:
        found[sql] = tuple(bindings or ())
        return True

    store._db.exec_trace = record
    try:
        act()
    finally:
        store._db.exec_trace = None
    explained = {}
    for sql, bindings in found.items():
        plan = store._db.execute("EXPLAIN QUERY PLAN " + sql, bindings).fetchall()
        explained[sql] = [detail for *_, detail in plan]
    return explained


HOT: dict[str, Callable[[Store], object]] = {
    "find": lambda s: list(s.find([(Oid(f"{3:040x}"), "python", "f")], 1)),
    "occurrences": lambda s: s.occurrences("alpha"),
    "holding": lambda s: s.holding("alpha", "symbol"),
    "forward": lambda s: s.forward([1, 2, 3]),
    "nearest": lambda s: s.nearest(vector(1)[0], range(1, 51), 1, 10),
    "similarities": lambda s: s.similarities(vector(1)[1], [chunk_id(1, 0), chunk_id(2, 1)], 1),
    "similarities_within": lambda s: s.similarities_within(vector(1)[1], [1, 2], 1),
    "chunks": lambda s: s.chunks([chunk_id(1, 0)]),
    "blobs": lambda s: s.blobs([1, 2]),
    "snapshot": lambda s: s.snapshots.of(Oid("0" * 40), "s"),
    "vectors_of": lambda s: s.vectors_of([b"gamma".ljust(16)], 1),
}


@pytest.mark.parametrize("name", HOT)
def test_queries_scan_no_table(store: Store, name: str) -> None:
    assert store.has_vectors
    explained = plans(store, lambda: HOT[name](store))
    assert explained
    for sql, plan in explained.items():
        scans = [
            step
            for step in plan
            if step.startswith("SCAN")
            and "VIRTUAL TABLE" not in step
            and "CONSTANT ROW" not in step
        ]
        assert scans == [], f"{sql}: {plan}"
        assert not any("TEMP B-TREE" in step for step in plan), f"{sql}: {plan}"


def test_term_is_looked_up_by_the_vocabulary_index(store: Store) -> None:
    (plan,) = plans(store, lambda: store.occurrences("alpha")).values()
    # The lowest bit of fts5vocab's plan number says that the term is given; 0 reads every term.
    (number,) = re.findall(r"VIRTUAL TABLE INDEX (\d+):", plan[0])
    assert int(number) & 1


def test_vectors_are_read_by_ranges_of_chunks(store: Store) -> None:
    assert store.has_vectors
    gapped = [*range(1, 20), *range(30, 51)]
    (plan,) = plans(store, lambda: store.nearest(vector(1)[0], gapped, 1, 10)).values()
    assert plan == ["SEARCH vec_bit_1 USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"]


# Words and vectors


def test_occurrences_list_chunkings_and_columns_of_a_word(store: Store) -> None:
    def found(term: str) -> list[tuple[int, str]]:
        listed = sorted(store.occurrences(term))
        return [(one >> postings.COLUMN_BITS, postings.COLUMNS[one & 7]) for one in listed]

    assert found("alpha") == [(number, "body1") for number in range(1, 51)]
    assert found("word7") == [(numbers(store)[f"{7:040x}"], "body1")]
    assert found("name_7") == []  # names are split: name, 7 and name7
    assert found("name7") == [(7, "symbol")]
    assert store.holding("name7") == store.holding("name7", "symbol") == {7}
    assert store.holding("name7", "body1") == set()
    for odd in ("", '"', "a*", "alpha beta", "\0", "word7'", "x" * 10_000):
        assert found(odd) == []


@given(
    members=st.sets(st.integers(1, 50), max_size=50),
    seed=st.integers(0, 10_000),
    limit=st.integers(1, 40),
)
def test_nearest_agrees_with_a_full_count(
    tmp_path_factory: pytest.TempPathFactory, members: set[int], seed: int, limit: int
) -> None:
    with filled(tmp_path_factory) as store:
        bits = vector(seed)[0]
        wanted = []
        for number in members:
            for ordinal in range(2):
                other = vector(number * 100 + ordinal)[0]
                distance = sum((a ^ b).bit_count() for a, b in zip(bits, other, strict=True))
                wanted.append((chunk_id(number, ordinal), distance))
        bound = sorted(d for _, d in wanted)[min(limit, len(wanted)) - 1] if wanted else 0
        found = store.nearest(bits, sorted(members), 1, limit)
        assert sorted(found) == sorted((c, d) for c, d in wanted if d <= bound)


_kept: list[Path] = []


def filled(factory: pytest.TempPathFactory) -> Store:
    """Return a reader of a store that is made once."""
    if not _kept:
        path = factory.mktemp("store") / "index.db"
        with Store(path, writable=True) as made, made.writing():
            embedder = made.add_embedder(ENTITY, DIMENSIONS)
            for number in range(1, 51):
                made.add(chunking(number), embedder)
        _kept.append(path)
    opened = Store(_kept[0], writable=False)
    assert opened.has_vectors
    return opened


def test_similarity_is_the_cosine(store: Store) -> None:
    assert store.has_vectors
    found = store.similarities(vector(700)[1], [chunk_id(7, 0), chunk_id(8, 0), chunk_id(99, 0)], 1)
    assert found[chunk_id(7, 0)] == pytest.approx(1)
    assert -1 <= found[chunk_id(8, 0)] < 1
    assert chunk_id(99, 0) not in found
    a, b = (array("b", vector(seed)[1]) for seed in (700, 800))
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    norm = (sum(x * x for x in a) * sum(x * x for x in b)) ** 0.5
    assert found[chunk_id(8, 0)] == pytest.approx(dot / norm, abs=1e-6)


def test_chunking_is_stored_once_and_vectors_may_follow(store: Store) -> None:
    before = store.info()
    with store.writing():
        store.add(chunking(1), 1)
        store.add(chunking(77, vectors=False), None)
    assert store.info().chunkings == before.chunkings + 1
    key = (Oid(f"{77:040x}"), "python", "f")
    assert [row and row.embedded for row in store.find([key], 1)] == [False]
    with store.writing():
        store.add(chunking(77), 1)
    assert [row and row.embedded for row in store.find([key], 1)] == [True]
    assert store.info().chunkings == before.chunkings + 1


# Snapshots


@given(
    st.dictionaries(
        st.binary(min_size=1, max_size=20).filter(lambda p: b"\0" not in p),
        st.tuples(
            st.integers(1, 2**40), st.integers(0, 2**40), st.sampled_from(["", "binary", "naïve"])
        ),
        max_size=12,
    )
)
def test_snapshot_survives_packing(files: dict[bytes, tuple[int, int, str]]) -> None:
    snapshot = tree_of_files(files)
    assert snapshots.unpacked(*snapshots._packed(snapshot)) == snapshot


def tree_of_files(files: Mapping[bytes, tuple[int, int, str]]) -> Snapshot:
    """Return a tree of rows (chunking, words, reason); a file with a reason is skipped."""
    kept = {path: files[path] for path in sorted(files) if not files[path][2]}
    skipped = {path: row[2] for path, row in files.items() if row[2]}
    return Snapshot(
        list(kept),
        array("Q", (row[0] for row in kept.values())),
        array("Q", (row[1] for row in kept.values())),
        skipped,
        {path: Oid(f"{files[path][0]:040x}") for path in skipped if files[path][2] == LOST},
    )


PATHS = st.sampled_from([b"a", b"a/b", b"a0", b"b", b"c/d", b"\xff", b"e", b"f", b"g"])
FILES = st.dictionaries(
    PATHS, st.tuples(st.integers(1, 2**40), st.integers(0, 9), st.sampled_from(["", "", LOST, "x"]))
)


@given(FILES, FILES, st.sets(PATHS))
def test_patched_snapshot_equals_a_full_one(
    old: dict[bytes, tuple[int, int, str]], new: dict[bytes, tuple[int, int, str]], more: set[bytes]
) -> None:
    changed = new.keys() | more
    both = {path: row for path, row in old.items() if path not in changed} | new
    found = snapshots.patched(tree_of_files(old), changed, tree_of_files(new))
    assert found == tree_of_files(both)


@given(st.lists(st.tuples(FILES, st.sets(PATHS), st.booleans()), min_size=1, max_size=6))
def test_trees_that_share_a_listing_are_read_back(
    steps: list[tuple[dict[bytes, tuple[int, int, str]], set[bytes], bool]],
) -> None:
    """Make each tree from the one before by some changes, and drop some of them."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "s", writable=True) as store:
        many = {b"many/%d" % at: (at, 1, "") for at in range(1, 60)}
        files, known, base = dict(many), dict[Oid, Snapshot](), None
        for number, (new, gone, dropped) in enumerate([({}, set(), False), *steps]):
            files = {path: row for path, row in files.items() if path not in gone} | new
            name, tree = Oid(f"{number:040x}"), tree_of_files(files)
            with store.writing():
                store.snapshots.add(name, "s", tree, base)
                if dropped and number > 1:
                    last = Oid(f"{number - 1:040x}")
                    store._db.execute("DELETE FROM snapshot WHERE tree = ?", (bytes.fromhex(last),))
                    known.pop(last)
            known[name] = tree
            found = store.snapshots.numbered(name, "s")
            assert found is not None
            after = steps[number] if number < len(steps) else ({}, set(), False)
            base = snapshots.Base(found[0], after[0].keys() | after[1])
        with Store(store.path, writable=False) as other:
            for one in (store, other):
                assert {name: one.snapshots.of(name, "s") for name in known} == known
        listings = store._db.execute("SELECT count(*) FROM listing").get
        assert listings == 1


def test_listing_is_dropped_with_its_last_tree(store: Store) -> None:
    files = {b"%d" % at: (at, 1, "") for at in range(1, 9)}
    with store.writing():
        store.snapshots.add(TREES[0], "s", tree_of_files(files))
    found = store.snapshots.numbered(TREES[0], "s")
    assert found is not None
    with store.writing():
        close = tree_of_files({**files, b"1": (90, 1, "slow")})
        store.snapshots.add(TREES[1], "s", close, snapshots.Base(found[0], {b"1"}))
        far = {**files, **{b"%d" % at: (at + 90, 1, "") for at in range(1, 5)}}
        base = snapshots.Base(found[0], {b"%d" % at for at in range(1, 5)})
        store.snapshots.add(TREES[2], "s", tree_of_files(far), base)
        gone = snapshots.Base(found[0] + 90, {b"1"})
        store.snapshots.add(TREES[3], "s", tree_of_files(far), gone)
    assert listings(store) == 3
    with store.writing():
        store.snapshots.drop(
            {1}
        )  # only the first tree: in the second, another chunking has its path
    assert store.snapshots.of(TREES[0], "s") is None
    assert store.snapshots.of(TREES[1], "s") == close
    assert listings(store) == 3
    with store.writing():
        store.snapshots.forget({"slow"})
    assert store.snapshots.of(TREES[1], "s") is None
    assert store.snapshots.of(TREES[2], "s") == tree_of_files(far)
    assert listings(store) == 2


TREES = [Oid(f"{number:040x}") for number in range(1, 5)]


def listings(store: Store) -> int:
    number: int = store._db.execute("SELECT count(*) FROM listing").get
    return number


def test_latest_snapshots_are_kept(store: Store) -> None:
    empty = Snapshot([], array("Q"), array("Q"), {})
    with store.writing():
        for number in range(snapshots.KEPT + 9):
            store.snapshots.add(Oid(f"{number:040x}"), "s", empty)
    assert len(store.snapshots.trees("s")) == snapshots.KEPT
    assert store.snapshots.of(Oid(f"{0:040x}"), "s") is None
    assert store.snapshots.of(Oid(f"{snapshots.KEPT + 8:040x}"), "s") == empty
    assert store.snapshots.of(Oid(f"{snapshots.KEPT + 8:040x}"), "other") is None


# Dropping


def test_dropped_chunkings_leave_no_rows(store: Store) -> None:
    keep = {number for number in range(1, 51) if number % 3}
    with store.writing():
        store.snapshots.add(
            Oid("a" * 40), "s", Snapshot([b"x"], array("Q", [3]), array("Q", [1]), {})
        )
        store.snapshots.add(
            Oid("b" * 40), "s", Snapshot([b"x"], array("Q", [4]), array("Q", [1]), {})
        )
        assert store.drop_except(keep, {1}) == 16
    store.compact()
    assert store.problems() == []
    assert store.holding("alpha") == keep
    for read in (lambda: store.forward([3]), lambda: store.chunks([chunk_id(3, 0)])):
        with pytest.raises(StoreUnreadable):
            read()
    assert store.has_vectors
    assert {c >> 16 for c, _ in store.nearest(vector(1)[0], range(1, 51), 1, 1000)} == keep
    assert store.snapshots.of(Oid("a" * 40), "s") is None
    assert store.snapshots.of(Oid("b" * 40), "s") is not None
    with store.writing():
        store.add(chunking(3), 1)
    assert numbers(store)[f"{3:040x}"] > 50  # numbers are never reused


def test_embedder_is_dropped_with_its_tables(store: Store) -> None:
    with store.writing():
        second = store.add_embedder("other", DIMENSIONS)
        store.add(chunking(1), second)
        store.drop_except(set(range(1, 51)), {1})
    assert store.info().embedders == (ENTITY,)
    assert store.embedder("other") is None


def test_compacting_frees_space(store: Store, path: Path) -> None:
    with store.writing():
        for number in range(100, 400):
            store.add(chunking(number, (f"alpha word{number}", "gamma")), 1)
    store.checkpoint()
    full = path.stat().st_size
    with store.writing():
        store.drop_except(set(range(1, 51)), {1})
    store.compact()
    assert path.stat().st_size < full / 2
    assert store._db.pragma("freelist_count") == 0


def test_replaced_drafts_do_not_grow_the_full_text_index(store: Store) -> None:
    def words_of(number: int) -> list[str]:
        return [f"alpha value{i} edit{number * (i == number % 200)}" for i in range(200)]

    sizes = []
    for number in range(100, 220):
        tree = Oid(f"{number:040x}")
        with store.writing():
            store.add(chunking(number, words_of(number)), 1)
            added = store.last_chunking()
            store.states.add("worktree", tree, {added}, lambda oid: int(oid, 16) >= 100)
        with store.writing():
            store.states.drop_superseded(lambda _: frozenset(), 1.0)
        sizes.append(store._db.pragma("page_count"))
    assert sizes[-1] <= sizes[19] + 3
    assert store.info().chunkings == 51
    assert store.problems() == []


def test_first_mark_of_an_embedder_is_kept(store: Store) -> None:
    """Keep the first mark, or a model that drifts slowly would pass for the original one."""
    with store.writing():
        number = store.add_embedder("served", DIMENSIONS, b"first")
        assert store.add_embedder("served", DIMENSIONS, b"second") == number
        assert store.add_embedder("served", DIMENSIONS) == number
    assert store.mark(number) == b"first"


def test_vector_is_undescribed_until_a_described_one_is_added(store: Store) -> None:
    with store.writing():
        store.add(replaced(chunking(60, ("same text",)), undescribed=(0,)), 1)
        first = store.last_chunking()
        store.add(replaced(chunking(61, ("same text", "other")), undescribed=(0, 1)), 1)
        second = store.last_chunking()
    assert store.descriptions.lacking(1) == {first, second}
    with store.writing():
        store.add(chunking(62, ("same text",)), 1)
    assert store.descriptions.lacking(1) == {second}
    rows = store._db.execute("SELECT chunk FROM undescribed").fetchall()
    assert rows == [(chunk_id(second, 1),)]
    made = chunk_id(store.last_chunking(), 0)
    described = store._db.execute("SELECT v FROM vec_i8_1 WHERE chunk = ?", (made,)).get
    updated = store._db.execute("SELECT v FROM vec_i8_1 WHERE chunk = ?", (chunk_id(first, 0),)).get
    assert updated == described


def test_dropped_embedder_leaves_no_undescribed_vectors(store: Store) -> None:
    with store.writing():
        second = store.add_embedder("other", DIMENSIONS)
        store.add(replaced(chunking(1), undescribed=(0,)), second)
    assert store.descriptions.lacking(second) == {1}
    with store.writing():
        store.drop_except(set(range(1, 51)), {1})
    assert store._db.execute("SELECT count(*) FROM undescribed").get == 0


# The file


def test_reader_needs_a_file_and_writer_creates_it(path: Path) -> None:
    with pytest.raises(StoreUnreadable):
        Store(path, writable=False)
    Store(path, writable=True).close()
    with Store(path, writable=False) as opened:
        assert opened.info().chunkings == 0
        opened.close()


def test_other_format_versions_are_refused(path: Path) -> None:
    Store(path, writable=True).close()
    for version, error in ((VERSION + 1, StoreTooNew), (VERSION - 1, StoreTooOld)):
        with tampered(path) as db:
            db.pragma("user_version", version)
        with pytest.raises(error):
            Store(path, writable=False)


def test_failed_transaction_writes_nothing(store: Store) -> None:
    before = store.info().chunkings
    with pytest.raises(ZeroDivisionError), store.writing():
        store.add(chunking(900), 1)
        raise ZeroDivisionError
    assert store.info().chunkings == before
    assert store.problems() == []


def test_reader_sees_one_state_during_a_write(store: Store, path: Path) -> None:
    with Store(path, writable=False) as reader, reader.reading():
        before = len(reader.occurrences("alpha"))
        with store.writing():
            store.add(chunking(500, ("alpha",)), 1)
        assert len(reader.occurrences("alpha")) == before
    with Store(path, writable=False) as reader:
        assert len(reader.occurrences("alpha")) == before + 1


def test_writing_threads_take_turns(path: Path) -> None:
    def write(first: int) -> None:
        with Store(path, writable=True) as opened:
            for number in range(first, first + 20):
                with opened.writing():
                    time.sleep(0.001)  # lets another thread try
                    embedder = opened.add_embedder(ENTITY, DIMENSIONS)
                    opened.add(chunking(number), embedder)

    threads = [threading.Thread(target=write, args=(first,)) for first in (1, 101, 201)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Store(path, writable=True) as opened:
        assert opened.info().chunkings == 60
        assert opened.problems() == []


def test_store_is_created_by_several_threads_at_once(tmp_path: Path) -> None:
    """SQLite does not wait while it turns a file to WAL; the store does."""
    refused: list[Exception] = []

    def make(path: Path, together: threading.Barrier) -> None:
        together.wait()
        try:
            Store(path, writable=True).close()
        except Exception as error:
            refused.append(error)

    for attempt in range(60):
        together = threading.Barrier(6)
        makers = [
            threading.Thread(target=make, args=(tmp_path / f"{attempt}.db", together))
            for _ in range(6)
        ]
        for maker in makers:
            maker.start()
        for maker in makers:
            maker.join()
    assert not refused
