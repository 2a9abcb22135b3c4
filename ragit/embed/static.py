"""The default embedder: a table of word vectors in the package. Offline and deterministic.

A text is the bag of its words (`ragit.words`), its vector their weighted sum (formula in
`modelfile`). A query reads only its rows from the mapped file, with the standard library. A batch
of documents is one matrix product: counts of words per text times the rows of these words, which is
cheaper than adding up rows for each text.

A text's vector must not depend on the other texts of its batch, to the last bit: it is rounded to
bytes later, and sums in another order could round the other way. So weights and scales have few
enough bits that every partial sum is exact in double precision, in any order.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, repeat
from operator import add, mul
from pathlib import Path
from typing import TYPE_CHECKING

from ragit.embed.modelfile import SCALE_BITS, WEIGHT_STEP, ModelFile, open_model
from ragit.embed.options import EmbedderOptions, fingerprint
from ragit.errors import ConfigError
from ragit.records import NamedTuple
from ragit.words import identifiers, parts, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragit.word_numbers import Identifiers, NumberedTexts, NumberLists, Texts

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

DEFAULT_MODEL = Path(__file__).with_name("weights") / "code-256.bin"

_BATCH = 96
"""Texts per matrix product. Larger ones waste work on zeros, smaller ones on calls."""

_BATCH_NAMES = 10_000
"""Identifiers per matrix product of several texts. Prose and translations have many different
words; with 96 such texts most of the product is zeros.
"""


class StaticEmbedder:
    """Sums of word vectors from a model file, the package's own or `options.model`."""

    local = True

    def __init__(self, options: EmbedderOptions) -> None:
        self._options = options
        self._file = open_model(Path(options.model) if options.model else DEFAULT_MODEL)
        if options.dimensions not in (None, self._file.dimensions):
            raise ConfigError(
                f"the static model has {self._file.dimensions} dimensions, not "
                f"{options.dimensions}",
                "Leave embedding.dimensions out for the static model",
            )
        self._mean = self._file.mean()
        self._matrix: _Matrix | None = None
        self._numbered: NumberedTexts | None = None

    @property
    def file(self) -> ModelFile:
        """File of the words and vectors."""
        return self._file

    @property
    def fingerprint(self) -> str:
        """Digest of the weights, with dimensions and document prefix."""
        return fingerprint("static", self._file.digest.hex()[:16], self.dimensions, self._options)

    @property
    def dimensions(self) -> int:
        """Length of each vector."""
        return self._file.dimensions

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one unit vector per text; all zero for a text without words."""
        prefix = self._options.document_prefix
        if self._numbered is None:
            from ragit.embed import few  # a query embeds no documents

            names = [identifiers(prefix + text) for text in texts[: few.TEXTS + 1]]
            if few.are_few(names):
                return [few.embed(self._file, one) for one in names]
            from ragit.word_numbers import NumberedTexts

            self._numbered = NumberedTexts()
        return self.embed_numbered(*self._numbered.of(prefix + text for text in texts))

    def embed_numbered(self, texts: Texts) -> list[bytes]:
        """Return one unit vector per text, as `embed` without a document prefix."""
        if self._matrix is None:
            self._matrix = _Matrix(self._file)
        return self._matrix.encode(texts)

    def embed_query(self, text: str) -> bytes:
        """Return the vector of a query, without numpy, reading only the rows of its words."""
        total = [0.0] * self.dimensions
        for word, count in Counter(words(self._options.query_prefix + text)).items():
            weight = self._file.weight(count)
            total = [a + weight * b for a, b in zip(total, self.word_vector(word), strict=True)]
        return _centred(total, self._mean)

    def knows(self, text: str) -> bool:
        """Return whether the file has a row for a word of the text."""
        return any(self._file.find(word) is not None for word in words(text))

    def word_vector(self, word: str) -> tuple[float, ...]:
        """Return the vector of one word in a text's sum: its length is the word's weight."""
        number = self._file.find(word)
        numbers = [number] if number is not None else self._file.group_rows(word)
        total = (0.0,) * self.dimensions
        for number in numbers:
            scale, row = self._file.row(number)
            factor = scale / len(numbers)
            total = tuple(map(add, total, map(mul, repeat(factor), row)))
        return total


def load(options: EmbedderOptions) -> StaticEmbedder:
    """Return the static embedder."""
    return StaticEmbedder(options)


def _centred(total: list[float], mean: tuple[float, ...]) -> bytes:
    length = math.sqrt(math.fsum(x * x for x in total))
    if length == 0:
        return bytes(4 * len(total))
    moved = [x / length - m for x, m in zip(total, mean, strict=True)]
    length = math.sqrt(math.fsum(x * x for x in moved)) or 1.0
    vector = array("f", [x / length for x in moved])
    if vector.itemsize != 4:  # pragma: no cover - no platform that CPython supports
        raise AssertionError("float is not 32 bits wide here")
    return vector.tobytes()


def _rounded(scales: NDArray[np.float32], used: NDArray[np.bool_]) -> tuple[Floats, float]:
    """Round scales to `SCALE_BITS` bits of the largest one used; return them, and the step."""
    import numpy

    _, exponent = numpy.frexp(scales[used].max(initial=0.0))
    step = 2.0 ** (int(exponent) - SCALE_BITS)
    rounded: Floats = numpy.rint(scales.astype(numpy.float64) / step) * step
    return rounded, step


def _lengths(vectors: Floats) -> Floats:
    """Return the lengths of the rows, summed by halves as in `few`."""
    import numpy

    squares = vectors * vectors
    while squares.shape[1] > 1:
        half = (squares.shape[1] + 1) // 2
        upper = squares[:, half:]
        squares = squares[:, :half]
        squares[:, : upper.shape[1]] += upper
    lengths: Floats = numpy.sqrt(squares)
    return lengths


class _Tables(NamedTuple):
    """The tables of the model."""

    known: dict[str, int]
    rows: NDArray[np.int8]
    scales: Floats
    step: float
    """Step of the rounded scales."""


@lru_cache(maxsize=1)
def _tables(file: ModelFile) -> _Tables:
    """Return the tables of a file, made once per process, which takes 60 ms."""
    import numpy

    scales, rows = file.sections()
    matrix = numpy.frombuffer(rows, dtype=numpy.int8).reshape(-1, file.dimensions)
    rounded, step = _rounded(
        numpy.frombuffer(scales, dtype="<f4"), numpy.asarray(matrix.any(axis=1))
    )
    known = {word: number for number, word in enumerate(file.words())}
    return _Tables(known, matrix, rounded, step)


class _Matrix:
    """The model's formula for many texts at once, with numpy and a cache of identifiers."""

    def __init__(self, file: ModelFile) -> None:
        import numpy

        self._np = numpy
        self._file = file
        self._known, self._rows, self._scales, self._step = _tables(file)
        self._mean = numpy.array(file.mean(), dtype=numpy.float64)
        self._lists: NumberLists | None = None

    def encode(self, texts: Texts) -> list[bytes]:
        """Return the vectors of texts."""
        lists = self._lists
        if lists is None or lists.table is not texts.table:
            lists = self._begin(texts.table)
        ends = self._np.cumsum(texts.lengths)
        vectors: list[bytes] = []
        first = 0
        while first < len(ends):
            begin = ends[first] - texts.lengths[first]
            last = int(self._np.searchsorted(ends, begin + _BATCH_NAMES, side="right"))
            last = min(max(last, first + 1), first + _BATCH)
            numbers, lengths = lists.of(texts.numbers[begin : ends[last - 1]])
            rows = self._np.repeat(self._np.arange(last - first), texts.lengths[first:last])
            vectors += self._encode(self._np.repeat(rows, lengths), numbers, last - first)
            first = last
        return vectors

    def _begin(self, table: Identifiers) -> NumberLists:
        """Forget all identifiers and unknown words, and begin with another table."""
        from ragit.word_numbers import NumberLists

        self._lists = NumberLists(table, self._numbers_of)
        self._strange: dict[str, int] = {}
        self._groups: list[tuple[int, ...]] = []
        return self._lists

    def _numbers_of(self, identifier: str) -> list[int]:
        """Return the numbers of an identifier's words."""
        return list(map(self._number, parts(identifier)))

    def _encode(self, rows: Ints, numbers: Ints, count: int) -> list[bytes]:
        """Return the vectors of `count` texts from the numbers of their words, by row."""
        np = self._np
        present, local = self._present(numbers)
        cells = rows * len(present) + local
        counts = np.bincount(cells, minlength=count * len(present)).reshape(count, len(present))
        return self._finish(self._weights(counts) @ self._gather(present))

    def _weights(self, counts: Ints) -> Floats:
        """Raise each count to the model's exponent, by a table: most counts are 0 or 1."""
        np = self._np
        powers = np.power(
            np.arange(counts.max(initial=0) + 1, dtype=np.float64), self._file.exponent
        )
        table: Floats = np.rint(powers / WEIGHT_STEP) * WEIGHT_STEP
        return table[counts]

    def _number(self, word: str) -> int:
        number = self._known.get(word)
        if number is None:
            # Numbered after the file's words, in order of appearance, for this matrix only.
            number = self._strange.get(word)
            if number is None:
                number = self._strange[word] = len(self._known) + len(self._groups)
                self._groups.append(tuple(self._file.group_rows(word)))
        return number

    def _present(self, flat: Ints) -> tuple[Ints, Ints]:
        np = self._np
        seen = np.zeros(len(self._known) + len(self._groups), dtype=bool)
        seen[flat] = True
        present = np.flatnonzero(seen)
        places = np.empty(len(seen), dtype=np.int64)
        places[present] = np.arange(len(present))
        return present, places[flat]

    def _gather(self, present: Ints) -> Floats:
        np = self._np
        split = int(np.searchsorted(present, len(self._known)))
        plain = self._dequantised(present[:split])
        if split == len(present):
            return plain
        strange = [self._groups[number - len(self._known)] for number in present[split:].tolist()]
        rows: Floats = np.vstack([plain, self._averages(strange)])
        return rows

    def _averages(self, groups: Sequence[tuple[int, ...]]) -> Floats:
        """Return the average of the rows of each group, rounded; zeros for a group without rows."""
        np = self._np
        lengths = np.fromiter(map(len, groups), dtype=np.int64, count=len(groups))
        numbers = np.fromiter(chain.from_iterable(groups), dtype=np.int64, count=lengths.sum())
        averages: Floats = np.zeros((len(groups), self._file.dimensions), dtype=np.float64)
        some = lengths > 0
        if some.any():
            begins = (np.cumsum(lengths) - lengths)[some]
            sums = np.add.reduceat(self._dequantised(numbers), begins, axis=0)
            averages[some] = np.rint(sums / lengths[some, None] / self._step) * self._step
        return averages

    def _dequantised(self, numbers: Ints) -> Floats:
        rows: Floats = self._rows[numbers] * self._scales[numbers, None]
        return rows

    def _finish(self, sums: Floats) -> list[bytes]:
        np = self._np
        lengths = _lengths(sums)
        moved = sums / np.where(lengths == 0, 1, lengths) - self._mean
        norms = _lengths(moved)
        vectors = np.where(lengths == 0, 0, moved / np.where(norms == 0, 1, norms))
        return [vector.tobytes() for vector in np.ascontiguousarray(vectors, dtype="<f4")]
