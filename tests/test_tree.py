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


def test_a_stored_file_is_found_also_if_it_is_empty() -> None:
    parts = _Parts({})
    parts.add(file("a.py"), row(1))
    parts.add(file("empty.py"), row(2, chunks=0))
    parts.add(file("binary"), row(3, chunks=0, skipped="binary"))
    assert parts.found == {b"a.py": (1, 7), b"empty.py": (2, 7)}
    assert parts.skipped == {b"binary": "binary"}
    assert parts.needed == ()


def test_what_is_not_stored_is_missing_and_what_was_deferred_is_noted() -> None:
    parts = _Parts({})
    new, slow, bare = file("new.py"), file("slow.py"), file("bare.py")
    parts.add(new, None)
    parts.add(slow, row(1, chunks=0, skipped=SPENT))
    parts.add(bare, row(2, embedded=False))
    assert parts.missing == [new]
    assert parts.deferred == [slow]
    assert list(parts.without_vectors) == [bare]


def test_only_a_described_image_is_missing() -> None:
    parts = _Parts({})
    told, untold = file("told.png", IMAGE), file("untold.png", IMAGE)
    parts.add(told, None)
    parts.add(untold, None)
    parts.split_images({told.oid})
    assert (parts.missing, parts.images) == ([told], [untold])
    assert parts.skipped == {b"untold.png": NOT_DESCRIBED}


def test_a_file_whose_blob_is_gone_is_skipped_and_no_longer_found() -> None:
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


def test_an_image_that_waits_for_its_description_gets_one_and_others_say_why_not() -> None:
    skipped = {b"wait.png": NOT_DESCRIBED, b"large.png": "too large"}
    snapshot = _Parts(skipped, {b"a.svg": (1, 1)}).snapshot
    tree = IndexedTree(Oid("0" * 40), snapshot, [], cached=True)
    assert Descriptions.never(tree, b"wait.png") == ""
    assert Descriptions.never(tree, b"large.png") == "too large"
    assert Descriptions.never(tree, b"a.svg") == "it is indexed as text"


def test_a_new_ignore_file_counts_for_files_that_did_not_change(repo: GitSandbox) -> None:
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
def test_rules_are_looked_for_in_the_folders_above_a_file(path: bytes, expected: object) -> None:
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
def test_an_edit_asks_for_no_more_than_the_rules_above_it(
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
