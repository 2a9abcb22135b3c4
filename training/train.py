"""Train the rows, so that documentation lies near its code, and far from other code of the project.

The loss is contrastive (InfoNCE, both ways), over batches of many records from few packages. A
search runs within one project, so the negatives of a batch are as hard as those of a search. The
forward pass is a sparse matrix of word weights times the rows. A batch takes a quarter of a second
on two cores; only rows of words that occur are updated (lazy Adam).
"""

from __future__ import annotations

import gzip
import json
import mmap
import multiprocessing
import random
import time
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse
import torch
import torch.nn.functional as F

from ragit.embed.modelfile import letter_groups
from ragit.words import words


@dataclass(frozen=True)
class Settings:
    """The settings of a run."""

    seed: int = 1
    dimensions: int = 256
    vocabulary: int = 48_000
    groups: int = 8_192
    group_length: int = 4
    exponent: float = 0.7
    epochs: int = 2
    batch: int = 1024
    per_package: int = 128
    rate: float = 1e-3
    scale: float = 20.0
    weight_rate: float = 10.0
    """Learning rate of the words' weights, as a multiple of the rows' rate."""
    per_language: int = 24_000
    drop_known: float = 0.03
    merge: float = 0.2
    code_words: int = 350
    forms: dict[str, float] = field(
        default_factory=lambda: {"doc": 0.55, "symbol": 0.2, "both": 0.15, "path": 0.1}
    )


RUNS = (
    Settings(epochs=2, merge=0.25, rate=1e-3, weight_rate=0.0),
    Settings(epochs=3, merge=0.2, rate=1.2e-3, weight_rate=15.0),
)
"""The runs whose rows are blended."""

LONGEST = 0.8

WORKERS = 3
"""Processes that train one run."""

Sequence = np.ndarray
FIELDS = ("sentence", "rest", "symbol", "path", "code")


class Lexicon:
    """Maps words to row numbers: one for a known word, those of its letter groups for any other."""

    def __init__(self, vocabulary: list[str], settings: Settings) -> None:
        self.vocabulary = vocabulary
        self.settings = settings
        self.numbers = {word: number for number, word in enumerate(vocabulary)}
        self.strange: list[np.ndarray] = []
        self.spelt = [self.group_rows(word) for word in vocabulary]
        """The letter groups of each known word."""
        self._strange: dict[str, int] = {}

    def number(self, word: str) -> int:
        """Return the word's number; a number beyond the vocabulary is an index into `strange`."""
        known = self.numbers.get(word)
        if known is not None:
            return known
        if word not in self._strange:
            self._strange[word] = len(self.vocabulary) + len(self.strange)
            self.strange.append(self.group_rows(word))
        return self._strange[word]

    def group_rows(self, word: str) -> np.ndarray:
        """Return the row numbers of a word's letter groups."""
        groups = letter_groups(word, self.settings.group_length)
        return np.array(
            [len(self.vocabulary) + zlib.crc32(g.encode()) % self.settings.groups for g in groups]
        )


@dataclass
class Records:
    """All records as row numbers, field by field."""

    fields: dict[str, list[Sequence]]
    package: np.ndarray
    file: np.ndarray


def read(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def split_doc(doc: str) -> tuple[str, str]:
    """Return the first sentence and the rest."""
    for mark in (". ", ".\n", "! ", "? ", "; "):
        head, found, rest = doc.partition(mark)
        if found and len(words(head)) >= 4:
            return head, rest
    return doc, ""


def path_text(path: str) -> str:
    """Return the last two parts of a path, without suffix and without generic names."""
    parts = [
        part
        for part in path.rsplit(".", 1)[0].split("/")
        if part not in {"src", "lib", "main", "java", "index", "mod", "__init__"}
    ]
    return " ".join(parts[-2:])


def texts_of(record: dict[str, str]) -> dict[str, str]:
    sentence, rest = split_doc(record["doc"])
    named = f"{record['parent']} {record['symbol']}"
    return {
        "sentence": sentence,
        "rest": rest,
        "symbol": named,
        "path": path_text(record["path"]),
        "code": record["code"],
    }


def balance(records: list[dict[str, str]], settings: Settings) -> list[dict[str, str]]:
    """Return at most `per_language` records of each language, those with a doc comment first."""
    chance = random.Random(settings.seed)
    by_language: dict[str, list[dict[str, str]]] = {}
    for record in records:
        by_language.setdefault(record["language"], []).append(record)
    kept = []
    for rows in by_language.values():
        chance.shuffle(rows)
        rows.sort(key=lambda record: not record["doc"])
        kept += rows[: settings.per_language]
    chance.shuffle(kept)
    return kept


def count(
    records: list[dict[str, str]],
) -> tuple[Counter[str], Counter[str], list[dict[str, list[str]]]]:
    """Return the number of records and packages with each word, and the words of every field."""
    documents: Counter[str] = Counter()
    seen: dict[str, set[str]] = {}
    split = []
    for record in records:
        fields = {name: words(text)[:400] for name, text in texts_of(record).items()}
        split.append(fields)
        present = set().union(*fields.values())
        documents.update(present)
        for word in present:
            seen.setdefault(word, set()).add(record["package"])
    return documents, Counter({word: len(packages) for word, packages in seen.items()}), split


def number(
    records: list[dict[str, str]], split: list[dict[str, list[str]]], lexicon: Lexicon
) -> Records:
    """Return the records with words as numbers."""
    fields: dict[str, list[Sequence]] = {
        name: [
            np.array([lexicon.number(word) for word in row[name]], dtype=np.int64) for row in split
        ]
        for name in FIELDS
    }
    packages = [record["package"] for record in records]
    files = [f"{record['package']}/{record['path']}" for record in records]
    return Records(
        fields,
        np.unique(packages, return_inverse=True)[1],
        np.unique(files, return_inverse=True)[1],
    )


class Sampler:
    """Draws batches of pairs."""

    def __init__(
        self, records: Records, lexicon: Lexicon, settings: Settings, worker: int = 0
    ) -> None:
        self.records, self.lexicon, self.settings = records, lexicon, settings
        self.random = np.random.default_rng((settings.seed, worker))
        order = np.argsort(records.package, kind="stable")
        cuts = np.flatnonzero(np.diff(records.package[order])) + 1
        self.by_package = np.split(order, cuts)
        self.by_file = np.argsort(records.file, kind="stable")
        self.first_of_file = np.searchsorted(
            records.file[self.by_file], np.arange(records.file.max() + 2)
        )

    def batches(self, chance: np.random.Generator) -> list[np.ndarray]:
        """Return the batches of one epoch: shuffled groups of records of one package."""
        groups = []
        for members in self.by_package:
            shuffled = chance.permutation(members)
            groups += [
                shuffled[i : i + self.settings.per_package]
                for i in range(0, len(shuffled), self.settings.per_package)
            ]
        order = chance.permutation(len(groups))
        flat = np.concatenate([groups[i] for i in order])
        return [
            flat[i : i + self.settings.batch]
            for i in range(0, len(flat) - self.settings.batch // 2, self.settings.batch)
        ]

    def pair(self, i: int) -> tuple[Sequence, Sequence]:
        """Return a query and a document made of the parts of one record."""
        fields, chance = self.records.fields, self.random.random
        sentence, rest, symbol = fields["sentence"][i], fields["rest"][i], fields["symbol"][i]
        code = self.with_neighbours(i, self.crop(fields["code"][i]))
        form = self.form(len(sentence) > 0, len(symbol) > 0)
        if form == "doc":
            query = sentence if chance() < 0.7 else np.concatenate([sentence, rest])[:60]
            return query, np.concatenate([rest[:60], code]) if chance() < 0.3 else code
        document = np.concatenate([sentence, rest[:60], code]) if chance() < 0.6 else code
        if form == "both":
            return np.concatenate([symbol, sentence]), code
        return (
            (symbol, document)
            if form == "symbol"
            else (np.concatenate([fields["path"][i], symbol]), document)
        )

    def with_neighbours(self, i: int, code: Sequence) -> Sequence:
        """Add other definitions of the file at random, as small ones share a chunk in an index."""
        first, end = (
            self.first_of_file[self.records.file[i]],
            self.first_of_file[self.records.file[i] + 1],
        )
        if end - first < 2 or self.random.random() >= self.settings.merge:
            return code
        parts = [code]
        for j in self.by_file[self.random.integers(first, end, 3)]:
            if j != i and sum(map(len, parts)) < 120:
                parts.append(self.records.fields["code"][j][:120])
        return np.concatenate(parts)

    def form(self, has_doc: bool, has_symbol: bool) -> str:
        """Choose the parts that make the query."""
        if not has_symbol:
            return "doc"
        forms = self.settings.forms
        allowed = list(forms) if has_doc else ["symbol", "path"]
        weights = np.array([forms[name] for name in allowed])
        return str(self.random.choice(allowed, p=weights / weights.sum()))

    def crop(self, code: Sequence) -> Sequence:
        """Return the code, or at random a part of it."""
        if len(code) > 60 and self.random.random() < 0.3:
            length = int(self.random.integers(40, len(code)))
            start = int(self.random.integers(0, len(code) - length + 1))
            return code[start : start + length]
        return code[: self.settings.code_words]

    def weights(self, sequences: list[Sequence]) -> sparse.csr_matrix:
        """Return the matrix whose product with the rows is each text's sum, with weight
        count^exponent per word.
        """
        size = len(self.lexicon.vocabulary) + len(self.lexicon.strange)
        lengths = np.array([len(sequence) for sequence in sequences])
        flat = np.concatenate(sequences)
        texts = np.repeat(np.arange(len(sequences)), lengths)
        cells, counts = np.unique(texts * size + flat, return_counts=True)
        texts, numbers = cells // size, cells % size
        weights = counts.astype(np.float32) ** self.settings.exponent
        return self.spread(texts, numbers, weights, len(sequences))

    def spread(
        self, texts: np.ndarray, numbers: np.ndarray, weights: np.ndarray, rows: int
    ) -> sparse.csr_matrix:
        """Replace unknown words, and a few known ones, by their letter groups, to train these."""
        known = len(self.lexicon.vocabulary)
        strange = (numbers >= known) | (self.random.random(len(numbers)) < self.settings.drop_known)
        places = np.flatnonzero(strange)
        groups = [
            self.lexicon.strange[n - known] if n >= known else self.lexicon.spelt[n]
            for n in numbers[places]
        ]
        sizes = np.array([len(group) for group in groups], dtype=np.int64)
        columns = np.concatenate([numbers[~strange], *groups])
        lines = np.concatenate([texts[~strange], np.repeat(texts[places], sizes)])
        values = np.concatenate(
            [weights[~strange], np.repeat(weights[places] / np.maximum(sizes, 1), sizes)]
        )
        total = known + self.settings.groups
        return sparse.csr_matrix((values.astype(np.float32), (lines, columns)), shape=(rows, total))


def shared(array: np.ndarray) -> np.ndarray:
    """Return a copy whose memory forked processes share."""
    memory = mmap.mmap(-1, max(1, array.nbytes))
    copy: np.ndarray = np.frombuffer(memory, dtype=array.dtype, count=array.size)
    copy = copy.reshape(array.shape)
    copy[:] = array
    return copy


class LazyAdam:
    """Adam that touches only the rows with a gradient."""

    def __init__(self, rows: np.ndarray) -> None:
        self.rows = rows
        self.first, self.second = shared(np.zeros_like(rows)), shared(np.zeros_like(rows))
        self.step_count = 0

    def step(self, places: np.ndarray, gradient: np.ndarray, rate: float) -> None:
        """Update the rows at `places` once."""
        self.step_count += 1
        first = 0.9 * self.first[places] + 0.1 * gradient
        second = 0.999 * self.second[places] + 0.001 * gradient**2
        self.first[places], self.second[places] = first, second
        correction = np.sqrt(1 - 0.999**self.step_count) / (1 - 0.9**self.step_count)
        self.rows[places] -= (rate * correction) * first / (np.sqrt(second) + 1e-8)


class WordWeights:
    """Scales whole rows with a separate Adam, so that a word's weight changes faster than its
    direction.
    """

    def __init__(self, rows: np.ndarray) -> None:
        self.rows = rows
        self.logarithm = shared(np.zeros((len(rows), 1), dtype=np.float32))
        self._adam = LazyAdam(self.logarithm)

    def step(self, places: np.ndarray, gradient: np.ndarray, rate: float) -> None:
        """Update the lengths of the rows at `places` once."""
        along = (gradient * self.rows[places]).sum(axis=1, keepdims=True)
        before = self.logarithm[places].copy()
        self._adam.step(places, along, rate)
        self.rows[places] *= np.exp(self.logarithm[places] - before)


def blend(runs: list[np.ndarray]) -> np.ndarray:
    """Return the mean of the rows of several runs from one start, no row longer than LONGEST.

    Averaging removes what single runs learn by accident. The limit is for verbs and rare words,
    whose long rows would outweigh the other words of a text.
    """
    rows: np.ndarray = np.mean(runs, axis=0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows * np.minimum(1, LONGEST / np.maximum(lengths, 1e-6))


def contrast(queries: torch.Tensor, documents: torch.Tensor, settings: Settings) -> torch.Tensor:
    """Return the InfoNCE loss, the mean of both directions."""
    q, d = F.normalize(queries, dim=1), F.normalize(documents, dim=1)
    logits = settings.scale * (q @ d.T)
    target = torch.arange(len(q))
    return (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2


def train(records: Records, lexicon: Lexicon, rows: np.ndarray, settings: Settings) -> np.ndarray:
    """Return the trained rows: those of the vocabulary, then those of the letter groups.

    WORKERS processes take turns with the batches and update the same memory without locks, as in
    Hogwild (Niu et al. 2011).
    """
    rows = shared(rows)
    updates = Updates(LazyAdam(rows), WordWeights(rows))
    fork = multiprocessing.get_context("fork")
    workers = [
        fork.Process(target=_work, args=(number, records, lexicon, updates, settings))
        for number in range(WORKERS)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        if worker.exitcode:
            raise SystemExit(f"a training process ended with {worker.exitcode}")
    return rows


class Updates(NamedTuple):
    """The two optimizers of a training run: of the rows, and of their lengths."""

    adam: LazyAdam
    lengths: WordWeights


def _work(
    number: int, records: Records, lexicon: Lexicon, updates: Updates, settings: Settings
) -> None:
    """Train with every WORKERS-th batch."""
    torch.set_num_threads(1)
    sampler = Sampler(records, lexicon, settings, number)
    began = time.time()
    for epoch in range(settings.epochs):
        batches = sampler.batches(np.random.default_rng((settings.seed, epoch)))
        losses = []
        for place in range(number, len(batches), WORKERS):
            done = (epoch + place / len(batches)) / settings.epochs
            rate = settings.rate * max(0.05, 1 - done)
            losses.append(_step(batches[place], sampler, updates, rate))
        print(
            f"worker {number} epoch {epoch + 1} loss {np.mean(losses):.3f} "
            f"seconds {time.time() - began:.0f}",
            flush=True,
        )


def _step(members: np.ndarray, sampler: Sampler, updates: Updates, rate: float) -> float:
    """Update the rows once with a batch, and return its loss."""
    settings, rows = sampler.settings, updates.adam.rows
    pairs = [sampler.pair(int(i)) for i in members]
    pairs = [pair for pair in pairs if len(pair[0]) and len(pair[1])]
    weights = sampler.weights([query for query, _ in pairs] + [document for _, document in pairs])
    places = np.unique(weights.indices)
    local = weights[:, places]
    sums = torch.from_numpy(local @ rows[places]).requires_grad_()
    loss = contrast(sums[: len(pairs)], sums[len(pairs) :], settings)
    loss.backward()
    gradient = local.T @ sums.grad.numpy()
    if settings.weight_rate:
        updates.lengths.step(places, gradient, rate * settings.weight_rate)
    updates.adam.step(places, gradient, rate)
    return float(loss.item())


def start_groups(rows: np.ndarray, lexicon: Lexicon) -> np.ndarray:
    """Return the initial rows of letter groups: the mean of the known words that contain them."""
    groups = np.zeros((lexicon.settings.groups, rows.shape[1]), dtype=np.float32)
    uses = np.zeros(lexicon.settings.groups)
    for place in range(len(lexicon.vocabulary)):
        for group in lexicon.spelt[place] - len(lexicon.vocabulary):
            groups[group] += rows[place]
            uses[group] += 1
    return groups / np.maximum(uses, 1)[:, None].astype(np.float32)
