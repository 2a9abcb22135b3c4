"""Turn images into chunkings: one chunk each, whose text is a model's description."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ragit.config import Config, ImageDescription
from ragit.describe import DescriptionRequest, estimate, image
from ragit.errors import NotDescribed, RemoteFailed
from ragit.git import Objects
from ragit.index.descriptions.requests import Asker, Keep
from ragit.index.descriptions.settings import IMAGE, image_task
from ragit.records import NamedTuple
from ragit.store import OF_IMAGE, Store
from ragit.types import Chunk, Chunking, Oid


class Waiting(NamedTuple):
    """An image without a description."""

    tokens: int
    """Estimate of the tokens that a model would read."""


Outcome = Chunking | Waiting | None
"""The result for an image; None for a blob that the repository lacks."""


class Images:
    """Makes chunkings of images with one asker."""

    def __init__(self, objects: Objects, settings: ImageDescription, asker: Asker) -> None:
        self._objects = objects
        self._asker = asker
        self._task = image_task(settings)
        self._limits = image.Limits(
            settings.max_image_bytes, settings.max_pixels, settings.max_dimension
        )

    def chunkings(self, oids: Sequence[Oid]) -> dict[Oid, Outcome]:
        """Return a chunking of each image that can be described, and `Waiting` for the others."""
        wanted = dict.fromkeys(oids)
        described = self._asker.stored(OF_IMAGE, map(bytes.fromhex, wanted))
        outcome: dict[Oid, Outcome] = {
            Oid(key.hex()): chunking_of(text) for key, text in described.items()
        }
        seen = {oid: self._look(oid) for oid in wanted if oid not in outcome}
        outcome |= {oid: one for oid, one in seen.items() if not isinstance(one, bytes)}
        images = {oid: one for oid, one in seen.items() if isinstance(one, bytes)}
        outcome |= {oid: self._waiting(data) for oid, data in images.items()}
        if images and self._asker.asks:
            outcome |= self._describe(images)
        return outcome

    def _look(self, oid: Oid) -> Chunking | bytes | None:
        """Return the bytes of an image that may be sent, or a chunking with the reason
        against it.
        """
        header = self._objects.header(oid)
        if header is None:
            return None
        if header[1] > self._limits.bytes:
            return Chunking(IMAGE, (), image.TOO_LARGE)
        data = self._objects.read(oid)
        if data is None:
            return None
        try:
            image.facts(data, self._limits)
        except image.Unfit as error:
            return Chunking(IMAGE, (), str(error))
        return data

    def _waiting(self, data: bytes) -> Waiting:
        found = image.facts(data, self._limits)
        side = self._limits.side
        size = estimate.fitted(found.width, found.height, side)
        prompt = estimate.text_tokens(len(self._task.prompt)) if self._task else 0
        return Waiting(estimate.image_tokens(*size) + prompt + estimate.FRAME_TOKENS)

    def _describe(self, images: dict[Oid, bytes]) -> dict[Oid, Outcome]:
        """Describe images, and return chunkings of those that were described or are damaged."""
        outcome: dict[Oid, Outcome] = {}
        for _ in self._asker.ask(OF_IMAGE, self._subjects(images.items(), outcome)):
            pass
        described = self._asker.stored(OF_IMAGE, map(bytes.fromhex, images))
        return outcome | {Oid(key.hex()): chunking_of(text) for key, text in described.items()}

    def _subjects(
        self, images: Iterable[tuple[Oid, bytes]], outcome: dict[Oid, Outcome]
    ) -> Iterator[DescriptionRequest]:
        assert self._task is not None
        for oid, data in images:
            try:
                shown = image.picture(data, self._limits)
            except image.Unfit as error:
                outcome[oid] = Chunking(IMAGE, (), str(error))
            except image.NeedsPillow as error:
                self._asker.left_out(OF_IMAGE, str(error))
            else:
                yield image.description_request(bytes.fromhex(oid), shown, self._task.prompt)


def only(oid: Oid, objects: Objects, config: Config, store: Store, keep: Keep) -> str:
    """Return the description of one image, from a model if none is stored.

    Raises NotDescribed and RemoteFailed.
    """
    asker = Asker(config.description, config.image_description, store, keep)
    outcome = Images(objects, config.image_description, asker).chunkings([oid])[oid]
    if outcome is None:
        raise NotDescribed(
            "this clone does not have the image", "Type: ragit index --fetch-missing"
        )
    if isinstance(outcome, Waiting):
        raise RemoteFailed(
            asker.spent[OF_IMAGE].why, "`ragit config` shows the settings under imageDescription"
        )
    if not outcome.chunks:
        hint = "`ragit config` shows the bounds under imageDescription"
        raise NotDescribed(f"it cannot be described: {outcome.skipped}", hint)
    return outcome.chunks[0].text


def chunking_of(text: str) -> Chunking:
    """Return an image's description as one chunk, lines 1-1."""
    data = text.encode()
    return Chunking(IMAGE, (Chunk(1, 1, 0, len(data), text, kind=IMAGE),), derived=data)
