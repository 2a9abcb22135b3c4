"""How well searching answers: a golden set, or one from the repository's history, judged under one or two
configurations.

It asks through `api` what anyone could ask, and reads the store and the repository no other way; figures are those of
`measures`, and nothing here has a say in a ranking.
"""

from ragit.evaluate.compare import Configuration, compare, read_configuration
from ragit.evaluate.golden import THRESHOLDS, GoldenSet, read, write
from ragit.evaluate.judge import evaluate
from ragit.evaluate.past import from_history

__all__ = [
    "THRESHOLDS",
    "Configuration",
    "GoldenSet",
    "compare",
    "evaluate",
    "from_history",
    "read",
    "read_configuration",
    "write",
]
