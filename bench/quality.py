"""Measure the ranking on repositories with known answers, and the effect of each signal.

usage: python bench/quality.py --repos DIR --specs FILE --annotations DIR
       python bench/quality.py --all --sources DIR --work DIR [--only NAME,...] [--issues FILE]
                               [--repos DIR --specs FILE --annotations DIR]

FILE is a JSON list of {"name", "language"}. DIR/<name> is a repository, searched at HEAD. The
annotations of a repository are <name>.json, a list of {"query", "relevant", "secondary",
"category"}, whose targets are paths or {"path", "start_line", "end_line"}. The figure is NDCG@10
(Järvelin and Kekäläinen 2002, binary gains): a target is found by the first hit in its file that
overlaps its lines.

Prints the mean with the default weights, by category and language, and the change when each signal
is off.

--all prints one table of all sets: questions made from the repositories in
quality_repositories.json (see quality_sets.py), whose clones are SOURCES/<owner>+<name>; issues, a
JSON list of {"repo", "base_commit", "text", "gold"}, where `gold` gives by path the functions that
the fix changed as [name, first line, last line]; and the annotated repositories. Clones with their
indexes and questions are kept in WORK.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import ragit
from ragit import rank

K = 10


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


def report_all(args: argparse.Namespace) -> None:
    import quality_all

    args.work.mkdir(parents=True, exist_ok=True)
    only = frozenset(args.only.split(",")) if args.only else None
    outcomes: quality_all.Outcomes = {}
    for spec in json.loads(quality_all.REPOSITORIES.read_text()):
        if only is None or spec["name"] in only:
            outcomes |= quality_all.of_repository(args.sources, args.work, spec)
            print(f"measured {spec['name']}", file=sys.stderr, flush=True)
    if args.issues:
        instances = json.loads(args.issues.read_text())
        chosen = [one for one in instances if only is None or one["repo"] in only]
        outcomes |= quality_all.of_issues(args.sources, args.work, chosen)
    if args.repos:
        outcomes |= quality_all.of_benchmark(args.repos, args.specs, args.annotations)
    print("\n".join(quality_all.table(outcomes)))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", action="store_true", help="Print one table of all sets.")
    for name in ("--repos", "--specs", "--annotations", "--sources", "--work", "--issues"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--only", help="Names of the repositories to measure.")
    args = parser.parse_args()
    if args.all:
        report_all(args)
        return
    specs = json.loads(args.specs.read_text())
    report(args.repos, [task for spec in specs for task in tasks_of(spec, args.annotations)])


if __name__ == "__main__":
    main()
