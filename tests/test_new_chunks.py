"""Tests of the chunks that one tree has and another lacks, and of the similarity of chunks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from histories import Step, play, steps
from hypothesis import given, settings
from sandbox import GitSandbox
from storing import tampered
from test_invariants import FEW, sandbox, store

import ragit
from ragit.errors import StoreUnreadable
from ragit.repository.repository import Ragit
from ragit.store import Snapshot, Store, chunk_hashes, chunk_rows, cosines, new_chunks

ADD = "def add(one, other):\n    return one + other\n"
SUM = "def total(values):\n    return sum(values)\n"


@pytest.fixture
def index(repo: GitSandbox) -> Iterator[Ragit]:
    with ragit.open(repo.path, flags={"index.minChunkBytes": "0"}) as opened:
        yield opened


def snapshot(index: Ragit, opened: Store, revision: str) -> Snapshot:
    tree = index._repo.resolve(revision).tree
    return index._indexer.trees.resolve(opened, tree).snapshot


def new_names(index: Ragit, old: str, new: str) -> list[str]:
    index.index(old, new)
    with Store(index.store_path, writable=False) as opened:
        found = new_chunks(opened, snapshot(index, opened, old), snapshot(index, opened, new))
        return [row.symbol for row in opened.chunks(found).values()]


def test_chunk_with_new_text_is_new(repo: GitSandbox, index: Ragit) -> None:
    repo.write("a.py", ADD)
    repo.commit()
    repo.write("a.py", ADD + SUM)
    repo.commit()
    assert new_names(index, "HEAD~1", "HEAD") == ["total"]
    assert new_names(index, "HEAD", "HEAD~1") == []


def test_moved_or_copied_chunk_is_not_new(repo: GitSandbox, index: Ragit) -> None:
    repo.write("a.py", ADD + SUM)
    repo.write("kept.py", SUM)
    repo.commit()
    repo.write("a.py", SUM)
    repo.write("b.py", ADD)
    repo.write("copy.py", SUM + "def other():\n    return 1\n")
    repo.commit()
    assert new_names(index, "HEAD~1", "HEAD") == ["other"]


@settings(FEW, max_examples=4)
@given(steps(2, 8))
def test_new_chunks_are_the_difference_of_all_hashes(history: list[Step]) -> None:
    with sandbox() as repo:
        commits = play(repo, history)
        with store(repo) as index:
            index.index(*commits)
            with Store(index.store_path, writable=False) as opened:
                trees = [snapshot(index, opened, commit) for commit in commits]
                for old, new in zip(trees, trees[1:], strict=False):
                    before = chunk_hashes(opened, set(old.chunkings)).values()
                    after = chunk_hashes(opened, set(new.chunkings))
                    wanted = {chunk: one for chunk, one in after.items() if one not in set(before)}
                    assert new_chunks(opened, old, new) == wanted


def test_chunk_rows_equal_rows_read_one_by_one(repo: GitSandbox, index: Ragit) -> None:
    repo.write("a.py", ADD + SUM)
    repo.write("b.py", SUM)
    repo.commit()
    index.index("HEAD")
    with Store(index.store_path, writable=False) as opened:
        every = sorted(chunk_hashes(opened, snapshot(index, opened, "HEAD").chunkings))
        assert len(every) == 3
        assert chunk_rows(opened, every) == opened.chunks(every)
        assert chunk_rows(opened, [every[2], every[0]]) == opened.chunks([every[0], every[2]])
        assert chunk_rows(opened, [1 << 40]) == {}


@pytest.mark.parametrize(
    "damage", ["start = -1", "end = start - 1", "hash = 'text'", "definitions = 'a line'"]
)
def test_damaged_row_among_many_raises(repo: GitSandbox, index: Ragit, damage: str) -> None:
    repo.write("a.py", ADD + SUM)
    repo.commit()
    index.index("HEAD")
    with tampered(index.store_path) as db:
        db.execute(f"UPDATE chunk SET {damage} WHERE id = (SELECT max(id) FROM chunk)")
    with Store(index.store_path, writable=False) as opened:
        every = chunk_hashes(opened, snapshot(index, opened, "HEAD").chunkings)
        with pytest.raises(StoreUnreadable):
            chunk_rows(opened, every)


def test_cosines_lists_pairs_above_the_bound(repo: GitSandbox, index: Ragit) -> None:
    words = ["add", "append", "join", "parse", "print", "read", "write", "total"]
    repo.write("a.py", "\n".join(f"def {word}(one):\n    return {word}s(one)\n" for word in words))
    repo.commit()
    index.index("HEAD")
    with Store(index.store_path, writable=False) as opened:
        assert opened.has_vectors
        (number,) = opened.embedders().values()
        chunks = sorted(chunk_hashes(opened, snapshot(index, opened, "HEAD").chunkings))
        pairs = [(one, other) for one in chunks for other in chunks]
        every = dict.fromkeys(pairs, 0.0)
        for one, other, cosine in cosines(opened, number, pairs, -1.0):
            every[one, other] = cosine
        assert all(every[chunk, chunk] == pytest.approx(1) for chunk in chunks)
        for least in (0.2, 0.5, 0.9):
            near = {(one, other) for one, other, _ in cosines(opened, number, pairs, least)}
            assert near == {pair for pair, cosine in every.items() if cosine >= least}
        assert list(cosines(opened, number, [(chunks[0], 1 << 40)], 0.5)) == []
