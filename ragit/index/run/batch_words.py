"""Split the texts of a batch of blobs into words once, for postings and for the static model."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ragit import postings
from ragit.postings import Packed
from ragit.records import NamedTuple
from ragit.types import Chunk

if TYPE_CHECKING:
    from ragit.bulk_postings import BulkPacker, ChunkWords
    from ragit.word_numbers import NumberedTexts, Texts


class BatchWords(NamedTuple):
    """The packed words of a batch's blobs, and the identifiers of its chunks if they are known."""

    packed: Sequence[Packed]
    chunks: ChunkWords | None

    def embedded(self, chosen: Sequence[int]) -> Texts | None:
        """Return the identifiers of the embedded texts (`vectors.text`) of some chunks, given by
        ascending indexes in the batch; None if unknown.
        """
        if self.chunks is None:
            return None
        from ragit.word_numbers import joined

        texts, symbols, parents, _ = self.chunks
        return joined((parents, symbols, symbols, texts)).chosen(chosen)


class WordSplitter:
    """Splits the chunks of batches into words; remembers identifiers."""

    def __init__(self) -> None:
        self._bulk: tuple[NumberedTexts, BulkPacker] | None = None

    def split(self, blobs: Iterable[Sequence[Chunk]], *, many: bool) -> BatchWords:
        """Return the words of the chunks of each blob.

        Use numpy if it is loaded, or for `many` blobs, which pay for its import.
        """
        blobs = list(blobs)
        if not many and "numpy" not in sys.modules:
            return BatchWords(list(map(postings.pack, blobs)), None)
        from ragit.bulk_postings import BulkPacker, chunk_words
        from ragit.word_numbers import NumberedTexts

        if self._bulk is None:
            self._bulk = NumberedTexts(), BulkPacker()
        numbered, packer = self._bulk
        chunks = chunk_words(numbered, [chunk for blob in blobs for chunk in blob])
        return BatchWords(packer.pack(blobs, chunks), chunks)
