"""Tests of searches over code that one tree has and another lacks: --new-in and --gone-since."""

from __future__ import annotations

import json
import os
import subprocess
from itertools import product
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
from ragit.errors import ConfigError, NotIndexed, UnknownRevision
from ragit.refs import line_of
from ragit.repository.repository import Ragit
from ragit.types import Answer, Hit, LastStood

FUNCTION = "def {}():\n    offset = parse_config()\n    return 'commit the offset to {}'\n\n\n"
FIRST = [
    Step("write", path=b"a.py", content=(FUNCTION * 2).format(*"abcd").encode()),
    Step("write", path=b"src/reader.py", content=(FUNCTION * 2).format(*"efgh").encode()),
]
LAST = [
    Step("rename", path=b"a.py", other=b"src/deep/queue.py"),
    Step("edit", path=b"src/deep/queue.py", content=b"# server", number=1),
    Step("remove", path=b"src/reader.py"),
]


def losing(least: int, most: int) -> st.SearchStrategy[list[Step]]:
    """Return histories that end with code removed, moved and changed."""
    return steps(least, most).map(lambda between: [*FIRST, *between, *LAST])


Place = tuple[str, int, int, str]

ALL = {"top_k": 500, "optimize": False, "guess": True, "min_score": 0.0}
"""Options with which every candidate of a small tree is a hit."""


def place(hit: Hit) -> Place:
    return hit.path, hit.start_line, hit.end_line, hit.text


def chunks(index: Ragit, ref: str) -> dict[bytes, set[Place]]:
    """Return the chunks of a tree, by the hash of their text."""
    found: dict[bytes, set[Place]] = {}
    with index.reading(ref) as opened:
        snapshot = opened.tree.snapshot
        for path, chunking in zip(snapshot.paths, snapshot.chunkings, strict=True):
            for row in opened.chunks_of(chunking):
                text = opened.text_of(chunking)[row.start : row.end].decode("utf-8", "replace")
                one = (path.decode("utf-8", "surrogateescape"), row.start_line, row.end_line, text)
                found.setdefault(row.hash, set()).add(one)
    return found


@FEW
@given(losing(1, 7), QUERIES)
def test_new_in_equals_the_difference_of_two_sets_of_chunks(
    history: list[Step], queries: list[str]
) -> None:
    with sandbox() as repo:
        commits = play(repo, history)
        repo.git("tag", "old", commits[len(commits) // 3])
        repo.git("tag", "new", commits[-1])
        with store(repo) as index, store(repo, "alone.db") as alone:
            index.index(*commits)
            old, new = chunks(index, "old"), chunks(index, "new")
            brought = set().union(*(new[one] for one in new.keys() - old.keys()))
            gone = set().union(*(old[one] for one in old.keys() - new.keys()))
            for query in queries:
                every = {place(hit) for hit in index.search(query, ref="new", **ALL).hits}
                # a range in the wrong order is refused, so commits are compared as trees
                found = index.search(query, new_in="old^{tree}..new^{tree}", **ALL)
                assert {place(hit) for hit in found.hits} == every & brought
                assert_same(found, alone.search(query, new_in="old^{tree}..new^{tree}", **ALL))
                every = {place(hit) for hit in index.search(query, ref="old", **ALL).hits}
                repo.git("checkout", "-q", "-f", "--detach", "new")
                found = index.search(query, gone_since="old", scope="committed", **ALL)
                assert {place(hit) for hit in found.hits} == every & gone


@FEW
@given(losing(1, 6), QUERIES)
def test_last_place_of_removed_code_agrees_with_its_commit(
    history: list[Step], queries: list[str]
) -> None:
    with sandbox() as repo:
        play(repo, history)
        line = repo.git("rev-list", "--first-parent", "HEAD").split()
        with store(repo) as index:
            for query, since in product(
                queries, {line[len(line) // 2], line[min(3, len(line) - 1)]}
            ):
                found = index.search(query, gone_since=since, scope="committed", **ALL)
                for hit in found.hits:
                    if hit.last_stood:
                        check_place(repo, line, hit, hit.last_stood)


def check_place(repo: GitSandbox, line: list[str], hit: Hit, stood: LastStood) -> None:
    """Fail unless the code was in the commit before its removal, and in none after it."""
    at = line.index(stood.removed_by)
    assert line[at + 1] == stood.commit
    path = os.fsencode(stood.path)
    assert holds(repo, stood.commit, path, hit) == stood.line
    assert not any(holds(repo, commit, path, hit) for commit in line[: at + 1])


def holds(repo: GitSandbox, commit: str, path: bytes, hit: Hit) -> int:
    """Return the line at which a commit's file has the code of a hit; 0 if none."""
    for entry in repo.run("ls-tree", "-r", "-z", commit).split(b"\0"):
        if entry.startswith(b"100") and entry.split(b"\t", 1)[1] == path:
            text = text_of(repo.run("cat-file", "blob", entry.split()[2])) or b""
            return line_of(hit.text.encode(), text)
    return 0


CODE = "def {0}():\n    {1} = {0}_of()\n    return {1} + 1\n\n\n"


@pytest.fixture
def forked(repo: GitSandbox) -> GitSandbox:
    """Return main with three functions, and `topic`, which added, changed and moved one each."""
    repo.write("offsets.py", CODE.format("commit_offset", "a") + CODE.format("read_offset", "b"))
    repo.write("locks.py", CODE.format("take_lock", "c"))
    repo.commit("first")
    repo.tag("v1")
    repo.branch("topic")
    repo.write("offsets.py", CODE.format("commit_offset", "a") + CODE.format("read_offset", "x"))
    repo.write("locks.py", "")
    repo.write("moved/locks.py", CODE.format("take_lock", "c"))
    repo.write("queue.py", CODE.format("fill_queue", "d"))
    repo.commit("topic")
    return repo


def symbols(answer: Answer) -> set[str]:
    return {hit.symbol for hit in answer.hits}


def test_new_code_excludes_moved_code(forked: GitSandbox) -> None:
    with ragit.open(forked.path) as index:
        found = index.search("offset lock queue", new_in="v1..topic", guess=True)
        assert symbols(found) == {"read_offset", "fill_queue"}
        assert found.ref == "topic"
        assert found.without is not None
        assert (found.without.ref, found.without.tree) == ("v1", forked.tree("v1"))
        assert found.complete
        assert symbols(index.search("offset", new_in="v1..topic", paths=["q*"])) <= {"fill_queue"}


def test_three_dot_range_starts_at_the_merge_base(forked: GitSandbox) -> None:
    forked.switch("main")
    forked.write("extra.py", CODE.format("read_queue", "e"))
    forked.commit("main goes on")
    with ragit.open(forked.path) as index:
        found = index.search("queue", new_in="topic...main", guess=True)
        assert symbols(found) == {"read_queue"}
        assert found.without is not None
        assert found.without.tree == forked.tree("v1")


def test_default_range_includes_uncommitted_code(forked: GitSandbox, tmp_path: Path) -> None:
    clone = forked.clone(tmp_path / "clone", "--branch", "topic")
    clone.write("draft.py", CODE.format("draft_queue", "f"))
    clone.write("staged.py", CODE.format("staged_queue", "g"))
    clone.git("add", "staged.py")
    with ragit.open(clone.path) as index:
        assert symbols(index.search("queue", new_in="", guess=True)) == {
            "draft_queue",
            "staged_queue",
        }
        staged = index.search("queue", new_in="", scope="staged", guess=True)
        assert symbols(staged) == {"staged_queue"}
        nothing = index.search("queue", new_in="", scope="committed")
        assert nothing.notes == (
            f"HEAD has no code that {clone.git('rev-parse', 'HEAD')[:12]} lacks",
        )
        clone.commit("mine")
        assert "draft_queue" in symbols(index.search("queue", new_in=""))


def test_missing_files_of_either_tree_are_counted(forked: GitSandbox) -> None:
    with ragit.open(forked.path) as index:
        with pytest.raises(NotIndexed):
            index.search("queue", new_in="v1..topic", index=False)
        index.index("topic")
        found = index.search("queue", new_in="v1..topic", index=False)
        assert (found.complete, found.completeness.missing) == (False, 1)
        index.index("v1")
        assert index.search("queue", new_in="v1..topic", index=False).complete


def test_moved_tag_invalidates_cached_answers(forked: GitSandbox) -> None:
    with ragit.open(forked.path) as index:
        assert index.search("queue", new_in="v1..").hits
        forked.git("tag", "-f", "v1", "topic")
        assert not index.search("queue", new_in="v1..").hits


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"new_in": "topic..v1"}, "wrong order"),
        ({"new_in": "v1"}, "not a range"),
        ({"new_in": "v1..nothing"}, "nothing"),
        ({"gone_since": "nothing"}, "nothing"),
        ({"gone_since": "v1..topic"}, "range"),
        ({"gone_since": "v1:locks.py"}, "no commit or tree"),
    ],
)
def test_invalid_range_is_refused(
    forked: GitSandbox, options: dict[str, str], message: str
) -> None:
    with ragit.open(forked.path) as index, pytest.raises(UnknownRevision, match=message):
        index.search("queue", **options)  # type: ignore[arg-type]


def test_new_in_and_gone_since_exclude_each_other(forked: GitSandbox) -> None:
    with ragit.open(forked.path) as index, pytest.raises(ConfigError, match="exclude each other"):
        index.search("queue", new_in="v1..topic", gone_since="v1")


def test_removed_code_has_its_last_place(forked: GitSandbox) -> None:
    with ragit.open(forked.path) as index:
        found = index.search("read_offset", gone_since="v1")
        assert symbols(found) == {"read_offset"}  # the lock only moved
        stood = found.hits[0].last_stood
        assert stood is not None
        assert (stood.path, stood.line, stood.commit) == (
            "offsets.py",
            6,
            forked.git("rev-parse", "v1"),
        )
        assert (stood.removed_by, stood.subject) == (forked.git("rev-parse", "topic"), "topic")
        assert stood.date == "2023-11-14"


def test_removed_code_is_followed_through_a_move(forked: GitSandbox) -> None:
    forked.write("moved/locks.py", "import lock\n\n\n" + CODE.format("take_lock", "c"))
    last = forked.commit("one more line")
    forked.rm("moved/locks.py")
    gone = forked.commit("no locks")
    with ragit.open(forked.path) as index:
        [hit] = [one for one in index.search("lock", gone_since="v1").hits if "lock" in one.symbol]
    stood = hit.last_stood
    assert stood is not None
    assert (hit.path, stood.path, stood.line) == ("locks.py", "moved/locks.py", 4)
    assert (stood.commit, stood.removed_by) == (last, gone)


def test_code_removed_by_a_merge_names_the_merge(forked: GitSandbox) -> None:
    forked.switch("main")
    forked.branch("third")
    forked.write("third.txt", "third\n")
    forked.commit("third")
    forked.switch("main")
    forked.git("merge", "-q", "--no-ff", "-m", "an octopus", "topic", "third")
    with ragit.open(forked.path) as index:
        [hit] = index.search("read_offset", gone_since="v1").hits
    assert hit.last_stood is not None
    assert hit.last_stood.subject == "an octopus"
    assert hit.last_stood.commit == forked.git("rev-parse", "v1")


def test_uncommitted_removals_have_no_last_place(forked: GitSandbox) -> None:
    forked.rm("queue.py")
    with ragit.open(forked.path) as index:
        found = index.search("queue", gone_since="HEAD")
        assert symbols(found) == {"fill_queue"}
        assert found.hits[0].last_stood is None  # no commit removed it
        assert not index.search("queue", gone_since="HEAD", scope="committed").hits


def test_shallow_clone_hints_at_unshallow_for_removed_code(
    forked: GitSandbox, tmp_path: Path
) -> None:
    for number in range(3):
        forked.write("z.txt", f"{number}\n")
        forked.commit(f"later {number}")
    clone = forked.clone(tmp_path / "clone", "--depth=2", "--branch", "topic", "--no-single-branch")
    with ragit.open(clone.path) as index:
        found = index.search("read_offset", gone_since="origin/main", paths=["offsets.py"])
        assert [hit.last_stood for hit in found.hits] == [None]
        assert "git fetch --unshallow" in found.notes[-1]
        with pytest.raises(UnknownRevision, match="no common commit") as error:
            index.search("queue", new_in="origin/main...")
    assert "unshallow" in error.value.hint


@pytest.mark.parametrize("kind", ["sha256", "worktree", "replaced", "partial"])
def test_trees_are_compared_in_every_kind_of_repository(
    forked: GitSandbox, tmp_path: Path, kind: str
) -> None:
    other = forked
    if kind == "sha256":
        other = GitSandbox(tmp_path / "sha256", "--object-format=sha256")
        for rev in ("v1", "topic"):
            forked.git("--work-tree", str(other.path), "checkout", "-q", "-f", rev, "--", ".")
            if rev == "topic":
                other.rm("locks.py")
            other.commit(rev)
            other.tag(rev)
    elif kind == "worktree":
        forked.git("worktree", "add", "-q", str(tmp_path / "tree"), "main")
        other = GitSandbox(tmp_path / "tree")
    elif kind == "replaced":
        forked.write("offsets.py", "")
        forked.commit("empty")
        forked.git("replace", "topic", "topic~1")
    elif kind == "partial":
        forked.git("config", "uploadpack.allowFilter", "true")
        other = forked.clone(tmp_path / "partial", "--filter=blob:none", "--branch", "topic")
    with ragit.open(other.path) as index:
        found = index.search(
            "queue", new_in="v1..origin/topic" if kind == "partial" else "v1..topic"
        )
    assert "fill_queue" in symbols(found)
    assert bool(found.completeness.absent) == (kind == "partial")


def run(repo: GitSandbox, *args: str) -> subprocess.CompletedProcess[str]:
    return command("search", *args, cwd=repo.path)


def test_search_command_prints_the_last_place(forked: GitSandbox) -> None:
    text = run(forked, "--gone-since", "v1", "read_offset")
    assert "last offsets.py:6 in" in text.stdout
    assert "removed 2023-11-14 by" in text.stdout
    whole = json.loads(run(forked, "--json", "--gone-since", "v1", "read_offset").stdout)
    assert whole["without"] == {"ref": "HEAD", "tree": forked.tree()}
    assert whole["results"][0]["last_stood"]["line"] == 6
    markdown = run(forked, "--format", "markdown", "--new-in", "v1..", "queue").stdout
    assert markdown.startswith("1 hit for `queue` in `HEAD`, without the code of v1\n")
    grep = run(forked, "--format", "vimgrep", "--new-in", "v1..", "fill_queue")
    assert grep.stdout.startswith("queue.py:1:")


def test_query_may_follow_new_in_without_a_range(forked: GitSandbox, tmp_path: Path) -> None:
    clone = forked.clone(tmp_path / "clone", "--branch", "topic")
    clone.write("draft.py", CODE.format("draft_queue", "f"))
    done = run(clone, "--new-in", "draft_queue")
    assert "draft.py" in done.stdout
    wrong = run(clone, "--new-in", "topic..v1", "draft_queue")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "wrong order" in wrong.stderr
    empty = run(clone, "--new-in", "topic..topic", "draft_queue")
    assert empty.returncode == 1
    assert "topic has no code that topic lacks" in empty.stderr
