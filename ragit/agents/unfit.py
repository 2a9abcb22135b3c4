"""The error of a file that must not be changed."""

from __future__ import annotations


class Unfit(Exception):
    """A file that ragit does not change; the text tells why, as the end of a sentence."""
