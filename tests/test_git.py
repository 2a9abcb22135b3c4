"""The git room on ordinary repositories: revisions, trees, objects, staged and uncommitted work."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sandbox import GitSandbox

from ragit.errors import GitFailed, NotARepository, UnknownRevision
from ragit.git import GITLINK, SYMLINK, Repo, Revision, clean_env, local_env_vars, version
from ragit.types import Change, Entry, Oid

MIB = 1 << 20
ABSENT = Oid("1234567890" * 4)


@pytest.fixture
def opened(repo: GitSandbox) -> Iterator[Repo]:
    """The repository of `repo`, opened before its first commit: for tests that look at it later, `refresh` it."""
    with Repo.open(repo.path) as found:
        yield found


def staged_by_git(repo: GitSandbox, tmp: Path) -> str:
    """What `git add --all` and `git write-tree` make of the working tree, in a copy of the repository."""
    copy = tmp / f"oracle-{os.urandom(4).hex()}"
    shutil.copytree(repo.path, copy, symlinks=True)
    git = GitSandbox(copy)
    git.git("add", "--all", ".")
    tree = git.git("write-tree")
    shutil.rmtree(copy)
    return tree


def working_tree(repo: GitSandbox, max_bytes: int = MIB) -> str:
    with Repo.open(repo.path) as found:
        return found.working_tree(max_bytes).tree


def fingerprint(repo: GitSandbox) -> dict[str, str]:
    """Names and contents of all that is the user's in the git dir."""
    git_dir = repo.path / ".git"
    files = (file for file in git_dir.rglob("*") if file.is_file() and git_dir / "ragit" not in file.parents)
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def names(repo: Repo, tree: Oid) -> list[bytes]:
    return [entry.path for entry in repo.entries(tree)]


# Where it is


def test_opens_from_a_folder_below_the_top(repo: GitSandbox) -> None:
    repo.write("a/b/c.py")
    repo.commit()
    with Repo.open(repo.path / "a" / "b") as found:
        assert (found.top, found.prefix) == (repo.path, b"a/b/")
        assert found.common_dir == found.git_dir == repo.path / ".git"
        assert found.object_format == "sha1"
        assert names(found, found.head().tree) == [b"a/b/c.py"]


def test_the_folder_may_have_any_name(tmp_path: Path) -> None:
    repo = GitSandbox(tmp_path / "a:b\n--\n\"c'\u00e9 ")
    repo.write("x", "1")
    commit = repo.commit()
    repo.write("x", "2")
    with Repo.open(repo.path) as found:
        assert (found.top, found.head().commit) == (repo.path, commit)
        assert found.working_tree(MIB).tree == staged_by_git(repo, tmp_path)
        assert found.objects(bulk=True).read(Oid(repo.git("rev-parse", "HEAD:x"))) == b"1"


def test_where_no_repository_is_git_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotARepository, match="not a git repository") as caught:
        Repo.open(tmp_path)
    assert "git init" in caught.value.hint
    with pytest.raises(NotARepository, match="is not a folder"):
        Repo.open(tmp_path / "nowhere")


def test_without_git_it_says_what_to_install(repo: GitSandbox) -> None:
    with pytest.raises(GitFailed, match="cannot run git") as caught:
        Repo.open(repo.path, env={"PATH": "/nonexistent"})
    assert "install git" in caught.value.hint


def test_a_folder_that_vanishes_is_named(repo: GitSandbox, opened: Repo) -> None:
    shutil.rmtree(repo.path)
    with pytest.raises(GitFailed, match="no longer a folder"):
        opened.refs()


# What a name means


def test_before_the_first_commit_head_is_the_empty_tree(repo: GitSandbox, opened: Repo) -> None:
    assert opened.head() == Revision("HEAD", None, Oid("4b825dc642cb6eb9a060e54bf8d69288fbee4904"))
    assert opened.resolve("HEAD") == opened.head()
    assert opened.entries(opened.head().tree) == []
    assert opened.branch() == "main"
    assert (opened.refs(), opened.reflog()) == ([], [])
    repo.write("new.py", "1")
    tree, commit, _ = opened.working_tree(MIB)
    assert commit is None
    assert opened.diff(opened.empty_tree, tree)[0].new is not None
    assert names(opened, tree) == [b"new.py"]


def test_every_kind_of_name_resolves(repo: GitSandbox, opened: Repo) -> None:
    repo.write("d/f", "1")
    first = repo.commit("first")
    repo.tag("v1", annotated=True)
    repo.tag("v1-again", "v1", annotated=True)
    tree = repo.tree()
    repo.git("tag", "a-tree", tree)
    repo.write("d/f", "2")
    repo.commit("second")
    wanted = Revision("", Oid(first), Oid(tree))
    for name in ("v1", "v1-again", "HEAD~1", "main^", first, first[:8], ":/first", "@{1}", "refs/tags/v1"):
        assert opened.resolve(name)._replace(name="") == wanted, name
    assert opened.resolve(tree) == Revision(tree, None, Oid(tree))
    assert opened.resolve("a-tree") == Revision("a-tree", None, Oid(tree))
    assert opened.resolve("v1:d").tree == repo.git("rev-parse", "v1:d")


@pytest.mark.parametrize(
    "name", ["nope", "two words", "HEAD:d/f", "HEAD~99", "HEAD..main", "0" * 40, "ambiguous^{tree}"]
)
def test_a_name_of_nothing_is_refused(repo: GitSandbox, opened: Repo, name: str) -> None:
    repo.write("d/f", "1")
    repo.commit()
    with pytest.raises(UnknownRevision):
        opened.resolve(name)


@pytest.mark.parametrize("name", ["", "-h", "--output=x", "HEAD\nHEAD", "a\0b"])
def test_a_name_that_git_would_take_for_something_else_is_refused(opened: Repo, name: str) -> None:
    with pytest.raises(UnknownRevision, match="is not a revision"):
        opened.resolve(name)


def test_near_names_are_offered(repo: GitSandbox, opened: Repo) -> None:
    repo.commit()
    repo.branch("feature/parser")
    repo.git("update-ref", "refs/remotes/origin/release-2", "HEAD")
    for name, near in (("mian", "main"), ("feature/praser~2", "feature/parser"), ("parsre", "feature/parser")):
        with pytest.raises(UnknownRevision) as caught:
            opened.resolve(name)
        assert near in caught.value.hint
    assert opened.near_names("release2") == ["origin/release-2"]
    with pytest.raises(UnknownRevision) as caught:
        opened.resolve("zzzzz")
    assert "git branch --all" in caught.value.hint


def test_a_detached_head_has_no_branch(repo: GitSandbox, opened: Repo) -> None:
    first = repo.commit()
    repo.commit()
    repo.switch(first)
    opened.refresh()
    assert (opened.head().commit, opened.branch()) == (first, "")
    assert opened.working_tree(MIB).tree == repo.tree(first)


def test_refs_name_what_they_point_to(repo: GitSandbox, opened: Repo) -> None:
    commit, tree = Oid(repo.commit()), Oid(repo.tree())
    repo.tag("plain")
    repo.tag("noted", annotated=True)
    repo.tag("twice", "noted", annotated=True)
    repo.git("tag", "tree", tree)
    repo.git("tag", "blob", repo.git("hash-object", "-w", "--stdin"))
    repo.git("update-ref", "refs/remotes/origin/x", commit)
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/x")
    everywhere = {"heads/main", "tags/plain", "tags/noted", "tags/twice", "remotes/origin/x"}
    assert {ref for ref in opened.refs() if ref.commit} == {
        Revision(f"refs/{name}", commit, tree) for name in everywhere
    }
    assert [ref for ref in opened.refs() if not ref.commit] == [Revision("refs/tags/tree", None, tree)]
    assert opened.branches() == [Revision("refs/heads/main", commit, tree)]
    assert opened.trees_of([commit, ABSENT]) == {commit: tree}
    assert opened.trees_of([]) == {}


def test_the_reflog_remembers_what_no_ref_reaches(repo: GitSandbox, opened: Repo) -> None:
    repo.commit()
    lost = repo.commit("to be lost")
    clock = repo.clock
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("worktree", "add", "-q", "--detach", str(repo.path.parent / "other"))
    entries = [entry for entry in opened.reflog() if entry.commit == lost]
    assert {(entry.tree, entry.seconds) for entry in entries} == {(repo.tree(lost), clock)}


def test_worktrees_are_listed(repo: GitSandbox, opened: Repo) -> None:
    head = repo.commit()
    linked = repo.path.parent / "lin ked"
    repo.git("worktree", "add", "-q", "-b", "topic", str(linked))
    main, other = opened.worktrees()
    assert (main.path, main.head, main.git_dir, main.branch) == (repo.path, head, repo.path / ".git", "main")
    assert (other.path, other.branch, other.git_dir) == (linked, "topic", repo.path / ".git" / "worktrees" / "lin-ked")
    shutil.rmtree(linked)
    assert [worktree.path for worktree in opened.worktrees()] == [repo.path, linked]


# Trees


def test_entries_hold_every_mode_and_any_name(repo: GitSandbox, opened: Repo) -> None:
    strange = [
        b'quo"te',
        b"new\nline",
        b"tab\there",
        b"caf\xe9.py",
        "na\u00efve/\u65e5.py".encode(),
        b" lead",
        b"-dash",
    ]
    for path in strange:
        repo.write(path, path)
    repo.write("run.sh", "#!/bin/sh\n", executable=True)
    (repo.path / "link").symlink_to("run.sh")
    repo.git("add", "-A")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{ABSENT},module")
    repo.commit(all=False)
    found = {entry.path: entry for entry in opened.entries(Oid(repo.tree()))}
    assert set(found) == {*strange, b"run.sh", b"link", b"module"}
    assert {found[path].mode for path in strange} == {0o100644}
    assert [found[path].mode for path in (b"run.sh", b"link", b"module")] == [0o100755, SYMLINK, GITLINK]
    blob = opened.objects().read(found[b"caf\xe9.py"].oid)
    assert blob == b"caf\xe9.py"


def test_diff_tells_each_path_that_differs(repo: GitSandbox, opened: Repo) -> None:
    for path in ("same", "edited", "gone", "old name", "mode", "type"):
        repo.write(path, path)
    repo.commit()
    old = Oid(repo.tree())
    repo.write("edited", "new text")
    repo.rm("gone")
    (repo.path / "old name").rename(repo.path / "new name")
    (repo.path / "mode").chmod(0o755)
    repo.rm("type")
    (repo.path / "type").symlink_to("same")
    repo.commit()
    new = Oid(repo.tree())
    before, after = ({entry.path: entry for entry in opened.entries(tree)} for tree in (old, new))
    touched = sorted((before.keys() | after.keys()) - {b"same"})
    assert opened.diff(old, new) == [Change(path, before.get(path), after.get(path)) for path in touched]
    assert opened.diff(new, new) == []
    whole = [Change(entry.path, None, entry) for entry in opened.entries(new)]
    assert opened.diff(opened.empty_tree, new) == whole


def test_a_tree_that_is_not_there_is_gits_failure(opened: Repo) -> None:
    with pytest.raises(GitFailed, match=r"`git ls-tree -r` failed: .*not a tree object"):
        opened.entries(ABSENT)


# Objects


@pytest.mark.parametrize("bulk", [False, True], ids=["git", "libgit2"])
def test_objects_are_read_by_either_engine(repo: GitSandbox, opened: Repo, bulk: bool) -> None:
    texts = [os.urandom(i * 37) for i in range(150)] + [b"", b"\n", b"a\0b", os.urandom(300_000)]
    for number, text in enumerate(texts):
        repo.write(f"f{number:03}", text)
    repo.commit()
    ordered = sorted(opened.entries(Oid(repo.tree())))
    oids = [entry.oid for entry in ordered]
    pairs = list(zip(oids, texts, strict=True))
    objects = opened.objects(bulk=bulk)
    assert list(objects.read_many([*oids, ABSENT, oids[0]])) == [*pairs, (ABSENT, None), pairs[0]]
    assert objects.sizes([*oids, ABSENT]) == {oid: len(text) for oid, text in pairs}
    assert objects.header(oids[3]) == ("blob", len(texts[3]))
    assert objects.header(Oid(repo.tree())) == ("tree", 32 * len(texts))
    assert (objects.header(ABSENT), objects.read(ABSENT)) == (None, None)
    assert list(objects.read_many([])) == []
    assert objects.sizes([]) == {}


@pytest.mark.parametrize("bulk", [False, True], ids=["git", "libgit2"])
def test_a_reader_that_walks_off_leaves_no_answers_behind(repo: GitSandbox, opened: Repo, bulk: bool) -> None:
    for number in range(9):
        repo.write(str(number), str(number))
    repo.commit()
    oids = [entry.oid for entry in opened.entries(Oid(repo.tree()))]
    objects = opened.objects(bulk=bulk)
    walk = objects.read_many(oids)
    assert next(walk) == (oids[0], b"0")
    assert objects.read(oids[5]) == b"5"  # in the middle of the other conversation
    del walk
    assert objects.read(oids[7]) == b"7"


@pytest.mark.parametrize("bulk", [False, True], ids=["git", "libgit2"])
def test_another_process_opens_the_objects_from_a_recipe(repo: GitSandbox, opened: Repo, bulk: bool) -> None:
    repo.write("committed", "1")
    repo.commit()
    repo.write("uncommitted", "only ours")
    opened.refresh()
    tree = opened.working_tree(MIB).tree
    oid = next(entry.oid for entry in opened.entries(tree) if entry.path == b"uncommitted")
    recipe = pickle.dumps(opened.recipe(bulk=bulk))
    code = "import pickle, sys\nwith pickle.load(sys.stdin.buffer).open() as o: print(o.read(sys.argv[1]).decode())"
    done = subprocess.run([sys.executable, "-c", code, oid], input=recipe, capture_output=True, check=True)
    assert done.stdout == b"only ours\n"


@pytest.mark.parametrize("bulk", [False, True], ids=["git", "libgit2"])
def test_a_damaged_object_is_named(repo: GitSandbox, opened: Repo, bulk: bool) -> None:
    repo.write("f", "x" * 5000)
    repo.commit()
    oid = Oid(repo.git("rev-parse", "HEAD:f"))
    file = repo.path / ".git" / "objects" / oid[:2] / oid[2:]
    file.chmod(0o644)
    file.write_bytes(b"this is not zlib")
    with pytest.raises(GitFailed, match=oid) as caught:
        opened.objects(bulk=bulk).read(oid)
    assert "git fsck" in caught.value.hint


def test_an_oid_cannot_smuggle_a_second_question(opened: Repo) -> None:
    with pytest.raises(ValueError, match="not object names"):
        opened.objects().read(Oid("HEAD\nHEAD"))


def test_closing_ends_all_processes(repo: GitSandbox) -> None:
    repo.commit()
    with Repo.open(repo.path) as found:
        objects = found.objects()
        objects.header(Oid(repo.tree()))
        found.start_status()
    # A process still running would be a ResourceWarning, which is an error here.
    assert found.working_tree(MIB).tree == repo.tree()
    found.close()


# Staged work


def test_the_staged_tree_is_what_a_commit_would_record(repo: GitSandbox, opened: Repo) -> None:
    repo.write("a", "1")
    repo.write("b", "1")
    repo.commit()
    repo.write("a", "2")
    repo.git("add", "a")
    repo.write("b", "not staged")
    repo.write("c", "intent only")
    repo.git("add", "--intent-to-add", "c")
    before = fingerprint(repo)
    tree = opened.staged_tree()
    assert fingerprint(repo) == before
    repo.commit(all=False)
    assert tree == repo.tree()


def test_while_there_are_conflicts_nothing_is_staged(repo: GitSandbox, opened: Repo) -> None:
    conflict(repo)
    with pytest.raises(GitFailed, match="write-tree.*failed: .*unmerged"):
        opened.staged_tree()


@pytest.mark.parametrize("linked", [False, True], ids=["main", "linked"])
@pytest.mark.parametrize(
    "how", [["commit", "-m", "x"], ["commit", "-am", "x"], ["commit", "-m", "x", "--", "a"]], ids=str
)
def test_in_a_pre_commit_hook_it_is_the_tree_to_be_committed(repo: GitSandbox, how: list[str], linked: bool) -> None:
    repo.write("a", "1")
    repo.write("b", "1")
    repo.commit()
    if linked:
        path = repo.path.parent / "linked"
        repo.git("worktree", "add", "-q", str(path))
        repo = GitSandbox(path)
    repo.write("a", "2")
    repo.write("b", "2")
    repo.write("staged", "new")
    repo.git("add", "staged")
    seen = repo.path.parent / "seen"
    hook = f"from ragit.git import Repo\nwith Repo.open() as r: open('{seen}', 'w').write(r.staged_tree())"
    hooks = repo.path.parent / "hooks"
    hooks.mkdir()
    (hooks / "pre-commit").write_text(f'#!/bin/sh\nexec {sys.executable} -c "{hook}"\n')
    (hooks / "pre-commit").chmod(0o755)
    repo.git("-c", f"core.hooksPath={hooks}", *how, env={"PYTHONPATH": str(Path(__file__).parent.parent)})
    assert seen.read_text() == repo.tree()


# Uncommitted work


def conflict(repo: GitSandbox) -> None:
    """A merge that stops: one file edited on both sides, one edited here and deleted there."""
    repo.write("both", "base\n")
    repo.write("half", "base\n")
    repo.commit()
    repo.branch("theirs")
    repo.write("both", "theirs\n")
    repo.rm("half")
    repo.commit()
    repo.switch("main")
    repo.write("both", "ours\n")
    repo.write("half", "ours\n")
    repo.commit()
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("merge", "theirs")


def many_edits(repo: GitSandbox) -> None:
    for path in ("keep", "edit", "delete", "staged", "folder/one", "folder/two", "to-link", "to-folder", "mode"):
        repo.write(path, f"{path}\n")
    repo.write(".gitignore", "*.log\n")
    repo.commit()
    repo.write("edit", "edited\n")
    repo.rm("delete")
    repo.write("staged", "staged\n")
    repo.git("add", "staged")
    repo.write("staged", "and edited again\n")
    repo.rm("folder")
    repo.write("folder", "now a file\n")
    repo.rm("to-link")
    (repo.path / "to-link").symlink_to("nowhere")
    repo.rm("to-folder")
    repo.write("to-folder/inner", "x")
    (repo.path / "mode").chmod(0o755)
    repo.write("new/deep/caf\u00e9\n.py", "new\n")
    repo.write("ignored.log", "no\n")


def add_nothing(repo: GitSandbox) -> None:
    repo.write("a", "1")
    repo.commit()


def stage_only(repo: GitSandbox) -> None:
    add_nothing(repo)
    repo.write("a", "2")
    repo.git("add", "a")


def intend_to_add(repo: GitSandbox) -> None:
    add_nothing(repo)
    for name in ("kept", "gone"):
        repo.write(name, "x")
        repo.git("add", "--intent-to-add", name)
    repo.rm("gone")


def lose_the_index(repo: GitSandbox) -> None:
    add_nothing(repo)
    repo.write("b", "untracked")
    (repo.path / ".git" / "index").unlink()


def resolve_half(repo: GitSandbox) -> None:
    conflict(repo)
    repo.write("both", "my own resolution\n")
    repo.rm("half")


def folder_becomes_link(repo: GitSandbox) -> None:
    repo.write("real/a", "1")
    repo.write("other/a", "1")
    repo.commit()
    repo.rm("other")
    (repo.path / "other").symlink_to("real")


def remove_from_index(repo: GitSandbox) -> None:
    add_nothing(repo)
    repo.git("rm", "-q", "--cached", "a")


SITUATIONS = [
    add_nothing,
    many_edits,
    stage_only,
    intend_to_add,
    lose_the_index,
    conflict,
    resolve_half,
    folder_becomes_link,
    remove_from_index,
]


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_the_working_tree_is_what_git_would_stage(
    repo: GitSandbox, tmp_path: Path, situation: Callable[[GitSandbox], None]
) -> None:
    situation(repo)
    before, status = fingerprint(repo), repo.git("--no-optional-locks", "status", "--porcelain")
    for _ in range(2):  # the second time with a refreshed copy of the index
        found = working_tree(repo)
        assert fingerprint(repo) == before
        assert found == staged_by_git(repo, tmp_path)
    assert repo.git("--no-optional-locks", "status", "--porcelain") == status


PATHS = st.sampled_from(["a", "b", "d/a", "d/b", "d/e/a", "c.log", ".gitignore", "d/.gitignore"])
TEXTS = st.sampled_from(["", "one\n", "two\n", "*.log\n", "d/\n", "x" * 50])
EDITS = st.one_of(
    st.tuples(st.just("write"), PATHS, TEXTS),
    st.tuples(st.just("link"), PATHS, TEXTS),
    st.tuples(st.sampled_from(["rm", "chmod", "add", "intend", "uncache"]), PATHS, st.just("")),
    st.tuples(st.sampled_from(["commit", "reset", "stash"]), st.just(""), st.just("")),
)


def apply(repo: GitSandbox, what: str, path: str, text: str) -> None:
    """One random edit; where it makes no sense (or git refuses it) nothing happens."""
    file = repo.path / path
    if what in ("write", "link", "rm") and path:
        for above in [*reversed(file.relative_to(repo.path).parents)][1:]:
            if (repo.path / above).is_symlink() or (repo.path / above).is_file():
                repo.rm(str(above))
        if file.is_symlink() or file.exists():
            repo.rm(path)
        if what == "write":
            repo.write(path, text)
        elif what == "link":
            file.parent.mkdir(parents=True, exist_ok=True)
            file.symlink_to(text.strip() or "nowhere")
        return
    if what == "chmod" and file.is_file() and not file.is_symlink():
        file.chmod(file.stat().st_mode ^ 0o111)
    commands = {
        "add": ["add", "-f", "--", path],
        "intend": ["add", "--intent-to-add", "--", path],
        "uncache": ["rm", "-q", "-r", "--cached", "--", path],
        "commit": ["commit", "-q", "--allow-empty", "-m", "x"],
        "reset": ["reset", "-q", "--hard"],
        "stash": ["stash", "-q"],
    }
    if what in commands:
        unless_refused(lambda: repo.git(*commands[what]))


def unless_refused(call: Callable[[], object]) -> None:
    try:
        call()
    except subprocess.CalledProcessError:
        return


@settings(max_examples=12, deadline=None)
@given(st.lists(st.lists(EDITS, min_size=1, max_size=6), min_size=1, max_size=3))
def test_any_edits_are_staged_as_git_would(rounds: list[list[tuple[str, str, str]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repo = GitSandbox(Path(folder) / "repo")
        repo.write("a", "start\n")
        repo.commit()
        with Repo.open(repo.path) as opened:
            for edits in rounds:
                for edit in edits:
                    apply(repo, *edit)
                before = fingerprint(repo)
                found = opened.working_tree(MIB)
                staged = opened.staged_tree()
                assert fingerprint(repo) == before
                assert found.tree == staged_by_git(repo, Path(folder))
                assert found.commit == repo.git("rev-parse", "HEAD")
                changed = {change.path for change in opened.diff(opened.head().tree, found.tree)}
                assert all(path in changed for path, _, _ in opened.diff(staged, found.tree)) or staged != repo.tree()


def test_an_edit_that_keeps_size_and_times_is_seen(repo: GitSandbox, tmp_path: Path) -> None:
    """git tells such a file by the index's own time: a copy of the index must keep it."""
    repo.git("config", "core.trustctime", "false")
    repo.git("config", "core.checkStat", "minimal")
    file = repo.write("f", "aaaa")
    repo.commit()
    when = (1_700_000_000, 1_700_000_000)
    os.utime(file, when)
    repo.git("update-index", "--refresh")
    repo.write("f", "bbbb")
    os.utime(file, when)
    os.utime(repo.path / ".git" / "index", when)
    expected = staged_by_git(repo, tmp_path)
    assert expected != repo.tree()
    assert [working_tree(repo), working_tree(repo)] == [expected, expected]


def traced(repo: GitSandbox, trace: Path) -> Repo:
    trace.unlink(missing_ok=True)
    return Repo.open(repo.path, env={**os.environ, "GIT_TRACE2_EVENT": str(trace)})


def commands(trace: Path) -> list[str]:
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    return [event["name"] for event in events if event["event"] == "cmd_name" and "/" not in event["sid"]]


def test_a_clean_working_tree_costs_one_process(repo: GitSandbox, tmp_path: Path) -> None:
    repo.write("f", "1")
    repo.commit()
    with traced(repo, tmp_path / "trace") as found:
        assert found.working_tree(MIB).tree == repo.tree()
    assert commands(tmp_path / "trace") == ["rev-parse", "status"]
    repo.write("f", "2")
    with traced(repo, tmp_path / "trace") as found:
        assert found.working_tree(MIB).tree != repo.tree()
    assert commands(tmp_path / "trace") == ["rev-parse", "status", "update-index", "write-tree"]


def test_the_status_may_run_while_other_things_are_done(repo: GitSandbox) -> None:
    repo.write("f", "1")
    repo.commit()
    repo.write("f", "2")
    with Repo.open(repo.path) as found:
        status = found.start_status()
        assert names(found, found.head().tree) == [b"f"]
        tree = found.working_tree(MIB, status).tree
        assert found.diff(found.head().tree, tree)[0].path == b"f"


def test_a_head_that_moved_meanwhile_counts(repo: GitSandbox) -> None:
    repo.write("f", "1")
    repo.commit()
    with Repo.open(repo.path) as found:
        repo.write("f", "2")
        second = repo.commit()
        working = found.working_tree(MIB, found.start_status())
        assert (working.commit, working.tree) == (second, repo.tree())
        assert found.head().commit == second


def test_no_hook_runs(repo: GitSandbox, tmp_path: Path) -> None:
    many_edits(repo)
    hooks = repo.path / ".git" / "hooks"
    hooks.mkdir()
    (hooks / "post-index-change").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (hooks / "post-index-change").chmod(0o755)
    with Repo.open(repo.path) as found:
        found.staged_tree()
        found.attributes(found.entries(found.working_tree(MIB).tree), [b"f"])
    assert not (tmp_path / "ran").exists()
    repo.git("add", "edit")
    assert (tmp_path / "ran").exists()  # the hook would have told


# What is left out


def test_large_files_are_left_out_and_named(repo: GitSandbox, opened: Repo) -> None:
    repo.write("tracked", "small")
    repo.write("other", "x")
    repo.commit()
    opened.refresh()
    repo.write("tracked", "x" * 1001)
    repo.write("untracked", "y" * 1001)
    repo.write("fits", "z" * 1000)
    tree, _, skipped = opened.working_tree(1000)
    assert names(opened, tree) == [b"fits", b"other"]  # not the former content of "tracked": it is not there any more
    assert skipped == {b"tracked": "too large", b"untracked": "too large"}
    repo.git("checkout", "tracked")
    repo.rm("fits")
    assert opened.working_tree(1000) == (repo.tree(), repo.git("rev-parse", "HEAD"), {b"untracked": "too large"})


def test_embedded_repositories_and_special_files_are_left_out(repo: GitSandbox, opened: Repo) -> None:
    repo.write("pipe", "a file")
    repo.commit()
    opened.refresh()
    GitSandbox(repo.path / "inner").commit()
    repo.write("inner/f", "x")
    repo.rm("pipe")
    os.mkfifo(repo.path / "pipe")
    tree, _, skipped = opened.working_tree(MIB)
    assert names(opened, tree) == []
    assert skipped[b"inner"] == "embedded repository"
    assert skipped.get(b"pipe") in (None, "special file")  # git may call it deleted


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads every file")
def test_unreadable_files_are_left_out(repo: GitSandbox, opened: Repo) -> None:
    repo.commit()
    opened.refresh()
    repo.write("secret", "x").chmod(0)
    assert opened.working_tree(MIB).skipped == {b"secret": "unreadable"}


def test_what_git_refuses_is_left_out_alone(repo: GitSandbox, opened: Repo) -> None:
    repo.write(".gitattributes", "*.bad filter=broken\n")
    repo.commit()
    repo.git("config", "filter.broken.clean", "false")
    repo.git("config", "filter.broken.required", "true")
    opened.refresh()
    for number in range(7):
        repo.write(f"good{number}", str(number))
    repo.write("one.bad", "x")
    repo.write("two.bad", "x")
    tree, _, skipped = opened.working_tree(MIB)
    assert names(opened, tree) == [b".gitattributes", *(b"good%d" % number for number in range(7))]
    assert set(skipped.values()) == {"refused by git"}
    assert set(skipped) == {b"one.bad", b"two.bad"}


# Where it writes


def test_what_is_private_stays_private(repo: GitSandbox, opened: Repo, tmp_path: Path) -> None:
    repo.write("f", "1")
    repo.commit()
    opened.refresh()
    repo.write("f", "uncommitted")
    tree = opened.working_tree(MIB).tree
    oid = opened.entries(tree)[0].oid
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("cat-file", "-e", oid)
    assert opened.objects().read(oid) == opened.objects(bulk=True).read(oid) == b"uncommitted"
    assert not list((repo.path / ".git" / "ragit").glob("index-*"))


def test_where_the_git_dir_cannot_be_written_a_given_folder_is_used(repo: GitSandbox, tmp_path: Path) -> None:
    repo.write("f", "1")
    repo.commit()
    repo.write("f", "2")
    (repo.path / ".git" / "ragit").write_text("a file, so that no folder can be made here")
    before, expected = fingerprint(repo), staged_by_git(repo, tmp_path)
    with Repo.open(repo.path, scratch=tmp_path / "scratch") as found:
        assert found.working_tree(MIB).tree == expected
    assert (tmp_path / "scratch" / "objects" / expected[:2] / expected[2:]).exists()
    with Repo.open(repo.path) as found:  # and a temporary one where none is given
        tree = found.working_tree(MIB).tree
        assert tree == expected
        temporary = Path(found.recipe().alternates[0]).parent
        assert names(found, tree) == [b"f"]
        assert temporary.exists()
    assert not temporary.exists()
    assert fingerprint(repo) == before


def test_prune_keeps_what_a_kept_tree_reaches(repo: GitSandbox, opened: Repo) -> None:
    repo.write("deep/er/f", "1")
    repo.commit()
    opened.refresh()
    trees = []
    for text in ("first", "second"):
        repo.write("deep/er/f", text)
        trees.append(opened.working_tree(MIB).tree)
    assert opened.prune_private_objects([], grace=3600) == 0
    assert opened.prune_private_objects([trees[1], Oid(repo.tree())], grace=-1) > 0
    with Repo.open(repo.path) as later:
        (kept,) = later.entries(trees[1])
        assert later.objects().read(kept.oid) == b"second"
        with pytest.raises(GitFailed):
            later.entries(trees[0])
    assert opened.prune_private_objects([], grace=-1) > 0
    assert not [file for file in (repo.path / ".git/ragit/objects").rglob("*") if file.is_file()]


# Attributes and configuration


def test_attributes_come_from_the_tree_alone(repo: GitSandbox, opened: Repo) -> None:
    repo.write(
        ".gitattributes", "*.gen linguist-generated\n*.bin binary\n*.h linguist-language=C++\n/out/** ragit=false\n"
    )
    repo.write("lib/.gitattributes", "* linguist-vendored\nown.c -linguist-vendored !linguist-generated -diff\n")
    repo.commit()
    entries = opened.entries(Oid(repo.tree()))
    repo.write(".gitattributes", "* linguist-generated\n")  # another tree's business
    repo.write(".git/info/attributes", "* linguist-generated\n")
    repo.git("config", "core.attributesFile", str(repo.write("mine", "* linguist-generated\n")))
    paths = [
        b"a.gen",
        b"b.bin",
        b"x.h",
        b"out/deep/f",
        b"lib/own.c",
        b"lib/x.h",
        b"plain",
        b"new\nline.h",
        b"caf\xe9.h",
    ]
    assert opened.attributes(entries, paths) == {
        b"a.gen": {"linguist-generated": "set"},
        b"b.bin": {"binary": "set", "diff": "unset"},
        b"x.h": {"linguist-language": "C++"},
        b"out/deep/f": {"ragit": "false"},
        b"lib/own.c": {"linguist-vendored": "unset", "diff": "unset"},
        b"lib/x.h": {"linguist-language": "C++", "linguist-vendored": "set"},
        b"new\nline.h": {"linguist-language": "C++"},
        b"caf\xe9.h": {"linguist-language": "C++"},
    }
    assert opened.attributes(entries, []) == {}
    assert opened.attributes([entry for entry in entries if b".git" not in entry.path], paths) == {}


def test_attributes_of_uncommitted_files(repo: GitSandbox, opened: Repo) -> None:
    repo.write("x.gen", "1")
    repo.write(".gitattributes", "*.gen linguist-generated\n")
    entries = opened.entries(opened.working_tree(MIB).tree)
    assert opened.attributes(entries, [b"x.gen"]) == {b"x.gen": {"linguist-generated": "set"}}
    link = [Entry(b".gitattributes", SYMLINK, entries[0].oid)]
    assert opened.attributes(link, [b"x.gen"]) == {}  # git follows no link to attributes


def test_settings_are_read_with_their_origin(repo: GitSandbox, opened: Repo, home: Path) -> None:
    (home / ".gitconfig").write_text("[ragit]\n\ttopK = 3\n\tname = theirs\n")
    try:
        repo.git("config", "ragit.topK", "7")
        repo.git("config", "ragit.embedding.model", "two\nlines")
        with (repo.path / ".git" / "config").open("a") as file:
            file.write("[ragit]\n\tbare\n")
        assert opened.config(r"^ragit\.") == {
            "ragit.topk": "7",
            "ragit.name": "theirs",
            "ragit.embedding.model": "two\nlines",
            "ragit.bare": "true",
        }
        origins = opened.config_origins(r"^ragit\.")
        assert origins["ragit.topk"] == ("7", "local file:.git/config")
        assert origins["ragit.name"] == ("theirs", f"global file:{home}/.gitconfig")
        assert opened.config(r"^nothing\.") == {}
    finally:
        (home / ".gitconfig").unlink()


def test_the_hooks_folder_is_gits_answer(repo: GitSandbox, opened: Repo) -> None:
    assert opened.hooks_dir() == repo.path / ".git" / "hooks"
    repo.git("config", "core.hooksPath", ".husky/_")
    assert opened.hooks_dir() == repo.path / ".husky" / "_"


def test_the_environment_can_be_freed_of_a_repository() -> None:
    assert {"GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"} <= set(local_env_vars())
    assert clean_env({"GIT_DIR": "x", "GIT_PREFIX": "y", "PATH": "z"}) == {"PATH": "z"}
    assert version() >= (2, 31)
