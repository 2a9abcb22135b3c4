"""All settings: default, bounds, help, and limits for untrusted files.

With server_sections.py this is the only list: `ragit config` and the table in docs/configuration.md
are made from it. An untrusted .ragit.toml cannot set a new setting unless `untrusted` allows it.
"""

from __future__ import annotations

from pathlib import Path

from ragit.config.knobs import FREE, Knob, Section, at_least, at_most, fingerprint, knob, walk
from ragit.config.server_sections import (
    Description,
    Embedding,
    ImageDescription,
    QueryRewriting,
    Reranking,
)

Globs = tuple[str, ...]
Weights = tuple[tuple[str, float], ...]
"""Sorted pairs, so that a Config is hashable. Read it with dict(...)."""
Parsers = tuple[tuple[str, str], ...]
NodeTypes = tuple[tuple[str, tuple[str, ...]], ...]
Prices = tuple[tuple[str, tuple[float, ...]], ...]
"""By model in lower case, the prices of a million tokens of input, and of output."""
Chunkers = tuple[tuple[str, str], ...]
"""By file extension, the custom chunker; in .ragit.toml a list of tables."""

_FREE_GLOBS = 100
"""Limit of globs in an untrusted file: each is tried on every path of a tree."""

_NAME = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
CHUNKER = (
    rf"|(?!/|~)(?!(?:.*/)?\.\.?/)[^\0-\x1f\\:]+\.py(?::{_NAME})?"
    rf"|{_NAME}:{_NAME}|[A-Za-z0-9_][A-Za-z0-9_.-]*"
)
"""A chunker: a file of the repository, MODULE:OBJECT, an entry point, or empty for none."""


class Index(Section):
    """Settings of indexing: files, chunks, and the place of the index."""

    max_file_bytes: int = knob(
        1 << 20,
        "Larger files are skipped and counted.",
        low=1,
        high=1 << 30,
        untrusted=at_most(1 << 20),
    )
    include: Globs = knob(
        (),
        "Only paths that match one of these globs are indexed; empty: all.",
        untrusted=at_most(_FREE_GLOBS),
    )
    exclude: Globs = knob(
        (), "Paths that match one of these globs are not indexed.", untrusted=at_most(_FREE_GLOBS)
    )
    min_chunk_bytes: int = knob(
        0,
        "Neighbours are grouped up to this size. With 0, each function is a chunk of its own; "
        "one-line declarations are grouped in any case.",
        low=0,
        high=1 << 20,
        untrusted=FREE,
    )
    max_chunk_lines: int = knob(
        100, "Longer chunks are split.", low=1, high=100_000, untrusted=at_least(100)
    )
    max_chunk_bytes: int = knob(
        8000,
        "Larger chunks are split, an over-long line too.",
        low=64,
        high=1 << 20,
        untrusted=at_least(8000),
    )
    workers: int = knob(
        0, "Processes that chunk and embed; 0: as many as there are processors.", low=0, high=256
    )
    store_path: str = knob(
        "",
        "The index file, absolute or relative to the git directory; empty: ragit/index.db in it.",
        pattern=r"[^\0\r\n]*",
        wanted="a path",
    )


class ChunkingSettings(Section):
    """Settings of chunking: syntax nodes and languages."""

    node_types: NodeTypes = knob(
        (), "Per language, the syntax nodes that become chunks; replaces that language's own."
    )
    parsers: Parsers = knob((), "Per file extension, the language it is read as.", untrusted=FREE)
    chunker_seconds: int = knob(
        10,
        "A file for which a chunker of your own takes longer is skipped.",
        low=1,
        high=86_400,
        untrusted=at_most(10),
    )


class Documents(Section):
    """Settings of reading documents: PDF, Word and others of docs/languages.md."""

    enabled: bool = knob(
        True,
        "Read documents; false: those that are no plain text are skipped and counted.",
        untrusted=FREE,
    )
    max_file_bytes: int = knob(
        32 << 20,
        "Larger documents are skipped and counted, in place of index.maxFileBytes.",
        low=1,
        high=1 << 30,
        untrusted=at_most(32 << 20),
    )
    min_chunk_bytes: int = knob(
        300, "Paragraphs are grouped up to this size.", low=0, high=1 << 20, untrusted=at_least(300)
    )
    max_chunk_bytes: int = knob(
        4000, "Larger paragraphs are split.", low=64, high=1 << 20, untrusted=at_least(4000)
    )
    max_pages: int = knob(
        2000,
        "Pages, sheets, slides or chapters read of one document.",
        low=1,
        high=1_000_000,
        untrusted=at_most(2000),
    )
    max_text_bytes: int = knob(
        8 << 20,
        "Text taken of one document; the rest is left out.",
        low=1000,
        high=1 << 28,
        untrusted=at_most(8 << 20),
    )
    max_unpacked_bytes: int = knob(
        256 << 20,
        "A document whose parts are larger than this once unpacked is skipped.",
        low=1000,
        high=1 << 32,
        untrusted=at_most(256 << 20),
    )
    max_seconds: int = knob(
        120,
        "Processor time for a document of 6 MB or more (a twelfth for a small one), and for all "
        "slow files of a run together; what takes longer is skipped.",
        low=1,
        high=86_400,
        untrusted=at_most(120),
    )
    max_memory_bytes: int = knob(
        1 << 30,
        "A document that takes more memory to read is skipped.",
        low=64 << 20,
        high=1 << 40,
        untrusted=at_most(1 << 30),
    )


class HybridSearch(Section):
    """Settings of mixing keywords and vectors."""

    enabled: bool = knob(
        True, "Search by keywords beside vectors; false: by vectors alone.", untrusted=FREE
    )
    keyword_weight: float = knob(
        0.4, "Share of the keyword score; the vectors have the rest.", low=0, high=1, untrusted=FREE
    )
    keyword_scoring: str = knob(
        "bm25",
        "bm25: by rarity and frequency of words and length of the chunk. tfidf: without the "
        "length.",
        choices=("bm25", "tfidf"),
        untrusted=FREE,
    )


class ContextOptimization(Section):
    """Settings of merging and dropping ranked chunks, before the list is cut to topK."""

    enabled: bool = knob(
        True, "Merge, drop near-duplicates and cap per file, as follows.", untrusted=FREE
    )
    merge_adjacent: bool = knob(
        True,
        "Join chunks of a file that are close together, unless on different pages or sheets.",
        untrusted=FREE,
    )
    adjacent_gap_threshold: int = knob(
        5,
        "Lines that may lie between two chunks that are joined.",
        low=0,
        high=10_000,
        untrusted=at_most(20),
    )
    similarity_threshold: float = knob(
        0.8,
        "Of two chunks of a file that share more of their words than this, the lower is dropped.",
        low=0,
        high=1,
        untrusted=FREE,
    )
    max_per_file: int = knob(
        3, "Most hits from one file; 0: no limit.", low=0, high=10_000, untrusted=FREE
    )


class Retrieval(Section):
    """Settings of searches."""

    top_k: int = knob(10, "Most hits in an answer.", low=1, high=10_000, untrusted=at_most(50))
    min_score: float = knob(
        0.0, "Hits below this score are left out.", low=0, high=100, untrusted=FREE
    )
    least_share: float = knob(
        0.5,
        "In markdown and compact output, hits below this share of the best hit's score are left "
        "out; in text and vimgrep, below a fifth of it; 0: none are.",
        low=0,
        high=1,
        untrusted=FREE,
    )
    query_prefix: str = knob(
        "", "Put before a query before it is embedded; empty: embedding.queryPrefix."
    )
    hybrid_search: HybridSearch = HybridSearch()
    context_optimization: ContextOptimization = ContextOptimization()
    reranking: Reranking = Reranking()
    query_rewriting: QueryRewriting = QueryRewriting()
    signals: Weights = knob(
        (),
        "Per ranking signal, its weight instead of the built-in one; 0 turns it off.",
        low=-100,
        high=100,
        untrusted=FREE,
    )


class Freshness(Section):
    """Settings for a search in an incompletely indexed tree."""

    policy: str = knob(
        "refresh",
        "refresh: index what is missing, then answer. warn: answer, with a note. refuse: fail.",
        choices=("refresh", "warn", "refuse"),
        untrusted=FREE,
    )


class Gc(Section):
    """Settings of `ragit gc`."""

    # git forgets unreachable commits after 30 days (gc.reflogExpireUnreachable).
    reflog_days: int = knob(
        30, "Commits left behind in a reflog stay indexed for this many days.", low=0, high=36_500
    )


class Output(Section):
    """Settings of output on a terminal."""

    syntax_colors: bool = knob(
        False, "Colour code by its syntax where output is coloured. Takes some 100 ms more."
    )


class Config(Section):
    """All settings. Hashable; equal if every setting is equal."""

    index: Index = Index()
    chunking: ChunkingSettings = ChunkingSettings()
    chunkers: Chunkers = knob(
        (),
        "Chunkers of your own, each with the file extensions it reads: docs/chunkers.md.",
        pattern=CHUNKER,
        wanted="a list of tables, each with a module (a .py file of the repository, "
        "PACKAGE.MODULE:NAME or the name of an installed chunker) and extensions",
    )
    documents: Documents = Documents()
    embedding: Embedding = Embedding()
    description: Description = Description()
    image_description: ImageDescription = ImageDescription()
    pricing: Prices = knob(
        (),
        "Per model, dollars for a million tokens of input, and of output; for `ragit index "
        "--dry-run`.",
        low=0,
        high=1_000_000,  # an untrusted file must not hide costs
    )
    retrieval: Retrieval = Retrieval()
    freshness: Freshness = Freshness()
    gc: Gc = Gc()
    output: Output = Output()

    @property
    def query_prefix(self) -> str:
        """The prefix of queries: retrieval's, else embedding's."""
        return self.retrieval.query_prefix or self.embedding.query_prefix

    def store_file(self, common_dir: Path) -> Path:
        """Return the index file of the repository with this git common directory."""
        if not self.index.store_path:
            return common_dir / "ragit" / "index.db"
        return common_dir / Path(self.index.store_path).expanduser()


def selection_fingerprint(config: Config) -> str:
    """Return a fingerprint of the settings that select files and their languages."""
    index = config.index
    sizes = (index.max_file_bytes, config.documents.max_file_bytes)
    return fingerprint(sizes, sorted(index.include), sorted(index.exclude), config.chunking.parsers)


KNOBS: dict[str, Knob] = {one.name: one for one in walk(Config())}
"""Every setting by name, in the order of the documentation."""

SECTIONS: frozenset[str] = frozenset(
    name.rsplit(".", depth)[0] for name in KNOBS for depth in range(1, name.count(".") + 1)
)
"""Names of the tables in .ragit.toml; nested ones with dots."""

SHORT = {"freshness": "freshness.policy"}
"""Sections that may be written as one value."""
