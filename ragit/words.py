"""Splits text into words, alike for postings, queries and the static model. No IO.

An identifier is split at case changes, digits and underscores (HTTPServer2 -> http server 2).
Chinese, Japanese and Korean text has no spaces, so a run of it becomes overlapping pairs of
characters. `terms_of` adds the joined form, so that commit_offset, commitOffset and CommitOffset
share the term "commitoffset".
"""

from __future__ import annotations

import re
from functools import lru_cache

VERSION = 2
"""Part of every key that depends on how text is split. Raise it when a rule here changes."""

CACHED = 1 << 15
"""Size of the caches of identifiers. Most code consists of few identifiers: with a cache six times
as large, indexing was no faster and a worker took 50 MB more.
"""

MAX_WORD = 64
"""Characters of the longest word. Longer runs are hashes, base64 and other data, which are not
searched for and would swell the vocabulary.
"""

STOP_WORDS = frozenset(
    "a an and are as at be by can do does for from how i if in into is it its not of on or that "
    "the their them then there these this to use used using was we what when where which who "
    "whose why will with you".split()
)
"""English words of questions, not of code. They are indexed like all others, so that a phrase can
be found whole.
"""

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af"
_UPPER = "A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a1\u03a3-\u03ab\u0400-\u042f"
"""Capitals of Latin, Greek and Cyrillic. The few others count as small letters, so that a case
change is missed there.
"""
_LOWER = rf"[^\W0-9_{_UPPER}{CJK}]"
_IDENTIFIER = re.compile(r"\w+")
_SEPARATED = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
"""Spaces for characters of ASCII that are in no identifier."""
_ASCII_PART = re.compile(r"[0-9]+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""Parts of an identifier. An acronym keeps its last capital for the next word: HTTP and Server in
HTTPServer.
"""
_ANY_PART = rf"[{CJK}]+|[0-9]+|[{_UPPER}]+(?!{_LOWER})|[{_UPPER}]?{_LOWER}+"
"""The same for all scripts, compiled on first use: that takes 5 ms, and most searches do not need
it.
"""


def identifiers(text: str) -> list[str]:
    """Return the maximal runs of letters, digits and underscores, in order, as written."""
    if text.isascii():  # five times as fast as the expression
        return text.translate(_SEPARATED).split()
    return _IDENTIFIER.findall(text)


@lru_cache(maxsize=CACHED)
def parts(identifier: str) -> tuple[str, ...]:
    """Return the lower-case words of one identifier, in order."""
    if identifier.isascii():
        return (
            ()
            if len(identifier) > MAX_WORD
            else tuple(map(str.lower, _ASCII_PART.findall(identifier)))
        )
    if len(identifier) > MAX_WORD and not _has_cjk(identifier):
        return ()  # but a sentence without spaces is no hash
    found: list[str] = []
    for part in re.findall(_ANY_PART, identifier):
        if _has_cjk(part):
            found.extend(part[i : i + 2] for i in range(max(1, len(part) - 1)))
        elif len(part) <= MAX_WORD:
            found.append(part.lower())
    return tuple(found)


def _has_cjk(text: str) -> bool:
    return not text.isascii() and re.search(f"[{CJK}]", text) is not None


def words(text: str) -> list[str]:
    """Return all words of a text, in order, for the static model."""
    return [word for identifier in _IDENTIFIER.findall(text) for word in parts(identifier)]


_VOWEL = re.compile("[aeiouy]")

_DERIVED = tuple(
    "izations ization ations ation ators ator ating ated ates ments ment ances ance ences ence "
    "ables able ibles ible ities ity ively ives ive izers izer izing ized izes ize ions ion ers er "
    "ors or ings ally al ly ful ness".split()
)
"""Suffixes that derive one word from another. If one ends in another, the longer comes first."""

_ROOT = 4
"""Letters that must remain before a suffix: "ration" is not "r"."""


@lru_cache(maxsize=CACHED)
def stem(word: str) -> str:
    """Return the stem of an English word, the same for parse, parser and parsing.

    Removes plurals like the S-stemmer (Harman 1991, "How effective is suffixing?"), then -ing and
    -ed, then one suffix of derivation. It merges more words than an S-stemmer. On code search it
    ranks better than that and than Porter's second stemmer (bench/QUALITY.md): a question says
    "serialization" where the code says `serialize`.
    """
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    root = _derivation(_inflection(word))
    if root.endswith("ing") and len(root) > 6:
        root = root[:-3]
    if root.endswith("e") and len(root) > 4:
        root = root[:-1]
    return _single(root) if len(root) > 4 else root


def _inflection(word: str) -> str:
    """Remove plural, -ing and -ed."""
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("es") and word[-3] in "sxz":
        word = word[:-2]
    elif word.endswith("s") and word[-2] not in "su":
        word = word[:-1]
    for ending in ("ing", "ed"):
        root = word[: -len(ending)]
        if word.endswith(ending) and len(root) >= 3 and _VOWEL.search(root):
            return _single(root)
    return word


def _single(root: str) -> str:
    """Remove the doubling of a last consonant: committ becomes commit, but class and roll stay."""
    return root[:-1] if root[-1] == root[-2] and root[-1] not in "lsz" else root


def _derivation(word: str) -> str:
    """Remove one suffix of derivation, if enough letters remain."""
    word = word[:-1] if word.endswith("e") and len(word) > 4 else word
    if not word.endswith(_DERIVED):
        return word
    for ending in _DERIVED:
        if word.endswith(ending) and len(word) - len(ending) >= _ROOT:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=CACHED)
def terms_of(identifier: str) -> tuple[str, ...]:
    """Return the index terms of one identifier, as `terms_once`, and remember them."""
    return terms_once(identifier)


def terms_once(identifier: str) -> tuple[str, ...]:
    """Return the index terms of one identifier: the stem of each part, and all parts joined if
    there are several.
    """
    pieces = parts(identifier)
    stems = tuple(stem(piece) for piece in pieces)
    if _has_cjk(identifier):
        return (*stems, *_joined_between_cjk(identifier))
    if len(pieces) < 2:
        return stems
    return (*stems, "".join(pieces))


def _joined_between_cjk(identifier: str) -> tuple[str, ...]:
    """Return the joined parts of each name between Chinese, Japanese or Korean text, which has no
    spaces.
    """
    names = (parts(name) for name in re.split(f"[{CJK}]+", identifier) if name)
    return tuple("".join(pieces) for pieces in names if len(pieces) > 1)


def terms(text: str) -> list[str]:
    """Return all index terms of a text, in order."""
    return [term for identifier in _IDENTIFIER.findall(text) for term in terms_of(identifier)]
