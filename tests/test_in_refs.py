"""Tests of ragit/refs and --in-refs: which branches and tags hold the code of a hit."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from histories import Step, play, steps
from hooking import command
from hypothesis import given
from hypothesis import strategies as st
from sandbox import GitSandbox
from test_invariants import FEW, QUERIES, assert_same, sandbox, store

import ragit
from ragit.chunk import text_of
from ragit.digests import SIZE, digest
from ragit.errors import UnknownRevision
from ragit.git import Repo
from ragit.refs import FileMap, extended, line_of, listed, load, matching, spans
from ragit.refs.file_map import _MAGIC, unpacked
from ragit.refs.names import version_key
from ragit.types import Hit, LookedAt, Oid

TREE = Oid("a" * 40)


def names(hit: Hit) -> list[str]:
    """Return the refs of a hit, each run as its first and last."""
    assert hit.in_refs is not None
    return [one.first if one.refs == 1 else f"{one.first} to {one.last}" for one in hit.in_refs]


def files(repo: GitSandbox, rev: str) -> list[tuple[bytes, bytes]]:
    """Return path and text of the regular files of a tree."""
    listed = repo.run("ls-tree", "-r", "-z", rev).split(b"\0")
    rows = [entry.split(None, 3) for entry in listed if entry.startswith(b"100")]
    return [(row[3], text_of(repo.run("cat-file", "blob", row[2])) or b"") for row in rows]


@FEW
@given(steps(4, 12), QUERIES)
def test_in_refs_agree_with_a_scan_of_all_files(history: list[Step], queries: list[str]) -> None:
    with sandbox() as repo:
        commits = play(repo, history)
        for number, commit in enumerate(commits):
            repo.git("tag", f"v{number}", commit)
        texts = {f"v{number}": files(repo, commit) for number, commit in enumerate(commits)}
        with store(repo) as index, store(repo, "other.db") as other:
            for query in queries:
                other.search(query, in_refs=["v0"])  # the map of one tree is extended
                found = index.search(query, ref="HEAD", in_refs=["v*"], optimize=False, top_k=50)
                again = other.search(query, ref="HEAD", in_refs=["v*"], optimize=False, top_k=50)
                assert_same(found, again)
                assert [hit.in_refs for hit in found.hits] == [hit.in_refs for hit in again.hits]
                for hit in found.hits:
                    check(hit, texts)


def check(hit: Hit, texts: dict[str, list[tuple[bytes, bytes]]]) -> None:
    """Fail unless the hit's refs include those whose file of that name has its text, and only those
    of which some file has.
    """
    code = hit.text.encode()
    called = {os.path.basename(os.fsencode(path)) for path in (hit.path, *hit.also)}  # noqa: PTH119
    assert hit.in_refs is not None
    refs = sorted(texts, key=version_key)
    held: set[str] = set()
    for one in hit.in_refs:
        held.update(refs[refs.index(one.first) : refs.index(one.last) + 1])
    for ref, pairs in texts.items():
        with_text = {path.rpartition(b"/")[2] for path, text in pairs if line_of(code, text)}
        if ref in held:
            assert with_text or "\ufffd" in hit.text
        else:
            assert not with_text & called


SOURCE = "def commit_offset():\n    return {0}\n\n\ndef read_offset():\n    return 'offset'\n"


@pytest.fixture
def tagged(repo: GitSandbox) -> GitSandbox:
    """Return a function that stays, and one that changes in 1.10, in a file that moves in 1.9."""
    for number, tag in enumerate(("1.0-rc1", "1.0", "1.2", "1.9", "1.10", "1.11")):
        path = "src/offsets.py" if number < 3 else "lib/deep/offsets.py"
        repo.write(path, SOURCE.format(1 if number < 4 else 2) + f"# {tag}\n")
        if number == 3:
            repo.rm("src/offsets.py")
        repo.commit(tag)
        repo.tag(tag, annotated=number % 2 == 0)
    repo.branch("topic")
    repo.write("lib/deep/offsets.py", "")
    repo.write("other.py", SOURCE.format(3))
    repo.commit("topic")
    repo.switch("main")
    return repo


def test_in_refs_are_in_version_order(tagged: GitSandbox) -> None:
    with ragit.open(tagged.path) as index:
        found = index.search("commit_offset", in_refs=["1.*", "main", "topic"], optimize=False)
        held = {hit.symbol: names(hit) for hit in found.hits}
    assert held["commit_offset"] == ["1.10", "1.11", "main"]
    # the moved file keeps its name; on topic the function is in another file
    assert held["read_offset"] == ["1.0-rc1 to 1.11", "main", "topic"]
    assert found.looked_at == LookedAt(8, 7, 7, 8, 8)


def test_uncommitted_code_is_in_no_ref(tagged: GitSandbox) -> None:
    tagged.write("new.py", "def draft_offset():\n    return 5\n")
    with ragit.open(tagged.path) as index:
        found = index.search("draft_offset", in_refs=["HEAD", "1.11"])
        assert names(found.hits[0]) == []
        [hit, *_] = index.search("commit_offset", in_refs=["HEAD"]).hits
        assert names(hit) == ["HEAD"]


def test_renamed_file_is_followed(repo: GitSandbox) -> None:
    repo.write("old.py", SOURCE.format(1))
    repo.commit()
    repo.tag("v1")
    repo.write("old.py", SOURCE.format(2))
    repo.commit()
    repo.tag("v2")
    repo.git("mv", "old.py", "new.py")
    repo.commit()
    repo.tag("v3")
    with ragit.open(repo.path) as index:
        [hit] = index.search("read_offset", optimize=False, in_refs=["v*"], top_k=1).hits
    assert (hit.symbol, names(hit)) == ("read_offset", ["v1 to v3"])


MOVED = "def read_offset():\n    return 'offset'\n"


@pytest.fixture
def moving(repo: GitSandbox) -> GitSandbox:
    """Return a function that moves to another file in v3, to a new folder in v4, and again after
    v4.
    """
    for number, path in enumerate(("src/one.py", "src/one.py", "src/two.py", "lib/three.py")):
        for old in ("src/one.py", "src/two.py"):
            if (repo.path / old).exists():
                repo.write(old, f"def other{number}():\n    return {number}\n")
        before = f"def first{number}():\n    return {number}\n\n\n"
        repo.write(path, before + MOVED)
        repo.commit()
        repo.tag(f"v{number + 1}")
    repo.write("lib/three.py", "def third():\n    return 3\n")
    repo.write("lib/four.py", "def fourth():\n    return 4\n\n\n" + MOVED)
    repo.commit()
    return repo


def test_code_moved_to_another_file_is_followed(moving: GitSandbox) -> None:
    with ragit.open(moving.path) as index:
        [hit] = index.search("read_offset", optimize=False, in_refs=["v*"], top_k=1).hits
        assert (hit.path, names(hit)) == ("lib/four.py", ["v1 to v4"])
        old = index.search("read_offset", ref="v2", optimize=False, in_refs=["v*"], top_k=1)
        assert names(old.hits[0]) == ["v1 to v4"]


def test_bounded_search_follows_code_in_its_folder_only(
    moving: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ragit.open(moving.path) as index:
        whole = index.search("read_offset", optimize=False, in_refs=["v*"], top_k=1)
        monkeypatch.setattr("ragit.refs.held.MOST_ELSEWHERE", 1)
        bounded = index.search("read_offset", optimize=False, in_refs=["v*"], top_k=1)
    assert whole.notes == ()
    assert ["1 of the hits may be in more refs" in note for note in bounded.notes] == [True]
    [hit] = bounded.hits
    assert names(hit) == ["v4"]  # v3 has it in another folder, and two files of v3 are not in v4


def test_moved_refs_are_read_again(tagged: GitSandbox) -> None:
    with ragit.open(tagged.path) as index:
        before = index.search("commit_offset", in_refs=["1.0"]).hits[0]
        tagged.git("tag", "moving", "main")
        after = index.search("commit_offset", in_refs=["moving", "1.0"]).hits[0]
        tagged.git("tag", "-f", "moving", "1.2")
        last = index.search("commit_offset", in_refs=["moving", "1.0"]).hits[0]
    assert (names(before), names(after), names(last)) == ([], ["moving"], [])


@pytest.mark.parametrize("pattern", ["nothing*", "1.3", "refs/heads/1.0", "blob", ""])
def test_pattern_without_a_match_is_refused(tagged: GitSandbox, pattern: str) -> None:
    tagged.git("tag", "blob", "HEAD:lib/deep/offsets.py")  # a tag of a blob
    with ragit.open(tagged.path) as index, pytest.raises(UnknownRevision, match="no branch or tag"):
        index.search("commit_offset", in_refs=["1.0", pattern])


def test_damaged_file_map_is_rebuilt_and_gc_drops_it(tagged: GitSandbox) -> None:
    with ragit.open(tagged.path) as index:
        first = index.search("commit_offset", in_refs=["1.*"]).hits
        kept = index.store_path.with_name("index.db.refs")
        whole = kept.read_bytes()
        for damaged in (b"", whole[:40], whole[:-1], whole[:60] + b"\1" + whole[61:]):
            kept.write_bytes(damaged)
            assert index.search("commit_offset", in_refs=["1.*"]).hits == first
            assert kept.read_bytes() == whole
        index.gc()
        assert not kept.exists()
        assert not list(kept.parent.glob("index.db.refs*"))


def test_file_map_drops_unused_trees(repo: GitSandbox) -> None:
    trees = []
    for number in range(70):
        repo.write("a.py", f"{number}\n")
        repo.git("add", "-A")
        trees.append(Oid(repo.git("write-tree")))
    with Repo.open(repo.path) as opened:
        found: FileMap | None = None
        for tree in trees:
            found = extended(found, [tree, trees[0]], opened.files_of_trees)
            assert found.mask([tree])
    assert found is not None
    assert len(found.trees) < 67


def test_file_map_survives_packing(tagged: GitSandbox) -> None:
    trees = [tagged.tree_oid(rev) for rev in ("1.0", "1.9", "topic")]
    with Repo.open(tagged.path) as opened:
        found = extended(None, trees, opened.files_of_trees)
    again = unpacked(found.packed())
    assert again is not None
    assert (again.trees, list(again.rows())) == (found.trees, list(found.rows()))
    assert load(Path("nowhere")) is None
    start = len(_MAGIC) + SIZE
    for body in (b"", b"x" * 200, found.packed()[start:-1]):
        assert unpacked(_MAGIC + digest(body) + body) is None


@pytest.mark.parametrize("kind", ["sha256", "worktree", "replaced", "octopus"])
def test_in_refs_of_every_kind_of_repository(repo: GitSandbox, tmp_path: Path, kind: str) -> None:
    one = GitSandbox(tmp_path / "other", "--object-format=sha256") if kind == "sha256" else repo
    one.write("offsets.py", SOURCE.format(1))
    one.commit("first")
    one.tag("v1")
    one.write("offsets.py", "")
    one.commit("empty")
    one.tag("v2")
    expected = ["v1"]
    if kind == "worktree":
        one.git("worktree", "add", "-q", str(tmp_path / "tree"), "v1")
        one = GitSandbox(tmp_path / "tree")
    elif kind == "replaced":
        one.git("replace", "v2", "v1")
        expected = ["v1", "v2"]
    elif kind == "octopus":
        for name in ("one", "two"):
            one.git("checkout", "-q", "-b", name, "v1")
            one.write(f"{name}.py", "")
            one.commit(name)
        one.git("checkout", "-q", "-b", "main2", "v1")
        one.git("merge", "-q", "-m", "octopus", "one", "two")
        one.tag("v3")
        expected = ["v1", "v3"]
    with ragit.open(one.path) as index:
        [hit] = index.search("read_offset", ref="v1", in_refs=["v*"], top_k=1).hits
    assert names(hit) == expected


def test_partial_clone_reports_unread_refs(tagged: GitSandbox, tmp_path: Path) -> None:
    tagged.git("config", "uploadpack.allowFilter", "true")
    clone = tagged.clone(tmp_path / "clone", "--filter=blob:none")
    run(clone, "x", "--committed")  # indexes the downloaded files
    done = run(clone, "--in-refs", "1.*", "commit_offset")
    assert "  in 1.11\n" in done.stdout.replace("1.10, ", "")
    assert "incomplete: of 6 refs, 6 of 6 trees and 1 of 6 files could be read" in done.stderr
    bare = tagged.clone(tmp_path / "bare", "--filter=tree:0")
    done = run(bare, "--in-refs", "1.*", "commit_offset")
    assert "incomplete: of 6 refs, 1 of 6 trees" in done.stderr


def run(repo: GitSandbox, *args: str) -> subprocess.CompletedProcess[str]:
    return command("search", *args, cwd=repo.path)


def test_every_format_prints_the_refs(tagged: GitSandbox) -> None:
    args = ("--in-refs", "1.*", "read_offset", "-k", "1", "--no-optimize")
    assert "\n  in 1.0-rc1 to 1.11\n" in run(tagged, *args).stdout
    assert (
        ":[in 1.0-rc1 to 1.11] def read_offset" in run(tagged, "--format", "vimgrep", *args).stdout
    )
    assert " [in 1.0-rc1 to 1.11]\n" in run(tagged, "--format", "compact", *args).stdout
    assert ", in 1.0-rc1 to 1.11\n" in run(tagged, "--format", "markdown", *args).stdout
    whole = json.loads(run(tagged, "--json", *args).stdout)
    assert whole["results"][0]["in_refs"] == [{"first": "1.0-rc1", "last": "1.11", "refs": 6}]
    assert whole["looked_at"]["refs"] == 6
    wrong = run(tagged, "--in-refs", "2.*", "read_offset")
    assert (wrong.returncode, wrong.stdout) == (2, "")


VERSIONS = (
    *("0.9", "1.0-alpha", "1.0-beta1", "1.0-beta2", "1.0-rc1", "1.0-rc10", "1.0", "1.0.1"),
    *("1.0.10-rc0", "1.0.10", "1.1", "1.9", "1.10", "2", "10"),
)


@given(st.permutations(VERSIONS))
def test_refs_sort_by_version(shuffled: list[str]) -> None:
    found = listed((f"refs/tags/v{name}", TREE) for name in shuffled)
    assert [ref.name for ref in found] == [f"v{name}" for name in VERSIONS]


def test_refs_are_named_and_matched_like_git_does() -> None:
    full = ("refs/heads/main", "refs/heads/1.0", "refs/tags/1.0", "refs/remotes/origin/a/1.2")
    refs = listed((name, TREE) for name in full)
    assert [ref.name for ref in refs] == ["tags/1.0", "heads/1.0", "main", "origin/a/1.2"]
    for pattern, found in (
        ("main", ["main"]),
        ("*1.0", ["tags/1.0", "heads/1.0"]),
        ("refs/tags/*", ["tags/1.0"]),
        ("refs/heads/*", ["heads/1.0", "main"]),
        ("origin/*", ["origin/a/1.2"]),
        ("origin", []),
        ("1.*", []),
    ):
        assert [ref.name for ref in matching(refs, pattern)] == found, pattern


@pytest.mark.parametrize(
    ("held", "shown"),
    [
        ([], []),
        ([0], [("v1", "v1", 1)]),
        ([0, 1], [("v1", "v1", 1), ("v2", "v2", 1)]),
        ([0, 1, 2], [("v1", "v3", 3)]),
        ([0, 2, 3, 4], [("v1", "v1", 1), ("v3", "v5", 3)]),
        (range(8), [("v1", "v5", 5), *((name, name, 1) for name in ("alpha", "beta", "gamma"))]),
    ],
    ids=str,
)
def test_consecutive_versions_form_one_span(
    held: list[int], shown: list[tuple[str, str, int]]
) -> None:
    tags = [f"refs/tags/v{number}" for number in range(1, 6)]
    heads = [f"refs/heads/{name}" for name in ("alpha", "beta", "gamma")]
    refs = listed((name, TREE) for name in (*tags, *heads))
    assert [tuple(one) for one in spans(refs, held)] == shown


@pytest.mark.parametrize(
    ("code", "text", "line"),
    [
        (b"b", b"a\nb\nc", 2),
        (b"b", b"ab\nbc\nb", 3),
        (b"b", b"b", 1),
        (b"b\nc", b"a\r\nb\nc\r\n", 2),
        (b"b", b"ab\nbc", 0),
        (b"b", b"", 0),
    ],
)
def test_line_of_finds_whole_lines(code: bytes, text: bytes, line: int) -> None:
    assert line_of(code, text) == line
