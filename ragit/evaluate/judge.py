"""Run a golden set against an opened repository, and judge the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from ragit.errors import ConfigError
from ragit.evaluate import measures
from ragit.evaluate.golden import GoldenSet, Thresholds
from ragit.judgements import Arm, Evaluation, Expected, Figures, Judged, Question
from ragit.query import Query
from ragit.reports import IndexReport
from ragit.repository import Ragit
from ragit.types import Answer, Progress

_OFF = {
    "keywords": "retrieval.hybridSearch.enabled is false",
    "vectors": "embedding.provider is none",
}


def make_ready(index: Ragit, questions: Iterable[Question], ref: str | None) -> list[IndexReport]:
    """Index all trees of the questions first, so that it does not count in the times."""
    refs = list(dict.fromkeys(question.ref or ref for question in questions))
    named = [name for name in refs if name is not None]
    reports = [index.index(scope="worktree", describe=False)] if None in refs else []
    return [*reports, *([index.index(*named, describe=False)] if named else [])]


def ask_all(
    index: Ragit,
    questions: Sequence[Question],
    ref: str | None,
    *,
    mode: str = "hybrid",
    progress: Progress | None = None,
) -> tuple[Judged, ...]:
    """Ask every question once, in order."""
    judged = []
    for at, question in enumerate(questions, 1):
        answer = index.ask(
            Query(question.query, ref=question.ref or ref, mode=mode, top_k=measures.K)
        )
        judged.append(_judge(question, answer))
        if progress:
            progress(at, len(questions))
    return tuple(judged)


def _judge(question: Question, answer: Answer) -> Judged:
    hits = tuple(Expected(hit.path, hit.start_line, hit.end_line) for hit in answer.hits)
    ranks = tuple(measures.rank_of(expected, hits) for expected in question.expected)
    parts = {name for hit in answer.hits for name in ("keyword", "vector") if hit.signals.get(name)}
    parts.update(["reranker"] if answer.reranked_by else [])
    parts.update(["rewriter"] if answer.rewritten else [])
    return Judged(
        question,
        ranks,
        measures.figures(ranks, answer.took_ms),
        hits,
        answer.tree,
        answer.degraded,
        frozenset(parts),
        answer.ref,
    )


def evaluate(
    index: Ragit,
    golden: GoldenSet,
    ref: str | None = None,
    *,
    notes: Sequence[str] = (),
    arms: Callable[[Sequence[Judged]], tuple[Arm, ...]] | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Judge a set: figures, active arms, and missed thresholds.

    Raises the errors of a search: a failed search is no figure of 0.
    """
    reports = make_ready(index, golden.questions, ref)
    judged = ask_all(index, golden.questions, ref, progress=progress)
    overall = measures.mean([one.figures for one in judged])
    seen = arms(judged) if arms else seen_arms(index, judged)
    categories = measures.by_category((one.question.category, one.figures) for one in judged)
    return Evaluation(
        name=golden.name,
        searched=_searched(judged),
        overall=overall,
        categories=categories,
        judged=judged,
        arms=seen,
        failures=tuple(
            [*_failures(golden, overall, categories), *_unmeasured(golden, seen, judged)]
        ),
        notes=(*notes, *_indexed(reports), *_observed(index, judged, ref)),
    )


def off(index: Ragit) -> frozenset[str]:
    """Return the arms that the configuration disables."""
    found = set()
    if not index.config.retrieval.hybrid_search.enabled:
        found.add("keywords")
    if index.config.embedding.provider == "none":
        found.add("vectors")
    if found == set(_OFF):
        raise ConfigError(
            "both arms are off", "Set embedding.provider or retrieval.hybridSearch.enabled."
        )
    return frozenset(found)


def seen_arms(index: Ragit, judged: Sequence[Judged]) -> tuple[Arm, ...]:
    """Return each arm with its contribution; dead if it added to no hit of any answer."""
    absent = off(index)
    return tuple(
        _seen_arm(name, part, judged, absent)
        for name, part in (("keywords", "keyword"), ("vectors", "vector"))
    )


def _seen_arm(name: str, part: str, judged: Sequence[Judged], absent: frozenset[str]) -> Arm:
    if name in absent:
        return Arm(name, "off", _OFF[name])
    if any(part in one.parts for one in judged):
        return Arm(name, "contributes")
    reasons = "; ".join(dict.fromkeys(one.degraded for one in judged if one.degraded))
    return Arm(name, "dead", "added to no hit of any answer" + (f" ({reasons})" if reasons else ""))


def _searched(judged: Sequence[Judged]) -> str:
    names = list(dict.fromkeys(one.searched for one in judged))
    return names[0] if len(names) == 1 else f"{len(names)} revisions"


def _indexed(reports: Sequence[IndexReport]) -> list[str]:
    trees = sum(report.trees for report in reports)
    new = sum(report.indexed for report in reports)
    looked = "1 tree was" if trees == 1 else f"{trees} trees were"
    were = "1 file version was" if new == 1 else f"{new} file versions were"
    return [f"{looked} looked at, {were} new to the index"] if new else []


def _observed(index: Ragit, judged: Sequence[Judged], ref: str | None) -> list[str]:
    notes = [
        f"answers degraded, {count} of {len(judged)}: {reason}"
        for reason, count in Counter(one.degraded for one in judged if one.degraded).most_common()
    ]
    if len({one.tree for one in judged if one.question.ref is None}) > 1:
        notes.append("the tree changed while it was searched: the figures are of more than one")
    absent = _absent(index, judged, ref)
    if absent:
        notes.append(f"expected places in no searched file, {len(absent)}: {', '.join(absent[:5])}")
    return notes


def _absent(index: Ragit, judged: Sequence[Judged], ref: str | None) -> list[str]:
    """List expected paths that no ranking can find: missing, or not indexed."""
    paths: dict[str | None, frozenset[str]] = {}
    found: dict[str, None] = {}
    for one in judged:
        for expected, rank in zip(one.question.expected, one.ranks, strict=True):
            if rank is not None:
                continue
            at = one.question.ref or ref
            if at not in paths:
                paths[at] = index.searched_paths(at)
            if expected.path not in paths[at] and not any(
                measures.same_path(p, expected.path) for p in paths[at]
            ):
                found[expected.path] = None
    return list(found)


def _failures(golden: GoldenSet, overall: Figures, categories: Mapping[str, Figures]) -> list[str]:
    failures = _missed(golden.thresholds, overall, "")
    for category, limits in golden.by_category.items():
        failures += _missed(limits, categories[category], f" of {category}")
    return failures


def _unmeasured(golden: GoldenSet, arms: Sequence[Arm], judged: Sequence[Judged]) -> list[str]:
    """Return notes on arms without any contribution, if all answers give the reason."""
    if not (golden.thresholds or golden.by_category) or not all(one.degraded for one in judged):
        return []
    return [
        f"{arm.name} took part in no answer: {arm.why}"
        for arm in arms
        if (arm.name, arm.state) == ("vectors", "dead")
    ]


def _missed(limits: Thresholds, got: Figures, of: str) -> list[str]:
    failures = []
    for name, limit in limits.items():
        bound, _, measure = name.partition("_")
        value = getattr(got, measure)
        if value < limit if bound == "min" else value > limit:
            failures.append(
                f"{measure}{of} is {value:.4f}, {'below' if bound == 'min' else 'above'} {limit:g}"
            )
    return failures
