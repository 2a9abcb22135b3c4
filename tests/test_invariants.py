"""Property tests on random histories of real repositories.

An answer depends only on the query, the tree, the settings and the embedder. Each test builds the
index of one tree in two ways and compares.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from histories import WORDS, Step, apply, play, steps
from hypothesis import given, settings
from hypothesis import strategies as st
from sandbox import GitSandbox

import ragit
from ragit.chunk import text_of
from ragit.repository.repository import Ragit
from ragit.store import Store
from ragit.types import Answer, Oid

FEW = settings(max_examples=settings.default.max_examples // 12) if settings.default else settings()

QUERIES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "commit_offset",
                "where is the config parsed?",
                "Partition",
                "server lock",
                "café",
                "提交",
                "src",
            ]
        ),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join),
    ),
    min_size=1,
    max_size=2,
    unique=True,
)

SMALL = {"index.maxChunkLines": "6", "index.maxChunkBytes": "160", "index.workers": "1"}
"""Settings with which small files have many chunks."""


@contextmanager
def sandbox() -> Iterator[GitSandbox]:
    with tempfile.TemporaryDirectory() as folder:
        yield GitSandbox(Path(folder) / "repo")


@contextmanager
def store(repo: GitSandbox, name: str = "index.db") -> Iterator[Ragit]:
    """Open the index of a repository in a file of its own."""
    with ragit.open(
        repo.path, flags={**SMALL, "index.storePath": str(repo.path.parent / name)}
    ) as index:
        yield index


def shape(answer: Answer) -> list[tuple[object, ...]]:
    """Return the parts of an answer that must be exactly equal."""
    return [
        (
            h.path,
            h.start_line,
            h.end_line,
            h.language,
            h.kind,
            h.symbol,
            h.parent,
            h.text,
            h.blob,
            h.terms,
            h.also,
            h.optimized,
        )
        for h in answer.hits
    ]


def assert_same(one: Answer, other: Answer) -> None:
    assert (one.tree, one.complete, one.degraded) == (other.tree, other.complete, other.degraded)
    assert shape(one) == shape(other)
    assert [h.score for h in one.hits] == pytest.approx([h.score for h in other.hits], abs=1e-6)
    for a, b in zip(one.hits, other.hits, strict=True):
        assert dict(a.signals) == pytest.approx(dict(b.signals), abs=1e-6)


def answers(index: Ragit, commits: Iterable[str], queries: list[str]) -> list[Answer]:
    return [index.search(query, ref=commit) for commit in commits for query in queries]


def assert_all_same(one: list[Answer], other: list[Answer]) -> None:
    for a, b in zip(one, other, strict=True):
        assert_same(a, b)


@FEW
@given(steps(3, 10), QUERIES, st.randoms(use_true_random=False))
def test_answer_depends_only_on_the_tree(
    history: list[Step], queries: list[str], random: object
) -> None:
    """Compare hits, order and scores of an index that grew, one indexed in another order, and one
    of the tree alone.
    """
    with sandbox() as repo:
        commits = play(repo, history)
        shuffled = list(commits)
        random.shuffle(shuffled)  # type: ignore[attr-defined]
        asked = list(
            {
                repo.tree(commit): commit for commit in (commits[-1], commits[len(commits) // 2])
            }.values()
        )
        with store(repo, "grown.db") as grown, store(repo, "shuffled.db") as other:
            for commit in commits:
                grown.index(commit)
            for commit in shuffled:
                other.index(commit)
            first = answers(grown, asked, queries)
            assert_all_same(first, answers(other, asked, queries))
        for commit in asked:
            with store(repo, f"alone-{commit}.db") as alone:
                assert_all_same(
                    [a for a in first if a.tree == repo.tree(commit)],
                    answers(alone, [commit], queries),
                )


def contents(index: Ragit, tree: Oid) -> tuple[list[tuple[object, ...]], dict[bytes, str]]:
    """Return a resolved tree, with its chunkings named by their content."""
    with Store(index.store_path, writable=False) as opened:
        keys = {number: key for number, *key in opened.all_keys()}
        resolved = index._indexer.trees.resolve(opened, tree)  # internals of a search
        assert resolved.missing == []
        snapshot = resolved.snapshot
        rows = zip(snapshot.paths, snapshot.chunkings, snapshot.lengths, strict=True)
        return [(path, *keys[chunking], length) for path, chunking, length in rows], dict(
            snapshot.skipped
        )


@FEW
@given(steps(3, 12))
def test_tree_resolved_incrementally_equals_one_resolved_alone(
    history: list[Step],
) -> None:
    with sandbox() as repo:
        commits = play(repo, history)
        with store(repo, "grown.db") as grown:
            grown.index(*commits[:1])
            for commit in commits[1:]:
                grown.index(commit)  # each from the one before
            for commit in {commits[-1], commits[len(commits) // 2]}:
                with store(repo, f"alone-{commit}.db") as alone:
                    alone.index(commit)
                    assert contents(grown, repo.tree_oid(commit)) == contents(
                        alone, repo.tree_oid(commit)
                    )


@FEW
@given(steps(4, 12), QUERIES)
def test_gc_changes_no_answer(history: list[Step], queries: list[str]) -> None:
    with sandbox() as repo:
        commits = play(repo, history)
        repo.git("branch", "-f", "kept", commits[len(commits) // 2])
        asked = ["HEAD", "kept"]
        with store(repo) as index:
            index.index(*commits)
            before = answers(index, asked, queries)
        repo.git("reflog", "expire", "--expire=now", "--all")
        for branch in repo.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split():
            if branch != "kept" and branch != repo.git("branch", "--show-current"):
                repo.git("branch", "-q", "-D", branch)
        with store(repo) as index:
            report = index.gc()
            fresh = [index.check(ref) for ref in asked]
            assert all(one.fresh for one in fresh)
            assert_all_same(before, answers(index, asked, queries))
            assert index.gc().dropped == 0
            with Store(index.store_path, writable=True) as opened:
                assert opened.problems() == []
                assert report.kept == opened.info().chunkings


@FEW
@given(steps(1, 6), steps(1, 5), QUERIES)
def test_uncommitted_files_answer_like_committed_ones(
    history: list[Step], edits: list[Step], queries: list[str]
) -> None:
    with sandbox() as repo:
        play(repo, history)
        for step in edits:
            apply(repo, step)
        with store(repo, "dirty.db") as dirty:
            before = [dirty.search(query) for query in queries]
        repo.commit("as it was")
        with store(repo, "clean.db") as clean, store(repo, "dirty.db") as dirty:
            committed = [clean.search(query, scope="committed") for query in queries]
            assert_all_same(before, committed)
            assert dirty.index().embedded == 0  # committing embeds nothing
            assert_all_same([dirty.search(query) for query in queries], committed)


def lines_of(text: str) -> list[str]:
    """Split lines as chunks do: by line feeds, or by carriage returns if there is no line feed."""
    lines = text.split("\n" if "\n" in text or "\r" not in text else "\r")
    return lines[:-1] if lines[-1] == "" else lines


def assert_covered(index: Ragit, repo: GitSandbox, tree: Oid) -> int:
    """Check that every non-blank line is in a chunk, and that chunk texts are their lines; return
    the number of chunks.
    """
    seen = 0
    with Store(index.store_path, writable=False) as opened:
        snapshot = index._indexer.trees.resolve(opened, tree).snapshot
        counts = {number: 0 for number in snapshot.chunkings}
        blobs = opened.blobs(counts)
        for chunking in counts:
            text = text_of(repo.run("cat-file", "blob", blobs[chunking][0]))
            assert text is not None
            lines = lines_of(text.decode())
            rows = opened.chunks_of(chunking)
            covered: set[int] = set()
            spans: list[tuple[int, int]] = []
            for row in rows.values():
                piece = text[row.start : row.end].decode()
                named = lines[row.start_line - 1 : row.end_line]
                end = "\n" if "\n" in text.decode() or "\r" not in text.decode() else "\r"
                assert piece in end.join(named)
                if len(named) > 1:  # only a single over-long line is ever cut
                    assert piece == end.join(named)
                covered.update(range(row.start_line, row.end_line + 1))
                spans.append((row.start, row.end))
            seen += len(rows)
            assert [n for n, line in enumerate(lines, 1) if line.strip() and n not in covered] == []
            outside = bytearray(text)
            for start, stop in spans:
                outside[start:stop] = b" " * (stop - start)
            assert not bytes(outside).decode().strip()
    return seen


@FEW
@given(steps(3, 8))
def test_chunks_cover_every_line_and_hold_their_lines(history: list[Step]) -> None:
    with sandbox() as repo:
        commits = play(repo, history)
        with store(repo) as index:
            index.index(commits[-1])
            assert_covered(index, repo, repo.tree_oid())


@FEW
@given(steps(2, 8))
def test_renames_and_mode_changes_embed_nothing(history: list[Step]) -> None:
    with sandbox() as repo:
        repo.write("a.py", "def commit_offset():\n    pass\n")
        play(repo, history)
        with store(repo) as index:
            index.index()
            repo.git("mv", "-k", "a.py", "src/renamed.py") if (repo.path / "src").is_dir() else None
            for path in repo.path.glob("*.md"):
                if not path.is_symlink():
                    path.chmod(0o755)
            repo.commit("moved")
            report = index.index()
            assert (report.indexed, report.embedded) == (0, 0)
