"""Tests of the comparison of definitions between two trees."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from histories import Step, apply, play, steps
from hypothesis import given, settings
from sandbox import GitSandbox
from terminal import Terminal
from test_invariants import FEW, sandbox, store
from test_render import faults, schemas

import ragit
from ragit.changes import ADDED, CHANGED, MOVED, REMOVED, RENAMED, STATUSES, Diff, Side
from ragit.errors import NotIndexed, UnknownRevision
from ragit.repository.repository import Ragit
from ragit.store import Store
from ragit.types import path_text

ADD = '''\
def add(one, other):
    """Return the sum of two numbers, which may be of any size."""
    return one + other
'''
RETRY = '''\
def retry(call, times):
    """Call a function again until it succeeds, at most so many times, with a pause between."""
    for attempt in range(times):
        try:
            return call()
        except OSError:
            pause(attempt)
    raise Failed(times)
'''
CLOSE = '''\
def close_connection(connection):
    """Close an idle connection and tell the pool that there is room for another one."""
    connection.shutdown()
    connection.pool.release(connection)
'''


@pytest.fixture
def terminal(repo: GitSandbox) -> Terminal:
    return Terminal(repo.path)


@pytest.fixture
def index(repo: GitSandbox) -> Iterator[Ragit]:
    repo.commit("first")
    with ragit.open(repo.path, flags={"index.minChunkBytes": "0"}) as opened:
        yield opened


def found(diff: Diff) -> set[tuple[str, str, str]]:
    """Return (status, old names, new names) of each change."""
    return {
        (
            one.status,
            " ".join(one.old.names) if one.old else "",
            " ".join(one.new.names) if one.new else "",
        )
        for one in diff.changes
    }


def test_diff_reports_each_kind_of_change(repo: GitSandbox, index: Ragit) -> None:
    repo.write("a.py", ADD + "\n\n" + RETRY)
    repo.write("b.py", CLOSE + "\n\ndef gone():\n    return 1\n")
    repo.commit()
    repo.write("a.py", ADD.replace("one + other", "other + one"))
    repo.write("moved/here.py", CLOSE)
    repo.write("b.py", RETRY.replace("def retry", "def try_again"))
    repo.write("c.py", "class Fresh:\n    '''Hold nothing at all.'''\n")
    repo.commit()
    diff = index.diff("HEAD~1..HEAD")
    assert found(diff) == {
        (CHANGED, "add", "add"),
        (MOVED, "close_connection", "close_connection"),
        (RENAMED, "retry", "try_again"),
        (REMOVED, "gone", ""),
        (ADDED, "", "Fresh"),
    }
    assert diff.counts == dict.fromkeys(STATUSES, 1)
    moved = next(one for one in diff.changes if one.status == MOVED)
    assert moved.old and moved.new
    assert (moved.old.path, moved.new.path, moved.similarity) == ("b.py", "moved/here.py", None)
    renamed = next(one for one in diff.changes if one.status == RENAMED)
    assert renamed.similarity and 0.9 <= renamed.similarity < 1
    assert diff.completeness.complete and diff.files == 4


def test_reversed_range_swaps_added_and_removed(repo: GitSandbox, index: Ragit) -> None:
    repo.write("a.py", ADD)
    tree = repo.commit() and repo.tree()
    repo.write("a.py", CLOSE)
    repo.commit()
    assert found(index.diff(f"{tree}..{repo.tree()}")) == {
        (REMOVED, "add", ""),
        (ADDED, "", "close_connection"),
    }
    assert found(index.diff(f"{repo.tree()}..{tree}")) == {
        (ADDED, "", "add"),
        (REMOVED, "close_connection", ""),
    }


def test_renamed_file_moves_its_definitions(repo: GitSandbox, index: Ragit) -> None:
    repo.write("old/name.py", ADD + "\n\n" + RETRY + "\n\n" + CLOSE)
    repo.commit()
    repo.git("mv", "old", "new")
    repo.commit()
    diff = index.diff("HEAD~1..HEAD")
    assert diff.counts == {**dict.fromkeys(STATUSES, 0), MOVED: 3}
    assert {one.old.path for one in diff.changes if one.old} == {"old/name.py"}


def test_changed_definition_in_a_moved_file_is_moved(repo: GitSandbox, index: Ragit) -> None:
    repo.write("a.py", RETRY)
    repo.commit()
    repo.rm("a.py")
    repo.write("deep/b.py", RETRY.replace("OSError", "TimeoutError"))
    repo.commit()
    (change,) = index.diff("HEAD~1..HEAD").changes
    assert change.status == MOVED
    assert change.similarity is not None


def test_new_overload_is_added(repo: GitSandbox, index: Ragit) -> None:
    one = "class A {\n    int f(int a) {\n        return a + 1;\n    }\n\n"
    other = "    int f(String b) {\n        return b.length() * 2;\n    }\n"
    repo.write("A.java", one + "}\n")
    repo.commit()
    repo.write("A.java", one + other + "}\n")
    repo.commit()
    diff = index.diff("HEAD~1..HEAD")
    assert diff.counts[ADDED] == 1
    assert diff.counts[REMOVED] == 0
    assert [
        change.new.line for change in diff.changes if change.new and change.status == ADDED
    ] == [6]


def test_definition_in_several_chunks_changes_once(repo: GitSandbox, index: Ragit) -> None:
    lines = [f"    step_{number} = run({number})" for number in range(300)]
    repo.write("a.py", "def long():\n" + "\n".join(lines) + "\n")
    repo.commit()
    lines[280] = "    step_280 = run(0)"
    repo.write("a.py", "def long():\n" + "\n".join(lines) + "\n")
    repo.commit()
    (change,) = index.diff("HEAD~1..HEAD").changes
    assert (change.status, change.shown.names, change.shown.line) == (CHANGED, ("long",), 1)


def test_text_without_a_name_is_counted_by_file(repo: GitSandbox, index: Ragit) -> None:
    repo.write("notes.txt", "one\ntwo\n")
    repo.commit()
    repo.write("notes.txt", "one\nthree\n")
    repo.commit()
    diff = index.diff("HEAD~1..HEAD")
    assert (diff.changes, diff.unnamed, diff.files) == ((), ("notes.txt",), 1)


def test_default_range_starts_at_the_upstream(repo: GitSandbox, tmp_path: Path) -> None:
    repo.write("a.py", ADD)
    repo.commit()
    clone = repo.clone(tmp_path / "clone")
    repo.write("later.py", CLOSE)
    repo.commit()
    clone.git("fetch", "-q")
    clone.git("switch", "-q", "-c", "topic", "--no-track", "HEAD")
    clone.write("b.py", RETRY)
    clone.commit()
    clone.write("c.py", "def uncommitted():\n    return 1\n")
    with ragit.open(clone.path) as index:
        diff = index.diff()
    assert found(diff) == {(ADDED, "", "retry"), (ADDED, "", "uncommitted")}
    assert diff.new_ref == "HEAD + uncommitted changes"


def test_default_range_without_a_remote_starts_at_main(repo: GitSandbox) -> None:
    repo.write("a.py", ADD)
    repo.commit()
    repo.branch("topic")
    repo.write("b.py", RETRY)
    repo.commit()
    repo.git("branch", "-f", "other", "main")
    with ragit.open(repo.path) as index:
        assert found(index.diff()) == {(ADDED, "", "retry")}
    repo.switch("main")
    with ragit.open(repo.path) as index, pytest.raises(UnknownRevision, match="no upstream"):
        index.diff()


@pytest.mark.parametrize(
    ("range", "words"),
    [
        ("nothing..HEAD", "no commit or tree is named 'nothing'"),
        ("HEAD..HEAD~1", "is in the wrong order"),
        ("", "has no upstream"),
        ("HEAD:a.py..HEAD", "no commit or tree is named"),
    ],
)
def test_invalid_range_is_refused(
    repo: GitSandbox, terminal: Terminal, range: str, words: str
) -> None:
    repo.write("a.py", ADD)
    repo.commit()
    repo.write("a.py", RETRY)
    repo.commit()
    result = terminal.ragit("diff", *([range] if range else []), code=2)
    assert words in result.err
    assert result.hint


def test_three_dots_need_a_common_commit(repo: GitSandbox, terminal: Terminal) -> None:
    repo.write("a.py", ADD)
    repo.commit()
    repo.git("switch", "-q", "--orphan", "other")
    repo.write("b.py", RETRY)
    repo.commit()
    result = terminal.ragit("diff", "main...other", code=2)
    assert "no common commit" in result.err
    assert terminal.ragit("diff", "main..other", code=0).out


def test_query_ranks_changes(repo: GitSandbox, index: Ragit) -> None:
    repo.write("kept.py", "def retry_nothing():\n    return 1\n")
    repo.write("gone.py", CLOSE)
    repo.commit()
    repo.rm("gone.py")
    repo.write("a.py", RETRY)
    repo.write("b.py", ADD)
    repo.commit()
    diff = index.diff("HEAD~1..HEAD", "retry a failed call", top_k=2)
    assert diff.changes[0].shown.names == ("retry",)
    assert [one.score for one in diff.changes] == sorted(
        [one.score for one in diff.changes], key=lambda score: -(score or 0)
    )
    removed = index.diff("HEAD~1..HEAD", "close_connection", top_k=1).changes
    assert [(one.status, one.shown.names) for one in removed] == [(REMOVED, ("close_connection",))]
    assert removed[0].score and removed[0].score > 0


def test_renames_need_vectors(repo: GitSandbox) -> None:
    repo.write("a.py", RETRY)
    repo.commit()
    repo.write("a.py", RETRY.replace("def retry", "def try_again"))
    repo.commit()
    with ragit.open(repo.path, flags={"embedding.provider": "none"}) as index:
        diff = index.diff("HEAD~1..HEAD")
    assert found(diff) == {(REMOVED, "retry", ""), (ADDED, "", "try_again")}
    assert any("no vectors" in note for note in diff.notes)


def test_diff_without_indexing_reports_missing_files(repo: GitSandbox, index: Ragit) -> None:
    repo.write("a.py", RETRY)
    repo.commit()
    with pytest.raises(NotIndexed):
        index.diff("HEAD~1..HEAD", index=False)
    index.index("HEAD~1")
    diff = index.diff("HEAD~1..HEAD", index=False)
    assert (diff.completeness.complete, diff.completeness.missing, diff.changes) == (False, 1, ())
    assert diff.notes == ("1 file of HEAD is not indexed; to complete: ragit index",)


def test_shared_files_are_not_indexed(repo: GitSandbox, index: Ragit) -> None:
    for number in range(5):
        repo.write(f"{number}.py", ADD.replace("add", f"add_{number}"))
    repo.commit()
    repo.write("4.py", CLOSE)
    repo.commit()
    index.diff("HEAD~1..HEAD")
    with Store(index.store_path, writable=False) as opened:
        assert opened.info().chunkings == 6


def test_unknown_revision_raises(index: Ragit) -> None:
    with pytest.raises(UnknownRevision):
        index.diff("no..HEAD")


Key = tuple[str, str, str]
"""Path, names around a definition, and its own name."""


def listed(index: Ragit, revision: str) -> Counter[Key]:
    """Return the definitions of a tree."""
    with index.reading(revision) as opened:
        snapshot = opened.tree.snapshot
        return Counter(
            (path_text(path), row.owner_of(at), name)
            for path, chunking in zip(snapshot.paths, snapshot.chunkings, strict=True)
            for row in opened.chunks_of(chunking)
            for at, name in enumerate(row.names)
        )


def keys(store: Store, side: Side) -> Iterator[Key]:
    """Yield the definitions of one side of a change."""
    (row,) = store.chunks([side.chunk]).values()
    at = 0
    for number, name in enumerate(side.names):
        at = row.names.index(name, at)
        if not number and row.owner_of(at) != side.parent:
            at = row.names.index(name, at + 1)
        yield side.path, row.owner_of(at), name
        at += 1


def assert_is_the_difference(index: Ragit, old: str, new: str) -> Diff:
    diff = index.diff(f"{old}..{new}")
    more: Counter[Key] = Counter()
    fewer: Counter[Key] = Counter()
    fresh: Counter[Key] = Counter()
    with Store(index.store_path, writable=False) as opened:
        for change in diff.changes:
            news = list(keys(opened, change.new)) if change.new else []
            olds = list(keys(opened, change.old)) if change.old else []
            more.update(news)
            fewer.update(olds)
            if change.status == ADDED:
                fresh.update(news)
            if change.status == CHANGED:
                assert sorted(news) == sorted(olds)
    before, after = listed(index, old), listed(index, new)
    assert more - fewer == after - before
    assert fewer - more == before - after
    assert fresh <= after - before
    return diff


@settings(FEW, max_examples=4)
@given(steps(2, 6))
def test_diff_equals_the_difference_of_both_trees(history: list[Step]) -> None:
    with sandbox() as repo:
        commits = list(dict.fromkeys(play(repo, history)))
        with store(repo) as index:
            index.index(*commits)
            for old, new in zip(commits, commits[1:], strict=False):
                trees = repo.tree(old), repo.tree(new)
                forward = assert_is_the_difference(index, *trees)
                back = assert_is_the_difference(index, *reversed(trees))
                counts = dict(back.counts)
                counts[ADDED], counts[REMOVED] = counts[REMOVED], counts[ADDED]
                assert forward.counts == counts


@settings(FEW, max_examples=3)
@given(steps(1, 4), steps(1, 4))
def test_uncommitted_files_compare_like_committed_ones(
    history: list[Step], edits: list[Step]
) -> None:
    with sandbox() as repo:
        play(repo, history)
        repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
        repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
        for step in edits:
            apply(repo, step)
        with store(repo, "dirty.db") as index:
            dirty = index.diff()
        repo.commit("as it was")
        with store(repo, "clean.db") as index:
            clean = index.diff()
        assert shape(dirty) == shape(clean)


def shape(diff: Diff) -> list[object]:
    """Return a comparison without the numbers of chunks, which depend on the store."""
    return [
        (
            one.status,
            one.old and one.old._replace(chunk=0),
            one.new and one.new._replace(chunk=0),
            one.similarity and round(one.similarity, 5),
        )
        for one in diff.changes
    ]


def test_diff_command_prints_text_json_and_markdown(repo: GitSandbox, terminal: Terminal) -> None:
    repo.write("shop/cart.py", RETRY)
    repo.write("shop/old.py", CLOSE)
    repo.commit()
    repo.git("mv", "shop/old.py", "shop/pool.py")
    repo.write("shop/cart.py", RETRY.replace("OSError", "TimeoutError") + "\n\n" + ADD)
    repo.commit()
    result = terminal.ragit("diff", "HEAD~1..HEAD", code=0)
    old, new = repo.tree("HEAD~1")[:10], repo.tree()[:10]
    assert result.out == (
        f"1 added, 1 changed, 1 moved in 3 files; HEAD~1 (tree {old}) to HEAD (tree {new})\n\n"
        "shop/cart.py\n"
        "  changed  1-8  function  retry\n"
        "  added    11-13  function  add\n\n"
        "shop/pool.py\n"
        "  moved    1-4  function  close_connection  from shop/old.py\n"
    )
    value = json.loads(terminal.ragit("diff", "HEAD~1..HEAD", "--json").out)
    assert not list(faults(value, schemas()["diff"]))
    assert value["counts"] == {"added": 1, "removed": 0, "changed": 1, "moved": 1, "renamed": 0}
    ranked = json.loads(terminal.ragit("diff", "HEAD~1..HEAD", "retry", "--json").out)
    assert not list(faults(ranked, schemas()["diff"]))
    assert ranked["changes"][0]["new"]["names"] == ["retry"]
    shown = terminal.ragit("diff", "HEAD~1..HEAD", "--format", "markdown").out
    assert "## Added\n\n- function `add` `shop/cart.py:11`" in shown
    assert terminal.ragit("diff", "HEAD..HEAD", code=1).out.startswith("no definition changed")
    text = terminal.ragit("diff", "HEAD~1..HEAD", "sum", "of", "numbers", "-k", "1", code=0).out
    assert text.splitlines()[2:4] == ["shop/cart.py:11", text.splitlines()[3]]
    assert "added  11-13  function  add" in text


def test_file_names_are_escaped(repo: GitSandbox, terminal: Terminal) -> None:
    repo.commit()
    repo.write(b"evil\x1b[31m.py", ADD)
    repo.commit()
    for form in ("text", "json", "markdown"):
        assert "\x1b" not in terminal.ragit("diff", "HEAD~1..HEAD", "--format", form).out


def test_partial_clone_reports_files_not_compared(repo: GitSandbox, tmp_path: Path) -> None:
    repo.write("a.py", RETRY)
    repo.commit("retry")
    repo.tag("v1")
    repo.write("a.py", ADD)
    repo.commit("add")
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = Terminal(repo.clone(tmp_path / "partial", "--filter=blob:none").path)
    result = clone.ragit("diff", "v1..HEAD", code=0)
    note = "1 file of v1 is not downloaded and not compared; `ragit index v1 --fetch-missing`"
    assert note in result.err
    clone.ragit("index", "v1", "--fetch-missing", code=0)
    result = clone.ragit("diff", "v1..HEAD", code=0)
    assert "retry" in result.out
    assert "not compared" not in result.err
