"""Which descriptions the settings ask for. Light: a search needs the names under which they are kept, and no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ragit.config import Config, Description, ImageDescription
from ragit.types import Embedder

if TYPE_CHECKING:
    from ragit.describe.task import DescriptionTask

IMAGE = "image"
"""The language of images, and the reason that is counted where they are not wanted."""

NOT_DESCRIBED = "image not described yet"
"""The reason for an image that only `ragit index` can make searchable, since a model has to be asked."""


def chunk_task(settings: Description) -> DescriptionTask | None:
    """Who is asked about chunks, and what; None if nobody is."""
    if not settings.enabled:
        return None
    from ragit.describe.task import CHUNK_PROMPT, DescriptionTask

    prompt = settings.prompt or CHUNK_PROMPT
    return DescriptionTask(
        settings.base_url, settings.model, prompt, settings.max_tokens, settings.max_content_chars
    )


def image_task(settings: ImageDescription) -> DescriptionTask | None:
    """Who is asked about images, and what; None if nobody is."""
    if not settings.enabled:
        return None
    from ragit.describe.task import IMAGE_PROMPT, DescriptionTask

    prompt = settings.prompt or IMAGE_PROMPT
    return DescriptionTask(
        settings.base_url, settings.model, prompt, settings.max_tokens, settings.max_dimension
    )


def wanted(config: Config, embedder: Embedder | None) -> bool:
    """True if the settings want descriptions of anything: of chunks they are only for vectors."""
    chunks = embedder is not None and config.description.enabled
    return chunks or config.image_description.enabled


_AFTER = " after "


class Names(NamedTuple):
    """The names of an embedder: what its vectors are kept under."""

    own: str
    """With who describes what it is given."""
    alone: str
    """Without."""

    def others(self, known: Mapping[str, int]) -> list[tuple[int, bool]]:
        """Where else vectors may be that the same embedder made of code alone: numbers of `known` embedders, and
        whether they have others, too.
        """
        rest = [(name, number) for name, number in known.items() if name != self.own]
        described = [
            (number, True) for name, number in rest if name.startswith(self.alone + _AFTER)
        ]
        return [*((number, False) for name, number in rest if name == self.alone), *described]


def names_of(embedder: Embedder) -> Names:
    """What an embedder's vectors are kept under."""
    bare = embedder.embedder if isinstance(embedder, DescribedEmbedder) else embedder
    return Names(embedder.fingerprint, bare.fingerprint)


class DescribedEmbedder:
    """An embedder whose texts are given to it with descriptions: another name for other vectors, and nothing else."""

    def __init__(self, embedder: Embedder, task: DescriptionTask) -> None:
        self.embedder = embedder
        self.fingerprint = f"{embedder.fingerprint}{_AFTER}{task.fingerprint}"

    @property
    def dimensions(self) -> int:
        """As the embedder's."""
        return self.embedder.dimensions

    @property
    def local(self) -> bool:
        """As the embedder's: descriptions are asked for elsewhere."""
        return self.embedder.local

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """As the embedder does."""
        return self.embedder.embed(texts)

    def embed_query(self, text: str) -> bytes:
        """As the embedder does: a query needs no description."""
        return self.embedder.embed_query(text)

    def knows(self, text: str) -> bool:
        """As the embedder does."""
        return self.embedder.knows(text)
