"""Every setting ragit knows, as fields of frozen sections: default, bounds, meaning and whether a clone may set it.

This is the only list. The reader of settings, `ragit config` and the table in docs/configuration.md are all made from
it, so a new setting is one line here. Nothing in this file reads anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

Globs = tuple[str, ...]
Weights = tuple[tuple[str, float], ...]
"""Sorted pairs, not a dict: a Config can be hashed. Read it with dict(...)."""
Parsers = tuple[tuple[str, str], ...]
NodeTypes = tuple[tuple[str, tuple[str, ...]], ...]

_T = TypeVar("_T")


def _knob(
    default: _T,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
    pattern: str = "",
    wanted: str = "",
    sensitive: bool = False,
) -> _T:
    """A field with what the reader of settings has to know; `wanted` says in words what `pattern` accepts."""
    about = {"help": help, "low": low, "high": high, "choices": choices, "pattern": pattern, "wanted": wanted}
    return field(default=default, metadata={**about, "sensitive": sensitive})


@dataclass(frozen=True, slots=True)
class Index:
    """Which files of a tree are indexed, how they are cut, and where the result is kept."""

    max_file_bytes: int = _knob(1 << 20, "Larger files are skipped and counted.", low=1, high=1 << 30)
    include: Globs = _knob((), "Only paths that match one of these globs are indexed; empty: all.")
    exclude: Globs = _knob((), "Paths that match one of these globs are not indexed.")
    max_chunk_lines: int = _knob(100, "Longer chunks are split.", low=1, high=100_000)
    max_chunk_bytes: int = _knob(8000, "Larger chunks are split, an over-long line too.", low=64, high=1 << 20)
    workers: int = _knob(0, "Processes that chunk and embed; 0: as many as there are processors.", low=0, high=256)
    store_path: str = _knob(
        "",
        "The index file, absolute or relative to the git directory; empty: ragit/index.db in it.",
        pattern=r"[^\0\r\n]*",
        wanted="a path",
        sensitive=True,
    )


@dataclass(frozen=True, slots=True)
class Chunking:
    """Which syntax becomes a chunk, and which language a file extension means."""

    node_types: NodeTypes = _knob(
        (), "Per language, the syntax nodes that become chunks; replaces that language's own."
    )
    parsers: Parsers = _knob((), "Per file extension, the language it is read as.")


@dataclass(frozen=True, slots=True)
class Embedding:
    """Who turns text into vectors. `static` and `none` send nothing anywhere."""

    provider: str = _knob(
        "static",
        "static: the model in the package, offline. openai: any server with OpenAI's protocol. none: keywords only.",
        pattern=r"[A-Za-z0-9_.-]+",
        wanted='"static", "openai", "none" or the name of an installed embedder',
        sensitive=True,
    )
    base_url: str = _knob(
        "",
        "Address of the server, up to and including its version (https://host/v1); empty: the provider's own.",
        pattern=r"(https?://[^\s/]\S*)?",
        wanted="a URL that begins with http:// or https://",
        sensitive=True,
    )
    model: str = _knob("", "Name of the model; empty: the provider's usual one.", sensitive=True)
    api_key_env: str = _knob(
        "OPENAI_API_KEY",
        "Name of the environment variable that holds the key. The key itself is never written down.",
        pattern=r"([A-Za-z_][A-Za-z0-9_]*)?",
        wanted="the name of an environment variable (never the key itself)",
        sensitive=True,
    )
    dimensions: int = _knob(0, "Length of the vectors to ask for; 0: the model's own.", low=0, high=65_536)
    query_prefix: str = _knob("", "Put before a query before it is embedded.")
    document_prefix: str = _knob("", "Put before a chunk before it is embedded.")
    batch_size: int = _knob(100, "Texts in one request.", low=1, high=2048)
    concurrency: int = _knob(3, "Requests under way at once.", low=1, high=64)
    timeout_ms: int = _knob(30_000, "Milliseconds to wait for one answer of the server.", low=1, high=3_600_000)


@dataclass(frozen=True, slots=True)
class HybridSearch:
    """How keywords and vectors are mixed."""

    enabled: bool = _knob(True, "Search by keywords beside vectors; false: by vectors alone.")
    keyword_weight: float = _knob(0.4, "Share of the keyword score; the vectors have the rest.", low=0, high=1)
    keyword_scoring: str = _knob(
        "bm25",
        "bm25 counts how rare and how frequent a word is and how long the chunk; tfidf leaves the length out.",
        choices=("bm25", "tfidf"),
    )


@dataclass(frozen=True, slots=True)
class ContextOptimization:
    """What happens to the ranked chunks before the list is cut to topK."""

    enabled: bool = _knob(True, "Merge, drop near-duplicates and cap per file, as follows.")
    merge_adjacent: bool = _knob(True, "Join chunks of a file that lie close together.")
    adjacent_gap_threshold: int = _knob(5, "Lines that may lie between two chunks that are joined.", low=0, high=10_000)
    similarity_threshold: float = _knob(
        0.8, "Of two chunks of a file that share more of their words than this, the lower is dropped.", low=0, high=1
    )
    max_per_file: int = _knob(3, "Most hits from one file; 0: no limit.", low=0, high=10_000)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What a search returns."""

    top_k: int = _knob(10, "Most hits in an answer.", low=1, high=10_000)
    min_score: float = _knob(0.0, "Hits below this score are left out.", low=0, high=100)
    query_prefix: str = _knob("", "Put before a query before it is embedded; empty: embedding.queryPrefix.")
    hybrid_search: HybridSearch = HybridSearch()
    context_optimization: ContextOptimization = ContextOptimization()
    signals: Weights = _knob(
        (), "Per ranking signal, its weight instead of the built-in one; 0 turns it off.", low=-100, high=100
    )


@dataclass(frozen=True, slots=True)
class Freshness:
    """What a search does when the tree it is asked about is not indexed completely."""

    policy: str = _knob(
        "refresh",
        "refresh: index what is missing, then answer. warn: answer and say what is missing. refuse: fail.",
        choices=("refresh", "warn", "refuse"),
    )


@dataclass(frozen=True, slots=True)
class Gc:
    """What `ragit gc` keeps."""

    # git itself forgets what no branch reaches after 30 days (gc.reflogExpireUnreachable).
    reflog_days: int = _knob(30, "Commits left behind in a reflog stay indexed for this many days.", low=0, high=36_500)


@dataclass(frozen=True, slots=True)
class Config:
    """All settings, resolved. Hashable; equal if every setting is equal."""

    index: Index = Index()
    chunking: Chunking = Chunking()
    embedding: Embedding = Embedding()
    retrieval: Retrieval = Retrieval()
    freshness: Freshness = Freshness()
    gc: Gc = Gc()

    @property
    def query_prefix(self) -> str:
        """What is put before a query: retrieval's own prefix, else the embedding's."""
        return self.retrieval.query_prefix or self.embedding.query_prefix

    def store_file(self, common_dir: Path) -> Path:
        """The index file of the repository whose git common directory is given."""
        if not self.index.store_path:
            return common_dir / "ragit" / "index.db"
        return common_dir / Path(self.index.store_path).expanduser()


def fingerprint(*parts: Any) -> str:
    """16 hex digits that name these values (sections, numbers, strings, tuples of them): equal values, equal name."""
    import hashlib  # loads OpenSSL: 2 ms that `ragit config` need not spend

    plain = [asdict(part) if is_dataclass(part) and not isinstance(part, type) else part for part in parts]
    text = json.dumps(plain, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def selection_fingerprint(config: Config) -> str:
    """Names everything in the settings that decides which files of a tree are indexed, and as which language."""
    index = config.index
    return fingerprint(index.max_file_bytes, sorted(index.include), sorted(index.exclude), config.chunking.parsers)


class Knob(NamedTuple):
    """One setting: its name in .ragit.toml, where it sits in Config, and what values it takes."""

    name: str
    attributes: tuple[str, ...]
    kind: str
    """bool, int, float, str, or for several values Globs, Weights, Parsers, NodeTypes."""
    default: Any
    help: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    pattern: str
    wanted: str
    sensitive: bool
    """It can send data somewhere, load code or choose where to write: a clone's own file may not, until trusted."""

    @property
    def table(self) -> bool:
        """True if it holds named entries, which layers override one by one."""
        return self.kind in {"Weights", "Parsers", "NodeTypes"}

    @property
    def git_key(self) -> str:
        """Its key for `git config`, in lower case as far as git folds it: compare case-folded."""
        return f"ragit.{self.name}"

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return "RAGIT_" + "_".join(self.attributes).upper()


def camel(name: str) -> str:
    """A Python name as .ragit.toml writes it: max_file_bytes is maxFileBytes."""
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), name)


def _walk(section: Any, above: tuple[str, ...] = ()) -> Iterator[Knob]:
    for item in fields(section):
        attributes = (*above, item.name)
        value = getattr(section, item.name)
        if is_dataclass(value):
            yield from _walk(value, attributes)
        else:
            name = ".".join(map(camel, attributes))
            yield Knob(name=name, attributes=attributes, kind=str(item.type), default=value, **item.metadata)


KNOBS: dict[str, Knob] = {knob.name: knob for knob in _walk(Config())}
"""Every setting by name, in the order of the documentation."""

SECTIONS: frozenset[str] = frozenset(
    name.rsplit(".", depth)[0] for name in KNOBS for depth in range(1, name.count(".") + 1)
)
"""Names of the tables in .ragit.toml, nested ones dotted."""

SHORT = {"freshness": "freshness.policy"}
"""Sections that may be written as one value, because they are one question."""


def value_of(config: Config, knob: Knob) -> Any:
    """The value of one setting."""
    value: Any = config
    for attribute in knob.attributes:
        value = getattr(value, attribute)
    return value


def with_value(config: Any, attributes: tuple[str, ...], value: Any) -> Any:
    """The same settings (or section) with one of them changed."""
    head, rest = attributes[0], attributes[1:]
    return replace(config, **{head: with_value(getattr(config, head), rest, value) if rest else value})
