"""Ranking quality on repositories with known answers, what each signal gives to it, and how far it is tuned to them.

usage: python bench/quality.py --repos DIR --specs FILE --annotations DIR [--fit]

FILE is a JSON list of {"name", "language"}; DIR/<name> is a repository, searched at HEAD; a repository's annotations
are <name>.json, a list of {"query", "relevant", "secondary", "category"}, whose targets are paths or {"path",
"start_line", "end_line"}. The figure is NDCG@10 (Järvelin and Kekäläinen 2002, binary gains): a target is found by the
first hit in its file that overlaps its lines.

Without --fit: the mean with the usual weights, per category and language, and the change when each signal is off.
With --fit: the weights are fitted anew (softmax over files, pulled towards the usual ones) on four fifths of the
repositories and scored on the other fifth, five times. A mean there clearly above the usual weights' would say that
better ones exist; a mean clearly below would say that fitting to some repositories harms on others.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np

import ragit
from ragit import rank
from ragit.query import Query
from ragit.search.gather import gather
from ragit.search.view import View

K = 10
TEMPERATURE, PULL, STEPS, RATE = 8.0, 3.0, 120, 0.02


class Task(NamedTuple):
    repo: str
    language: str
    category: str
    query: str
    targets: list[Any]


def tasks_of(spec: Mapping[str, str], annotations: Path) -> list[Task]:
    listed = json.loads((annotations / f"{spec['name']}.json").read_text())
    return [
        Task(
            spec["name"],
            spec["language"],
            one.get("category", "semantic"),
            one["query"],
            [*one.get("relevant", []), *one.get("secondary", [])],
        )
        for one in listed
    ]


def holds(target: Any, path: str, start: int, end: int) -> bool:
    spec = {"path": target} if isinstance(target, str) else target
    if not (
        path == spec["path"]
        or path.endswith("/" + spec["path"])
        or spec["path"].endswith("/" + path)
    ):
        return False
    return spec.get("start_line") is None or not (
        end < spec["start_line"] or start > spec["end_line"]
    )


def ndcg(task: Task, places: Iterable[tuple[str, int, int]]) -> float:
    listed = list(places)[:K]
    found = {
        next((at for at, place in enumerate(listed) if holds(target, *place)), None)
        for target in task.targets
    } - {None}
    ideal = sum(1 / math.log2(i + 2) for i in range(min(K, len(task.targets))))
    return sum(1 / math.log2(at + 2) for at in found if at is not None) / ideal if ideal else 0.0


def scores(
    repos: Path, tasks: list[Task], flags: Mapping[str, object], mode: str = "hybrid"
) -> list[float]:
    by_repo: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        by_repo[task.repo].append(task)
    found: list[float] = []
    for name, listed in by_repo.items():
        with ragit.open(repos / name, flags=flags) as index:
            index.index()
            for task in listed:
                answer = index.search(task.query, scope="committed", mode=mode)
                found.append(
                    ndcg(task, ((hit.path, hit.start_line, hit.end_line) for hit in answer.hits))
                )
    return found


def report(repos: Path, tasks: list[Task]) -> None:
    usual = scores(repos, tasks, {})
    for key in ("category", "language"):
        groups: dict[str, list[float]] = defaultdict(list)
        for task, value in zip(tasks, usual, strict=True):
            groups[getattr(task, key)].append(value)
        for name, values in sorted(groups.items()):
            print(f"| {key} | {name} | {len(values)} | {mean(values):.3f} |")
    print(f"| all | | {len(usual)} | {mean(usual):.4f} |")
    for mode in ("keyword", "vector"):
        print(f"| arm alone | {mode} | {len(usual)} | {mean(scores(repos, tasks, {}, mode)):.4f} |")
    for signal in rank.SIGNAL_NAMES:
        without = mean(scores(repos, tasks, {"retrieval.signals": {signal: 0.0}}))
        print(f"| without | {signal} | {len(usual)} | {without - mean(usual):+.4f} |", flush=True)


class Facts(NamedTuple):
    """One query's candidates as numbers: a row per chunk, sorted by file."""

    repo: str
    rows: np.ndarray
    starts: np.ndarray
    relevant: np.ndarray
    hits: list[list[int]]
    ideal: float


def weights_of(shape: str) -> dict[str, float]:
    weights = {"vector": 0.6, "keyword": 0.4, **rank.shaped(rank.signal_weights({}), shape)}
    weights.pop(rank.REPEAT)
    return weights


def facts_of(index: Any, tasks: list[Task]) -> Iterable[Facts]:
    searcher, target = index._searcher, index._targets.of(None, "committed")
    with index._indexer.reading() as store:
        snapshot = index._indexer.trees.resolve(store, target.tree).snapshot
        for task in tasks:
            terms = rank.take_apart(task.query)
            vectors, _ = searcher._vectors(store, Query(task.query), "hybrid")
            gathered = gather(store, View(snapshot, None), terms, vectors, "bm25")
            ask = rank.Ask(terms, gathered.names, rank.held_in_code(gathered.files.values()))
            rows = store.chunks([chunk.chunk for chunk in gathered.chunks])
            yield _facts(task, ask, gathered, rows)


def _facts(task: Task, ask: Any, gathered: Any, rows: Any) -> Facts:
    weights = weights_of(ask.terms.shape)
    of_file = {
        place: [signal.of(file, ask) * weights[name] for name, signal in rank.FILE_SIGNALS.items()]
        for place, file in gathered.files.items()
    }
    numbers, hits = [], []
    chunks = sorted(gathered.chunks, key=lambda chunk: (chunk.place, chunk.chunk))
    for chunk in chunks:
        row = rows[chunk.chunk]
        names = rank.Names(row.kind, row.symbol, row.parent)
        own = [
            signal.of(chunk, names, ask) * weights[name]
            for name, signal in rank.CHUNK_SIGNALS.items()
        ]
        numbers.append([0.6 * chunk.cosine, 0.4 * chunk.share, *own, *of_file[chunk.place]])
        path = gathered.files[chunk.place].path
        hits.append(
            [i for i, t in enumerate(task.targets) if holds(t, path, row.start_line, row.end_line)]
        )
    starts = np.array(
        [i for i, c in enumerate(chunks) if i == 0 or chunks[i - 1].place != c.place], dtype=int
    )
    ideal = sum(1 / math.log2(i + 2) for i in range(min(K, len(task.targets))))
    width = 2 + len(rank.CHUNK_SIGNALS) + len(rank.FILE_SIGNALS)
    matrix = np.array(numbers, dtype=float).reshape(-1, width)
    return Facts(task.repo, matrix, starts, np.array([bool(hit) for hit in hits]), hits, ideal)


def by_file(facts: Facts, factors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each file's best score, and the row that has it."""
    total = facts.rows @ factors
    best = np.maximum.reduceat(total, facts.starts)
    lengths = np.diff(np.append(facts.starts, len(total)))
    is_best = np.flatnonzero(total >= np.repeat(best, lengths))
    owner = np.repeat(np.arange(len(best)), lengths)
    row = np.empty(len(best), dtype=int)
    row[owner[is_best][::-1]] = is_best[::-1]
    return best, row


def quality(facts: Facts, factors: np.ndarray) -> float:
    if not len(facts.rows) or not facts.ideal:
        return 0.0
    best, row = by_file(facts, factors)
    seen: set[int] = set()
    gain = 0.0
    for at, file in enumerate(np.argsort(-best, kind="stable")[:K]):
        new = set(facts.hits[row[file]]) - seen
        seen |= new
        gain += 1 / math.log2(at + 2) if new else 0.0
    return gain / facts.ideal


def fit(data: list[Facts]) -> np.ndarray:
    """Factors on the usual weights that make the relevant files likelier, by Adam (Kingma and Ba 2015)."""
    factors = np.ones(data[0].rows.shape[1])
    momentum, spread = np.zeros_like(factors), np.zeros_like(factors)
    usable = [facts for facts in data if facts.relevant.any()]
    for step in range(1, STEPS + 1):
        slope = (
            sum(_slope(facts, factors) for facts in usable) / len(usable)
            + PULL * (factors - 1) * 0.1
        )
        momentum = 0.9 * momentum + 0.1 * slope
        spread = 0.99 * spread + 0.01 * slope**2
        factors = factors - RATE * (momentum / (1 - 0.9**step)) / (
            np.sqrt(spread / (1 - 0.99**step)) + 1e-8
        )
    return factors


def _slope(facts: Facts, factors: np.ndarray) -> np.ndarray:
    best, row = by_file(facts, factors)
    likely = np.exp(TEMPERATURE * (best - best.max()))
    likely /= likely.sum()
    rows = facts.rows[row]
    relevant = np.flatnonzero(np.maximum.reduceat(facts.relevant.astype(int), facts.starts))
    return TEMPERATURE * (likely @ rows - rows[relevant].mean(axis=0))


def cross_validate(data: list[Facts]) -> None:
    usual = np.ones(data[0].rows.shape[1])
    print(f"usual weights, best chunk of each file: {mean(quality(f, usual) for f in data):.4f}")
    for seed in (1, 2, 3):
        repos = sorted({facts.repo for facts in data})
        random.Random(seed).shuffle(repos)
        inside: list[float] = []
        outside: list[float] = []
        for part in (set(repos[i::5]) for i in range(5)):
            factors = fit([facts for facts in data if facts.repo not in part])
            inside += [quality(facts, factors) for facts in data if facts.repo not in part]
            outside += [quality(facts, factors) for facts in data if facts.repo in part]
        print(
            f"split {seed}: fitted, repositories that took part {mean(inside):.4f}, left out {mean(outside):.4f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--specs", type=Path, required=True)
    parser.add_argument("--annotations", type=Path, required=True)
    parser.add_argument("--fit", action="store_true")
    args = parser.parse_args()
    specs = json.loads(args.specs.read_text())
    if not args.fit:
        report(args.repos, [task for spec in specs for task in tasks_of(spec, args.annotations)])
        return
    data: list[Facts] = []
    for spec in specs:
        with ragit.open(args.repos / spec["name"]) as index:
            index.index()
            data += facts_of(index, tasks_of(spec, args.annotations))
    cross_validate(data)


if __name__ == "__main__":
    main()
