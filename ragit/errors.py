"""Errors that a user can repair. Anything else is a bug and exits with status 3.

RagitError
├── NotARepository        no git repository here, or git itself refuses it
├── UnknownRevision       the revision names nothing; the hint lists similar names
├── SeveralDefinitions    a name has several definitions, and one has to be chosen
├── NoSuchPath            the tree has no such file, folder, line or definition
├── NotIndexed            the tree is not indexed, and may not be indexed now
├── StoreUnreadable       the index file is damaged or cannot be opened
│   ├── StoreFull         its disk is full
│   ├── StoreTooNew       it was written by a newer ragit
│   └── StoreTooOld       it has an older format; indexing updates it
├── StoreBusy             another writer held the lock for too long
├── ConfigError           a setting or an option is unknown, of the wrong type or out of range
├── UnknownLanguage       a language name that is not in the table
├── UnknownFormat         an output format that does not exist
├── EmbedderUnavailable   the embedding server refused or did not answer
├── RemoteFailed          another server refused or did not answer (ragit.remote.failures)
├── NotDescribed          a file has no description, and gets none with these settings
├── WorkerDied            a worker process ended during its work
├── OutputFailed          the output cannot be written
├── HooksNotWritable      a hook file or its folder cannot be written
└── GitFailed             a git command failed unexpectedly
"""

from __future__ import annotations


class RagitError(Exception):
    """A failure to show as one sentence, with one hint for the user."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message, hint)  # pickle calls the class with both
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


class NotARepository(RagitError):
    """No git repository, or git refuses to open it."""


class UnknownRevision(RagitError):
    """A revision that git cannot resolve."""


class SeveralDefinitions(RagitError):
    """A name with several definitions, of which one has to be chosen."""


class NoSuchPath(RagitError):
    """A file, folder, line or definition that the tree does not have."""


class NotIndexed(RagitError):
    """A tree that is not completely indexed, and may not be indexed now."""


class StoreUnreadable(RagitError):
    """The index file cannot be used as it is."""


class StoreFull(StoreUnreadable):
    """The disk of the index is full."""


class StoreTooNew(StoreUnreadable):
    """The index file has a format that only a newer ragit knows."""


class StoreTooOld(StoreUnreadable):
    """The index file has an older format and was opened for reading only."""


class StoreBusy(RagitError):
    """Another process held the store's write lock for too long."""


class ConfigError(RagitError):
    """A setting that is unknown, mistyped or out of range."""


class UnknownLanguage(RagitError):
    """A language name that is not in the table."""


class UnknownFormat(RagitError):
    """An output format that does not exist."""


class EmbedderUnavailable(RagitError):
    """The configured embedder cannot answer."""


class RemoteFailed(RagitError):
    """A server that refused, did not answer, or answered unexpectedly."""


class NotDescribed(RagitError):
    """A file without a description: it does not exist, is not indexed, is an image that may not be
    sent, or descriptions are off.
    """


class WorkerDied(RagitError):
    """A worker process that ended before its work did, probably for lack of memory."""


class OutputFailed(RagitError):
    """Standard output cannot be written, for example to a full disk."""


class HooksNotWritable(RagitError):
    """A hook file, or the folder of hooks, cannot be written."""


class GitFailed(RagitError):
    """A git command failed unexpectedly."""
