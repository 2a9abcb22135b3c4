"""Expand a query by words of the searched tree: other forms, synonyms and abbreviations. Offline.

The vocabulary is the words of the tree's paths: people name files and folders after their subject,
and the paths are in the composed tree, so the store is not read. Only words that the tree contains
are added, and nothing else in the store has an effect. It takes some 20 ms on 6,500 files (6,400
names, 1,500 words), mostly for splitting names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ragit import rank, words
from ragit.embed import Nearby

WEIGHT = 0.3
"""Weight of an added word against 1 for a word of the query."""

MOST_WORDS = 8
"""Limit of the query's words that are expanded: the first ones."""

MOST_EACH = 2
"""Limit of words added for each."""

NEAR = 0.5
"""Cosine from which two words mean the same: delete and remove have 0.52, timeout and wait 0.29."""

NEAR_SHORT = 0.28
"""The same if one abbreviates the other: cfg and config have 0.33."""

_PART = re.compile(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""The ASCII words of `words.parts`, for all names at once."""


def vocabulary(paths: Iterable[bytes]) -> frozenset[str]:
    """Return all words of three letters or more in the names of files and folders."""
    names = set(b"/".join(paths).split(b"/"))
    return frozenset(
        word.decode().lower() for word in set(_PART.findall(b"/".join(names))) if len(word) > 2
    )


def expansions(
    query: str, terms: rank.QueryTerms, paths: Iterable[bytes]
) -> Mapping[str, tuple[str, ...]]:
    """Return the words to add for words of a query. None for a name written as code: it is searched
    as it is.
    """
    if terms.shape == "symbol":
        return {}
    asked = [
        word for word in dict.fromkeys(words.words(rank.content_words(query))) if _is_plain(word)
    ][:MOST_WORDS]
    if not asked:
        return {}
    nearby = Nearby(vocabulary(paths))
    known = {*terms.weights, *terms.compounds}
    found: dict[str, tuple[str, ...]] = {}
    for word in asked:
        new: dict[str, str] = {}  # by stem: two forms of a word are looked for as one
        for other, cosine in nearby.nearest(word, 4 * MOST_EACH):
            if words.stem(other) not in known and _means(word, other, cosine):
                new.setdefault(words.stem(other), other)
        chosen = dict(list(new.items())[:MOST_EACH])
        known.update(chosen)
        if chosen:
            found[word] = tuple(chosen.values())
    return found


def weights(found: Mapping[str, tuple[str, ...]]) -> dict[str, float]:
    """Return expansions as index terms with weights."""
    return {words.stem(word): WEIGHT for near in found.values() for word in near}


def _is_plain(word: str) -> bool:
    return len(word) > 2 and word.isascii() and word.isalpha()


def _means(word: str, other: str, cosine: float) -> bool:
    return cosine >= (NEAR_SHORT if abbreviates(word, other) or abbreviates(other, word) else NEAR)


def abbreviates(short: str, long: str) -> bool:
    """Return whether `short` begins the word (auth), or has its consonants in order (cfg,
    config).
    """
    if not 2 <= len(short) < len(long) or short[0] != long[0]:
        return False
    if len(short) > 2 and long.startswith(short):
        return True
    letters = iter(long)
    return not re.search("[aeiou]", short[1:]) and all(letter in letters for letter in short)
