"""Make questions with known answers from a public repository, the same ones each time.

Sets are: subjects of commits and the files they changed (`history`); doc comments and their
functions, searched in a tree without these comments (`docs`; those that share no word with their
function are `paraphrases`); names of types as one or two plain words (`short`); identifiers and
messages of few lines (`identifiers`, `messages`; see exact.py).
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).parent))
import exact

import ragit
from ragit import evaluate, rank, words
from ragit.chunk import ChunkOptions, chunk, language_of
from ragit.types import Chunk

COUNTS = {
    "history": 12,
    "docs": 20,
    "paraphrases": 15,
    "short": 15,
    "identifiers": 15,
    "messages": 10,
}
"""Limit of questions that one repository adds to each set."""

MOST_BYTES = 400_000
DOC_WORDS = range(6, 40)
"""Words of the first sentence of a doc comment used as a question."""

TYPES = frozenset(
    "class enum interface module object protocol record service struct trait type".split()
)
_TAGS = re.compile(r"^\s*[@\\:]\w+.*$|<[^>]{1,80}>|\{@\w+\s+([^}]*)\}", re.MULTILINE)
_NO_QUESTION = re.compile(r"://|\b(?:TODO|FIXME|XXX|override|compatibility|deprecated)\b", re.I)
"""Comments about comments or code style, not about what the code does."""

_NO_CODE = re.compile(r"^(html|css|scss|markdown|json|yaml|toml|xml|sql|text|ini)$")


class Place(NamedTuple):
    """Lines of a file; the whole file if `first` is 0."""

    path: str
    first: int = 0
    last: int = 0

    def is_in(self, path: str, start: int, end: int) -> bool:
        """Return true if lines of a file overlap this place."""
        return path == self.path and (not self.first or (start <= self.last and end >= self.first))


class Question(NamedTuple):
    """A query, the revision that is searched, and the places that answer it."""

    query: str
    revision: str
    places: tuple[Place, ...]


class Doc(NamedTuple):
    """A doc comment's first sentence, the definition that it is about, and the comment's lines."""

    sentence: str
    place: Place
    lines: frozenset[int]
    is_paraphrase: bool


def sets_of(index: ragit.Ragit, repository: Path, revision: str) -> dict[str, list[Question]]:
    """Return the sets of an opened repository."""
    files = dict(texts_of(repository, revision))
    pick = random.Random(repository.name)
    found = {"history": history(index, revision)}
    found |= docs(repository, revision, files, pick)
    found["short"] = short(revision, files, pick)
    exacts = exact.tasks_in(exact.code_in(files.items()))
    for name, tasks in zip(("identifiers", "messages"), exacts, strict=True):
        listed = [
            Question(task.query, revision, tuple(Place(path, n, n) for path, n in task.places))
            for task in tasks
        ]
        found[name] = drawn(pick, listed, COUNTS[name])
    return found


def drawn(pick: random.Random, listed: list[Question], count: int) -> list[Question]:
    """Return a random sample of a list, the same one each time."""
    return pick.sample(listed, min(count, len(listed)))


def texts_of(repository: Path, revision: str) -> Iterator[tuple[str, str]]:
    """Yield the code files of a tree that are no tests, with their texts."""
    for path, text in exact.files_at(repository, revision, MOST_BYTES):
        language = language_of(path.encode())
        if language and not _NO_CODE.match(language) and rank.paths.is_usual(path):
            yield path, text


def history(index: ragit.Ragit, revision: str) -> list[Question]:
    """Return subjects of commits with the code they changed."""
    try:
        found, _ = evaluate.from_history(index, COUNTS["history"], revision)
    except ragit.RagitError:
        return []
    return [
        Question(one.query, one.ref, tuple(Place(hit.path) for hit in one.expected))
        for one in found.questions
        if one.category == "code" and one.ref
    ]


def docs(
    repository: Path, revision: str, files: Mapping[str, str], pick: random.Random
) -> dict[str, list[Question]]:
    """Return first sentences of doc comments, searched in a commit whose tree lacks them."""
    every = sorted(
        (doc for path, text in files.items() for doc in docs_of(path, text)),
        key=lambda doc: (doc.place, doc.sentence),
    )
    pick.shuffle(every)
    chosen = [doc for doc in every if not doc.is_paraphrase][: COUNTS["docs"]]
    chosen += [doc for doc in every if doc.is_paraphrase][: COUNTS["paraphrases"]]
    commit = without(repository, revision, files, chosen)
    found: dict[str, list[Question]] = {"docs": [], "paraphrases": []}
    for doc in chosen:
        name = "paraphrases" if doc.is_paraphrase else "docs"
        found[name].append(Question(doc.sentence, commit, (doc.place,)))
    return found


def docs_of(path: str, text: str) -> Iterator[Doc]:
    """Yield the documented definitions of a file."""
    data = text.encode()
    lines = text.split("\n")
    language = language_of(path.encode())
    for piece in chunk(data, language, ChunkOptions(item_bytes=0)).chunks if language else ():
        sentence = first_sentence(piece.doc, piece.symbol)
        if not piece.symbol or not sentence or piece.end_line > len(lines):
            continue
        said = doc_lines(piece, lines)
        rest = [n for n in range(piece.start_line, piece.end_line + 1) if n not in said]
        if not said or len(rest) < 3:
            continue
        code = "\n".join(lines[n - 1] for n in rest)
        place = Place(path, piece.start_line, piece.end_line)
        yield Doc(sentence, place, said, shares_no_word(sentence, code))


def first_sentence(doc: str, symbol: str) -> str:
    """Return the first sentence of a doc comment; empty if it is too short or too long.

    The definition's name, with which comments in Go begin, is left out.
    """
    names = frozenset(symbol.split())
    text = " ".join(word for word in _TAGS.sub(r" \1 ", doc).split() if word not in names)
    sentence = re.split(r"(?<=[a-z\d)`'\"])\.(?:\s|$)", text, maxsplit=1)[0].strip(" .*/#-!")
    usual = len(words.identifiers(sentence)) in DOC_WORDS and sentence.isascii()
    usual = usual and not _NO_QUESTION.search(sentence)
    return sentence if usual else ""


def doc_lines(piece: Chunk, lines: list[str]) -> frozenset[int]:
    """Return the lines of a chunk that are its doc comment."""
    said = " " + " ".join(words.words(piece.doc)) + " "
    found = set()
    for number in range(piece.start_line, piece.end_line + 1):
        spoken = words.words(lines[number - 1])
        if len(spoken) > 1 and f" {' '.join(spoken)} " in said:
            found.add(number)
    return frozenset(found)


def shares_no_word(sentence: str, code: str) -> bool:
    """Return whether code has no word of a sentence, ignoring stop words."""
    asked = frozenset(words.terms(rank.content_words(sentence)))
    return asked.isdisjoint(words.terms(code))


def without(
    repository: Path, revision: str, files: Mapping[str, str], chosen: Iterable[Doc]
) -> str:
    """Commit the tree of a revision with the lines of some doc comments emptied."""
    emptied: dict[str, set[int]] = defaultdict(set)
    for doc in chosen:
        emptied[doc.place.path] |= doc.lines
    index = repository / "quality-index"
    index.unlink(missing_ok=True)
    who = dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "quality")
    mail = dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "quality@example.invalid")
    date = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2026-01-01T00:00:00Z")
    environment = {**os.environ, **who, **mail, **date, "GIT_INDEX_FILE": str(index)}

    def git(*arguments: str, text: str = "") -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=repository,
            input=text,
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        return done.stdout.strip()

    git("read-tree", revision)
    for path, numbers in sorted(emptied.items()):
        lines = files[path].split("\n")
        kept = ["" if n in numbers else line for n, line in enumerate(lines, 1)]
        blob = git("hash-object", "-w", "--stdin", text="\n".join(kept))
        git("update-index", "--cacheinfo", f"100644,{blob},{path}")
    tree = git("write-tree", "--missing-ok")
    index.unlink()
    return git("commit-tree", tree, "-p", revision, "-m", "without doc comments")


def short(revision: str, files: Mapping[str, str], pick: random.Random) -> list[Question]:
    """Return one- or two-word names of types that one file defines, as plain words."""
    defining: dict[tuple[str, ...], set[Place]] = defaultdict(set)
    for path, text in files.items():
        language = language_of(path.encode())
        for piece in chunk(text.encode(), language, ChunkOptions()).chunks if language else ():
            if piece.kind in TYPES and piece.symbol:
                name = words.parts(piece.symbol.split()[0])
                defining[name].add(Place(path, piece.start_line, piece.end_line))
    listed = [
        Question(" ".join(name), revision, (Place(next(iter(places)).path),))
        for name, places in sorted(defining.items())
        if len(name) in (1, 2)
        and len(" ".join(name)) > 3
        and len({place.path for place in places}) == 1
    ]
    return drawn(pick, listed, COUNTS["short"])
