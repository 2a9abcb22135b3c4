"""Makes vectors of texts, with the model in the package or a server.

`load_embedder` imports only the named embedder, so that a query with the static model loads neither
numpy nor HTTP. To add a server, add a row to `remote.presets`. To add an embedder, add a module
with a function `load(options)` and a row to `EMBEDDERS`; another distribution can add one by an
entry point of the group `ragit.embedders` that names such a function.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from ragit.embed.options import EmbedderOptions
from ragit.errors import ConfigError, EmbedderUnavailable
from ragit.records import replaced
from ragit.types import Embedder

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

from ragit.embed.near import Nearby, name_nearness
from ragit.embed.paths import path_nearness
from ragit.embed.quantize import Quantized, quantize, quantize_query

ENTRY_POINTS = "ragit.embedders"

EMBEDDERS = {
    "static": "ragit.embed.static",  # word vectors trained on code, in the package; offline
}
"""Offline embedders of the package, each with the module whose `load` makes it."""

SERVED = "ragit.embed.served"
"""Module for servers, each of which is a row of `remote.presets`."""


def load_embedder(name: str = "static", options: EmbedderOptions | None = None) -> Embedder:
    """Return an embedder by name.

    Raises `ConfigError` for an unknown name or impossible options, `EmbedderUnavailable` if it or
    its model cannot be loaded.
    """
    return _loader(name)(replaced(options or EmbedderOptions(), provider=name))


def _loader(name: str) -> Callable[[EmbedderOptions], Embedder]:
    load: Callable[[EmbedderOptions], Embedder]
    if name in EMBEDDERS:
        load = import_module(EMBEDDERS[name]).load
        return load
    served = _served()
    if name in served:
        load = import_module(SERVED).load
        return load
    installed = _installed()
    if name not in installed:
        known = ", ".join(sorted({*EMBEDDERS, *served, *installed}))
        raise ConfigError(
            f"unknown embedder {name!r}", f"Embedders are: {known}; none for keywords only"
        )
    try:
        load = installed[name].load()
    except (ImportError, AttributeError) as error:
        hint = "Install the package that brings it again, or name another: embedding.provider"
        raise EmbedderUnavailable(f"the embedder {name} cannot be loaded: {error}", hint) from error
    return load


def _served() -> set[str]:
    from ragit.remote import PRESETS  # only for other names

    return {name for name, preset in PRESETS.items() if preset.embeddings}


def _installed() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # some 20 ms, only for other names

    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}
