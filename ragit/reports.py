"""What commands other than search report: plain values, made by the room that knows and shown by `render`.

Standard library only, no IO. Apart from `types`, since a search needs none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol, runtime_checkable

from ragit.records import Record
from ragit.types import Oid, WithoutVectors


class Described(Record):
    """What language models were asked for in a run of indexing, and said; or, for a dry run, what would be asked."""

    chunks: int
    """Chunks described, or to be described."""
    images: int
    failed: int
    """Chunks that are embedded by their code alone for now, and images that are not indexed: asked for again next
    time."""
    why: str
    """Why one of those failed, in a sentence; empty if none did."""
    tokens_in: int
    """As servers counted them, as far as they do; for a dry run by estimate."""
    tokens_out: int
    cost: float | None
    """By the settings under `pricing`; None where a model that was asked has no price there, or its server counts no
    tokens."""
    unpriced: tuple[str, ...] = ()
    """The models that have no price."""
    secrets: int = 0
    """Taken out of texts before they were sent."""


class ImageDescribed(Record):
    """An image of a tree, and what is stored about it."""

    path: str
    ref: str
    blob: Oid
    describer: str
    """Who describes images, by server, model and prompt."""
    text: str
    """The description; empty if there is none yet."""


class ChunkDescribed(NamedTuple):
    """A chunk, and what is stored about it."""

    start_line: int
    end_line: int
    kind: str
    symbol: str
    parent: str
    text: str
    """The description; empty if there is none yet."""


class FileDescribed(Record):
    """A file of a tree that is no image, and what is stored about its chunks."""

    path: str
    ref: str
    blob: Oid
    describer: str
    """Who describes chunks, by server, model and prompt."""
    chunks: tuple[ChunkDescribed, ...]

    @property
    def text(self) -> str:
        """Their descriptions; empty if one is lacking."""
        return (
            "\n".join(one.text for one in self.chunks)
            if all(one.text for one in self.chunks)
            else ""
        )


class Sent(Record):
    """What a server was sent that makes vectors, or, by estimate, would be."""

    model: str
    tokens: int
    """As the server counts them."""
    secrets: int
    """Taken out of the texts before they were sent."""
    shortened: int = 0
    """Texts that were too long, of which the beginning was sent."""
    refused: int = 0
    """Texts that the server would not take: they have no vector, and are found by their words."""
    most_texts: int = 0
    """Texts that the server takes in a request, where it refused more; 0 if it refused none."""
    cost: float | None = None
    """By the settings' prices; None if they have none for this model."""


class Reached(Record):
    """How a server is reached."""

    provider: str
    address: str
    model: str
    key: str
    """Where its key is looked for, and whether there is one. Never the key."""
    in_clear: bool
    """The key travels unencrypted to another machine."""


@runtime_checkable
class Served(Protocol):
    """What an embedder also is that asks a server: it says how that is reached, and what it was sent. One that is not
    is taken to send nothing.
    """

    @property
    def sent(self) -> Sent:
        """All that was sent so far, queries included."""

    def about(self) -> Reached:
        """Provider, address and model, and whether there is a key."""


class EmbedderTried(Record):
    """What came of trying the configured embedder once."""

    provider: str
    address: str
    """Where it was asked; empty for one that is part of ragit."""
    model: str
    key: str
    """Where its key is looked for, and whether there is one. Never the key."""
    dimensions: int
    document_ms: float
    query_ms: float
    tokens: int
    """As the server counts them, for both."""
    cost: float | None
    """By the settings' prices; None if they have none for this model."""
    notes: tuple[str, ...]
    """What is worth knowing."""


class IndexReport(Record):
    """What one run of indexing did (or, for a dry run, would do)."""

    trees: int
    files: int
    chunks: int
    """Chunks of the given trees."""
    indexed: int
    """Blobs that were not stored before."""
    embedded: int
    """Texts that no vector was stored of, each once."""
    reused: int
    """The other chunks of the blobs that were worked on: their vector was there already."""
    words: int
    """Of the chunks that were embedded: what an embedder had to read, descriptions aside."""
    skipped: Mapping[str, int]
    seconds: float
    dry_run: bool = False
    described: Described | None = None
    """None where no descriptions are wanted."""
    sent: Sent | None = None
    """None where no server makes vectors, or none had to."""
    by_lines: Mapping[str, int] = MappingProxyType({})
    """Files that are searched, but whose grammar had no say in their chunks, by reason."""
    without_vectors: WithoutVectors | None = None
    """Of a dry run: how many of the chunks that are stored lack their vectors, as of a search's answer."""
    older: bool = False
    """Of a dry run: an older ragit's index is there. A run takes over what it can of that; this one, which writes
    nothing, cannot read it, and counts it as lacking."""


class FreshnessReport(Record):
    """How much of a tree the store lacks."""

    ref: str
    tree: Oid
    missing: tuple[str, ...]
    indexed: bool = True
    """There is an index at all."""
    absent: Mapping[str, int] = MappingProxyType({})
    """Files that the repository does not have, by the reason: no index can hold them."""
    without_vectors: WithoutVectors | None = None
    """None if no chunk of the tree, as far as it is stored, lacks its vector."""
    deferred: int = 0
    """Files that were slow to read and wait for the next `ragit index`: not found, or by their lines."""
    by_lines: tuple[tuple[str, str], ...] = ()
    """Files that are indexed by lines instead of syntax, each with the reason."""
    unsearched: Mapping[str, int] = MappingProxyType({})
    """Files of the tree by the reason why they are not indexed, if none is indexed."""

    @property
    def fresh(self) -> bool:
        """True if nothing is missing: what a search calls complete."""
        return not self.missing and self.without_vectors is None


class RefStatus(Record):
    """How far one ref is indexed."""

    name: str
    tree: Oid
    files: int
    missing: int
    without_vectors: WithoutVectors | None = None
    """As of a search's answer."""


class StatusReport(Record):
    """What is stored, and for whom."""

    store: str
    exists: bool
    bytes: int
    chunkings: int
    """Blobs chunked, of all trees."""
    chunks: int
    embedder: str
    """Fingerprint of the configured embedder; empty where keywords only are wanted."""
    other_embedders: tuple[str, ...]
    """Fingerprints of embedders whose vectors are stored but not used; gc drops them."""
    refs: tuple[RefStatus, ...]
    """HEAD with the uncommitted changes if there are any, HEAD, then the local branches."""
    skipped: Mapping[str, int]
    """Files that are not searched, by reason: of HEAD with the uncommitted changes, as of a search."""
    skipped_files: tuple[tuple[str, str], ...] = ()
    """Each of them, and of `by_lines`, by its path, with the reason."""
    by_lines: Mapping[str, int] = MappingProxyType({})
    """Files that are searched, but whose grammar had no say in their chunks, by reason."""
    worker: str = ""
    """What the worker that hooks start is doing, in a few words; empty if there is nothing to say."""
    descriptions: tuple[int, int] | None = None
    """How many are stored, and how many chunks, those of the same text as one, and images of HEAD have none: they wait
    for the next `ragit index`. None where no descriptions are wanted."""
    older: bool = False
    """What is there was written by an older ragit, and is read when it was brought up to date."""


class GcReport(Record):
    """What gc did."""

    dropped: int
    """Blobs whose chunks were deleted."""
    kept: int
    bytes_before: int
    bytes_after: int
    object_bytes: int = 0
    """Freed in the private object directory of uncommitted work."""


INSTALL_HOOKS = "ragit hooks install"
"""Advice for a hook that ragit may write to."""


class HookState(Record):
    """One of git's hooks, as far as ragit is concerned."""

    event: str
    file: str
    """Path from the top of the working tree (absolute outside of it), or a section of git's config."""
    state: str
    """active, absent, broken (its Python is gone), or left alone."""
    note: str = ""
    advice: str = ""
    """What to type or add by hand."""


class HooksReport(Record):
    """What stands in the hooks after they were installed, removed or looked at."""

    dispatcher: str
    """The file that the lines in hooks call."""
    hooks: tuple[HookState, ...]
    changed: bool

    @property
    def active(self) -> bool:
        """True if every hook wakes ragit."""
        return all(hook.state == "active" for hook in self.hooks)

    @property
    def installable(self) -> bool:
        """True if there is a hook that `ragit hooks install` would add ragit to."""
        return any(hook.advice == INSTALL_HOOKS for hook in self.hooks)


class RequestedChunker(NamedTuple):
    """A chunker of the user's own that a repository wants to be run."""

    name: str
    suffixes: tuple[str, ...]
    sha256: str
    """Of its file as it is now; empty for what is installed."""
    problem: str
    """Why it is ignored nonetheless; empty if it is not."""
    instead: tuple[tuple[str, str], ...]
    """Of its suffixes, those that ragit itself reads, each with the language."""


class PermissionRequest(Record):
    """What a repository asks its user to allow."""

    path: str
    """Of its .ragit.toml."""
    settings: tuple[tuple[str, object, str], ...]
    """Name, value and place of each sensitive setting."""
    chunkers: tuple[RequestedChunker, ...]
    files: Mapping[str, bytes]
    """What is allowed with it, by name: a file of code, or "" for the .ragit.toml."""


class Finding(Record):
    """One thing that `ragit doctor` looked at."""

    topic: str
    state: str
    """ok, note (works, but worth knowing) or bad."""
    text: str
    mend: str = ""
    """What to type or do about it."""
