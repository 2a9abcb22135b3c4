"""The error of a file that is left alone."""

from __future__ import annotations


class Unfit(Exception):
    """A file that ragit does not change; the text says why, as the end of a sentence."""
