"""Select the files of a tree to index, and their languages.

Pure: entries and attributes in, a plan out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import TYPE_CHECKING, TypeVar

from ragit import chunk, globs, postings, words
from ragit.config import Config, fingerprint, selection_fingerprint
from ragit.git import GITLINK, SYMLINK
from ragit.index.descriptions.settings import IMAGE, image_task
from ragit.index.vectors import text as embedded
from ragit.records import NamedTuple, Record
from ragit.types import Entry, Oid

if TYPE_CHECKING:
    from ragit.chunk import Custom

_T = TypeVar("_T")

_OUT = {"linguist-generated": "generated", "linguist-vendored": "vendored"}
"""Attributes that exclude a file, with the reason shown."""

IGNORED = "ignored"
"""The reason for a file that a .ragitignore excludes."""

SUBMODULE = "submodule"
"""The reason for a submodule, which is a repository of its own."""


class Selected(NamedTuple):
    """A file to index: its blob, its language, and the fingerprint of its chunker."""

    path: bytes
    oid: Oid
    language: str
    fingerprint: str

    @property
    def key(self) -> tuple[Oid, str, str]:
        """The key of its chunking: everything that its chunks depend on."""
        return self.oid, self.language, self.fingerprint


class Plan(Record):
    """The selected and the skipped files of a tree."""

    files: list[Selected]
    skipped: dict[bytes, str]


class Selector:
    """Applies one configuration to the entries of any tree.

    `chunkers` are custom ones, by file extension.
    """

    def __init__(self, config: Config, chunkers: Mapping[str, Custom] | None = None) -> None:
        self._options = chunk_options(config)
        self._parsers = {
            suffix.lower().lstrip("."): language for suffix, language in config.chunking.parsers
        }
        self._chunkers = {suffix.lstrip("."): custom for suffix, custom in (chunkers or {}).items()}
        self.chunkers: dict[str, Custom] = {}
        """Custom chunkers of files in any plan so far, by these files' fingerprint."""
        self._include = globs.matcher(config.index.include)
        self._exclude = globs.matcher(config.index.exclude)
        self._limits = (config.index.max_file_bytes, config.documents.max_file_bytes)
        self._fingerprints: dict[str, str] = {}
        self.images = image_task(config.image_description)
        """The describer of images; None if they are skipped."""
        self._most_image_bytes = config.image_description.max_image_bytes
        bounds = (self._most_image_bytes, config.image_description.max_pixels)
        self._described = (self.images.fingerprint, *bounds) if self.images else ()
        # The whole table: otherwise a tree resolved under another table would keep naming outdated
        # chunks.
        versions = (chunk.table_fingerprint(self._options), self._versions(), self._described)
        custom = sorted((suffix, one.fingerprint) for suffix, one in self._chunkers.items())
        self.fingerprint = fingerprint(
            selection_fingerprint(config), config.chunking, *versions, custom
        )
        """Identifies everything that decides a plan's files and their keys."""

    def select(
        self,
        entries: Iterable[Entry],
        attributes: Mapping[bytes, Mapping[str, str]],
        ignored: Set[bytes] = frozenset(),
    ) -> Plan:
        """Return the files to index, in the order of the entries, and the others with the reason.

        `ignored` are paths excluded by the tree's .ragitignore files.
        """
        plan = Plan([], {})
        nothing: Mapping[str, str] = {}
        for entry in entries:
            given = attributes.get(entry.path, nothing)
            reason = self._reason(entry) or (IGNORED if entry.path in ignored else "")
            language = "" if reason else self._language(entry.path, given)
            custom = _by_suffix(entry.path, self._chunkers) if self._chunkers else None
            if custom and language == IMAGE:
                language = "text"  # no model has to describe what a chunker reads
            reason = reason or self._unread(language, given, custom)
            if reason:
                plan.skipped[entry.path] = reason
                continue
            plan.files.append(
                Selected(entry.path, entry.oid, language, self.fingerprint_of(language, custom))
            )
        return plan

    def _reason(self, entry: Entry) -> str:
        if entry.mode == SYMLINK:
            return "symlink"
        if entry.mode == GITLINK:
            return SUBMODULE
        if self._include and not self._include(entry.path):
            return "not included"
        if self._exclude and self._exclude(entry.path):
            return "excluded"
        return ""

    def _unread(self, language: str, given: Mapping[str, str], custom: Custom | None) -> str:
        """Return why attributes or settings skip a file of this language; empty if they do not."""
        is_image = language == IMAGE
        if is_image and self.images is None:
            return IMAGE
        # The attribute `binary` is normal for a document or an image, and no wish to leave it out.
        known = is_image or custom is not None or chunk.is_document(language)
        return _out_by_attribute(given, binary=not known) if given else ""

    def _language(self, path: bytes, given: Mapping[str, str]) -> str:
        named = chunk.named(given.get("linguist-language", ""))
        if named:
            return named
        parsed = _by_suffix(path, self._parsers) if self._parsers else None
        return parsed or chunk.language_of(path)

    def usable(self, language: str, fingerprint: str) -> bool:
        """Return whether chunks of a file of this language may have this fingerprint."""
        ways = (None, *self._chunkers.values())
        return any(self.fingerprint_of(language, custom) == fingerprint for custom in ways)

    def most_bytes(self, path: bytes) -> int:
        """Return the size limit of a file of this name; it is higher for documents and images."""
        language = self._language(path, {})
        if language == IMAGE and self.images is not None:
            return max(self._most_image_bytes, self._limits[0])
        return self._limits[chunk.is_document(language)]

    def fingerprint_of(self, language: str, custom: Custom | None = None) -> str:
        """Return the fingerprint of everything but the blob that decides the chunks of a file."""
        if custom:
            return self._custom_fingerprint(language, custom)
        found = self._fingerprints.get(language)
        if found is None:
            limit = (
                self._described if language == IMAGE else self._limits[chunk.is_document(language)]
            )
            parts = (chunk.fingerprint(language, self._options), limit, self._versions())
            found = self._fingerprints[language] = fingerprint(*parts)
        return found

    def _custom_fingerprint(self, language: str, custom: Custom) -> str:
        options = self._options
        sizes = (options.max_lines, options.max_bytes, options.chunker_seconds, *options.documents)
        parts = (
            custom.fingerprint,
            chunk.fingerprint(language, options),
            sizes,
            self._limits,
            self._versions(),
        )
        found = fingerprint(*parts)
        self.chunkers[found] = custom
        return found

    @staticmethod
    def _versions() -> tuple[int, ...]:
        return words.VERSION, postings.VERSION, embedded.VERSION


def _by_suffix(path: bytes, table: Mapping[str, _T]) -> _T | None:
    """Look up a path by file extension without its dot.

    The longest extension wins, and a whole name counts as one.
    """
    name = path.rpartition(b"/")[2].decode("utf-8", "replace").lower()
    while name:
        if name in table:
            return table[name]
        name = name.partition(".")[2]
    return None


def _out_by_attribute(given: Mapping[str, str], *, binary: bool) -> str:
    for name, reason in _OUT.items():
        if given.get(name) in {"set", "true"}:
            return reason
    if given.get("ragit") in {"unset", "false"}:
        return "ragit=false"
    # The macro `binary` is -diff -merge -text.
    unread = binary and (given.get("diff") == "unset" or given.get("binary") == "set")
    return "binary by attribute" if unread else ""


def chunk_options(config: Config) -> chunk.ChunkOptions:
    """Return the chunker's part of the configuration."""
    return chunk.ChunkOptions(
        node_types={language: tuple(types) for language, types in config.chunking.node_types},
        max_lines=config.index.max_chunk_lines,
        max_bytes=config.index.max_chunk_bytes,
        min_bytes=config.index.min_chunk_bytes,
        chunker_seconds=config.chunking.chunker_seconds,
        documents=chunk.DocumentOptions(
            enabled=config.documents.enabled,
            min_bytes=config.documents.min_chunk_bytes,
            max_bytes=config.documents.max_chunk_bytes,
            max_pages=config.documents.max_pages,
            max_seconds=config.documents.max_seconds,
            max_memory=config.documents.max_memory_bytes,
            max_text=config.documents.max_text_bytes,
            max_unpacked=config.documents.max_unpacked_bytes,
        ),
    )
