"""Tests of ragit/git on ordinary repositories: places, revisions, trees, objects, attributes,
settings.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sandbox import GitSandbox
from test_git_uncommitted import MIB, staged_by_git

from ragit.errors import GitFailed, NotARepository, UnknownRevision
from ragit.git import GITLINK, SYMLINK, Repo, Revision, clean_env, local_env_vars, version
from ragit.git.layout import EMPTY_TREES
from ragit.types import Change, Entry, Oid

ABSENT = Oid("1234567890" * 4)


def names(repo: Repo, tree: Oid) -> list[bytes]:
    return [entry.path for entry in repo.entries(tree)]


# Places


def test_opens_from_a_folder_below_the_top(repo: GitSandbox) -> None:
    repo.write("a/b/c.py")
    repo.commit()
    with Repo.open(repo.path / "a" / "b") as found:
        assert (found.top, found.prefix) == (repo.path, b"a/b/")
        assert found.common_dir == found.git_dir == repo.path / ".git"
        assert found.object_format == "sha1"
        assert names(found, found.head().tree) == [b"a/b/c.py"]


def test_repository_folder_may_have_any_name(tmp_path: Path) -> None:
    repo = GitSandbox(tmp_path / "a:b\n--\n\"c'\u00e9 ")
    repo.write("x", "1")
    commit = repo.commit()
    repo.write("x", "2")
    with Repo.open(repo.path) as found:
        assert (found.top, found.head().commit) == (repo.path, commit)
        assert found.working_tree(MIB).tree == staged_by_git(repo, tmp_path)
        assert found.objects(bulk=True).read(Oid(repo.git("rev-parse", "HEAD:x"))) == b"1"


def test_open_outside_a_repository_raises(tmp_path: Path) -> None:
    with pytest.raises(NotARepository, match="not a git repository") as caught:
        Repo.open(tmp_path)
    assert "git init" in caught.value.hint
    with pytest.raises(NotARepository, match="is not a folder"):
        Repo.open(tmp_path / "nowhere")


def test_missing_git_hints_at_installing_it(repo: GitSandbox) -> None:
    with pytest.raises(GitFailed, match="cannot run git") as caught:
        Repo.open(repo.path, env={"PATH": "/nonexistent"})
    assert "Install git" in caught.value.hint


def test_removed_folder_raises_git_failed(repo: GitSandbox, opened: Repo) -> None:
    shutil.rmtree(repo.path)
    with pytest.raises(GitFailed, match="no longer a folder"):
        opened.refs()


# Revisions


def test_head_before_the_first_commit_is_the_empty_tree(repo: GitSandbox, opened: Repo) -> None:
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


@pytest.mark.parametrize("kind", EMPTY_TREES)
def test_empty_tree_oids_are_right(kind: str) -> None:
    assert hashlib.new(kind, b"tree 0\0").hexdigest() == EMPTY_TREES[kind]


def test_every_kind_of_revision_resolves(repo: GitSandbox, opened: Repo) -> None:
    repo.write("d/f", "1")
    first = repo.commit("first")
    repo.tag("v1", annotated=True)
    repo.tag("v1-again", "v1", annotated=True)
    tree = repo.tree()
    repo.git("tag", "a-tree", tree)
    repo.write("d/f", "2")
    repo.commit("second")
    wanted = Revision("", Oid(first), Oid(tree))
    for name in (
        "v1",
        "v1-again",
        "HEAD~1",
        "main^",
        first,
        first[:8],
        ":/first",
        "@{1}",
        "refs/tags/v1",
    ):
        assert opened.resolve(name)._replace(name="") == wanted, name
    assert opened.resolve(tree) == Revision(tree, None, Oid(tree))
    assert opened.resolve("a-tree") == Revision("a-tree", None, Oid(tree))
    assert opened.resolve("v1:d").tree == repo.git("rev-parse", "v1:d")


@pytest.mark.parametrize(
    "name", ["nope", "two words", "HEAD:d/f", "HEAD~99", "HEAD..main", "0" * 40, "ambiguous^{tree}"]
)
def test_unresolvable_revision_is_refused(repo: GitSandbox, opened: Repo, name: str) -> None:
    repo.write("d/f", "1")
    repo.commit()
    with pytest.raises(UnknownRevision):
        opened.resolve(name)


@pytest.mark.parametrize("name", ["HEAD@{1}", "@{7}", "main@{99}", "HEAD@{1}:d", "HEAD@{1}~2"])
def test_missing_reflog_entry_is_an_unknown_revision(
    repo: GitSandbox, opened: Repo, name: str
) -> None:
    repo.commit()
    assert opened.resolve("HEAD@{0}").tree == repo.tree()
    with pytest.raises(UnknownRevision, match="only has 1 entries") as caught:
        opened.resolve(name)
    assert "git reflog" in caught.value.hint


@pytest.mark.parametrize("name", ["", "-h", "--output=x", "HEAD\nHEAD", "a\0b"])
def test_invalid_revision_is_refused(opened: Repo, name: str) -> None:
    with pytest.raises(UnknownRevision, match="is not a revision"):
        opened.resolve(name)


@pytest.mark.parametrize("name", ["main..topic", "main...topic", "main..", "..topic"])
def test_range_is_refused_as_a_revision(repo: GitSandbox, opened: Repo, name: str) -> None:
    repo.commit()
    repo.branch("topic")
    with pytest.raises(UnknownRevision, match="a range is no tree") as caught:
        opened.resolve(name)
    assert caught.value.hint == "Name one revision"


def test_tag_of_a_blob_is_not_suggested_for_itself(repo: GitSandbox, opened: Repo) -> None:
    repo.write("d/f", "1")
    repo.commit()
    repo.git("tag", "key", "HEAD:d/f")
    for name in ("key", "tags/key", "refs/tags/key"):
        with pytest.raises(UnknownRevision) as caught:
            opened.resolve(name)
        assert f"Did you mean {name}?" not in caught.value.hint
        assert name != "key" or "without a tree" in caught.value.hint


def test_similar_names_are_suggested(repo: GitSandbox, opened: Repo) -> None:
    repo.commit()
    repo.branch("feature/parser")
    repo.git("update-ref", "refs/remotes/origin/release-2", "HEAD")
    for name, near in (
        ("mian", "main"),
        ("feature/praser~2", "feature/parser"),
        ("parsre", "feature/parser"),
        ("release2", "origin/release-2"),
    ):
        with pytest.raises(UnknownRevision) as caught:
            opened.resolve(name)
        assert near in caught.value.hint
    for tag in ("v2.31.0-rc1", "v2.31.0", "v2.34.1"):
        repo.git("tag", tag)
    with pytest.raises(UnknownRevision) as caught:
        opened.resolve("v2.31")
    assert caught.value.hint == "Did you mean v2.31.0 or v2.31.0-rc1 or v2.34.1?"
    with pytest.raises(UnknownRevision) as caught:
        opened.resolve("zzzzz")
    assert "git branch --all" in caught.value.hint


def test_detached_head_has_no_branch(repo: GitSandbox, opened: Repo) -> None:
    first = repo.commit()
    repo.commit()
    repo.switch(first)
    opened.refresh()
    assert (opened.head().commit, opened.branch()) == (first, "")
    assert opened.working_tree(MIB).tree == repo.tree(first)


def test_refs_list_commits_and_trees(repo: GitSandbox, opened: Repo) -> None:
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
    assert [ref for ref in opened.refs() if not ref.commit] == [
        Revision("refs/tags/tree", None, tree)
    ]
    assert opened.branches() == [Revision("refs/heads/main", commit, tree)]
    assert opened.trees_of([commit, ABSENT]) == {commit: tree}
    assert opened.trees_of([]) == {}


def test_reflog_lists_unreachable_commits(repo: GitSandbox, opened: Repo) -> None:
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
    assert (main.path, main.head, main.git_dir, main.branch) == (
        repo.path,
        head,
        repo.path / ".git",
        "main",
    )
    assert (other.path, other.branch, other.git_dir) == (
        linked,
        "topic",
        repo.path / ".git" / "worktrees" / "lin-ked",
    )
    shutil.rmtree(linked)
    assert [worktree.path for worktree in opened.worktrees()] == [repo.path, linked]


# Trees


def test_entries_have_every_mode_and_any_name(repo: GitSandbox, opened: Repo) -> None:
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
    assert [found[path].mode for path in (b"run.sh", b"link", b"module")] == [
        0o100755,
        SYMLINK,
        GITLINK,
    ]
    blob = opened.objects().read(found[b"caf\xe9.py"].oid)
    assert blob == b"caf\xe9.py"


def test_diff_lists_each_changed_path(repo: GitSandbox, opened: Repo) -> None:
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
    assert opened.diff(old, new) == [
        Change(path, before.get(path), after.get(path)) for path in touched
    ]
    assert opened.diff(new, new) == []
    whole = [Change(entry.path, None, entry) for entry in opened.entries(new)]
    assert opened.diff(opened.empty_tree, new) == whole


def test_missing_tree_raises_git_failed(opened: Repo) -> None:
    with pytest.raises(GitFailed, match=r"`git ls-tree -r` failed: .*not a tree object"):
        opened.entries(ABSENT)


# Objects


@pytest.mark.parametrize("bulk", [False, True], ids=["git", "libgit2"])
def test_objects_are_read_by_git_and_libgit2(repo: GitSandbox, opened: Repo, bulk: bool) -> None:
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


def test_bulk_reads_use_git_with_an_old_pygit2(
    repo: GitSandbox, opened: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python 3.10 has no newer pygit2."""
    import pygit2

    class Older:
        """pygit2 before 1.20."""

        def read(self, oid: str) -> None: ...

    repo.write("f", "content")
    repo.commit()
    monkeypatch.setattr(pygit2, "Odb", Older)
    with opened.objects(bulk=True) as objects:
        oid = Oid(repo.git("rev-parse", "HEAD:f"))
        assert (objects.header(oid), objects.read(oid)) == (("blob", 7), b"content")


@pytest.mark.parametrize("bulk", [False, True], ids=["git", "libgit2"])
def test_abandoned_read_many_leaves_no_pending_answers(
    repo: GitSandbox, opened: Repo, bulk: bool
) -> None:
    for number in range(9):
        repo.write(str(number), str(number))
    repo.commit()
    oids = [entry.oid for entry in opened.entries(Oid(repo.tree()))]
    objects = opened.objects(bulk=bulk)
    walk = objects.read_many(oids)
    assert next(walk) == (oids[0], b"0")
    assert objects.read(oids[5]) == b"5"  # while read_many is not finished
    del walk
    assert objects.read(oids[7]) == b"7"


@pytest.mark.parametrize("bulk", [False, True], ids=["git", "libgit2"])
def test_recipe_opens_the_objects_in_another_process(
    repo: GitSandbox, opened: Repo, bulk: bool
) -> None:
    repo.write("committed", "1")
    repo.commit()
    repo.write("uncommitted", "only ours")
    opened.refresh()
    tree = opened.working_tree(MIB).tree
    oid = next(entry.oid for entry in opened.entries(tree) if entry.path == b"uncommitted")
    recipe = pickle.dumps(opened.recipe(bulk=bulk))
    code = "import pickle, sys\nwith pickle.load(sys.stdin.buffer).open() as o: print(o.read(sys.argv[1]).decode())"
    done = subprocess.run(
        [sys.executable, "-c", code, oid], input=recipe, capture_output=True, check=True
    )
    assert done.stdout == b"only ours\n"


@pytest.mark.parametrize("bulk", [False, True], ids=["git", "libgit2"])
def test_damaged_object_reads_as_missing(repo: GitSandbox, opened: Repo, bulk: bool) -> None:
    repo.write("f", "x" * 5000)
    repo.commit()
    oid = Oid(repo.git("rev-parse", "HEAD:f"))
    file = repo.path / ".git" / "objects" / oid[:2] / oid[2:]
    file.chmod(0o644)
    file.write_bytes(b"this is not zlib")
    objects = opened.objects(bulk=bulk)
    assert (objects.header(oid), objects.read(oid), objects.sizes([oid])) == (None, None, {})
    tree = Oid(repo.tree())
    assert [content is None for _, content in objects.read_many([tree, oid, tree])] == [
        False,
        True,
        False,
    ]


def test_invalid_object_name_is_refused(opened: Repo) -> None:
    with pytest.raises(ValueError, match="not object names"):
        opened.objects().read(Oid("HEAD\nHEAD"))


def test_close_ends_all_processes(repo: GitSandbox) -> None:
    repo.commit()
    with Repo.open(repo.path) as found:
        objects = found.objects()
        objects.header(Oid(repo.tree()))
        found.start_status()
    # A process that still runs would raise a ResourceWarning, an error here.
    assert found.working_tree(MIB).tree == repo.tree()
    found.close()


# Attributes and configuration


def test_attributes_come_only_from_the_tree(repo: GitSandbox, opened: Repo) -> None:
    repo.write(
        ".gitattributes",
        "*.gen linguist-generated\n*.bin binary\n*.h linguist-language=C++\n/out/** ragit=false\n",
    )
    repo.write(
        "lib/.gitattributes",
        "* linguist-vendored\nown.c -linguist-vendored !linguist-generated -diff\n",
    )
    repo.commit()
    entries = opened.entries(Oid(repo.tree()))
    repo.write(".gitattributes", "* linguist-generated\n")  # not part of the tree
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


def test_hooks_dir_follows_core_hookspath(repo: GitSandbox, opened: Repo) -> None:
    assert opened.hooks_dir() == repo.path / ".git" / "hooks"
    repo.git("config", "core.hooksPath", ".husky/_")
    assert opened.hooks_dir() == repo.path / ".husky" / "_"


def test_clean_env_removes_repository_variables() -> None:
    assert {"GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"} <= set(local_env_vars())
    assert clean_env({"GIT_DIR": "x", "GIT_PREFIX": "y", "PATH": "z"}) == {"PATH": "z"}
    assert version() >= (2, 31)


def test_git_package_imports_no_slow_module(repo: GitSandbox) -> None:
    repo.write("a.py", "1")
    repo.commit()
    repo.write("a.py", "2")
    code = """
import sys
from ragit.git import Repo
with Repo.open() as repo:
    tree = repo.working_tree(1000).tree
    changes = repo.diff(repo.head().tree, tree)
    assert repo.objects().read(changes[0].new.oid) == b"2"
    repo.config("^ragit")
print([name for name in sys.argv[1:] if name in sys.modules])
"""
    slow = [
        "pygit2",
        "numpy",
        "tempfile",
        "shutil",
        "hashlib",
        "difflib",
        "asyncio",
        "multiprocessing",
        "logging",
    ]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code, *slow], cwd=repo.path, env=env, capture_output=True, check=True
    )
    # shutil removes the temporary index, which only a changed working tree needs
    assert done.stdout.decode().strip() in ("[]", "['shutil']")
