"""Find since when code exists, and when it was removed."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence

from ragit.changes import CommitFacts, Gone, Since, Version
from ragit.errors import GitFailed, NoSuchPath
from ragit.git import Ancestry, ChangedIn, FileHistory, Node, Removals, Repo
from ragit.history.following import Follower, Stop
from ragit.history.named_chunk import NamedChunk
from ragit.history.texts import alike_first, other_file
from ragit.index import Indexer, OnDemand, Piece
from ragit.records import NamedTuple
from ragit.refs import version_key
from ragit.search import OpenTree
from ragit.types import Oid, Progress, path_text

MOST = 5
"""Default limit of earlier versions."""

_LOOKED_INTO = 20
"""Limit of a commit's files that are read to find the version of a definition before its move to
another file.
"""

_TAGS = 64
"""Number of tags whose files are read together. The first one with a text may be the first
of all.
"""

UNCOMMITTED = "it is not committed yet"


class _Older(NamedTuple):
    """An earlier version of a definition, at a commit that has it."""

    history: FileHistory
    node: Node
    path: bytes
    piece: Piece
    code: bytes


class Historian:
    """Answers questions about the history of one repository's code, from one open tree."""

    def __init__(self, repo: Repo, ancestry: Ancestry, indexer: Indexer, opened: OpenTree) -> None:
        self._repo = repo
        self._ancestry = ancestry
        self._opened = opened
        self._files = OnDemand(indexer, opened.store_or_none, opened.objects)
        self._follower = Follower(ancestry, self._files)
        self._tags = 0

    # -- since

    def since(self, named: NamedChunk, commit: Oid | None, most: int = MOST) -> Since:
        """Return since when the code at a place exists; `commit` is HEAD or the opened revision,
        None before the first commit.
        """
        started = time.perf_counter()
        if most and named.row.definitions:
            self._files.prepare()
        stop = self._origin(named, commit)
        # Tags first: while git answers about them, it reads on in the history of the file.
        tag, has = self._first_tag(named.code, stop) if stop else ("", False)
        earlier, more = self._earlier_versions(named, commit, stop, most)
        facts = self._ancestry.facts(stop.node.commit) if stop else None
        return Since(
            *self._asked(),
            _version(named.path, named.row, facts),
            path_text(stop.path if stop else named.path),
            tag,
            has,
            stop.moves if stop else (),
            tuple(earlier),
            more,
            stop.unknown if stop else UNCOMMITTED,
            self._ancestry.seen,
            self._tags,
            len(self._files.looked_at),
            len(self._files.absent),
            (time.perf_counter() - started) * 1000,
        )

    def _asked(self) -> tuple[str, Oid, bool]:
        target = self._opened.target
        return target.name, target.tree, self._opened.tree.complete

    def _origin(self, named: NamedChunk, commit: Oid | None) -> Stop | None:
        """Return the origin of the code; None if it is not committed."""
        if commit is None:
            return None
        finder = self._follower.finder(named.code)
        blob = self._ancestry.blob_at(commit, named.path)
        path: bytes | None = named.path
        if blob is None or not finder.line(named.path, blob):
            path = other_file(finder, self._repo.diff(commit, self._opened.target.tree), named.path)
        return self._follower.follow(named.code, commit, path) if path is not None else None

    def _earlier_versions(
        self,
        named: NamedChunk,
        commit: Oid | None,
        stop: Stop | None,
        most: int,
    ) -> tuple[list[Version], bool]:
        """Return the versions before a text, newest first, and whether there are more."""
        found: list[Version] = []
        piece: Piece = named.row
        if stop is None:
            older = self._in_commit(named, commit) if commit else None
        else:
            older = self._version_before(stop, piece)
        while older is not None and len(found) < most:
            stop = self._follower.follow_on(older.code, older.history, older.node, older.path)
            facts = self._ancestry.facts(stop.node.commit)
            found.append(_version(older.path, older.piece, facts))
            older = self._version_before(stop, older.piece)
        return found, older is not None

    def _in_commit(self, named: NamedChunk, commit: Oid) -> _Older | None:
        """Return the committed version of a definition with uncommitted changes."""
        blob = self._ancestry.blob_at(commit, named.path)
        match = self._match(named.path, blob, named.row) if blob else None
        if match is None:
            return None
        start = self._follower.start(commit, named.path)
        return _Older(*start, *match) if start else None

    def _version_before(self, stop: Stop, piece: Piece) -> _Older | None:
        """Return the version of a definition before a commit changed its text."""
        if not piece.definitions or stop.unknown:
            return None
        for parent in stop.node.parents:
            node = stop.history.node(parent)
            match = self._match(stop.path, node.blob, piece) if node and node.blob else None
            if node and match:
                return _Older(stop.history, node, stop.path, *match)
        return self._in_other_file(stop, piece)

    def _in_other_file(self, stop: Stop, piece: Piece) -> _Older | None:
        """Return the same if the commit also moved it from another file."""
        for parent, changes in self._ancestry.changes(stop.node.commit):
            for one in alike_first(changes, stop.path)[:_LOOKED_INTO]:
                match = self._match(one.path, one.old.oid if one.old else None, piece)
                if match is None or (one.new and self._match(one.path, one.new.oid, piece)):
                    continue
                start = self._follower.start(parent, one.path)
                if start:
                    return _Older(*start, *match)
        return None

    def _match(self, path: bytes, blob: Oid | None, piece: Piece) -> tuple[Piece, bytes] | None:
        """Return the chunk of a blob that defines the same as another one, and its text.

        Among several, the one that shares most lines with it is returned.
        """
        if blob is None or not piece.definitions:
            return None
        name = piece.definitions[0].name
        text = self._files.text(path, blob)
        if not text or name.encode("utf-8", "surrogateescape") not in text:
            return None
        read = self._files.file(path, blob)
        if read is None:
            return None
        found = [one for one in read.pieces if one.parent == piece.parent and _defines(one, name)]
        sized = piece.end - piece.start
        best = min(found, key=lambda one: abs(one.end - one.start - sized), default=None)
        return (best, read.text[best.start : best.end]) if best else None

    # -- tags

    def _tags_by_version(self) -> list[tuple[str, Oid, Oid]]:
        """Return the tags of commits by version: name, commit and tree."""
        prefix = "refs/tags/"
        tags = [
            (ref.name.removeprefix(prefix), ref.commit, ref.tree)
            for ref in self._repo.refs()
            if ref.name.startswith(prefix) and ref.commit
        ]
        self._tags = len(tags)
        return sorted(tags, key=lambda tag: (version_key(tag[0]), tag[0]))

    def _first_tag(self, code: bytes, stop: Stop) -> tuple[str, bool]:
        """Return the first tag with a text in one of the files, and whether it contains the commit
        that introduced it.
        """
        tags = self._tags_by_version()
        found = self._tags_with(code, tags, stop.paths)
        tag = next(found, None)
        if tag is None:
            return "", False
        return tag[0], self._ancestry.is_ancestor(stop.node.commit, tag[1])

    def _tags_with(
        self,
        code: bytes,
        tags: Sequence[tuple[str, Oid, Oid]],
        paths: Sequence[bytes],
    ) -> Iterator[tuple[str, Oid, Oid]]:
        """Yield the tags with a text in one of the files, in order."""
        finder = self._follower.finder(code)
        wanted = list(dict.fromkeys(paths))
        trees = self._ancestry.blobs_at([tree for _, _, tree in tags], wanted)
        for at in range(0, len(tags), _TAGS):
            some = list(zip(tags[at : at + _TAGS], trees[at : at + _TAGS], strict=True))
            finder.load((wanted[0], blob) for _, blobs in some for blob in blobs)
            for tag, blobs in some:
                if any(finder.line(wanted[0], blob) for blob in blobs):
                    yield tag

    # -- gone

    def gone(
        self,
        symbol: str,
        head: Oid | None,
        progress: Progress | None = None,
        within_s: float | None = None,
    ) -> Gone:
        """Return the commit that removed a definition, and its last place.

        Commits are searched from the newest on, for at most `within_s` seconds. Raises NoSuchPath
        for a name that is still defined, or that no searched commit removed.
        """
        from ragit.outline import definitions  # loads ranking, which lines of files need not

        started = time.perf_counter()
        here = definitions(self._opened, symbol) if self._opened.store_or_none else []
        if here:
            place = f"{path_text(here[0].path)}:{here[0].definition.line}"
            raise NoSuchPath(
                f"{symbol} is not gone: {self._opened.target.name} defines it at {place}",
                f"To see since when: ragit since {place}",
            )
        if head is None:
            raise NoSuchPath(
                "there is no commit yet", "A definition is gone once a commit has removed it"
            )
        until = None if within_s is None else time.monotonic() + within_s
        last, removed, commits = self._removal(symbol, head, progress, until)
        tags = list(reversed(self._tags_by_version()))
        tag = next(self._tags_with(last.code, tags, [last.path]), None)
        stop = self._follower.follow_on(last.code, last.history, last.node, last.path)
        facts = self._ancestry.facts(stop.node.commit)
        return Gone(
            symbol,
            *self._asked(),
            _version(last.path, last.piece, facts),
            removed.parents[0],
            removed,
            tag[0] if tag else "",
            stop.unknown,
            commits + self._ancestry.seen,
            self._tags,
            len(self._files.looked_at),
            len(self._files.absent),
            (time.perf_counter() - started) * 1000,
        )

    def _removal(
        self, symbol: str, head: Oid, progress: Progress | None, until: float | None
    ) -> tuple[_Older, CommitFacts, int]:
        """Return the last version of a definition, the commit that removed it, and the number of
        commits searched.
        """
        from ragit.outline import parted

        owners, name = parted(symbol)
        removals = self._ancestry.removals(name, head)
        for logged in self._looked_through(removals, progress, until):
            still = {
                key for one in logged.changes for key, _ in self._defining(one.path, one.new, name)
            }
            for one in logged.changes:
                for (parent, _), piece in self._defining(one.path, one.old, name):
                    if (parent, name) in still or not _within(owners, parent, one.path):
                        continue
                    facts = self._ancestry.facts(logged.commit)
                    older = self._as_it_was(facts, one.path, piece)
                    if older:
                        return older, facts, removals.seen
        raise self._not_removed(symbol, name, removals)

    def _looked_through(
        self, removals: Removals, progress: Progress | None, until: float | None
    ) -> Iterator[ChangedIn]:
        """Yield the commits that took a word away. Raises GitFailed."""
        try:
            yield from removals.found(progress, until)
        except GitFailed as error:
            if not self._repo.partial:
                raise
            raise GitFailed(
                "this partial clone lacks older contents of files, and only they tell what was"
                " removed",
                "To download all of them: git fetch --refetch --no-filter",
            ) from error

    def _not_removed(self, symbol: str, name: str, removals: Removals) -> NoSuchPath:
        """Return the error for a name that no commit removed, as far as they were looked at."""
        done, total, ref = removals.done, removals.total, self._opened.target.name
        if done < total:
            return NoSuchPath(
                f"the newest {done:,} of {total:,} commits of {ref} removed no definition of"
                f" {symbol}; there was no time to look at the others",
                f"To look at all of them: ragit since --gone {symbol}",
            )
        cut = "; this shallow clone lacks older ones" if self._repo.shallow else ""
        return NoSuchPath(
            f"no commit of {ref} removed a definition of {symbol} ({total:,} looked at{cut})",
            f"To see which commits changed the word: git log -S{name}",
        )

    def _defining(
        self, path: bytes, blob: Oid | None, name: str
    ) -> Iterator[tuple[tuple[str, str], Piece]]:
        """Yield the chunks of a blob that define a name, with its parent and name."""
        text = self._files.text(path, blob) if blob else None
        word = re.escape(name.encode("utf-8", "surrogateescape"))
        if blob is None or not text or not re.search(rb"(?<!\w)" + word + rb"(?!\w)", text):
            return
        read = self._files.file(path, blob)
        for piece in read.pieces if read else ():
            if _defines(piece, name):
                yield (piece.parent, name), piece

    def _as_it_was(self, facts: CommitFacts, path: bytes, piece: Piece) -> _Older | None:
        for parent in facts.parents:
            blob = self._ancestry.blob_at(parent, path)
            read = self._files.file(path, blob) if blob else None
            start = self._follower.start(parent, path) if read else None
            if read and start:
                return _Older(*start, piece, read.text[piece.start : piece.end])
        return None


def _defines(piece: Piece, name: str) -> bool:
    return any(each.name == name for each in piece.definitions)


def _within(owners: Iterable[str], parent: str, path: bytes) -> bool:
    """Return whether the owners in `Owner.name` are around a definition, or in its path."""
    around = iter([*path_text(path).rpartition(".")[0].split("/"), *re.split(r"[.> ]+", parent)])
    return all(owner in around for owner in owners)


def _version(path: bytes, piece: Piece, facts: CommitFacts | None) -> Version:
    return Version(
        facts,
        path_text(path),
        piece.start_line,
        piece.end_line,
        piece.kind,
        tuple(each.name for each in piece.definitions),
        piece.parent,
    )
