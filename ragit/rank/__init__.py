"""Order candidates by their facts: pure functions without IO."""

from __future__ import annotations

from ragit.rank.exact import (
    ASKING,
    COMMON_WORD_WEIGHT,
    RUN,
    SAME,
    WordWeights,
    evidence,
    has_phrase,
    match_of_name,
    of_sequence,
    plain_tokens,
    telling_names,
    tokens_of,
    unmatched_phrases,
)
from ragit.rank.intent import tasks_of
from ragit.rank.keyword import (
    B_CHUNK,
    B_FILE,
    CHUNK_LENGTH,
    FIELD_WEIGHTS,
    HEAD_WEIGHT,
    K1,
    PATH_WEIGHT,
    SYMBOL_WEIGHT,
    ChunkScores,
    FileScores,
    HasEntries,
    RanksFiles,
    Shares,
    best_first,
    coverage,
    greatest,
    rarity,
    score_chunks,
    score_files,
)
from ragit.rank.optimize import Options, Piece, optimize
from ragit.rank.signals import (
    ALIKE,
    EXACT,
    MEANINGS,
    NOT_CODE,
    REPEAT,
    SIGNAL_NAMES,
    TITLES,
    ChunkColumns,
    ChunkFacts,
    ChunkNames,
    FileFacts,
    QueryFacts,
    held_in_code,
    is_type_of,
    shaped,
    signal_weights,
)
from ragit.rank.terms import QUERY_BYTES, QueryTerms, Symbol, content_words, joined, parse_query

TYPE_CHECKING = False

if TYPE_CHECKING:  # exported, and imported on first use: few commands rank, and fewer ask a model
    from ragit.rank import paths
    from ragit.rank.contenders import Details, Mix, mix_of
    from ragit.rank.fuse import Fused
    from ragit.rank.order import Explains, Ranked, Scorer
    from ragit.rank.rerank import reranked
    from ragit.rank.traces import Frame
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "contenders": ["Details", "Mix", "mix_of"],
            "fuse": ["Fused"],
            "order": ["Explains", "Ranked", "Scorer"],
            "rerank": ["reranked"],
            "traces": ["Frame"],
        },
    )
