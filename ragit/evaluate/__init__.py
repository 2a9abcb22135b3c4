"""Measure how well searches answer, by a golden set or one made from the repository's history.

Uses only the public interface, and changes no ranking. `measures` has the figures.
"""

from ragit.evaluate.compare import compare, read_configuration
from ragit.evaluate.golden import GoldenSet, read, write
from ragit.evaluate.judge import evaluate
from ragit.evaluate.past import from_history
