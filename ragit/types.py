"""Defines the values that packages hand each other, from git to the screen. Standard library only,
no IO.

git gives a tree as `Entry` rows; `chunk` turns the bytes of a blob into a `Chunking`; `embed` turns
texts into vectors; `store` keeps them; `search` and `rank` make `Hit` rows, gathered in an `Answer`
for `render`. A `Chunk` has no path, since a blob may have many paths in many trees; a `Hit` has
one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NewType, Protocol

from ragit.records import NamedTuple, Record

Oid = NewType("Oid", str)
"""A git object name in hex: 40 digits under sha1, 64 under sha256."""


def path_text(path: bytes) -> str:
    """Return a path of a tree as text. Bytes that are not UTF-8 are kept as surrogates, which
    `render` escapes.
    """
    return path.decode("utf-8", "surrogateescape")


class Entry(NamedTuple):
    """A file of a tree. The path is bytes, as git has it: it may be valid in no encoding."""

    path: bytes
    mode: int
    oid: Oid


class Change(NamedTuple):
    """One path that differs between two trees; None on the side where it is absent."""

    path: bytes
    old: Entry | None
    new: Entry | None


CLASSES = frozenset(
    "class struct interface trait record object protocol union impl mixin extension contract"
    " implementation instance enum actor".split()
)
"""Kinds of definitions that are types: their methods are chunks of their own."""

SPACES = frozenset("module namespace package library service message extern describe".split())
"""Kinds of definitions that gather others and are no types."""

CONTAINERS = CLASSES | SPACES | {"type", "section"}
"""All kinds that hold others, which are then called `Container.name`."""


class Definition(NamedTuple):
    """A name that a chunk defines, with its kind and the line of the name, from 1."""

    name: str
    kind: str
    line: int


class Chunk(NamedTuple):
    """A piece of one blob.

    `start_line` and `end_line` are 1-based and inclusive. `start` and `end` are offsets (half-open)
    into the blob's text as UTF-8 bytes; `text` is exactly those bytes, decoded. Unless an over-long
    line was cut, that is exactly the lines start_line..end_line, with their line ends except the
    last one's. A document's text is the one made of it.
    """

    start_line: int
    end_line: int
    start: int
    end: int
    text: str
    kind: str = "text"
    """The kind in one word: function, method, class, struct, section, imports, text, ..."""
    symbol: str = ""
    """The name that it defines, empty if none. A chunk of grouped neighbours has the names of all,
    separated by spaces.
    """
    parent: str = ""
    """The names around it, outermost first, joined by a dot, or titles joined by ' > '."""
    signature: str = ""
    """The declaration without its body, on one line."""
    doc: str = ""
    """Leading comment or docstring, without its comment marks."""
    place: str = ""
    """The place in a document, as `page 12` or `sheet Budget rows 40-80`; empty for what has only
    lines.
    """
    numbers: tuple[int, ...] = ()
    """The row or page of each line, 0 for none; empty if all lines are on one."""
    definitions: tuple[Definition, ...] = ()
    """All definitions, in order of lines: each name of `symbol`, and local functions and types."""


class Chunking(NamedTuple):
    """All chunks of a blob in one language, in order; or none, with the reason."""

    language: str
    chunks: tuple[Chunk, ...]
    skipped: str = ""
    """The reason why there are no chunks ("binary", "lfs pointer", "minified", ...), or only chunks
    by lines (`BY_LINES`); else empty.
    """
    derived: bytes = b""
    """The text made of a document, in UTF-8, to which its chunks' lines and offsets refer; else
    empty.
    """
    references: bytes = b""
    """What the text refers to, as `ragit.references` packs it; empty where its language has no
    rules for that.
    """


BY_LINES = "cut by lines"
"""First words of the reason for a text whose chunks were not made by its grammar."""

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
"""Reasons that say nothing about a blob, but about the run that met it: the next `ragit index`
tries it again.
"""


class Embedder(Protocol):
    """A model that turns texts into unit vectors; one object for each model, dimensions, prefix and
    options.
    """

    @property
    def fingerprint(self) -> str:
        """Return a name for everything besides the text that determines a vector."""

    @property
    def dimensions(self) -> int:
        """Return the length of each vector."""

    @property
    def local(self) -> bool:
        """Return whether nothing is sent anywhere, so that worker processes may each run one."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector for each text, in order: float32, little-endian, of length 1, or all
        zero for a text without words.
        """

    def embed_query(self, text: str) -> bytes:
        """Return the vector of a query, in the same form."""

    def knows(self, text: str) -> bool:
        """Return whether it knows a word of a text; without one a vector says little."""


class Target(Record):
    """A tree with the name that the user called it by, and a tree that likely differs little from
    it.
    """

    name: str
    tree: Oid
    near: Oid | None = None
    without: Target | None = None
    """A tree whose code is left out: only chunks that it lacks are found."""
    union: bool = False
    """True if `tree` names the union of several trees."""


HEAD = "HEAD"
UNCOMMITTED = "HEAD + uncommitted changes"
STAGED = "staged changes"
"""The names of trees that are not a revision that a user typed."""


def index_command(ref: str) -> str:
    """Return the command that completes the tree of this name."""
    options = {HEAD: "", UNCOMMITTED: " --worktree", STAGED: " --staged"}
    return "ragit index" + options.get(ref, f" {ref}")


NOT_DOWNLOADED = "not downloaded"
"""The reason for a file that a partial clone lacks: `ragit index --fetch-missing` downloads it."""

LOST = "missing or damaged in git"
"""The reason for a file that any other repository lacks, or whose object cannot be read: `git fsck`
names it.
"""

LOST_SINCE_INDEXED = f"{LOST} since it was indexed"
"""The start of the note on files whose text a search could not read back."""


def absent_advice(ref: str, reasons: Iterable[str]) -> str:
    """Return what to type about files of a tree that the repository lacks."""
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
    """All stored chunks of the tree."""


def lacking(missing: int, without: WithoutVectors | None, of: str) -> str:
    """Return what of a tree is not indexed, in the words of all commands; empty if all of it is."""
    noun, verb = ("file", "is") if missing == 1 else ("files", "are")
    files = f"{missing:,} {noun} of {of} {verb} not indexed"
    if without is None:
        return files if missing else ""
    have = "has" if without.chunks == 1 else "have"
    vectors = f"{without.chunks:,} of {without.of:,} chunks {have} no vector"
    return f"{files}, and {vectors}" if missing else f"all words of {of} are indexed, but {vectors}"


class Completeness(Record):
    """The indexed part of a tree, of what the settings want. Every answer has one."""

    missing: int = 0
    """The number of files that are not stored."""
    without_vectors: WithoutVectors | None = None
    """The stored chunks without vectors; None if there are none."""
    undescribed: int = 0
    """The number of chunks and images that lack a description that is wanted, each content once."""
    absent: Mapping[str, int] = MappingProxyType({})
    """The number of files of the tree that the repository lacks, by reason."""
    deferred: int = 0
    """The number of files that were slow to read and are left to the next `ragit index`: not found,
    or cut by lines.
    """
    unsearched: Mapping[str, int] = MappingProxyType({})
    """The number of files by the reason why they are not indexed, if none is indexed."""

    @property
    def complete(self) -> bool:
        """Return whether the words of every file and the vectors of every chunk are stored."""
        return not self.missing and self.without_vectors is None

    @property
    def settled(self) -> bool:
        """Return whether a later run cannot add anything to the same tree."""
        return self.complete and not (self.undescribed or self.absent or self.deferred)

    def lacking(self, of: str) -> str:
        """Return what of a tree is not indexed, in the words of all commands; empty if all is."""
        return lacking(self.missing, self.without_vectors, of)


class ToIndex(Record):
    """The files that a search has to index before it answers."""

    files: int
    documents: int
    """The documents among these files. Reading one may take as long as many files of code."""
    server: str
    """The server that makes the vectors, as `openai at api.openai.com`; empty if none does."""


class Optimized(Record):
    """The changes that context optimisation made to a hit."""

    merged_from: tuple[str, ...] = ()
    deduped_from: tuple[str, ...] = ()
    file_capped: bool = False


class Reranked(NamedTuple):
    """The changes that a reranker made to a hit."""

    place: int
    """The rank before, from 1."""
    relevance: float | None
    """The relevance in the model's own scale; None if the model gave none."""
    change: float
    """The change of the score: scores belong to ranks, and the hit moved to another."""


class Member(NamedTuple):
    """A definition inside the class of a hit, outside of its lines."""

    name: str
    kind: str
    line: int
    start_line: int
    end_line: int


class LastStood(NamedTuple):
    """The last place of code that is gone."""

    path: str
    line: int
    commit: Oid
    """The last commit that has it."""
    removed_by: Oid
    """The commit or merge after it, on the first-parent line of HEAD."""
    date: str
    """The day of that one, as 2024-10-25."""
    subject: str


class RefSpan(NamedTuple):
    """Refs that follow each other in the order of versions, as the first and the last of them; one
    ref is both.
    """

    first: str
    last: str
    refs: int
    """Number of refs from the first to the last."""


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
    """The words of the query that the chunk or its file holds, as index terms."""
    also: tuple[str, ...] = ()
    """Other paths of the tree that hold the same blob."""
    optimized: Optimized | None = None
    reranked: Reranked | None = None
    place: str = ""
    """The place in a document, as `page 12`; lines count in the text made of the document."""
    numbers: tuple[int, ...] = ()
    """The row or page of each line, 0 for none, where the place is several."""
    definitions: tuple[Definition, ...] = ()
    """All definitions, in order of lines."""
    line: int = 0
    """The line that answers best; 0 if it is not known, and is chosen when the hit is shown."""
    last_stood: LastStood | None = None
    members: tuple[Member, ...] = ()
    """Members of a class that its other chunks define, in order of lines."""
    """Only of code that is gone."""
    in_refs: tuple[RefSpan, ...] | None = None
    """The refs that hold the code, of those that were asked about; None if none were."""
    ref: str = ""
    """The newest of the searched refs in which the code is at this path and these lines, if several
    were searched.
    """


class Demoted(NamedTuple):
    """The best place of a file that would be among the hits if nothing had lowered it."""

    path: str
    start_line: int
    end_line: int
    symbol: str
    score: float
    otherwise: float
    """The score without the demotion."""
    signals: Mapping[str, float]
    """The signals that lowered it, by name."""


class RerankedBy(NamedTuple):
    """The model that ordered the best candidates anew."""

    model: str
    candidates: int
    took_ms: float


class LookedAt(NamedTuple):
    """The numbers of refs, trees and files that an answer about refs was made from."""

    refs: int
    trees: int
    """Different trees of these refs."""
    complete_trees: int
    """Trees of which all could be read, or was indexed where a union was searched."""
    files: int
    """Different files that were looked at."""
    complete_files: int


class LeftOut(NamedTuple):
    """A tree whose code an answer leaves out."""

    ref: str
    tree: Oid


class Rewritten(NamedTuple):
    """The variants and words that were searched beside the query."""

    variants: tuple[str, ...] = ()
    """Other forms of the query, by a language model."""
    words: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """Words of the searched tree, by the word of the query that they are related to."""


class Answer(Record):
    """Hits, and what they were computed from: the tree, and whether all of it was indexed."""

    query: str
    ref: str
    tree: Oid
    completeness: Completeness
    degraded: str
    """The reason why an arm, the reranker or the rewriter did not take part; else empty."""
    took_ms: float
    hits: tuple[Hit, ...]
    without: LeftOut | None = None
    """The tree whose code is left out; None if all of the tree was searched."""
    looked_at: LookedAt | None = None
    """Part of the refs in question that was looked at; None without refs."""
    union: bool = False
    """True if the files of all these refs were searched; `tree` is a digest of their trees then."""
    demoted: tuple[Demoted, ...] = ()
    """Places that a demotion kept out; only if the query asked to explain."""
    reranked_by: RerankedBy | None = None
    rewritten: Rewritten | None = None
    warnings: tuple[str, ...] = ()
    """A sentence for each ignored setting of a submodule."""
    unmatched_names: tuple[str, ...] = ()
    """Names in the query, of several words, that no indexed file of the tree holds."""
    notes: tuple[str, ...] = ()
    """Notes on the answer for the reader, a sentence each."""
    left_out: int = 0
    """The number of hits that did not fit into the tokens that were asked for."""
    weaker: int = 0
    """The number of hits that were left out because the best one is far better."""

    @property
    def complete(self) -> bool:
        """Return whether all of the tree was indexed."""
        return self.completeness.complete


class Progress(Protocol):
    """A callback for the progress of indexing."""

    def __call__(self, done: int, total: int, /) -> None:
        """Report that `done` of `total` missing blobs are stored."""


class OnIndex(Protocol):
    """A callback for what a search has to index first."""

    def __call__(self, lacking: ToIndex, /) -> Progress | None:
        """Report what has to be indexed, and return a progress callback or None."""
