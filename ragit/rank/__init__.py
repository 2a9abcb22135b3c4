"""Facts to an order: pure functions, no IO. Sees only the candidates it is given."""

from ragit.rank.keyword import ChunkScore, FileScores, Shares, best_first, score_chunks, score_files
from ragit.rank.optimize import Options, Piece, optimize
from ragit.rank.order import Explains, Mix, Ranked, Scorer
from ragit.rank.signals import (
    CHUNK_SIGNALS,
    FILE_SIGNALS,
    MEANINGS,
    REPEAT,
    SIGNAL_NAMES,
    ChunkFacts,
    FileFacts,
    Names,
    QueryFacts,
    held_in_code,
    shaped,
    signal_weights,
)
from ragit.rank.terms import QUERY_BYTES, QueryTerms, take_apart, telling

__all__ = [
    "CHUNK_SIGNALS",
    "FILE_SIGNALS",
    "MEANINGS",
    "QUERY_BYTES",
    "SIGNAL_NAMES",
    "QueryFacts",
    "ChunkFacts",
    "ChunkScore",
    "Explains",
    "FileFacts",
    "FileScores",
    "Mix",
    "Names",
    "Options",
    "Piece",
    "QueryTerms",
    "REPEAT",
    "Ranked",
    "Scorer",
    "Shares",
    "best_first",
    "held_in_code",
    "optimize",
    "score_chunks",
    "score_files",
    "shaped",
    "signal_weights",
    "take_apart",
    "telling",
]
