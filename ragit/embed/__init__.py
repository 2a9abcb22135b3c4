"""Texts to vectors. Owns models and HTTP to embedding servers; decides nothing about what is embedded or kept.

`load_embedder` is the door; everything behind it is imported when it is asked for, so that a query with the static
model pays for neither numpy nor HTTP. To add an embedder, add a module with a function `load(options)` and a row to
`EMBEDDERS`; another distribution can add one by an entry point of the group `ragit.embedders` that names such a
function.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from ragit.embed.options import EmbedderOptions
from ragit.errors import ConfigError
from ragit.types import Embedder

__all__ = ["EMBEDDERS", "EmbedderOptions", "EmbedderRow", "embedder_names", "load_embedder"]

ENTRY_POINTS = "ragit.embedders"


class EmbedderRow(NamedTuple):
    """One embedder that comes with ragit."""

    module: str
    """The module whose `load` makes it."""
    local: bool
    """True if it sends nothing anywhere, so that an untrusted configuration may choose it."""
    summary: str


EMBEDDERS = {
    "static": EmbedderRow("ragit.embed.static", True, "word vectors trained on code, in the package; offline"),
    "openai": EmbedderRow("ragit.embed.openai", False, "any server that speaks OpenAI's embeddings protocol"),
}


def load_embedder(name: str = "static", options: EmbedderOptions | None = None) -> Embedder:
    """The embedder of that name.

    Raises `ConfigError` for an unknown name or options it cannot honour, `EmbedderUnavailable` if its model cannot be
    read.
    """
    return _loader(name)(options or EmbedderOptions())


def embedder_names() -> list[str]:
    """All names that `load_embedder` knows, those of other distributions included."""
    return sorted({*EMBEDDERS, *_installed()})


def _loader(name: str) -> Callable[[EmbedderOptions], Embedder]:
    if name in EMBEDDERS:
        load: Callable[[EmbedderOptions], Embedder] = import_module(EMBEDDERS[name].module).load
        return load
    installed = _installed()
    if name not in installed:
        raise ConfigError(f"unknown embedder {name!r}", f"embedders are: {', '.join(sorted({*EMBEDDERS, *installed}))}")
    return installed[name]()


def _installed() -> dict[str, Callable[[], Callable[[EmbedderOptions], Embedder]]]:
    from importlib.metadata import entry_points  # some 20 ms: only for a name that is not ours

    return {point.name: point.load for point in entry_points(group=ENTRY_POINTS)}
