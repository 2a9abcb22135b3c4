"""The parts of which a tree of the index is assembled."""

from __future__ import annotations

from sandbox import GitSandbox

import ragit
from ragit.index.descriptions.settings import IMAGE, NOT_DESCRIBED
from ragit.index.descriptions.stored import Descriptions
from ragit.index.selection import Selected
from ragit.index.tree import IndexedTree, _Parts, _snapshot
from ragit.store import StoredChunking
from ragit.types import LOST, SPENT, Oid


def file(name: str, language: str = "python") -> Selected:
    return Selected(name.encode(), Oid(name.encode().hex().ljust(40, "0")), language, "f")


def row(
    number: int, *, chunks: int = 1, skipped: str = "", embedded: bool = True
) -> StoredChunking:
    return StoredChunking(number, 7, skipped, chunks, embedded)


def test_a_stored_file_is_found_also_if_it_is_empty() -> None:
    parts = _Parts({}, {})
    parts.add(file("a.py"), row(1))
    parts.add(file("empty.py"), row(2, chunks=0))
    parts.add(file("binary"), row(3, chunks=0, skipped="binary"))
    assert parts.found == {b"a.py": (1, 7), b"empty.py": (2, 7)}
    assert parts.skipped == {b"binary": "binary"}
    assert parts.needed == ()


def test_what_is_not_stored_is_missing_and_what_was_deferred_is_noted() -> None:
    parts = _Parts({}, {})
    new, slow, bare = file("new.py"), file("slow.py"), file("bare.py")
    parts.add(new, None)
    parts.add(slow, row(1, chunks=0, skipped=SPENT))
    parts.add(bare, row(2, embedded=False))
    assert parts.missing == [new]
    assert parts.deferred == [slow]
    assert list(parts.without_vectors) == [bare]


def test_only_a_described_image_is_missing() -> None:
    parts = _Parts({}, {})
    told, untold = file("told.png", IMAGE), file("untold.png", IMAGE)
    parts.add(told, None)
    parts.add(untold, None)
    parts.split_images({told.oid})
    assert (parts.missing, parts.images) == ([told], [untold])
    assert parts.skipped == {b"untold.png": NOT_DESCRIBED}


def test_a_file_whose_blob_is_gone_is_skipped_and_no_longer_found() -> None:
    parts = _Parts({}, {})
    gone, bare, kept = file("gone.py"), file("bare.py"), file("kept.py")
    parts.add(gone, None)
    parts.add(bare, row(1, embedded=False))
    parts.add(kept, row(2, embedded=False))
    parts.remove({gone.oid, bare.oid}, LOST)
    assert parts.skipped == {b"gone.py": LOST, b"bare.py": LOST}
    assert parts.found == {b"kept.py": (2, 7)}
    assert parts.needed == (kept,)


def test_an_image_that_waits_for_its_description_gets_one_and_others_say_why_not() -> None:
    skipped = {b"wait.png": NOT_DESCRIBED, b"large.png": "too large"}
    tree = IndexedTree(Oid("0" * 40), _snapshot({b"a.svg": (1, 1)}, skipped), [], cached=True)
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
