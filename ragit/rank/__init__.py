"""Candidates to an order: pure functions, no IO. Sees only the candidates it is given."""

from ragit.rank.keyword import ChunkScore, FileScores, best_first, score_chunks, score_files
from ragit.rank.optimize import Options, Piece, optimize
from ragit.rank.signals import SIGNALS, Candidate, FileFacts, score, signal_weights
from ragit.rank.terms import QUERY_BYTES, QueryTerms, take_apart

__all__ = [
    "QUERY_BYTES",
    "SIGNALS",
    "Candidate",
    "ChunkScore",
    "FileFacts",
    "FileScores",
    "Options",
    "Piece",
    "QueryTerms",
    "best_first",
    "optimize",
    "score",
    "score_chunks",
    "score_files",
    "signal_weights",
    "take_apart",
]
