"""Gives the meanings of the signals, for explanations."""

from ragit.rank import MEANINGS as MEANINGS
