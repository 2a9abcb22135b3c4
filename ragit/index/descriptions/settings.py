"""Read from the settings which descriptions are configured.

A search imports this file for the names under which they are stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ragit.records import NamedTuple

if TYPE_CHECKING:
    from ragit.config import Config, Description, ImageDescription
    from ragit.describe import DescriptionTask
    from ragit.types import Embedder

IMAGE = "image"
"""The language of images, and the reason for skipping them if descriptions are not configured."""

NOT_DESCRIBED = "image not described yet"
"""The reason for an image that only `ragit index` can make searchable, by asking a model."""


def chunk_task(settings: Description) -> DescriptionTask | None:
    """Return the model and prompt for chunks; None if not configured."""
    if not settings.enabled:
        return None
    from ragit.describe import CHUNK_PROMPT, DescriptionTask

    prompt = settings.prompt or CHUNK_PROMPT
    return DescriptionTask(
        settings.base_url, settings.model, prompt, settings.max_tokens, settings.max_content_chars
    )


def image_task(settings: ImageDescription) -> DescriptionTask | None:
    """Return the model and prompt for images; None if not configured."""
    if not settings.enabled:
        return None
    from ragit.describe import IMAGE_PROMPT, DescriptionTask

    prompt = settings.prompt or IMAGE_PROMPT
    return DescriptionTask(
        settings.base_url, settings.model, prompt, settings.max_tokens, settings.max_dimension
    )


def wanted(config: Config, embedder: Embedder | None) -> bool:
    """Return whether the settings ask for descriptions; those of chunks only affect vectors."""
    chunks = embedder is not None and config.description.enabled
    return chunks or config.image_description.enabled


_AFTER = " after "


class Fingerprints(NamedTuple):
    """The fingerprints under which an embedder's vectors are stored."""

    own: str
    """Fingerprint of the embedder with the describer of its texts."""
    alone: str
    """Fingerprint of the embedder alone."""

    def others(self, known: Mapping[str, int]) -> list[tuple[int, bool]]:
        """Return other stored embedders with vectors that the same embedder made of code alone.

        Each is the number of a `known` embedder, and whether it also has vectors with descriptions.
        """
        rest = [(name, number) for name, number in known.items() if name != self.own]
        described = [
            (number, True) for name, number in rest if name.startswith(self.alone + _AFTER)
        ]
        return [*((number, False) for name, number in rest if name == self.alone), *described]


def fingerprints_of(embedder: Embedder) -> Fingerprints:
    """Return the fingerprints under which an embedder's vectors are stored."""
    bare = embedder.embedder if isinstance(embedder, DescribedEmbedder) else embedder
    return Fingerprints(embedder.fingerprint, bare.fingerprint)


class DescribedEmbedder:
    """An embedder under the name for vectors of described texts.

    The caller adds the descriptions.
    """

    def __init__(self, embedder: Embedder, task: DescriptionTask) -> None:
        self.embedder = embedder
        self.fingerprint = f"{embedder.fingerprint}{_AFTER}{task.fingerprint}"

    @property
    def dimensions(self) -> int:
        """See Embedder."""
        return self.embedder.dimensions

    @property
    def local(self) -> bool:
        """See Embedder."""
        return self.embedder.local

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """See Embedder."""
        return self.embedder.embed(texts)

    def embed_query(self, text: str) -> bytes:
        """See Embedder. A query needs no description."""
        return self.embedder.embed_query(text)

    def knows(self, text: str) -> bool:
        """See Embedder."""
        return self.embedder.knows(text)
