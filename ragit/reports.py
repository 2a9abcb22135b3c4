"""Defines what commands other than search report. Standard library only, no IO.

Apart from `types`, since a search needs none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from ragit.records import NamedTuple, Record
from ragit.types import Completeness, Oid, WithoutVectors


class Described(Record):
    """The requests of one indexing run to language models, and their results; in a dry run, the
    requests that it would make.
    """

    chunks: int
    """Chunks that were described, or would be."""
    images: int
    failed: int
    """Chunks that are embedded without a description for now, and images that are not indexed. The
    next run asks again.
    """
    why: str
    """The reason why one of those failed, in a sentence; else empty."""
    tokens_in: int
    """Tokens as far as servers count them; for a dry run an estimate."""
    tokens_out: int
    cost: float | None
    """The cost by the settings under `pricing`; None if a model has no price or its server counts
    no tokens.
    """
    unpriced: tuple[str, ...] = ()
    """The models without a price."""
    secrets: int = 0
    """Secrets removed from texts before they were sent."""


class ImageDescribed(Record):
    """An image of a tree, and its description."""

    path: str
    ref: str
    blob: Oid
    describer: str
    """The server, model and prompt that describe images."""
    text: str
    """The description; empty if there is none yet."""


class ChunkDescribed(NamedTuple):
    """A chunk, and its description."""

    start_line: int
    end_line: int
    kind: str
    symbol: str
    parent: str
    text: str
    """The description; empty if there is none yet."""


class FileDescribed(Record):
    """A file of a tree, and the descriptions of its chunks."""

    path: str
    ref: str
    blob: Oid
    describer: str
    """The server, model and prompt that describe chunks."""
    chunks: tuple[ChunkDescribed, ...]

    @property
    def text(self) -> str:
        """Return all descriptions; empty if one is lacking."""
        return (
            "\n".join(one.text for one in self.chunks)
            if all(one.text for one in self.chunks)
            else ""
        )


class Sent(Record):
    """The requests to a server that makes vectors; for a dry run, an estimate."""

    model: str
    tokens: int
    """Tokens as the server counts them."""
    secrets: int
    """Secrets removed from texts before they were sent."""
    shortened: int = 0
    """Texts that were too long, of which the beginning was sent."""
    refused: int = 0
    """Texts that the server refused: they have no vector, and are found by their words."""
    most_texts: int = 0
    """Texts that the server takes in a request, if it refused more; else 0."""
    cost: float | None = None
    """The cost by the settings' prices; None if they have none for this model."""


class Reached(Record):
    """The address of a server, and the means by which it is reached."""

    provider: str
    address: str
    model: str
    key: str
    """Where the key is looked for, and whether there is one. Never the key."""
    in_clear: bool
    """True if the key travels unencrypted to another machine."""


@runtime_checkable
class Served(Protocol):
    """An embedder that asks a server. One that is not is taken to send nothing."""

    @property
    def sent(self) -> Sent:
        """Return all that was sent so far, queries included."""

    def about(self) -> Reached:
        """Return provider, address and model, and whether there is a key."""


class EmbedderTried(Record):
    """The result of a test of the configured embedder."""

    provider: str
    address: str
    """The server's address; empty for an embedder that is part of ragit."""
    model: str
    key: str
    """Where the key is looked for, and whether there is one. Never the key."""
    dimensions: int
    document_ms: float
    query_ms: float
    tokens: int
    """Tokens of both texts, as the server counts them."""
    cost: float | None
    """The cost by the settings' prices; None if they have none for this model."""
    notes: tuple[str, ...]
    """Remarks, a sentence each."""


class IndexReport(Record):
    """The result of one run of indexing; for a dry run, the expected one."""

    trees: int
    files: int
    chunks: int
    """Chunks of the given trees."""
    indexed: int
    """Blobs that were not stored before."""
    embedded: int
    """Distinct texts without a stored vector."""
    reused: int
    """The other chunks of the new blobs, whose vectors were stored."""
    words: int
    """Words of the embedded chunks, without descriptions."""
    skipped: Mapping[str, int]
    seconds: float
    dry_run: bool = False
    described: Described | None = None
    """The descriptions that were asked for; None if none are wanted."""
    sent: Sent | None = None
    """Texts sent to a server for vectors; None if no server had to make any."""
    by_lines: Mapping[str, int] = MappingProxyType({})
    """Files that are cut by lines instead of syntax, by reason."""
    without_vectors: WithoutVectors | None = None
    """In a dry run, the stored chunks without vectors."""
    older: bool = False
    """True in a dry run over an index of an older format, which it cannot read and counts as
    missing. A real run reuses it.
    """


class FreshnessReport(Record):
    """The part of a tree that the store lacks."""

    ref: str
    tree: Oid
    missing: tuple[str, ...]
    indexed: bool = True
    """True if there is an index at all."""
    completeness: Completeness = Completeness()
    by_lines: tuple[tuple[str, str], ...] = ()
    """Files that are indexed by lines instead of syntax, each with the reason."""

    @property
    def fresh(self) -> bool:
        """Return whether nothing is missing, so that a search is complete."""
        return not self.missing and self.completeness.complete


class RefStatus(Record):
    """The indexed part of a ref."""

    name: str
    tree: Oid
    files: int
    completeness: Completeness = Completeness()


class StatusReport(Record):
    """The contents of the store, and the refs that they are for."""

    store: str
    exists: bool
    bytes: int
    chunkings: int
    """Chunked blobs of all trees."""
    chunks: int
    embedder: str
    """The fingerprint of the configured embedder; empty if there is none."""
    other_embedders: tuple[str, ...]
    """Fingerprints of embedders whose stored vectors are not used; gc drops them."""
    refs: tuple[RefStatus, ...]
    """HEAD with the uncommitted changes if there are any, HEAD, then the local branches."""
    skipped: Mapping[str, int]
    """Files that a search of HEAD with the uncommitted changes leaves out, by reason."""
    skipped_files: tuple[tuple[str, str], ...] = ()
    """The path and the reason of each skipped file and of each file cut by lines."""
    by_lines: Mapping[str, int] = MappingProxyType({})
    """Files that are cut by lines instead of syntax, by reason."""
    worker: str = ""
    """The state of the hooks' worker in a few words; else empty."""
    descriptions: tuple[int, int] | None = None
    """The stored descriptions, and the chunks and images of HEAD that lack one, each content once.
    None if none are wanted.
    """
    older: bool = False
    """True if the index has an older format; it is read once it was updated."""
    lock_holders: tuple[int, ...] = ()
    """Other processes that hold a lock of the index (Linux only): they index, drop or write."""


class GcReport(Record):
    """The result of a garbage collection."""

    dropped: int
    """Blobs whose chunks were deleted."""
    kept: int
    bytes_before: int
    bytes_after: int
    object_bytes: int = 0
    """Bytes freed in the private objects of uncommitted work."""


INSTALL_HOOKS = "ragit hooks install"
"""Advice for a hook that ragit may write to."""


class HookState(Record):
    """One of git's hooks."""

    event: str
    file: str
    """Path from the top of the working tree (absolute outside of it), or a section of git's config.
    """
    state: str
    """active, absent, broken (its Python is gone), or left alone."""
    note: str = ""
    advice: str = ""
    """Command or lines to type by hand."""


class HooksReport(Record):
    """The state of git's hooks after they were installed, removed or looked at."""

    dispatcher: str
    """The file that the lines in hooks call."""
    hooks: tuple[HookState, ...]
    changed: bool

    @property
    def active(self) -> bool:
        """Return whether every hook starts ragit."""
        return all(hook.state == "active" for hook in self.hooks)

    @property
    def installable(self) -> bool:
        """Return whether there is a hook that `ragit hooks install` would add ragit to."""
        return any(hook.advice == INSTALL_HOOKS for hook in self.hooks)


class RequestedChunker(NamedTuple):
    """A user's chunker that a repository asks to run."""

    name: str
    suffixes: tuple[str, ...]
    sha256: str
    """The hash of its file as it is now; empty for an installed one."""
    problem: str
    """The reason why it is ignored nonetheless; else empty."""
    instead: tuple[tuple[str, str], ...]
    """The suffixes that ragit itself reads, each with the language."""


class PermissionRequest(Record):
    """The settings and chunkers that a repository asks its user to allow."""

    path: str
    """The path of its .ragit.toml."""
    settings: tuple[tuple[str, object, str], ...]
    """The name, value and origin of each setting that needs permission."""
    chunkers: tuple[RequestedChunker, ...]
    files: Mapping[str, bytes]
    """The content of each file that is allowed with it, by name; "" stands for the .ragit.toml."""


class Finding(Record):
    """One thing that `ragit doctor` checked."""

    topic: str
    state: str
    """ok, note (works, but worth knowing) or bad."""
    text: str
    mend: str = ""
    """Command or step that mends it."""


class AgentChange(Record):
    """One file that installing ragit into agents changes, or removing it."""

    agents: tuple[str, ...]
    """The agents that read the file."""
    part: str
    """server, instructions or skill."""
    file: str
    action: str
    """add, update, remove, keep (nothing to do), or refuse."""
    note: str = ""
    """Why it is kept or refused."""
    snippet: str = ""
    """Lines to add by hand, if the change was refused."""


class AgentStatus(Record):
    """The state of an agent: the parts of ragit that are installed into it."""

    name: str
    title: str
    found: bool
    """True if the agent itself seems to be installed."""
    file: str
    """The file of servers; empty if the agent has none in a project."""
    server: str
    """installed, outdated (written by another ragit, or of another place), absent or unreadable."""
    command: tuple[str, ...]
    """The command line of ragit's entry; empty without one."""
    note: str
    """Why the file is unreadable, or what is wrong with the command; else empty."""
    instructions: str
    """installed, outdated, absent, unreadable, or none, if the agent has no such file."""
    skill: str
    """State of the skill."""
