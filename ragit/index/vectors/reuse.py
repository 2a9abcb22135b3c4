"""Plan where the vectors of a batch come from: the store or the embedder.

Calls no embedder and writes nothing. Runs and dry runs share this plan: one embeds its texts, the
other counts them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragit.index.descriptions.settings import IMAGE, Fingerprints
from ragit.index.vectors.text import embedded_text
from ragit.records import NamedTuple
from ragit.store import ChunkRow, Store
from ragit.types import Chunk

Vector = tuple[bytes, bytes]
"""Sign bits and bytes of a vector."""

DescriptionsByHash = Mapping[bytes, str]
"""Descriptions of chunks by the hashes of their embedded texts."""


class Planned(NamedTuple):
    """The vectors of a batch, each text once, by the hash of the text without its description."""

    stored: Mapping[bytes, Vector]
    """Reused vectors."""
    texts: Mapping[bytes, str]
    """Texts to embed."""
    descriptions: DescriptionsByHash | None
    """Descriptions embedded with the texts; None if not configured."""

    def lacking(self, rows: Sequence[ChunkRow]) -> tuple[int, ...]:
        """Return the ordinals of the chunks whose vectors lack their descriptions."""
        descriptions = self.descriptions
        if descriptions is None:
            return ()
        return tuple(
            i for i, row in enumerate(rows) if row.hash not in descriptions and row.kind != IMAGE
        )


def planned(
    pieces: Mapping[bytes, Chunk],
    fingerprints: Fingerprints,
    store: Store | None,
    descriptions: DescriptionsByHash | None,
) -> Planned:
    """Return the plan for chunks by hash. Without a `store`, no vector is reused."""
    stored = _stored(pieces, fingerprints, store, descriptions) if store else {}
    texts = {key: embedded_text(piece) for key, piece in pieces.items() if key not in stored}
    if descriptions:
        from ragit.describe import with_description

        texts = {
            key: with_description(descriptions[key], text) if key in descriptions else text
            for key, text in texts.items()
        }
    return Planned(stored, texts, descriptions)


def _stored(
    pieces: Mapping[bytes, Chunk],
    fingerprints: Fingerprints,
    store: Store,
    descriptions: DescriptionsByHash | None,
) -> dict[bytes, Vector]:
    known = store.embedders()
    whole = (
        None
        if descriptions is None
        else {key for key, piece in pieces.items() if key in descriptions or piece.kind == IMAGE}
    )
    found = store.vectors_of(pieces, known.get(fingerprints.own), whole)
    # Without a description it is the vector of the code alone, under any describer.
    for other, describes in fingerprints.others(known):
        lacking = [key for key in pieces if key not in (whole or ()) and key not in found]
        found |= store.vectors_of(lacking, other, frozenset() if describes else None)
    return found
