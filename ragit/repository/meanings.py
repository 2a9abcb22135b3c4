"""Gives the meanings of the signals to those who explain an answer."""

from ragit.rank import MEANINGS as MEANINGS
