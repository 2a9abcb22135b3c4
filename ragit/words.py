"""Text to words, the same way for postings, for queries and for the static model. Pure.

An identifier is split at case changes, digits and underscores (HTTPServer2 -> http server 2); a run of Chinese,
Japanese or Korean letters, which has no spaces, becomes overlapping pairs. What is joined can still be found whole:
`terms_of` adds the joined form, so that commit_offset, commitOffset and CommitOffset share the term "commitoffset".
"""

from __future__ import annotations

import re
from functools import lru_cache

VERSION = 2
"""Part of every key that depends on how text is split; raise it when a rule here changes."""

CACHED = 1 << 15
"""Identifiers remembered with what became of them. Few make up most of any code: with six times as many, indexing was
no faster and a worker took 50 MB more."""

MAX_WORD = 64
"""Longer runs are hashes, base64 and other data: nobody types them, and they would swell the vocabulary."""

STOP_WORDS = frozenset(
    "a an and are as at be by can do does for from how i if in into is it its not of on or that the their them then "
    "there these this to use used using was we what when where which who whose why will with you".split()
)
"""English words of questions, not of code. They are indexed like all others, so that a phrase can be found whole."""

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af"
_UPPER = "A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a1\u03a3-\u03ab\u0400-\u042f"
"""Capitals of Latin, Greek and Cyrillic; the few beyond count as small letters, which only costs a case change."""
_LOWER = rf"[^\W0-9_{_UPPER}{CJK}]"
_IDENTIFIER = re.compile(r"\w+")
_ASCII_PART = re.compile(r"[0-9]+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""An acronym keeps its last capital for the next word: HTTP and Server in HTTPServer."""
_ANY_PART = rf"[{CJK}]+|[0-9]+|[{_UPPER}]+(?!{_LOWER})|[{_UPPER}]?{_LOWER}+"
"""The same for all scripts. Not compiled here: most searches never meet one, and would wait 5 ms for it."""


def identifiers(text: str) -> list[str]:
    """Maximal runs of letters, digits and underscores, in order, as written."""
    return _IDENTIFIER.findall(text)


@lru_cache(maxsize=CACHED)
def parts(identifier: str) -> tuple[str, ...]:
    """The lower-case words of one identifier, in order."""
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
    """All words of a text, in order: what the static model reads."""
    return [word for identifier in _IDENTIFIER.findall(text) for word in parts(identifier)]


_VOWEL = re.compile("[aeiouy]")

_DERIVED = tuple(
    "izations ization ations ation ators ator ating ated ates ments ment ances ance ences ence ables able ibles ible "
    "ities ity ively ives ive izers izer izing ized izes ize ions ion ers er ors or ings ally al ly ful ness".split()
)
"""Endings that make one word of another, longest first where one ends in another."""

_ROOT = 4
"""Letters that must be left before a derived ending: "ration" is not "r"."""


@lru_cache(maxsize=CACHED)
def stem(word: str) -> str:
    """What is common to the forms of an English word: parse, parser and parsing meet, and dispatcher and dispatches.

    Plurals as the S-stemmer has them (Harman 1991, "How effective is suffixing?"), then -ing and -ed, then one ending
    of derivation. It joins more than an S-stemmer and, on code search, ranks better than that and than Porter's second
    stemmer (bench/QUALITY.md): a question says "serialization" where the code says `serialize`.
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
    """Without plural, -ing and -ed."""
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
    """Without the doubling of a last consonant: committ, but class and roll stay."""
    return root[:-1] if root[-1] == root[-2] and root[-1] not in "lsz" else root


def _derivation(word: str) -> str:
    """Without one ending of derivation, if enough is left."""
    word = word[:-1] if word.endswith("e") and len(word) > 4 else word
    if not word.endswith(_DERIVED):
        return word
    for ending in _DERIVED:
        if word.endswith(ending) and len(word) - len(ending) >= _ROOT:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=CACHED)
def terms_of(identifier: str) -> tuple[str, ...]:
    """The index terms of one identifier: the stem of each part, and the parts joined where there are several."""
    pieces = parts(identifier)
    stems = tuple(stem(piece) for piece in pieces)
    if len(pieces) < 2 or _has_cjk(identifier):
        return stems
    return (*stems, "".join(pieces))


def terms(text: str) -> list[str]:
    """All index terms of a text, in order."""
    return [term for identifier in _IDENTIFIER.findall(text) for term in terms_of(identifier)]
