"""Tests of the store's rows: replaced, forgotten, dropped, damaged."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from ragit import postings
from ragit.records import replaced
from ragit.store import (
    OF_CHUNK,
    OF_IMAGE,
    ChunkRow,
    NewChunking,
    Snapshot,
    Store,
    checksums,
    chunk_id,
    snapshots,
)
from ragit.store.rows import DamagedRow, pack_definitions, unpacked_oid
from ragit.types import SPENT, Chunk, Definition, Oid

DIMENSIONS = 8
TREE = Oid("a" * 40)
OTHER_TREE = Oid("b" * 40)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "index.db", writable=True) as opened:
        yield opened


def chunking(number: int, text: str = "alpha") -> NewChunking:
    """Return a blob of one chunk, with a vector made of its number."""
    packed = postings.pack([Chunk(1, 1, 0, len(text), text)])
    row = ChunkRow(text.encode().ljust(16), 1, 1, 0, len(text), "function", "", "", "")
    vector = (bytes([number]), bytes([number] * DIMENSIONS))
    return NewChunking(
        Oid(f"{number:040x}"),
        "python",
        "f",
        "python",
        "",
        packed.length,
        packed.columns,
        packed.forward,
        (row,),
        (vector,),
    )


def deferred(number: int) -> NewChunking:
    columns = ("",) * len(postings.COLUMNS)
    return NewChunking(
        Oid(f"{number:040x}"), "python", "f", "python", SPENT, 0, columns, b"", (), ()
    )


def tree_of(*numbers: int, skipped: dict[bytes, str] | None = None) -> Snapshot:
    paths = [f"{number}.py".encode() for number in numbers]
    return Snapshot(paths, array("Q", numbers), array("Q", [1] * len(numbers)), skipped or {})


def test_only_deferred_files_are_replaced(store: Store) -> None:
    with store.writing():
        assert not store.add(deferred(1), None)
        assert store.add(chunking(1), None), "cached trees that list it as deferred are outdated"
        assert not store.add(chunking(1), None)
    (found,) = store.find([(Oid(f"{1:040x}"), "python", "f")], None)
    assert found is not None
    assert (found.skipped, found.chunks) == ("", 1)
    assert store.info().chunkings == 1


def test_trees_with_a_changed_reason_are_forgotten(store: Store) -> None:
    with store.writing():
        skipped = {b"slow.py": SPENT, b"a.bin": "binary"}
        store.snapshots.add(TREE, "s", tree_of(skipped=skipped))
        store.snapshots.add(OTHER_TREE, "s", tree_of(skipped={b"a.bin": "binary"}))
        store.snapshots.forget({SPENT, "too large"})
    assert store.snapshots.trees("s") == [OTHER_TREE]


def test_trees_are_dropped_with_their_embedder(store: Store) -> None:
    with store.writing():
        store.add_embedder("kept:1", DIMENSIONS)
        store.add_embedder("gone:1", DIMENSIONS)
        store.snapshots.add(TREE, "selection kept:1", tree_of())
        store.snapshots.add(OTHER_TREE, "selection gone:1", tree_of())
        store.drop_except(set(), {store.embedders()["kept:1"]})
    assert store.snapshots.trees("selection kept:1") == [TREE]
    assert store.snapshots.trees("selection gone:1") == []


def test_oldest_trees_are_dropped_beyond_the_limit(store: Store) -> None:
    with store.writing():
        for number in range(snapshots.KEPT + 2):
            store.snapshots.add(Oid(f"{number:040x}"), "s", tree_of())
    kept = store.snapshots.trees("s")
    assert len(kept) == snapshots.KEPT
    assert kept[-1] == Oid(f"{2:040x}")


def test_snapshot_with_a_wrong_number_count_is_damaged() -> None:
    paths, _, skipped, absent = snapshots._packed(tree_of(1, 2))
    for count in (0, 2, 3, 5, 6):
        numbers = zlib.compress(array("Q", range(count)).tobytes())
        with pytest.raises(DamagedRow):
            snapshots.unpacked(paths, numbers, skipped, absent)


def test_vectors_are_reused_only_with_equal_description_state(store: Store) -> None:
    with_description, plain = (
        chunking(1, "described"),
        replaced(chunking(2, "plain"), undescribed=(0,)),
    )
    with store.writing():
        embedder = store.add_embedder("e", DIMENSIONS)
        for one in (with_description, plain):
            store.add(one, embedder)
    hashes = [one.chunks[0].hash for one in (with_description, plain)]
    assert with_description.vectors is not None
    assert plain.vectors is not None
    both = dict(zip(hashes, (with_description.vectors[0], plain.vectors[0]), strict=True))
    assert store.vectors_of(hashes, embedder) == both
    assert store.vectors_of(hashes, embedder, {hashes[0]}) == both
    assert store.vectors_of(hashes, embedder, {hashes[1]}) == {}
    assert store.vectors_of(hashes, embedder, set(hashes)) == {hashes[0]: both[hashes[0]]}
    assert store.vectors_of(hashes, None) == {}


def test_nearest_is_limited_to_the_given_chunkings(store: Store) -> None:
    with store.writing():
        embedder = store.add_embedder("e", DIMENSIONS)
        for number in range(1, 7):
            store.add(chunking(number), embedder)
    assert store.has_vectors
    near = store.nearest(b"\3", [1, 3, 6], embedder, 10)
    assert sorted(near) == [(chunk_id(1, 0), 1), (chunk_id(3, 0), 0), (chunk_id(6, 0), 2)]
    assert sorted(store.nearest(b"\0", [1, 2, 3], embedder, 1)) == [
        (chunk_id(1, 0), 1),
        (chunk_id(2, 0), 1),
    ]


def test_terms_from_lists_terms_with_a_prefix(store: Store) -> None:
    with store.writing():
        store.add(chunking(1, "abacus abbot abduct acorn ab"), None)
    assert list(store.terms_from("ab")) == ["ab", "abacus", "abbot", "abduct"]
    assert list(store.terms_from("abd")) == ["abduct"]


def test_descriptions_in_use_are_kept(store: Store) -> None:
    used, unused, of_text = b"u" * 20, b"x" * 20, b"alpha".ljust(16)
    with store.writing():
        store.add(chunking(1, "alpha"), None)
        store.descriptions.keep(OF_IMAGE, "model", {used: "A kettle.", unused: "A cup."})
        store.descriptions.keep(OF_CHUNK, "model", {of_text: "Counts.", b"gone": "Nothing."})
        store.descriptions.drop_unused({used})
    found = {(row.kind, row.subject) for row in store.descriptions.all()}
    assert found == {(OF_IMAGE, used), (OF_CHUNK, of_text)}


@pytest.mark.parametrize("raw", [None, "a" * 20, b"", b"a" * 19, b"a" * 21, b"a" * 33])
def test_invalid_blob_name_is_damage(raw: object) -> None:
    with pytest.raises(DamagedRow):
        unpacked_oid(raw)


def test_blob_names_have_20_or_32_bytes() -> None:
    assert unpacked_oid(b"\xaa" * 20) == "aa" * 20
    assert unpacked_oid(b"\xaa" * 32) == "aa" * 32


def test_definitions_survive_packing_with_absolute_lines() -> None:
    definitions = (Definition("first", "function", 7), Definition("a  b\tc", "rule", 9))
    packed = pack_definitions(Chunk(7, 9, 0, 1, "x", definitions=definitions))
    row = ChunkRow(b"h", 7, 9, 0, 1, "function", "", "", "", "", packed)
    assert row.definitions == (Definition("first", "function", 7), Definition("a b c", "rule", 9))
    moved = row._replace(start_line=107, end_line=109)
    assert [each.line for each in moved.definitions] == [107, 109], "the same text at later lines"


def test_has_checksums_detects_page_checksums(tmp_path: Path) -> None:
    plain, checked = tmp_path / "plain.db", tmp_path / "checked.db"
    db = apsw.Connection(str(plain))
    db.execute("CREATE TABLE t(x)")
    db.close()
    Store(checked, writable=True).close()
    assert checksums.has_checksums(checked) == (checksums.vfs() is not None)
    assert not checksums.has_checksums(plain)
    assert not checksums.has_checksums(tmp_path / "none.db")


def test_draft_is_kept_while_the_last_state_uses_it(store: Store) -> None:
    with store.writing():
        store.add(chunking(1), None)
        store.states.add("worktree", TREE, {1}, lambda _: True)
        store.add(chunking(2), None)
        store.states.add("worktree", OTHER_TREE, {1, 2}, lambda _: True)
        store.states.drop_superseded(lambda _: frozenset(), 60)
    assert store.states.trees() == [OTHER_TREE]
    assert {number for number, *_ in store.all_keys()} == {1, 2}
    with store.writing():
        store.states.add("worktree", TREE, {2}, lambda _: True)
        store.states.drop_superseded(lambda _: frozenset(), 60)
    assert {number for number, *_ in store.all_keys()} == {2}
