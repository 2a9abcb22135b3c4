"""Count the requests to models in a run or a dry run, and their cost by the configured prices."""

from __future__ import annotations

from collections.abc import Mapping

from ragit.config import Config
from ragit.records import replaced
from ragit.reports import Described, Sent
from ragit.store import OF_CHUNK, OF_IMAGE


class Spent:
    """Requests to one model, made or estimated."""

    def __init__(self) -> None:
        self.subjects = 0
        self.failed = 0
        self.why = ""
        self.tokens_in = 0
        self.tokens_out = 0
        self.secrets = 0


def of_descriptions(config: Config, spent: Mapping[str, Spent]) -> Described:
    """Return the requests to describing models, with their cost."""
    models = {OF_CHUNK: config.description.model, OF_IMAGE: config.image_description.model}
    prices = dict(config.pricing)
    did = {models[kind]: one for kind, one in spent.items() if one.subjects}
    costs = [_cost(prices.get(models[kind].lower()), one) for kind, one in spent.items()]
    empty = Spent()
    chunks, images = spent.get(OF_CHUNK, empty), spent.get(OF_IMAGE, empty)
    return Described(
        chunks=chunks.subjects,
        images=images.subjects,
        failed=chunks.failed + images.failed,
        why=chunks.why or images.why,
        tokens_in=chunks.tokens_in + images.tokens_in,
        tokens_out=chunks.tokens_out + images.tokens_out,
        secrets=chunks.secrets,
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        unpriced=tuple(sorted(model for model in did if model.lower() not in prices)),
    )


def of_vectors(config: Config, sent: Sent | None) -> Sent | None:
    """Return the texts sent to a server, with their cost; None if nothing was sent."""
    if sent is None or not sent.tokens + sent.secrets + sent.shortened + sent.refused:
        return None
    prices = dict(config.pricing).get(sent.model.lower())
    return replaced(
        sent, cost=sent.tokens * prices[0] / 1_000_000 if prices and sent.tokens else None
    )


def _cost(prices: tuple[float, ...] | None, spent: Spent) -> float | None:
    if not spent.subjects:
        return 0.0
    if prices is None or not spent.tokens_in + spent.tokens_out:
        return None
    return (spent.tokens_in * prices[0] + spent.tokens_out * prices[-1]) / 1_000_000
