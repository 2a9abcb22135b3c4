"""The values of a run of indexing: the settings of a worker, and its results by blob."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ragit import chunk, postings
from ragit.config import Description, Embedding, ImageDescription
from ragit.git import ObjectsRecipe
from ragit.index.descriptions.settings import Fingerprints
from ragit.records import NamedTuple, Record
from ragit.store import NewChunking
from ragit.types import Oid

if TYPE_CHECKING:
    from ragit.chunk import Custom

Key = tuple[Oid, str, str]
"""Blob, language, fingerprint."""

TOO_LARGE = "too large"
"""The reason for a file above index.maxFileBytes (documents.maxFileBytes), which is not read."""

TOO_MANY = f"more than {postings.MAX_CHUNKS:,} chunks"
"""The reason for a file whose chunks cannot be numbered: settings make tiny chunks of a huge file.
"""


class RunMode(NamedTuple):
    """Mode of indexing missing blobs."""

    reuse: bool
    """True if the store may have vectors or descriptions to reuse; false in a first run."""
    describes: bool = False
    """True if models are asked for descriptions."""
    dry_run: bool = False
    """True if the cost is estimated: nothing is embedded and no model is asked."""
    anew: bool = False
    """True if a store is rebuilt: descriptions are reused, vectors are not."""
    deadline: float = math.inf
    """End of the run, by `time.monotonic`: files not done by then stay missing."""
    most: float = math.inf
    """Limit of processor time for one file, in seconds, in every try."""

    @property
    def quick(self) -> bool:
        """Return whether a search waits: slow files are left to the next `ragit index`."""
        return self.most < math.inf

    @property
    def is_over(self) -> bool:
        """Return whether the deadline has passed."""
        return time.monotonic() > self.deadline


class WorkerConfig(Record):
    """The configuration of a worker; it can be sent to another process."""

    objects: ObjectsRecipe
    options: chunk.ChunkOptions
    chunkers: Mapping[str, Custom]
    """Custom chunkers by the fingerprint in the keys of their files."""
    max_file_bytes: int
    max_document_bytes: int
    embedding: Embedding
    description: Description
    image_description: ImageDescription
    fingerprints: Fingerprints | None
    """Fingerprints of the embedder; None for words only."""
    store: Path
    mode: RunMode
    remote: bool
    """True if a server makes the vectors."""


class Cost(NamedTuple):
    """Cost of sending one text to a server."""

    tokens: int
    secrets: int = 0
    """Number of secrets that would be removed from it."""


class DryRunCosts(NamedTuple):
    """Cost of a batch: texts to embed and chunks to describe by hash, images by blob."""

    embedded: Mapping[bytes, Cost]
    chunks: Mapping[bytes, Cost]
    images: Mapping[bytes, Cost]


class BlobResult(Record):
    """The result for one blob."""

    key: Key
    new: NewChunking | None
    """Chunking to store; None if the repository lacks the blob, or it has to wait."""
    fresh: Mapping[bytes, int] | None = None
    """Number of words of each text that its batch embedded, by hash; None for words only."""
    waits: bool = False
    """An image without a description, or a blob that this run did not reach."""
    marks: tuple[bytes, ...] = ()
    """Vectors of the probe before these texts, and after them if they took several requests."""
    costs: DryRunCosts | None = None
    """Cost of its batch; only in a dry run."""
    seconds: float = 0.0
    """Processor time of reading it, in seconds."""
    timed_out: bool = False
    """True if its time ran out. It is tried again, and `new` has that reason only."""


def without_chunks(key: Key, reason: str) -> NewChunking:
    """Return the chunking of a blob without chunks, for a reason outside its content."""
    return NewChunking(*key, key[1], reason, 0, ("",) * len(postings.COLUMNS), b"", (), ())


def parser_failed(key: Key) -> BlobResult:
    """Return the result for a blob that crashes every worker: it is skipped from now on."""
    return BlobResult(key, without_chunks(key, "its parser failed"))
