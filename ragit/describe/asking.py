"""Which model is asked, and what: the name under which its descriptions are kept. Reads nothing, sends nothing."""

from __future__ import annotations

from ragit import digests
from ragit.records import Record
from ragit.remote.server import masked

VERSION = 1
"""Part of every name: raise it when what is sent beside the prompt, or what is made of an answer, changes."""


class Asking(Record):
    """Everything that determines a description beside its subject."""

    base_url: str
    model: str
    prompt: str
    max_tokens: int
    bound: int
    """How much of a subject is sent: characters of a chunk, pixels of an image's longer side."""

    @property
    def fingerprint(self) -> str:
        """A name that people can read, as an embedder's is. A model's name alone does not say whose weights it means,
        so the server is in it; no value of its URL's query is, which may be a key.
        """
        rest = digests.fingerprint(repr((VERSION, self.prompt, self.max_tokens, self.bound)))[:8]
        return f"{masked(self.base_url.rstrip('/'))}#{self.model}:{rest}"
