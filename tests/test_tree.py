"""Tests of the parts of an indexed tree."""

from __future__ import annotations

import pytest
from sandbox import GitSandbox

import ragit
from ragit.git import Repo
from ragit.index.descriptions.settings import IMAGE, NOT_DESCRIBED
from ragit.index.descriptions.stored import Descriptions
from ragit.index.selection import Selected
from ragit.index.tree import IndexedTree, _folders, _Parts
from ragit.store import StoredChunking
from ragit.types import LOST, SPENT, Oid


def file(name: str, language: str = "python") -> Selected:
    return Selected(name.encode(), Oid(name.encode().hex().ljust(40, "0")), language, "f")


def row(
    number: int, *, chunks: int = 1, skipped: str = "", embedded: bool = True
) -> StoredChunking:
    return StoredChunking(number, 7, skipped, chunks, embedded)


def test_stored_file_is_found_even_if_empty() -> None:
    parts = _Parts({})
    parts.add(file("a.py"), row(1))
    parts.add(file("empty.py"), row(2, chunks=0))
    parts.add(file("binary"), row(3, chunks=0, skipped="binary"))
    assert parts.found == {b"a.py": (1, 7), b"empty.py": (2, 7)}
    assert parts.skipped == {b"binary": "binary"}
    assert parts.needed == ()


def test_files_are_missing_deferred_or_without_vectors() -> None:
    parts = _Parts({})
    new, slow, bare = file("new.py"), file("slow.py"), file("bare.py")
    parts.add(new, None)
    parts.add(slow, row(1, chunks=0, skipped=SPENT))
    parts.add(bare, row(2, embedded=False))
    assert parts.missing == [new]
    assert parts.deferred == [slow]
    assert list(parts.without_vectors) == [bare]


def test_image_is_missing_only_if_described() -> None:
    parts = _Parts({})
    described, undescribed = file("described.png", IMAGE), file("undescribed.png", IMAGE)
    parts.add(described, None)
    parts.add(undescribed, None)
    parts.split_images({described.oid})
    assert (parts.missing, parts.images) == ([described], [undescribed])
    assert parts.skipped == {b"undescribed.png": NOT_DESCRIBED}


def test_file_with_a_lost_blob_is_skipped() -> None:
    parts = _Parts({})
    gone, bare, kept = file("gone.py"), file("bare.py"), file("kept.py")
    parts.add(gone, None)
    parts.add(bare, row(1, embedded=False))
    parts.add(kept, row(2, embedded=False))
    parts.remove({gone.oid, bare.oid}, LOST)
    assert parts.skipped == {b"gone.py": LOST, b"bare.py": LOST}
    assert parts.absent == {b"gone.py": gone.oid, b"bare.py": bare.oid}
    assert parts.found == {b"kept.py": (2, 7)}
    assert parts.needed == (kept,)


def test_never_gives_the_reason_against_a_description() -> None:
    skipped = {b"wait.png": NOT_DESCRIBED, b"large.png": "too large"}
    snapshot = _Parts(skipped, {b"a.svg": (1, 1)}).snapshot
    tree = IndexedTree(Oid("0" * 40), snapshot, [], cached=True)
    assert Descriptions.never(tree, b"wait.png") == ""
    assert Descriptions.never(tree, b"large.png") == "too large"
    assert Descriptions.never(tree, b"a.svg") == "it is indexed as text"


def test_new_ignore_file_applies_to_unchanged_files(repo: GitSandbox) -> None:
    repo.write("a.py", "def commit_offset():\n    return 1\n")
    repo.write("b.py", "def commit_offsets():\n    return 2\n")
    repo.commit()
    with ragit.open(repo.path, flags={"embedding.provider": "none"}) as index:
        index.index()
        before = index.search("commit", mode="keyword")
        repo.write(".ragitignore", "b.py\n")
        repo.commit()
        index.index()
        after = index.search("commit", mode="keyword")
    assert {hit.path for hit in before.hits} == {"a.py", "b.py"}
    assert {hit.path for hit in after.hits} == {"a.py"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (b"a.py", [b""]),
        (b"lib/sub/a.py", [b"", b"lib/", b"lib/sub/"]),
    ],
)
def test_folders_above_a_file(path: bytes, expected: object) -> None:
    assert list(_folders(path)) == expected


RULES = {
    ".gitattributes": "*.gen.py linguist-generated\n",
    "lib/.gitattributes": "old.py linguist-vendored\n",
    "lib/sub/.ragitignore": "left_*.py\n",
}


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("new.gen.py", "generated"),
        ("lib/sub/new.gen.py", "generated"),
        ("lib/old.py", "vendored"),
        ("lib/sub/left_out.py", "ignored"),
        ("left_out.py", ""),
        ("other/old.py", ""),
    ],
)
def test_edit_reads_only_the_rules_above_the_file(
    repo: GitSandbox, monkeypatch: pytest.MonkeyPatch, path: str, reason: str
) -> None:
    for name, text in {**RULES, "lib/kept.py": "kept = 1\n", "other/b.py": "b = 1\n"}.items():
        repo.write(name, text)
    repo.commit()
    with ragit.open(repo.path) as index:
        index.index()
    monkeypatch.delattr(Repo, "entries")  # all files of the tree
    repo.write(path, "turbine = 1\n")
    with ragit.open(repo.path) as index:
        answer = index.search("turbine")
        assert [hit.path for hit in answer.hits if hit.symbol == "turbine"] == (
            [] if reason else [path]
        )
        tree = index._repo.working_tree(10**6).tree
        with index._indexer.reading() as store:
            found = index._indexer.trees.resolve(store, tree)
    assert found.snapshot.skipped.get(path.encode(), "") == reason
