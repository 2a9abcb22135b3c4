"""Find the files that a demotion kept out of an answer, for --explain."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ragit.rank import EXACT, Explains, Ranked
from ragit.search.filtered_tree import FilteredTree
from ragit.store import Store
from ragit.types import Demoted

SHOWN = 5
"""Number of files shown: more would be a second answer."""


def demoted(
    store: Store,
    tree: FilteredTree,
    scorer: Explains,
    ranked: Sequence[Ranked],
    shown: Collection[str],
    least: float,
) -> tuple[Demoted, ...]:
    """Return the files with no chunk in `shown` whose best chunk would score `least` without
    demotions.
    """
    seen: set[int] = set()
    found: list[tuple[float, Ranked, dict[str, float]]] = []
    for one in ranked:
        if one.facts.place in seen or tree.path(one.facts.place) in shown:
            continue
        seen.add(one.facts.place)
        parts = scorer.parts(one)
        lowering = {name: value for name, value in parts.items() if value < 0}
        otherwise = _without_demotions(parts)
        if lowering and otherwise >= least:
            found.append((otherwise, one, lowering))
    found.sort(key=lambda row: (-row[0], row[1].facts.place))
    rows = store.chunks(one.facts.chunk for _, one, _ in found[:SHOWN])
    return tuple(
        Demoted(
            tree.path(one.facts.place),
            row.start_line,
            row.end_line,
            row.symbol,
            one.score,
            otherwise,
            lowering,
        )
        for otherwise, one, lowering in found[:SHOWN]
        for row in [rows[one.facts.chunk]]
    )


def _without_demotions(parts: Mapping[str, float]) -> float:
    """Return the score that the parts would give without the negative ones."""
    exact = parts.get(EXACT, 0.0)
    others = [value for name, value in parts.items() if name != EXACT]
    raised = sum(value for value in others if value > 0)
    share = exact / (1 - max(0.0, sum(others)))
    return raised + share * (1 - raised)
