"""Tests of the batches of an indexing run, and of deferred files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ragit.chunk import BRIEF, FULL, NONE
from ragit.index.run.deferred import DeferredFiles
from ragit.index.run.result import BlobResult, Key, without_chunks
from ragit.index.run.run import DOCUMENT_WEIGHT, LARGE_BYTES, _cut
from ragit.types import SPENT, Oid


def key(number: int, language: str = "python") -> Key:
    return Oid(f"{number:040x}"), language, "f"


def all_at_once(keys: Sequence[Key]) -> Iterator[list[Key]]:
    if keys:
        yield list(keys)


def slow(each: Key, seconds: float = 0.0) -> BlobResult:
    return BlobResult(each, None, timed_out=True, seconds=seconds)


def read(each: Key, seconds: float = 0.0) -> BlobResult:
    return BlobResult(each, without_chunks(each, "empty"), seconds=seconds)


def first_round(files: DeferredFiles, outcome: Callable[[Key], BlobResult]) -> list[BlobResult]:
    batches = ([outcome(each) for each in batch.keys] for batch in files.first(all_at_once))
    return [one for batch in files.read(batches) for one in batch]


def second_round(
    files: DeferredFiles, seconds: float
) -> tuple[list[tuple[Key, str]], list[BlobResult]]:
    """Return the tries of the second round, each of `seconds`, and its results."""
    tries: list[tuple[Key, str]] = []

    def batches() -> Iterator[list[BlobResult]]:
        for batch in files.second(all_at_once):
            tries.extend((each, batch.kind) for each in batch.keys)
            yield [read(each, seconds) for each in batch.keys]

    return tries, [one for batch in files.spend(batches()) for one in batch]


def test_file_deferred_before_is_skipped_in_the_first_round() -> None:
    before, new = key(1), key(2)
    files = DeferredFiles([before, new], frozenset([before]), 10)
    assert [(list(batch.keys), batch.kind) for batch in files.first(all_at_once)] == [
        ([new], BRIEF)
    ]
    assert files.count == 1
    assert second_round(files, 1)[0] == [(before, FULL)]


def test_slow_files_get_full_time_until_the_allowance_is_spent() -> None:
    keys = [key(number) for number in range(4)]
    files = DeferredFiles(keys, frozenset(), 10)
    assert first_round(files, slow) == []
    assert files.count == 4
    tries, _ = second_round(files, 6)
    assert tries == [(keys[0], FULL), (keys[1], FULL), (keys[2], NONE), (keys[3], NONE)]


def test_deferred_files_stay_deferred_without_allowance() -> None:
    before = key(1)
    files = DeferredFiles([before], frozenset([before]), 0)
    tries, results = second_round(files, 1)
    assert tries == []
    assert results == [BlobResult(before, None, timed_out=True)]


def test_slow_document_is_stored_as_deferred() -> None:
    document, code = key(1, "pdf"), key(2)
    files = DeferredFiles([document, code], frozenset(), 0)
    (stored,) = first_round(files, slow)
    assert stored.key == document
    assert stored.new is not None
    assert stored.new.skipped == SPENT
    tries, results = second_round(files, 1)
    assert tries == [(code, NONE)], "the stored document is not tried again"
    assert [one.key for one in results] == [code, document]


def test_document_counts_as_several_files_of_a_batch() -> None:
    keys = [key(number) for number in range(5)]
    assert list(_cut(keys, size=lambda: 2)) == [keys[:2], keys[2:4], keys[4:]]
    mixed = [key(9, "pdf"), *keys[:2]]
    assert list(_cut(mixed, size=lambda: DOCUMENT_WEIGHT)) == [mixed[:1], mixed[1:]]
    assert list(_cut(mixed, size=lambda: 1)) == [[each] for each in mixed]


def test_large_text_counts_as_several_files_of_a_batch() -> None:
    keys = [key(number) for number in range(4)]
    sizes = {keys[0][0]: LARGE_BYTES - 1, keys[1][0]: 3 * LARGE_BYTES, keys[2][0]: 1}
    assert list(_cut(keys, size=lambda: 3, sizes=sizes)) == [keys[:1], keys[1:2], keys[2:]]
