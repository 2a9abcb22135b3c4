"""Reduce the uses of a name to its callers. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ragit.usages.records import Use

_ELSEWHERE = frozenset(("outside", "local"))


def callers(uses: Iterable[Use]) -> list[Use]:
    """Return the first call in each definition that calls the name."""
    found: dict[tuple[str, str], Use] = {}
    for use in uses:
        if use.kind == "call" and use.certainty not in _ELSEWHERE:
            known = found.get((use.path, use.symbol))
            if known is None:
                found[use.path, use.symbol] = use
    return list(found.values())
