"""The words of the house: what flows from git to the screen. Standard library only, no IO.

git gives a tree as `Entry` rows; `chunk` turns a blob's bytes into a `Chunking`; `embed` turns texts into vectors;
`store` keeps them; `rank` and `search` make `Hit` rows out of them, gathered in an `Answer` for `render`.
A `Chunk` has no path: the same blob may lie at many paths of many trees. The path joins at `Hit`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, NewType, Protocol

from ragit.records import Record

Oid = NewType("Oid", str)
"""A git object name in hex: 40 digits under sha1, 64 under sha256."""


def path_text(path: bytes) -> str:
    """A path of a tree as text, in whatever encoding the system names its own files: bytes that are no UTF-8 stay
    what they are, as `render` shows them.
    """
    return path.decode("utf-8", "surrogateescape")


class Entry(NamedTuple):
    """One file of a tree. The path is bytes, as git has it: it need not be valid in any encoding."""

    path: bytes
    mode: int
    oid: Oid


class Change(NamedTuple):
    """One path that differs between two trees; None on the side where it is absent."""

    path: bytes
    old: Entry | None
    new: Entry | None


class Definition(NamedTuple):
    """A name that a chunk defines, with its kind and the line of the name, from 1."""

    name: str
    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of one blob.

    `start_line` and `end_line` are 1-based and inclusive. `start` and `end` are offsets (half-open) into the blob's
    text as UTF-8 bytes; `text` is exactly those bytes, decoded. Unless an over-long line was cut, that is exactly the
    lines start_line..end_line, with their line ends except the last one's. A document's text is the one made of it.
    """

    start_line: int
    end_line: int
    start: int
    end: int
    text: str
    kind: str = "text"
    """What it is, in one word: function, method, class, struct, section, imports, text, ..."""
    symbol: str = ""
    """The name it defines, as written; empty if it defines none. A chunk of grouped neighbours holds the names of all,
    separated by spaces, the first one's first."""
    parent: str = ""
    """Names around it, outermost first, joined by a dot (or heading titles joined by ' > ')."""
    signature: str = ""
    """The declaration without its body, on one line."""
    doc: str = ""
    """Leading comment or docstring, without its comment marks."""
    place: str = ""
    """Where a person finds it in a document: `page 12`, `sheet Budget rows 40-80`; empty for what has only lines."""
    numbers: tuple[int, ...] = ()
    """On which of these rows, pages, ... each of its lines stands, 0 for none; empty if all are on one."""
    definitions: tuple[Definition, ...] = ()
    """All that it defines, in order of lines: each name of `symbol`, and functions and types local to these."""


@dataclass(frozen=True, slots=True)
class Chunking:
    """All chunks of one blob under one language, in order; or none, with the reason."""

    language: str
    chunks: tuple[Chunk, ...]
    skipped: str = ""
    """Why there are no chunks ("binary", "lfs pointer", "minified", ...), or why they are not what they might be
    (`BY_LINES`); empty if the blob was chunked."""
    derived: bytes = b""
    """The text made of a document, in UTF-8, in which its chunks' lines and offsets count; empty for a file that is
    text itself."""


BY_LINES = "cut by lines"
"""How the reason begins for a text that has chunks, but none that its grammar gave."""

PARSER_FAILED = f"{BY_LINES}: its parser failed"
PARSER_TOO_LONG = f"{BY_LINES}: its parser took too long"
TOO_DEEP = f"{BY_LINES}: nested too deeply"
"""Reasons for a text whose grammar crashed over it, was too slow, or was not asked."""

BUSY = "deferred: the machine was busy"
SPENT = "deferred: the time limit for slow files was reached"
SPENT_BY_LINES = f"{BY_LINES}, {SPENT}"

SHORT_OF_MEMORY = "deferred: memory was short"
BUSY_BY_LINES = f"{BY_LINES}, {BUSY}"
SHORT_BY_LINES = f"{BY_LINES}, {SHORT_OF_MEMORY}"

DEFERRED = frozenset((BUSY, BUSY_BY_LINES, SPENT, SPENT_BY_LINES, SHORT_OF_MEMORY, SHORT_BY_LINES))
"""Reasons that say nothing about a blob, but about the run that met it: the next `ragit index` tries it again."""


class Embedder(Protocol):
    """Texts to unit vectors. One object per (model, dimensions, prefix, options)."""

    @property
    def fingerprint(self) -> str:
        """Names everything that determines a vector beside the text."""

    @property
    def dimensions(self) -> int:
        """Length of each vector."""

    @property
    def local(self) -> bool:
        """True if it sends nothing anywhere, so that worker processes may each run one."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector per text, in order: float32, little-endian, of length 1 (or all zero for a text without words)."""

    def embed_query(self, text: str) -> bytes:
        """The vector of a query, in the same form."""

    def knows(self, text: str) -> bool:
        """False if it knows no word of a text: a vector is made of what the words look like, and says little."""


class Target(Record):
    """A tree to look at: what the user called it, and a tree that is likely to differ little from it."""

    name: str
    tree: Oid
    near: Oid | None = None


HEAD = "HEAD"
UNCOMMITTED = "HEAD + uncommitted changes"
STAGED = "staged changes"
"""Names of trees that are no revision a user typed."""


def index_command(ref: str) -> str:
    """What completes the tree that is called so."""
    options = {HEAD: "", UNCOMMITTED: " --worktree", STAGED: " --staged"}
    return "ragit index" + options.get(ref, f" {ref}")


NOT_DOWNLOADED = "not downloaded"
"""The reason for a file that a partial clone lacks: `ragit index --fetch-missing` downloads it."""

LOST = "missing or damaged in git"
"""The reason for a file that any other repository lacks, or whose object cannot be read: `git fsck` names it."""


def absent_advice(ref: str, reasons: Iterable[str]) -> str:
    """What to type about files of a tree that the repository lacks. The doctor looks at HEAD's alone."""
    if ref in (HEAD, UNCOMMITTED):
        return "`ragit doctor` says more"
    typed = {
        NOT_DOWNLOADED: f"`{index_command(ref)} --fetch-missing` downloads the rest",
        LOST: "`git fsck` says more",
    }
    return ", ".join(typed[reason] for reason in reasons)


NO_FILE_PASSES = "no file passes the filters"
"""The note of an answer whose path and language filters leave no file."""

NO_WORD_FOUND = "holds a word of the query"
"""Part of the reason for an answer that is ranked by meaning alone."""


class WithoutVectors(NamedTuple):
    """The number of chunks of a tree that lack a vector: words find them, meaning does not."""

    chunks: int
    of: int
    """All chunks of the tree, as far as it is stored."""


def lacking(missing: int, without: WithoutVectors | None, of: str) -> str:
    """What is not indexed of the tree that is called so, in the words of every command; empty if all of it is."""
    files = f"{missing:,} {'file' if missing == 1 else 'files'} of {of} {'is' if missing == 1 else 'are'} not indexed"
    if without is None:
        return files if missing else ""
    vectors = f"{without.chunks:,} of {without.of:,} chunks {'has' if without.chunks == 1 else 'have'} no vector"
    return f"{files}, and {vectors}" if missing else f"all words of {of} are indexed, but {vectors}"


class ToIndex(Record):
    """What a search has to index before it answers."""

    files: int
    documents: int
    """Of these files. Reading one may take as long as many files of code."""
    server: str
    """Who makes the vectors, as `openai at api.openai.com`; empty where no server does."""


class Optimized(Record):
    """What context optimisation did to a hit, under the seed's names."""

    merged_from: tuple[str, ...] = ()
    deduped_from: tuple[str, ...] = ()
    file_capped: bool = False


class Reranked(NamedTuple):
    """What a reranker did to a hit."""

    place: int
    """Where it stood before, from 1."""
    relevance: float | None
    """As the model gave it, in its own scale; None where it gave none."""
    change: float
    """What its score changed by: scores belong to the places in the list, and it moved to another."""


class Hit(Record):
    """One place in the searched tree, with the reasons for its rank."""

    path: str
    start_line: int
    end_line: int
    score: float
    language: str
    kind: str
    symbol: str
    parent: str
    text: str
    blob: Oid
    signals: Mapping[str, float] = MappingProxyType({})
    terms: tuple[str, ...] = ()
    """Words of the query that the chunk or its file holds."""
    also: tuple[str, ...] = ()
    """Other paths of the tree that hold the same blob."""
    optimized: Optimized | None = None
    reranked: Reranked | None = None
    place: str = ""
    """Where a person finds it in a document: `page 12`; its lines count in the text made of the document."""
    numbers: tuple[int, ...] = ()
    """Where the place is several rows, pages, ...: on which of them each line stands, 0 for none."""
    definitions: tuple[Definition, ...] = ()
    """All that it defines, in order of lines."""
    line: int = 0
    """The line that answers best; 0 if it is not known, and is chosen when the hit is shown."""


class Demoted(NamedTuple):
    """The best place of a file that would be among the hits if nothing had lowered it."""

    path: str
    start_line: int
    end_line: int
    symbol: str
    score: float
    otherwise: float
    """The score it would have."""
    signals: Mapping[str, float]
    """What lowered it, by name."""


class RerankedBy(NamedTuple):
    """Who ordered the best candidates anew."""

    model: str
    candidates: int
    took_ms: float


class Rewritten(NamedTuple):
    """What was looked for beside the query."""

    variants: tuple[str, ...] = ()
    """Other ways to ask, by a language model."""
    words: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """Words of the searched tree, by the word of the query that they are near to."""


class Answer(Record):
    """Hits, and what they were computed from: the tree, and whether all of it was indexed."""

    query: str
    ref: str
    tree: Oid
    complete: bool
    """All that the settings want of the tree is stored: the words of every file, and the vectors of every chunk."""
    missing: int
    """Files that are not stored."""
    degraded: str
    """Why an arm, the reranker or the rewriter did not take part; empty if all did that were to."""
    took_ms: float
    hits: tuple[Hit, ...]
    demoted: tuple[Demoted, ...] = ()
    """Only where the query asked to explain."""
    reranked_by: RerankedBy | None = None
    rewritten: Rewritten | None = None
    without_vectors: WithoutVectors | None = None
    """None if no chunk lacks its vector."""
    undescribed: int = 0
    """Chunks of the tree, those of the same text as one, and images that lack the descriptions that they are to have.
    """
    absent: Mapping[str, int] = MappingProxyType({})
    """Files of the tree that the repository does not have, so that nothing can find them, by the reason."""
    deferred: int = 0
    """Files of the tree that were slow to read, and wait for the next `ragit index`: not found, or by their lines."""
    warnings: tuple[str, ...] = ()
    """What settings of submodules ask for and do not get, a sentence each."""
    unmatched_names: tuple[str, ...] = ()
    """Names in the query, of several words, that no indexed file of the tree holds."""
    notes: tuple[str, ...] = ()
    """What else a reader has to know about the answer, a sentence each."""
    unsearched: Mapping[str, int] = MappingProxyType({})
    """Files of the tree by the reason why they are not indexed, if none is indexed."""
    left_out: int = 0
    """Hits that did not fit into the number of tokens that was asked for."""


class Progress(Protocol):
    """Told how far indexing is; a face shows it."""

    def __call__(self, done: int, total: int, /) -> None:
        """`done` of `total` missing blobs are stored."""


class OnIndex(Protocol):
    """Told what a search has to index before it answers; may give back who is told how far that is."""

    def __call__(self, lacking: ToIndex, /) -> Progress | None:
        """`lacking` is what the tree lacks."""
