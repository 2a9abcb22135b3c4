"""What a demotion kept out of an answer: looked for only when someone asks why."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ragit.rank import Explains, Ranked
from ragit.search.view import View
from ragit.store import Store
from ragit.types import Demoted, path_text

SHOWN = 5
"""More would be a second answer."""


def demoted(
    store: Store,
    view: View,
    scorer: Explains,
    ranked: Sequence[Ranked],
    shown: Collection[str],
    least: float,
) -> tuple[Demoted, ...]:
    """The files of which nothing is `shown`, and whose best chunk would score `least` if nothing lowered it."""
    seen: set[int] = set()
    found: list[tuple[float, Ranked, dict[str, float]]] = []
    for one in ranked:
        if one.facts.place in seen or _path(view, one) in shown:
            continue
        seen.add(one.facts.place)
        parts = scorer.parts(one)
        lowering = {name: value for name, value in parts.items() if value < 0}
        otherwise = sum(value for value in parts.values() if value > 0)
        if lowering and otherwise >= least:
            found.append((otherwise, one, lowering))
    found.sort(key=lambda row: (-row[0], row[1].facts.place))
    rows = store.chunks(one.facts.chunk for _, one, _ in found[:SHOWN])
    return tuple(
        Demoted(
            _path(view, one),
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


def _path(view: View, ranked: Ranked) -> str:
    return path_text(view.snapshot.paths[ranked.facts.place])
