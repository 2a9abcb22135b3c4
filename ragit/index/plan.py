"""Which files of a tree are indexed, and as what. Pure: entries and attributes in, a plan out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import NamedTuple

from ragit import chunk, globs, postings, words
from ragit.config import Config, fingerprint, selection_fingerprint
from ragit.git import GITLINK, SYMLINK
from ragit.index import embedded
from ragit.index.describing import IMAGE, image_asking
from ragit.records import Record
from ragit.types import Entry, Oid

_OUT = {"linguist-generated": "generated", "linguist-vendored": "vendored"}
"""Attributes that take a file out of the index where they are set, and the reason that is shown."""


IGNORED = "ignored"
"""The reason for what a .ragitignore takes out."""


class Selected(NamedTuple):
    """A file to index: its blob, read as this language, cut by the chunker that the fingerprint names."""

    path: bytes
    oid: Oid
    language: str
    fingerprint: str

    @property
    def key(self) -> tuple[Oid, str, str]:
        """What its chunks depend on."""
        return self.oid, self.language, self.fingerprint


class Plan(Record):
    """What a tree is made of, for ragit."""

    files: list[Selected]
    skipped: dict[bytes, str]


class Selector:
    """Applies one configuration to the entries of any tree."""

    def __init__(self, config: Config) -> None:
        self._options = chunk_options(config)
        self._parsers = {suffix.lower().lstrip("."): language for suffix, language in config.chunking.parsers}
        self._include = globs.matcher(config.index.include)
        self._exclude = globs.matcher(config.index.exclude)
        self._limits = (config.index.max_file_bytes, config.documents.max_file_bytes)
        self._fingerprints: dict[str, str] = {}
        self.images = image_asking(config.image_description)
        """Who describes images; None where they are left out."""
        bounds = (config.image_description.max_image_bytes, config.image_description.max_pixels)
        self._described = (self.images.fingerprint, *bounds) if self.images else ()
        # The whole table: a tree composed under another one would go on to name the chunks that are made no more.
        versions = (chunk.table_fingerprint(self._options), self._versions(), self._described)
        self.fingerprint = fingerprint(selection_fingerprint(config), config.chunking, *versions)
        """Names everything that decides a plan's files and their keys."""

    def select(
        self,
        entries: Iterable[Entry],
        attributes: Mapping[bytes, Mapping[str, str]],
        ignored: Set[bytes] = frozenset(),
    ) -> Plan:
        """Files to index, in the order of the entries, and the others with the reason.

        `ignored` are paths that the tree's .ragitignore files take out.
        """
        plan = Plan([], {})
        nothing: Mapping[str, str] = {}
        for entry in entries:
            given = attributes.get(entry.path, nothing)
            reason = self._reason(entry) or (IGNORED if entry.path in ignored else "")
            language = "" if reason else self._language(entry.path, given)
            reason = reason or self._unread(language, given)
            if reason:
                plan.skipped[entry.path] = reason
                continue
            plan.files.append(Selected(entry.path, entry.oid, language, self.fingerprint_of(language)))
        return plan

    def _reason(self, entry: Entry) -> str:
        if entry.mode == SYMLINK:
            return "symlink"
        if entry.mode == GITLINK:
            return "submodule"
        if self._include and not self._include(entry.path):
            return "not included"
        if self._exclude and self._exclude(entry.path):
            return "excluded"
        return ""

    def _unread(self, language: str, given: Mapping[str, str]) -> str:
        """Why a file of this language is left out, by its attributes or by settings."""
        is_image = language == IMAGE
        if is_image and self.images is None:
            return IMAGE
        # That a document or an image is binary is no news, and no wish to leave it out.
        return _out_by_attribute(given, binary=not (is_image or chunk.is_document(language))) if given else ""

    def _language(self, path: bytes, given: Mapping[str, str]) -> str:
        named = chunk.named(given.get("linguist-language", ""))
        if named:
            return named
        if self._parsers:
            suffix = path.rpartition(b"/")[2].rpartition(b".")[2].decode("utf-8", "replace").lower()
            if suffix in self._parsers:
                return self._parsers[suffix]
        return chunk.language_of(path)

    def fingerprint_of(self, language: str) -> str:
        """Names everything but the blob that decides the chunks of a file of this language."""
        found = self._fingerprints.get(language)
        if found is None:
            limit = self._described if language == IMAGE else self._limits[chunk.is_document(language)]
            parts = (chunk.fingerprint(language, self._options), limit, self._versions())
            found = self._fingerprints[language] = fingerprint(*parts)
        return found

    @staticmethod
    def _versions() -> tuple[int, ...]:
        return words.VERSION, postings.VERSION, embedded.VERSION


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
    """The chunker's part of the configuration."""
    return chunk.ChunkOptions(
        node_types={language: tuple(types) for language, types in config.chunking.node_types},
        max_lines=config.index.max_chunk_lines,
        max_bytes=config.index.max_chunk_bytes,
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
