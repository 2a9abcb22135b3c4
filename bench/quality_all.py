"""Measure all sets of questions, by role of the repositories: the table of `quality.py --all`.

Weights are fitted on the repositories of `fit`, changes are accepted by those of `choose`, and
those of `report` give the final figures.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

sys.path.append(str(Path(__file__).parent))
import quality_measures as measures
import quality_sets
from quality_measures import Hit, Outcome
from quality_sets import Place, Question

import ragit

REPOSITORIES = Path(__file__).with_name("quality_repositories.json")
ROLES = ("fit", "choose", "report")
TOP_K = 20
ISSUE_HITS = 60
ISSUE_ROLES = {"sympy/sympy": "report", "astropy/astropy": "report", "pydata/xarray": "choose"}
ISSUE_ROLES |= {"sphinx-doc/sphinx": "choose"}


class Measure(NamedTuple):
    """A row of the table."""

    of: str
    """Name of the set."""
    name: str
    value: Callable[[Outcome], float]


MEASURES = (
    Measure("benchmark", "NDCG@10", measures.ndcg),
    *(
        Measure(f"benchmark, {category}", "NDCG@10", measures.ndcg)
        for category in ("architecture", "semantic", "symbol")
    ),
    Measure("history", "NDCG@10", measures.ndcg),
    Measure("docs", "MRR", measures.reciprocal),
    Measure("paraphrases", "MRR", measures.reciprocal),
    Measure("short", "NDCG@10", measures.ndcg),
    Measure("identifiers", "first hit", measures.first),
    Measure("identifiers, its line", "first hit", measures.first),
    Measure("messages", "first hit", measures.first),
    Measure("messages, its line", "first hit", measures.first),
    *(Measure("issues", f"files @{k}", measures.all_files(k)) for k in (1, 3, 5, 10)),
    *(Measure("issue functions", f"@{k}", measures.all_hits(k)) for k in (1, 5, 10)),
)


class Key(NamedTuple):
    """The key of one repository's outcomes: the set of queries, its role and the repository."""

    of: str
    role: str
    repository: str


Outcomes = dict[Key, list[Outcome]]


def cloned(source: Path, name: str, work: Path) -> Path:
    """Return a bare clone of a repository, made once, with its index."""
    flat = name.replace("/", "+")
    target = work / flat
    if not target.is_dir():
        places = (source / flat / "repo", source / flat, source / name)
        found = next(place for place in places if place.is_dir())
        command = ["git", "clone", "-q", "--bare", "--shared", str(found), str(target)]
        subprocess.run(command, check=True)
    return target


def questions_of(
    index: ragit.Ragit, where: Path, revision: str
) -> Mapping[str, Sequence[Question]]:
    """Return the sets of a repository, made once and kept beside the clone."""
    kept = where.with_name(f"{where.name}.questions.json")
    if not kept.exists():
        made = quality_sets.sets_of(index, where, revision)
        kept.write_text(json.dumps({"revision": revision, "sets": made}, indent=1))
    known = json.loads(kept.read_text())
    if known["revision"] != revision:
        raise SystemExit(f"{kept} is of {known['revision']}; delete it")
    return {
        name: [
            Question(query, at, tuple(Place(*place) for place in places))
            for query, at, places in listed
        ]
        for name, listed in known["sets"].items()
    }


def asked(index: ragit.Ragit, query: str, revision: str, top_k: int) -> list[ragit.Hit]:
    """Return the hits for a query; none for an invalid one."""
    return list(index.search(query, ref=revision, top_k=top_k).hits)


def places_of(hits: Iterable[ragit.Hit]) -> list[Hit]:
    return [(hit.path, hit.start_line, hit.end_line) for hit in hits]


def outcome_of(question: Question, hits: Sequence[Hit]) -> Outcome:
    """Return the ranks of a question's places."""
    return Outcome(tuple(measures.rank_of(place.is_in, hits) for place in question.places))


def of_repository(source: Path, work: Path, spec: Mapping[str, str]) -> Outcomes:
    """Return the outcomes of the sets made from a repository."""
    where = cloned(source, spec["name"], work)
    found: Outcomes = defaultdict(list)
    with ragit.open(where) as index:
        for name, questions in questions_of(index, where, spec["revision"]).items():
            key = Key(name, spec["role"], spec["name"])
            for question in questions:
                hits = asked(index, question.query, question.revision, TOP_K)
                found[key].append(outcome_of(question, places_of(hits)))
                if name in ("identifiers", "messages"):
                    lines = [(hit.path, hit.line, hit.line) for hit in hits]
                    found[key._replace(of=f"{name}, its line")].append(outcome_of(question, lines))
    return found


def of_issues(source: Path, work: Path, instances: Iterable[Mapping[str, Any]]) -> Outcomes:
    """Return the outcomes of issues: a text, a commit, and the files and functions of the fix."""
    found: Outcomes = defaultdict(list)
    for one in instances:
        key = Key("issues", ISSUE_ROLES.get(one["repo"], "fit"), one["repo"])
        gold: Mapping[str, Sequence[tuple[str, int, int]]] = one["gold"]
        with ragit.open(cloned(source, one["repo"], work)) as index:
            hits = places_of(asked(index, one["text"], one["base_commit"], ISSUE_HITS))
        found[key].append(Outcome((), measures.file_ranks(list(gold), hits)))
        functions = [Place(path, a, b) for path, spans in gold.items() for _, a, b in spans]
        if functions:
            question = Question(one["text"], one["base_commit"], tuple(functions))
            found[key._replace(of="issue functions")].append(outcome_of(question, hits))
    return found


def of_benchmark(repos: Path, specs: Path, annotations: Path) -> Outcomes:
    """Return the outcomes of annotated repositories, on which the weights were set."""
    from quality import holds, tasks_of

    found: Outcomes = defaultdict(list)
    for spec in json.loads(specs.read_text()):
        with ragit.open(repos / spec["name"]) as index:
            for task in tasks_of(spec, annotations):
                hits = places_of(index.search(task.query, scope="committed").hits)
                ranks = (measures.rank_of(partial(holds, at), hits) for at in task.targets)
                one = Outcome(tuple(ranks))
                for name in ("benchmark", f"benchmark, {task.category}"):
                    found[Key(name, "fit", spec["name"])].append(one)
    return found


def table(outcomes: Outcomes) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| set | measure | " + " | ".join(ROLES) + " | 95 % interval of the last |"
    yield "|---" * (len(ROLES) + 3) + "|"
    for measure in MEASURES:
        cells, last = [], ""
        for role in ROLES:
            groups = [
                [measure.value(one) for one in listed]
                for key, listed in sorted(outcomes.items())
                if (key.of, key.role) == (measure.of, role) and listed
            ]
            values = [value for group in groups for value in group]
            cells.append(f"{mean(values):.3f} ({len(values)})" if values else "")
            if groups:
                low, high = measures.interval(groups)
                last = f"{low:.3f} to {high:.3f}"
        if any(cells):
            yield f"| {measure.of} | {measure.name} | {' | '.join(cells)} | {last} |"
