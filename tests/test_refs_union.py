"""Tests of searches over several trees at once: --refs, --all-refs and --complete."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from histories import Step, play, steps
from hooking import command
from hypothesis import given
from hypothesis import strategies as st
from sandbox import GitSandbox
from test_in_refs import SOURCE, names
from test_invariants import FEW, QUERIES, assert_same, sandbox, store

import ragit
from ragit.errors import ConfigError, NotIndexed, UnknownRevision
from ragit.index.union import UnionResolver
from ragit.store import Store
from ragit.types import LookedAt


@FEW
@given(steps(4, 12), QUERIES, st.randoms(use_true_random=False))
def test_answer_over_refs_depends_only_on_their_trees(
    history: list[Step], queries: list[str], random: object
) -> None:
    with sandbox() as repo:
        commits = play(repo, history)
        for number, commit in enumerate(commits):
            repo.git("tag", f"v{number}" if number % 2 else f"w{number}", commit)
        shuffled = list(commits)
        random.shuffle(shuffled)  # type: ignore[attr-defined]
        with store(repo, "grown.db") as grown, store(repo, "alone.db") as alone:
            for commit in shuffled:
                grown.index(commit)
            for query in queries:
                for options in ({"refs": ["v*"]}, {"all_refs": True, "optimize": False}):
                    one = grown.search(query, **options)  # type: ignore[arg-type]
                    other = alone.search(query, **options)  # type: ignore[arg-type]
                    assert_same(one, other)
                    assert [(h.in_refs, h.ref) for h in one.hits] == [
                        (h.in_refs, h.ref) for h in other.hits
                    ]
                    again = alone.search(query, **options)  # type: ignore[arg-type] # from the cache
                    assert_same(one, again)
                    texts = [(h.parent, h.symbol, h.text) for h in again.hits]
                    assert options.get("refs") or len(set(texts)) == len(texts)


@FEW
@given(steps(4, 12))
def test_union_holds_the_files_of_every_tree_once(history: list[Step]) -> None:
    with sandbox() as repo:
        commits = list(dict.fromkeys(repo.tree_oid(one) for one in play(repo, history)))
        with store(repo) as index:
            index.index(*commits[:2])
            trees: UnionResolver = index._indexer.trees
            with Store(index.store_path, writable=False) as opened:
                found = trees.resolve(opened, trees.union(commits))
                parts = [trees.resolve(opened, tree) for tree in commits]
        rows = list(zip(found.snapshot.paths, found.snapshot.chunkings, strict=True))
        assert set(rows) == {
            row
            for part in parts
            for row in zip(part.snapshot.paths, part.snapshot.chunkings, strict=True)
        }
        assert len(set(rows)) == len(rows)
        assert [path for path, _ in rows] == sorted(path for path, _ in rows)
        missing = {(file.path, file.key) for part in parts for file in part.missing}
        assert {(file.path, file.key) for file in found.missing} == missing
        assert len(found.missing) == len(missing)
        assert found.incomplete_parts == sum(not part.complete for part in parts)


@pytest.fixture
def tagged(repo: GitSandbox) -> GitSandbox:
    """Return commit_offset, changed in v2; read_offset, removed in v3; lock, new in v3; v4 is only a
    tag.
    """
    repo.write("offsets.py", SOURCE.format(1))
    repo.write("other.py", "def unrelated():\n    pass\n")
    repo.commit("v1")
    repo.tag("v1")
    repo.write("offsets.py", SOURCE.format(2))
    repo.commit("v2")
    repo.tag("v2", annotated=True)
    repo.write("offsets.py", SOURCE.format(2).partition("\n\n\n")[0] + "\n")
    repo.write("locks.py", "def take_lock():\n    return 'a lock of the offset'\n")
    repo.commit("v3")
    repo.tag("v3")
    repo.git("checkout", "-q", "--detach")
    repo.write("side.py", "def side_offset():\n    return 'aside'\n")
    repo.commit("v4")
    repo.tag("v4")
    repo.switch("main")
    return repo


def test_each_text_is_one_hit_with_its_refs(tagged: GitSandbox) -> None:
    with ragit.open(tagged.path) as index:
        found = index.search("offset", refs=["v*"], optimize=False)
        held = {(hit.symbol, hit.text.split()[-1]): (names(hit), hit.ref) for hit in found.hits}
        assert held["read_offset", "'offset'"] == (["v1", "v2"], "v2")
        assert held["commit_offset", "2"] == (["v2 to v4"], "v4")
        assert held["take_lock", "offset'"] == (["v3", "v4"], "v4")
        assert held["side_offset", "'aside'"] == (["v4"], "v4")
        assert (found.ref, found.union, found.complete) == ("refs v*", True, True)
        assert found.looked_at == LookedAt(4, 4, 4, 6, 6)


def test_text_moved_between_refs_is_one_hit(repo: GitSandbox) -> None:
    repo.write("old.py", SOURCE.format(1))
    repo.commit()
    repo.tag("v1")
    repo.git("mv", "old.py", "new.py")
    repo.write("new.py", SOURCE.format(2))
    repo.commit()
    repo.tag("v2")
    with ragit.open(repo.path) as index:
        found = index.search("read_offset", refs=["v*"], optimize=False)
    [hit] = [one for one in found.hits if one.symbol == "read_offset"]
    assert {hit.path, *hit.also} == {"old.py", "new.py"}
    assert names(hit) == ["v1", "v2"]


def test_uncommitted_code_is_in_no_ref(tagged: GitSandbox) -> None:
    tagged.write("draft.py", "def draft_offset():\n    return 7\n")
    with ragit.open(tagged.path) as index:
        found = index.search("offset", all_refs=True)
        assert "draft_offset" not in {hit.symbol for hit in found.hits}
        assert found.ref == "all refs"
        assert found.looked_at is not None
        assert (found.looked_at.refs, found.looked_at.trees) == (6, 4)  # with main and HEAD


def test_filters_apply_in_all_refs(tagged: GitSandbox) -> None:
    with ragit.open(tagged.path) as index:
        found = index.search("offset", refs=["v*"], paths=["side.py", "locks.py"])
        assert {hit.path for hit in found.hits} == {"side.py", "locks.py"}
        assert not index.search("offset", refs=["v*"], languages=["go"]).hits


def test_query_with_a_path_finds_versions_of_the_file(tagged: GitSandbox) -> None:
    trace = 'File "offsets.py", line 6, in read_offset'
    with ragit.open(tagged.path) as index:
        found = index.search(trace, refs=["v*"])
    assert found.hits[0].symbol == "read_offset" or "read_offset" in found.hits[0].text


def test_missing_files_are_counted_and_completed(tagged: GitSandbox) -> None:
    with ragit.open(tagged.path) as index:
        with pytest.raises(NotIndexed):
            index.search("offset", refs=["v*"], index=False)
        index.index("v1")
        found = index.search("offset", refs=["v*"], index=False)
        assert not found.complete
        assert found.looked_at == LookedAt(4, 4, 1, 6, 2)
        assert {hit.ref for hit in found.hits} <= {"v1", "v4"}
        assert "side_offset" not in {hit.symbol for hit in found.hits}
        whole = index.search("offset", refs=["v*"], complete=True)
        assert whole.complete
        assert index.check("v4").fresh
        assert index.search("offset", refs=["v*"], index=False).hits == whole.hits


def test_search_without_time_leaves_files_missing(
    tagged: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragit.index.indexer.SEARCH_S", -1.0)
    with ragit.open(tagged.path) as index:
        index.index("v1")
        assert not index.search("offset", refs=["v*"]).complete
        assert index.search("offset", refs=["v*"], complete=True).complete


def test_gc_keeps_answers_after_a_union(tagged: GitSandbox) -> None:
    with ragit.open(tagged.path) as index:
        plain = index.search("offset")
        found = index.search("offset", refs=["v*"])
        tagged.write("new.py", "def new_lock():\n    pass\n")
        assert index.search("new_lock").hits[0].path == "new.py"  # resolved from a similar tree
        tagged.rm("new.py")
        tagged.git("tag", "-d", "v1", "v4")
        tagged.git("reflog", "expire", "--expire=all", "--all")
        index.gc()
        assert_same(index.search("offset"), plain)
        left = index.search("offset", refs=["v*"])
        assert left.tree != found.tree
        assert left.complete


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"refs": ["x*"]}, UnknownRevision),
        ({"refs": ["v1", ""]}, UnknownRevision),
        ({"refs": ["v*"], "ref": "v1"}, ConfigError),
        ({"refs": ["v*"], "all_refs": True}, ConfigError),
        ({"refs": ["v*"], "scope": "staged"}, ConfigError),
        ({"refs": ["v*"], "in_refs": ["v1"]}, ConfigError),
        ({"refs": ["v*"], "new_in": "v1..v2"}, ConfigError),
        ({"all_refs": True, "recurse_submodules": True}, ConfigError),
        ({"complete": True}, ConfigError),
        ({"refs": ["v*"], "complete": True, "index": False}, ConfigError),
    ],
    ids=str,
)
def test_incompatible_options_are_refused(
    tagged: GitSandbox, options: dict[str, object], error: type[Exception]
) -> None:
    with ragit.open(tagged.path) as index, pytest.raises(error):
        index.search("offset", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["sha256", "worktree", "partial", "shallow"])
def test_union_in_every_kind_of_repository(tagged: GitSandbox, tmp_path: Path, kind: str) -> None:
    one, refs = tagged, ["v*"]
    if kind == "sha256":
        one = GitSandbox(tmp_path / "sha256", "--object-format=sha256")
        one.write("offsets.py", SOURCE.format(1))
        one.commit()
        one.tag("v1")
        one.write("offsets.py", "")
        one.commit()
        one.tag("v2")
    elif kind == "worktree":
        tagged.git("worktree", "add", "-q", str(tmp_path / "tree"), "v3")
        one = GitSandbox(tmp_path / "tree")
    elif kind == "partial":
        tagged.git("config", "uploadpack.allowFilter", "true")
        one = tagged.clone(tmp_path / "partial", "--filter=blob:none")
    elif kind == "shallow":
        one, refs = tagged.clone(tmp_path / "shallow", "--depth=1"), ["HEAD", "origin/*"]
    with ragit.open(one.path) as index:
        found = index.search("offset", refs=refs)
    symbols = {hit.symbol for hit in found.hits}
    assert bool(found.completeness.absent) == (kind == "partial")
    assert ("read_offset" in symbols) == (kind in ("sha256", "worktree"))


def run(repo: GitSandbox, *args: str) -> subprocess.CompletedProcess[str]:
    return command("search", *args, cwd=repo.path)


def test_every_format_prints_the_refs_of_a_union(tagged: GitSandbox) -> None:
    args = ("--refs", "v*", "read_offset", "-k", "1", "--no-optimize")
    assert "\n  in v1, v2; lines of v2\n" in run(tagged, *args).stdout
    assert (
        ":[in v1, v2; lines of v2] def read_offset"
        in run(tagged, "--format", "vimgrep", *args).stdout
    )
    whole = json.loads(run(tagged, "--json", *args).stdout)
    assert whole["results"][0]["ref"] == "v2"
    assert whole["looked_at"] == {
        "refs": 4,
        "trees": 4,
        "complete_trees": 4,
        "files": 6,
        "complete_files": 6,
    }
    wrong = run(tagged, "--refs", "x*", "offset")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    tagged.write("later.py", "def later_offset():\n    pass\n")
    tagged.commit()
    done = run(tagged, "--all-refs", "--no-index", "offset")
    assert (
        "incomplete: 1 file of all refs is not indexed; to complete: repeat it with --complete"
        in done.stderr
    )
    assert "incomplete: of 6 refs, 4 of 5 trees and 6 of 7 files are indexed" in done.stderr
