"""Renders evaluations and comparisons, as text and JSON. Not loaded by a search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragit.judgements import Arm, Comparison, Evaluation, Expected, Figures, Judged, Moved
from ragit.render.machine import dumps
from ragit.render.screen import Paint, RenderOptions, cells, counted, plain, visible

_LISTED = 20
"""Limit of queries listed on a terminal; all with --full, and in JSON."""

_HEADS = ("queries", "NDCG@10", "MRR", "R@1", "R@5", "R@10", "p50 ms")


def evaluation_text(evaluation: Evaluation, options: RenderOptions) -> Iterator[str]:
    """Yield a table of figures by category, the queries without hits, and failures."""
    paint = Paint(options.color)
    yield f"{paint.name(visible(evaluation.name))}: {_scope_line(evaluation)}"
    yield ""
    yield from _table({**evaluation.categories, "all": evaluation.overall}, paint)
    yield ""
    yield from _arms(evaluation.arms, paint)
    if options.full:
        yield ""
        for one in evaluation.judged:
            yield from _judged(one, paint)
    else:
        yield from _not_found(evaluation.judged, paint)
    yield from _remarks(evaluation.notes, evaluation.failures, paint)


def _scope_line(evaluation: Evaluation) -> str:
    queries = counted(evaluation.overall.queries, "query", "queries")
    return f"{queries} asked of {visible(evaluation.searched)}"


def _table(rows: Mapping[str, Figures], paint: Paint) -> Iterator[str]:
    wide = max(8, *(cells(visible(name)) for name in rows))
    yield paint.faint(f"{'category':<{wide}}  " + "  ".join(f"{head:>7}" for head in _HEADS))
    if len(rows) == 2:  # one category: both rows would be equal
        rows = dict(list(rows.items())[1:])
    for name, row in rows.items():
        shares = "  ".join(f"{share:7.3f}" for share in _shares(row))
        gap = " " * (wide - cells(visible(name)))
        yield f"{paint.name(visible(name))}{gap}  {row.queries:7,}  {shares}  {row.p50_ms:7.1f}"


def _shares(row: Figures) -> tuple[float, ...]:
    return row.ndcg, row.mrr, row.recall_1, row.recall_5, row.recall_10


def _arms(arms: Sequence[Arm], paint: Paint) -> Iterator[str]:
    for arm in arms:
        state = (paint.bad if arm.state == "dead" else paint.faint)(arm.state)
        why = f": {visible(arm.why)}" if arm.why else ""
        alone = f", alone NDCG@10 {arm.alone:.3f}" if arm.alone is not None else ""
        yield f"{arm.name}  {state}{why}{alone}"


def _judged(one: Judged, paint: Paint) -> Iterator[str]:
    figure = (paint.good if one.figures.ndcg > 0.5 else paint.bad)(f"{one.figures.ndcg:.3f}")
    category = paint.faint(visible(one.question.category))
    yield f"{figure}  {paint.name(visible(one.question.query))}  {category}"
    for expected, rank in zip(one.question.expected, one.ranks, strict=True):
        found = f"at {rank}" if rank else "not found"
        yield f"       {found:>9}  {paint.path(visible(_place(expected)))}"
    if one.hits and one.ranks[0] != 1:
        yield f"       {'first is':>9}  {visible(_place(one.hits[0]))}"


def _not_found(judged: Sequence[Judged], paint: Paint) -> Iterator[str]:
    missed = [one for one in judged if not any(one.ranks)]
    if missed:
        yield ""
        yield f"{counted(len(missed), 'query', 'queries')} found nothing that was expected:"
    for one in missed[:_LISTED]:
        yield from _judged(one, paint)
    if len(missed) > _LISTED:
        yield paint.faint(f"and {len(missed) - _LISTED:,} more (--full shows every query)")


def _remarks(notes: Sequence[str], failures: Sequence[str], paint: Paint) -> Iterator[str]:
    if notes or failures:
        yield ""
    for note in notes:
        yield paint.faint(f"note: {visible(note)}")
    for failure in failures:
        yield paint.bad(f"failed: {visible(failure)}")


def _place(expected: Expected) -> str:
    if expected.start_line is None:
        return expected.path
    return f"{expected.path}:{expected.start_line}-{expected.end_line}"


def comparison_text(both: Comparison, options: RenderOptions) -> Iterator[str]:
    """Yield the different settings, both sets of figures, the significance of the difference, and
    the queries whose results changed.
    """
    paint = Paint(options.color)
    before, after = map(visible, both.names)
    yield f"{paint.name(visible(both.before.name))}: {_scope_line(both.before)}"
    yield ""
    for name, old, new in both.settings:
        yield f"{visible(name)}: {_value(old)} -> {_value(new)}"
    if not both.settings:
        yield paint.bad("both configurations are the same")
    yield ""
    yield from _table(
        {
            f"1 {before}": both.before.overall,
            f"2 {after}": both.after.overall,
            **_by_category(both),
        },
        paint,
    )
    yield ""
    yield f"NDCG@10 {both.difference:+.4f}, p = {both.p:.4f} ({both.test})"
    for number, side in (("1", both.before), ("2", both.after)):
        for line in _arms(side.arms, paint):
            yield f"{number} {line}"
    yield from _moved(both.moved, options.full, paint)
    yield from _remarks((*both.before.notes, *both.after.notes), both.failures, paint)


def _by_category(both: Comparison) -> dict[str, Figures]:
    if len(both.before.categories) < 2:
        return {}
    sides = (("1", both.before), ("2", both.after))
    return {
        f"{number} {name}": side.categories[name]
        for name in both.before.categories
        for number, side in sides
    }


def _moved(moved: Sequence[Moved], full: bool, paint: Paint) -> Iterator[str]:
    better = sum(one.after > one.before for one in moved)
    yield ""
    queries = counted(len(moved), "query", "queries")
    yield f"{queries} moved: {better} better, {len(moved) - better} worse"
    shown = moved if full else moved[:_LISTED]
    for one in shown:
        change = one.after - one.before
        figure = (paint.good if change > 0 else paint.bad)(f"{change:+.3f}")
        yield f"  {figure}  {one.before:.3f} -> {one.after:.3f}  {visible(one.question.query)}"
    if len(moved) > len(shown):
        yield paint.faint(f"  and {len(moved) - len(shown):,} more")


def _value(value: object) -> str:
    return visible(dumps(value, RenderOptions()))


def evaluation_json(evaluation: Evaluation, options: RenderOptions) -> Iterator[str]:
    """Yield one JSON object with every query."""
    yield dumps(_evaluation(evaluation), options)


def comparison_json(both: Comparison, options: RenderOptions) -> Iterator[str]:
    """Yield one JSON object with every query under both configurations."""
    yield dumps(
        {
            "names": [plain(name) for name in both.names],
            "settings": {name: [old, new] for name, old, new in both.settings},
            "before": _evaluation(both.before),
            "after": _evaluation(both.after),
            "difference": round(both.difference, 6),
            "p": round(both.p, 6),
            "test": both.test,
            "moved": [
                {
                    "query": plain(one.question.query),
                    "category": plain(one.question.category),
                    "before": round(one.before, 6),
                    "after": round(one.after, 6),
                }
                for one in both.moved
            ],
            "failures": [plain(failure) for failure in both.failures],
        },
        options,
    )


def _evaluation(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "set": plain(evaluation.name),
        "searched": plain(evaluation.searched),
        "overall": _figures(evaluation.overall),
        "categories": {plain(name): _figures(row) for name, row in evaluation.categories.items()},
        "arms": {
            arm.name: {
                "state": arm.state,
                "why": plain(arm.why) or None,
                "alone_ndcg": None if arm.alone is None else round(arm.alone, 6),
            }
            for arm in evaluation.arms
        },
        "queries": [_query(one) for one in evaluation.judged],
        "failures": [plain(failure) for failure in evaluation.failures],
        "notes": [plain(note) for note in evaluation.notes],
    }


def _figures(row: Figures) -> dict[str, Any]:
    names = ("ndcg", "mrr", "recall_1", "recall_5", "recall_10")
    shares = {name: round(share, 6) for name, share in zip(names, _shares(row), strict=True)}
    return {"queries": row.queries, **shares, "p50_ms": round(row.p50_ms, 3)}


def _query(one: Judged) -> dict[str, Any]:
    return {
        "query": plain(one.question.query),
        "category": plain(one.question.category),
        "ref": None if one.question.ref is None else plain(one.question.ref),
        "tree": one.tree,
        "ndcg": round(one.figures.ndcg, 6),
        "mrr": round(one.figures.mrr, 6),
        "took_ms": round(one.figures.p50_ms, 3),
        "degraded": plain(one.degraded) or None,
        "expected": [
            {"place": plain(_place(expected)), "rank": rank}
            for expected, rank in zip(one.question.expected, one.ranks, strict=True)
        ],
        "hits": [plain(_place(hit)) for hit in one.hits],
    }
