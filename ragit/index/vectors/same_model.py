"""Detect that a server changed the model behind a name.

A fixed text, the probe, is embedded with each batch. Its first vector is stored as the mark of the
vectors; a later one that differs shows another model. It costs some fifty tokens, and one more
request after several. A model in a file needs no probe: its fingerprint is a hash of its content.
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
from ragit.index.descriptions.settings import Fingerprints
from ragit.index.vectors.embedder import served
from ragit.store import Store
from ragit.types import Embedder

PROBE = (
    "def close_idle(pool):  # schließt Verbindungen, закрывает соединения, 接続を閉じる\n"
    "    return [one.close() for one in pool if one.idle > 30]\n"
)
"""Code and words in several scripts: a model with another vocabulary reads some of it
differently.
"""

LEAST = 0.9
"""Least cosine of one model's vectors of the probe at two times: docs/providers.md has
measurements.
"""

RECENT = 3600
"""Seconds in which queries are not sent with the probe again. It is several times as long as a
question, and a server without a graphics card takes accordingly longer: 260 ms instead of 60.
"""


@runtime_checkable
class Provable(Protocol):
    """An embedder that can embed a document with a query, to recognize the model."""

    def embed_query_beside(self, query: str, text: str) -> tuple[bytes, bytes]:
        """Return the vectors of both; the text's is empty if one request cannot contain both."""


def confirm(embedder: Embedder | None, marks: Iterable[bytes], seen: bytes) -> None:
    """Raise EmbedderUnavailable if the probe's vector differs from a stored mark.

    Empty marks, and zero vectors of a server that rejects the probe, are ignored.
    """
    for mark in marks:
        alike = cosine(mark, seen)
        if alike is not None and alike < LEAST:
            raise EmbedderUnavailable(
                f"{_who(embedder)} is not the model that made the stored vectors, though it has "
                f"the same name: one text has another vector now (cosine {alike:.2f})",
                "If it was changed, type: ragit index --rebuild; or give it a name of its own: "
                "embedding.model",
            )


def tables_of(store: Store, fingerprints: Fingerprints) -> list[int]:
    """Return the stored embedders of one model: its own, then those with reusable vectors."""
    known = store.embedders()
    own = [known[fingerprints.own]] if fingerprints.own in known else []
    return [*own, *(number for number, _ in fingerprints.others(known))]


def query_vector(embedder: Embedder, query: str, store: Store, number: int) -> bytes:
    """Return the vector of a query. Raises EmbedderUnavailable if another model made the stored
    vectors.

    Nothing is checked without a mark, or if no request can contain a query and a document.
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
    """Make the next query confirm the model again; `path` is the store's."""
    with suppress(OSError):
        _note(path).unlink(missing_ok=True)


def _confirmed(path: Path, embedder: Embedder) -> bool:
    """Return whether a query confirmed the model of this embedder recently."""
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
    """Return the file whose time is that of a query's last confirmation of an embedder.

    A search writes no store.
    """
    return path.with_name(path.name + ".model")


def cosine(one: bytes, other: bytes) -> float | None:
    """Return the cosine of two float32 vectors; None if one is zero, 0 if lengths differ."""
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
