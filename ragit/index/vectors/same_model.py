"""Whether a server still has the model that stored vectors were made by: a name does not say whose weights answer.

One fixed text, the probe, is sent along with the texts of each batch, and what was made of it first is kept with the
vectors, as their mark. It costs some fifty tokens, and a request behind several.
A model in a file names itself, by its content.
"""

from __future__ import annotations

import math
import time
from array import array
from collections.abc import Iterable
from contextlib import suppress
from operator import mul
from pathlib import Path
from typing import Protocol, runtime_checkable

from ragit.errors import EmbedderUnavailable
from ragit.index.descriptions.settings import Names
from ragit.index.vectors.embedder import served
from ragit.store import Store
from ragit.types import Embedder

PROBE = (
    "def close_idle(pool):  # schließt Verbindungen, закрывает соединения, 接続を閉じる\n"
    "    return [one.close() for one in pool if one.idle > 30]\n"
)
"""Code and words in several scripts: a model with another vocabulary reads some of it otherwise."""

LEAST = 0.9
"""Cosine of what one model makes of the probe at two times, at least: docs/providers.md has what was measured."""

RECENT = 3600
"""Seconds in which queries are not sent along with the probe again. It is several times as long as a question, and a
server without a graphics card takes several times as long for it: 260 ms instead of 60.
"""


@runtime_checkable
class Provable(Protocol):
    """An embedder that can send a document's text in the request of a query, so that the query's model is known."""

    def embed_query_beside(self, query: str, text: str) -> tuple[bytes, bytes]:
        """The vectors of both; that of the text is empty where a request cannot hold the two."""


def confirm(embedder: Embedder | None, marks: Iterable[bytes], seen: bytes) -> None:
    """Raise EmbedderUnavailable if the probe's vector now is not what it was by one of the stored marks.

    Empty marks, and vectors of zeros, of a server that minds the probe, say nothing.
    """
    for mark in marks:
        alike = cosine(mark, seen)
        if alike is not None and alike < LEAST:
            raise EmbedderUnavailable(
                f"{_who(embedder)} is not the model that made the stored vectors, though it has the same name: "
                f"one text has another vector now (cosine {alike:.2f})",
                "If it was changed, type: ragit index --rebuild; or give it a name of its own: embedding.model",
            )


def tables_of(store: Store, names: Names) -> list[int]:
    """The embedders whose vectors are of one model: its own first, and those that vectors may be taken over from."""
    known = store.embedders()
    own = [known[names.own]] if names.own in known else []
    return [*own, *(number for number, _ in names.others(known))]


def query_vector(embedder: Embedder, query: str, store: Store, number: int) -> bytes:
    """The vector of a query, of the model that made the stored vectors. Raises EmbedderUnavailable for another one.

    Nothing is confirmed where there is no mark, or where no request can hold a query and a document.
    """
    mark = store.mark(number)
    whole = served(embedder) if mark else None
    if not isinstance(whole, Provable) or _confirmed(store.path, embedder):
        return embedder.embed_query(query)
    vector, seen = whole.embed_query_beside(query, PROBE)
    if len(seen) == len(mark):  # other lengths are told by who compares dimensions
        confirm(embedder, [mark], seen)
        with suppress(OSError):  # where nothing can be written, each query confirms
            _note(store.path).write_text(embedder.fingerprint, encoding="utf-8")
    return vector


def doubt(path: Path) -> None:
    """Have the next query confirm the model, whenever the last one did; `path` is the store's."""
    with suppress(OSError):
        _note(path).unlink(missing_ok=True)


def _confirmed(path: Path, embedder: Embedder) -> bool:
    """Whether a query confirmed the model of this embedder not long ago."""
    note = _note(path)
    try:
        age = time.time() - note.stat().st_mtime
        return (
            0 <= age < RECENT
            and note.read_text(encoding="utf-8", errors="replace") == embedder.fingerprint
        )
    except OSError:
        return False


def _note(path: Path) -> Path:
    """The file that says, by its time, when a query confirmed which embedder last: a search writes no store."""
    return path.with_name(path.name + ".model")


def cosine(one: bytes, other: bytes) -> float | None:
    """Of two vectors of float32; None where one has no direction. Those of two lengths are no nearer than 0."""
    a, b = array("f", one), array("f", other)
    length = math.sqrt(sum(map(mul, a, a)) * sum(map(mul, b, b)))
    if not length:
        return None
    return sum(map(mul, a, b)) / length if len(a) == len(b) else 0.0


def _who(embedder: Embedder | None) -> str:
    server = served(embedder)
    if server is None:
        return f"the embedder {embedder.fingerprint if embedder else ''}"
    about = server.about()
    return f"model {about.model} at {about.address}"
