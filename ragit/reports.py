"""Defines the reports of commands other than search. Standard library only, no IO.

Apart from `types`, since a search needs none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from ragit.records import NamedTuple, Record
from ragit.types import Completeness, Oid, WithoutVectors


class Described(Record):
    """The requests of one indexing run to language models, and their results; in a dry run the
    expected ones.
    """

    chunks: int
    """Described chunks."""
    images: int
    failed: int
    """Chunks embedded without a description for now, and images not indexed. The next run asks
    again.
    """
    why: str
    """Why one of those failed, in a sentence; else empty."""
    tokens_in: int
    """Tokens as counted by servers; for a dry run an estimate."""
    tokens_out: int
    cost: float | None
    """Cost by the settings under `pricing`; None if a model has no price or its server counts no
    tokens.
    """
    unpriced: tuple[str, ...] = ()
    """Models without a price."""
    secrets: int = 0
    """Secrets removed from texts before they were sent."""


class ImageDescribed(Record):
    """An image of a tree, and its description."""

    path: str
    ref: str
    blob: Oid
    describer: str
    """Server, model and prompt that describe images."""
    text: str
    """Empty if there is none yet."""


class ChunkDescribed(NamedTuple):
    """A chunk, and its description."""

    start_line: int
    end_line: int
    kind: str
    symbol: str
    parent: str
    text: str
    """Empty if there is none yet."""


class FileDescribed(Record):
    """A file of a tree, and the descriptions of its chunks."""

    path: str
    ref: str
    blob: Oid
    describer: str
    """Server, model and prompt that describe chunks."""
    chunks: tuple[ChunkDescribed, ...]

    @property
    def text(self) -> str:
        """Return all descriptions; empty if one is missing."""
        return (
            "\n".join(one.text for one in self.chunks)
            if all(one.text for one in self.chunks)
            else ""
        )


class Sent(Record):
    """The requests to an embedding server; for a dry run, an estimate."""

    model: str
    tokens: int
    """Tokens as counted by the server."""
    secrets: int
    """Secrets removed from texts before they were sent."""
    shortened: int = 0
    """Texts that were too long, of which the beginning was sent."""
    refused: int = 0
    """Texts that the server refused: they have no vector, and are found by their words."""
    most_texts: int = 0
    """Limit of texts in a request, if the server refused more; else 0."""
    cost: float | None = None
    """Cost by the settings' prices; None without a price for this model."""


class Reached(Record):
    """The address of a server, and how it is reached."""

    provider: str
    address: str
    model: str
    key: str
    """Place of the key, and whether there is one. Never the key."""
    in_clear: bool
    """True if the key travels unencrypted to another machine."""


@runtime_checkable
class Served(Protocol):
    """An embedder that asks a server. All others send nothing."""

    @property
    def sent(self) -> Sent:
        """Return everything sent so far, queries included."""

    def about(self) -> Reached:
        """Return provider, address and model, and whether there is a key."""


class EmbedderTried(Record):
    """The result of a test of the configured embedder."""

    provider: str
    address: str
    """Address of the server; empty for an embedder that is part of ragit."""
    model: str
    key: str
    """Place of the key, and whether there is one. Never the key."""
    dimensions: int
    document_ms: float
    query_ms: float
    tokens: int
    """Tokens of both texts, as counted by the server."""
    cost: float | None
    """Cost by the settings' prices; None without a price for this model."""
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
    """Other chunks of the new blobs, whose vectors were stored."""
    words: int
    """Words of the embedded chunks, without descriptions."""
    skipped: Mapping[str, int]
    seconds: float
    dry_run: bool = False
    described: Described | None = None
    """Requested descriptions; None if none are wanted."""
    sent: Sent | None = None
    """Texts sent to an embedding server; None if none were."""
    by_lines: Mapping[str, int] = MappingProxyType({})
    """Files cut by lines instead of syntax, by reason."""
    without_vectors: WithoutVectors | None = None
    """In a dry run, the stored chunks without vectors."""
    older: bool = False
    """True in a dry run over an index of an older format, which it cannot read and counts as
    missing. A real run reuses it.
    """


class FreshnessReport(Record):
    """The result of `ragit check`: the files of a tree that are not indexed."""

    ref: str
    tree: Oid
    missing: tuple[str, ...]
    indexed: bool = True
    """True if there is an index at all."""
    completeness: Completeness = Completeness()
    by_lines: tuple[tuple[str, str], ...] = ()
    """Files indexed by lines instead of syntax, each with the reason."""

    @property
    def fresh(self) -> bool:
        """Return whether nothing is missing, so that a search is complete."""
        return not self.missing and self.completeness.complete


class RefStatus(Record):
    """A ref, the number of its files, and how many of them are indexed."""

    name: str
    tree: Oid
    files: int
    completeness: Completeness = Completeness()
    commit: Oid | None = None
    """None for uncommitted changes, and before the first commit."""


class StatusReport(Record):
    """The contents of the store, and the indexed refs."""

    store: str
    exists: bool
    bytes: int
    chunkings: int
    """Chunked blobs of all trees."""
    chunks: int
    embedder: str
    """Fingerprint of the configured embedder; empty if none."""
    other_embedders: tuple[str, ...]
    """Fingerprints of embedders whose stored vectors are not used; gc drops them."""
    refs: tuple[RefStatus, ...]
    """HEAD with uncommitted changes, if any, HEAD, then the local branches."""
    skipped: Mapping[str, int]
    """Files skipped by a search of HEAD with the uncommitted changes, by reason."""
    skipped_files: tuple[tuple[str, str], ...] = ()
    """Path and reason of each skipped file and each file cut by lines."""
    by_lines: Mapping[str, int] = MappingProxyType({})
    """Files cut by lines instead of syntax, by reason."""
    worker: str = ""
    """State of the hooks' worker in a few words; else empty."""
    descriptions: tuple[int, int] | None = None
    """Stored descriptions, and chunks and images of HEAD without one, each content once; None if
    none are wanted.
    """
    older: bool = False
    """True if the index has an older format; it is read after an update."""
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
    """Bytes freed of private objects of uncommitted work."""


INSTALL_HOOKS = "ragit hooks install"
"""Advice for a hook that ragit may change."""


class HookState(Record):
    """One of git's hooks."""

    event: str
    file: str
    """Path from the top of the working tree (absolute outside of it), or a section of git's
    config.
    """
    state: str
    """active, absent, broken (its Python is gone), or left alone."""
    note: str = ""
    advice: str = ""
    """Command or lines to type by hand."""


class HooksReport(Record):
    """The state of git's hooks after an installation, a removal or a check."""

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
        """Return whether `ragit hooks install` would add ragit to a hook."""
        return any(hook.advice == INSTALL_HOOKS for hook in self.hooks)


class RequestedChunker(NamedTuple):
    """A user's chunker that a repository asks to run."""

    name: str
    suffixes: tuple[str, ...]
    sha256: str
    """Hash of its present file; empty for an installed one."""
    problem: str
    """Why it is ignored all the same; else empty."""
    instead: tuple[tuple[str, str], ...]
    """Suffixes that ragit reads itself, each with the language."""


class PermissionRequest(Record):
    """Settings and chunkers that need the user's permission."""

    path: str
    """Path of its .ragit.toml."""
    settings: tuple[tuple[str, object, str], ...]
    """Name, value and origin of each setting that needs permission."""
    chunkers: tuple[RequestedChunker, ...]
    files: Mapping[str, bytes]
    """Content of each file allowed with it, by name; "" is the .ragit.toml."""


class Finding(Record):
    """The result of one check of `ragit doctor`."""

    topic: str
    state: str
    """ok, note (works, but worth knowing) or bad."""
    text: str
    fix: str = ""
    """Command or step that repairs it."""


class AgentChange(Record):
    """A change of one file by installing ragit into agents, or removing it."""

    agents: tuple[str, ...]
    """Agents that read the file."""
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
    """The parts of ragit installed into an agent."""

    name: str
    title: str
    found: bool
    """True if the agent itself seems to be installed."""
    file: str
    """File of servers; empty if the agent has none in a project."""
    server: str
    """installed, outdated (written by another ragit, or for another path), absent or unreadable."""
    command: tuple[str, ...]
    """Command line of ragit's entry; empty without one."""
    note: str
    """Why the file is unreadable, or what is wrong with the command; else empty."""
    instructions: str
    """installed, outdated, absent, unreadable, or none, if the agent has no such file."""
    skill: str
    """State of the skill."""
