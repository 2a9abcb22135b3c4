"""Defines the values that packages exchange, from git to the screen. Standard library only, no IO.

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
"""A git object id in hex: 40 digits under sha1, 64 under sha256."""


def path_text(path: bytes) -> str:
    """Return a path of a tree as text. Bytes that are not UTF-8 become surrogates, which `render`
    escapes.
    """
    return path.decode("utf-8", "surrogateescape")


class Entry(NamedTuple):
    """A file of a tree. The path is bytes, as in git, perhaps in no valid encoding."""

    path: bytes
    mode: int
    oid: Oid


class Change(NamedTuple):
    """A path that differs between two trees; None on the side where it is missing."""

    path: bytes
    old: Entry | None
    new: Entry | None


CLASSES = frozenset(
    "class struct interface trait record object protocol union impl mixin extension contract"
    " implementation instance enum actor".split()
)
"""Kinds of definitions that are types: their methods are separate chunks."""

SPACES = frozenset("module namespace package library service message extern describe".split())
"""Kinds of definitions that contain others and are no types."""

CONTAINERS = CLASSES | SPACES | {"type", "section"}
"""All kinds that contain others, whose names become `Container.name`."""


class Definition(NamedTuple):
    """A name that a chunk defines, with its kind and line, from 1."""

    name: str
    kind: str
    line: int


class Chunk(NamedTuple):
    """A piece of one blob.

    `start_line` and `end_line` are 1-based and inclusive. `start` and `end` are offsets (half-open)
    into the blob's text as UTF-8 bytes; `text` is exactly those bytes, decoded. Unless an over-long
    line was cut, these are the lines start_line..end_line, with their line ends except the last
    one's. For a document, all of these refer to its extracted text.
    """

    start_line: int
    end_line: int
    start: int
    end: int
    text: str
    kind: str = "text"
    """One word: function, method, class, struct, section, imports, text, ..."""
    symbol: str = ""
    """Name that it defines, empty if none. A chunk of grouped neighbours has all names, separated
    by spaces.
    """
    parent: str = ""
    """Names around it, outermost first, joined by a dot, or titles joined by ' > '."""
    signature: str = ""
    """Declaration without its body, on one line."""
    doc: str = ""
    """Leading comment or docstring, without comment marks."""
    place: str = ""
    """Place in a document, as `page 12` or `sheet Budget rows 40-80`; empty for other files."""
    numbers: tuple[int, ...] = ()
    """Row or page of each line, 0 for none; empty if all lines are on one."""
    definitions: tuple[Definition, ...] = ()
    """All definitions, in order of lines: each name of `symbol`, and local functions and types."""


class Chunking(NamedTuple):
    """All chunks of a blob in one language, in order; or none, with the reason."""

    language: str
    chunks: tuple[Chunk, ...]
    skipped: str = ""
    """Why there are no chunks ("binary", "lfs pointer", "minified", ...), or only chunks by lines
    (`BY_LINES`); else empty.
    """
    derived: bytes = b""
    """Extracted text of a document, in UTF-8, to which its chunks' lines and offsets refer; else
    empty.
    """
    references: bytes = b""
    """References in the text, packed by `ragit.references`; empty if its language has no rules for
    them.
    """


BY_LINES = "cut by lines"
"""First words of the reason why a text was not chunked by its grammar."""

PARSER_FAILED = f"{BY_LINES}: its parser failed"
PARSER_TOO_LONG = f"{BY_LINES}: its parser took too long"
TOO_DEEP = f"{BY_LINES}: nested too deeply"
"""Reasons: the grammar crashed, was too slow, or was not used."""

BUSY = "deferred: the machine was busy"
SPENT = "deferred: the time limit for slow files was reached"
SPENT_BY_LINES = f"{BY_LINES}, {SPENT}"

SHORT_OF_MEMORY = "deferred: memory was short"
BUSY_BY_LINES = f"{BY_LINES}, {BUSY}"
SHORT_BY_LINES = f"{BY_LINES}, {SHORT_OF_MEMORY}"

DEFERRED = frozenset((BUSY, BUSY_BY_LINES, SPENT, SPENT_BY_LINES, SHORT_OF_MEMORY, SHORT_BY_LINES))
"""Reasons due to the run, not to the blob: the next `ragit index` tries again."""


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
        """Return whether nothing is sent, so that worker processes may each run one."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector for each text, in order: float32, little-endian, of length 1, or all
        zero for a text without words.
        """

    def embed_query(self, text: str) -> bytes:
        """Return the vector of a query, in the same form."""

    def knows(self, text: str) -> bool:
        """Return whether it knows a word of a text; if not, a vector says little."""


class Target(Record):
    """A tree, the user's name for it, and a tree that probably differs little from it."""

    name: str
    tree: Oid
    near: Oid | None = None
    without: Target | None = None
    """A tree whose code is excluded: only chunks that it lacks are found."""
    union: bool = False
    """True if `tree` names the union of several trees."""


HEAD = "HEAD"
UNCOMMITTED = "HEAD + uncommitted changes"
STAGED = "staged changes"
"""Names of trees that are no typed revision."""


def index_command(ref: str) -> str:
    """Return the command that completes the index of the tree with this name."""
    options = {HEAD: "", UNCOMMITTED: " --worktree", STAGED: " --staged"}
    return "ragit index" + options.get(ref, f" {ref}")


NOT_DOWNLOADED = "not downloaded"
"""Reason for a file missing from a partial clone: `ragit index --fetch-missing` downloads it."""

LOST = "missing or damaged in git"
"""Reason for a file missing from any other repository, or unreadable: `git fsck` names it."""

LOST_SINCE_INDEXED = f"{LOST} since it was indexed"
"""Start of the note on files whose text a search could not read back."""


def absent_advice(ref: str, reasons: Iterable[str]) -> str:
    """Return the command to type about files missing from the repository. `ref` is empty for the
    files of several trees.
    """
    if ref in (HEAD, UNCOMMITTED):
        return "`ragit doctor` says more"
    typed = {
        NOT_DOWNLOADED: f"`{index_command(ref or 'REV')} --fetch-missing` downloads the rest",
        LOST: "`git fsck` says more",
    }
    return ", ".join(typed[reason] for reason in reasons)


NO_FILE_PASSES = "no file passes the filters"
"""Note of an answer whose path and language filters leave no file."""

NO_WORD_FOUND = "holds a word of the query"
"""Part of the reason for an answer ranked by meaning alone."""


class WithoutVectors(NamedTuple):
    """The number of a tree's chunks without a vector, found by words only."""

    chunks: int
    of: int
    """All stored chunks of the tree."""


def lacking(missing: int, without: WithoutVectors | None, of: str) -> str:
    """Return the unindexed part of a tree, in the words of all commands; empty if it is
    complete.
    """
    noun, verb = ("file", "is") if missing == 1 else ("files", "are")
    files = f"{missing:,} {noun} of {of} {verb} not indexed"
    if without is None:
        return files if missing else ""
    have = "has" if without.chunks == 1 else "have"
    vectors = f"{without.chunks:,} of {without.of:,} chunks {have} no vector"
    return f"{files}, and {vectors}" if missing else f"all words of {of} are indexed, but {vectors}"


class Completeness(Record):
    """How much of a tree is indexed, as far as the settings want. Every answer has one."""

    missing: int = 0
    """Number of files not stored."""
    without_vectors: WithoutVectors | None = None
    """Stored chunks without vectors; None if there are none."""
    undescribed: int = 0
    """Number of chunks and images without a wanted description, each content once."""
    absent: Mapping[str, int] = MappingProxyType({})
    """Number of files missing from the repository, by reason."""
    deferred: int = 0
    """Number of slow files left to the next `ragit index`: not found, or cut by lines."""
    unsearched: Mapping[str, int] = MappingProxyType({})
    """Number of files not indexed, by reason, if none is indexed."""

    @property
    def complete(self) -> bool:
        """Return whether the words of every file and the vectors of every chunk are stored."""
        return not self.missing and self.without_vectors is None

    @property
    def settled(self) -> bool:
        """Return whether a later run can add nothing to the same tree."""
        return self.complete and not (self.undescribed or self.absent or self.deferred)

    def lacking(self, of: str) -> str:
        """Return the unindexed part of a tree, in the words of all commands; empty if it is
        complete.
        """
        return lacking(self.missing, self.without_vectors, of)


class ToIndex(Record):
    """The files that a search has to index first."""

    files: int
    documents: int
    """Documents among these files; one may take as long as many files of code."""
    server: str
    """Server that makes the vectors, as `openai at api.openai.com`; empty if none does."""


class Optimized(Record):
    """Changes of a hit by context optimisation."""

    merged_from: tuple[str, ...] = ()
    deduped_from: tuple[str, ...] = ()
    file_capped: bool = False


class Reranked(NamedTuple):
    """Changes of a hit by a reranker."""

    place: int
    """Earlier rank, from 1."""
    relevance: float | None
    """In the model's own scale; None if the model gave none."""
    change: float
    """Change of the score: scores belong to ranks, and the hit moved to another."""


class Member(NamedTuple):
    """A definition inside the class of a hit, outside of its lines."""

    name: str
    kind: str
    line: int
    start_line: int
    end_line: int


class LastStood(NamedTuple):
    """The last place of removed code."""

    path: str
    line: int
    commit: Oid
    """The last commit that has it."""
    removed_by: Oid
    """The commit or merge after it, on the first-parent line of HEAD."""
    date: str
    """Day of `removed_by`, as 2024-10-25."""
    subject: str


class RefSpan(NamedTuple):
    """Consecutive refs in the order of versions, by the first and the last; one ref is both."""

    first: str
    last: str
    refs: int
    """Number of refs from first to last."""


class Hit(Record):
    """One place in the searched tree, with the parts of its score."""

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
    """Words of the query in the chunk or its file, as index terms."""
    also: tuple[str, ...] = ()
    """Other paths of the tree with the same blob."""
    optimized: Optimized | None = None
    reranked: Reranked | None = None
    place: str = ""
    """Place in a document, as `page 12`; lines count in its extracted text."""
    numbers: tuple[int, ...] = ()
    """Row or page of each line, 0 for none; empty if all lines are on one."""
    definitions: tuple[Definition, ...] = ()
    """All definitions, in order of lines."""
    line: int = 0
    """Best line; 0 if unknown, and chosen when the hit is shown."""
    last_stood: LastStood | None = None
    """Only for removed code."""
    members: tuple[Member, ...] = ()
    """Members of a class that its other chunks define, in order of lines."""
    in_refs: tuple[RefSpan, ...] | None = None
    """Requested refs that contain the code; None if none were requested."""
    ref: str = ""
    """The newest searched ref with the code at this path and these lines, if several were
    searched.
    """


class Demoted(NamedTuple):
    """The best place of a file that would be a hit without its demotion."""

    path: str
    start_line: int
    end_line: int
    symbol: str
    score: float
    otherwise: float
    """Score without the demotion."""
    signals: Mapping[str, float]
    """Signals that lowered it, by name."""


class RerankedBy(NamedTuple):
    """The model that reordered the best candidates."""

    model: str
    candidates: int
    took_ms: float


class LookedAt(NamedTuple):
    """Numbers of refs, trees and files behind an answer about refs."""

    refs: int
    trees: int
    """Different trees of these refs."""
    complete_trees: int
    """Trees read completely, or completely indexed for a union."""
    files: int
    """Different files examined."""
    complete_files: int


class LeftOut(NamedTuple):
    """A tree whose code an answer excludes."""

    ref: str
    tree: Oid


class Rewritten(NamedTuple):
    """Variants and words searched besides the query."""

    variants: tuple[str, ...] = ()
    """Other forms of the query, by a language model."""
    words: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """Related words of the searched tree, by word of the query."""


class Answer(Record):
    """Hits, the searched tree, and how much of it was indexed."""

    query: str
    ref: str
    tree: Oid
    completeness: Completeness
    degraded: str
    """Why an arm, the reranker or the rewriter did not take part; else empty."""
    took_ms: float
    hits: tuple[Hit, ...]
    without: LeftOut | None = None
    """Tree whose code is excluded; None if the whole tree was searched."""
    looked_at: LookedAt | None = None
    """Examined part of the requested refs; None without refs."""
    union: bool = False
    """True if the files of all these refs were searched; `tree` is then a digest of their trees."""
    demoted: tuple[Demoted, ...] = ()
    """Places that a demotion removed; only if the query asked to explain."""
    reranked_by: RerankedBy | None = None
    rewritten: Rewritten | None = None
    warnings: tuple[str, ...] = ()
    """A sentence for each ignored setting of a submodule."""
    unmatched_names: tuple[str, ...] = ()
    """Names of several words in the query that no indexed file of the tree contains."""
    notes: tuple[str, ...] = ()
    """Notes for the reader, a sentence each."""
    left_out: int = 0
    """Number of hits beyond the token budget."""
    weaker: int = 0
    """Number of hits left out because the best one is far better."""

    @property
    def complete(self) -> bool:
        """Return whether the whole tree was indexed."""
        return self.completeness.complete


class Progress(Protocol):
    """A callback for the progress of indexing."""

    def __call__(self, done: int, total: int, /) -> None:
        """Report that `done` of `total` missing blobs are stored."""


class OnIndex(Protocol):
    """A callback for what a search has to index first."""

    def __call__(self, lacking: ToIndex, /) -> Progress | None:
        """Report the files to index, and return a progress callback or None."""
