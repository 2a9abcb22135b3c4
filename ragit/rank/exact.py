"""Measure how much of a query a text contains word for word: runs of its words, its names, its
quoted phrases. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set

from ragit import words
from ragit.rank.terms import QueryTerms, joined, split_scripts
from ragit.records import NamedTuple

RUN = 4
"""Number of words of a query that are no coincidence side by side in a text."""

_STRENGTH = {2: 0.08, 3: 0.25, RUN: 0.85}
"""Score of the longest run by its length; a longer one scores 1."""

_CREDIT = {1: 0.3, 2: 0.7, 3: 0.9}
"""Credit of a word by the length of its run; 1 in a longer run."""

SAME, SAME_LETTERS, A_WORD, INSIDE = 1.0, 0.8, 0.95, 0.5
"""Scores of a name: as written, with other case or separators, as a word of a longer name, and as
several words of one.
"""

OF_OTHER_RUNS = 0.35
"""Length that each word of a further run adds to the longest."""

COMMON_WORD_WEIGHT = 0.2
"""Weight of a stop word in a run."""

FEW, FEW_OF_SEVERAL = 3, 12
"""Number of files up to which a name is rare: one word, and a lone name of several words."""

IN_SENTENCE = 0.4
"""Weight of a name beside other words."""

OF_SHAPE = {"trace": 0.5, "text": 0.08}
"""Weight of a line of a pasted text: most of its lines are about something else, and those of an
issue are examples and output.
"""


OF_QUESTION = 0.5
"""Weight of a run in a question: its words are adjacent by grammar."""

ASKING = frozenset("how what where why which who when whose is does do can should".split())
"""First words of questions."""


class WordWeights(NamedTuple):
    """The rarity of a query's words in the searched tree."""

    of: Mapping[str, float]
    """Rarity of each word in lower case; 0 for one that no file contains, such as a filled-in
    placeholder of a message.
    """
    rarest: float
    """Rarity of a word that one file contains."""
    holders: Mapping[str, int]
    """Number of files that contain each name."""


def evidence(query: QueryTerms, weights: WordWeights, text: str) -> float:
    """Return how far a text contains the query word for word, from 0 to 1."""
    tokens = squeezed(_tokens(text), query.spelled)
    if query.phrases:
        return float(all(_holds(tokens, phrase) for phrase in query.phrases))
    found = _of_names(query, weights, text)
    factor = OF_SHAPE.get(query.shape, 1.0)
    for sequence in query.with_pair(query.sequences, tokens):
        found = max(found, factor * of_sequence(sequence, weights, tokens))
    return found


def _tokens(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    if text.isascii():
        return words.identifiers(text.lower())
    return [word.lower() for word in words.identifiers(split_scripts(text))]


def of_sequence(sequence: Sequence[str], weights: WordWeights, tokens: Sequence[str]) -> float:
    """Return how much of a sequence of words is side by side in another, weighted by rarity."""
    runs = longest_runs(sequence, tokens)
    longest = max(runs, default=0)
    if longest < 2:
        return 0.0
    held = [weights.of.get(word, 0.0) for word in sequence]
    total = sum(held)
    if not total:
        return 0.0
    share = sum(
        weight * _CREDIT.get(run, 1.0) for run, weight in zip(runs, held, strict=True) if run
    )
    at = runs.index(longest)
    asks = sequence[0] in ASKING
    length = _length(runs, at, held, asks=asks)
    telling = _telling(held[at : at + longest], length, weights.rarest)
    asked = OF_QUESTION if asks else 1.0
    whole = longest == len(sequence) >= RUN
    strength = 1.0 if whole else _strength(length)
    return min(1.0, share / total) * strength * telling * asked


def _length(runs: Sequence[int], at: int, held: Sequence[float], *, asks: bool) -> float:
    """Return the length in uncommon words of the longest run, which begins at `at`; words of
    further runs count in part. `held` are the weights of all words.
    """
    end = at + runs[at]
    common = 0.5 if asks else 0.8
    counted = [common if weight == COMMON_WORD_WEIGHT else 1.0 for weight in held[at:end]]
    others = sum(1 for i, run in enumerate(runs) if run > 1 and not at <= i < end)
    return sum(counted) + OF_OTHER_RUNS * others


def _telling(of_run: Sequence[float], length: float, rarest: float) -> float:
    """Return how telling a run is by the rarity of its words, or by its length if that is more."""
    rare = max(2 * max(of_run), sum(of_run) if len(of_run) >= RUN - 1 else 0.0)
    telling = min(1.0, rare / rarest) if rarest else 1.0
    return max(telling, min(1.0, (length - RUN) / RUN))


def _strength(length: float) -> float:
    """Return the score of a run by itself. Common words count less, in a question half."""
    low = int(length)
    below, above = _STRENGTH.get(low, 0.0), _STRENGTH.get(low + 1, 1.0)
    return 1.0 if length > RUN else below + (length - low) * (above - below)


def squeezed(tokens: Iterable[str], known: Set[str]) -> list[str]:
    """Return the words with one empty word in place of each stretch of unknown ones: runs of known
    words stay the same, and are found faster for several sequences.
    """
    kept: list[str] = []
    after_known = False
    for token in tokens:
        if token in known:
            kept.append(token)
            after_known = True
        elif after_known:
            kept.append("")
            after_known = False
    return kept


def longest_runs(sequence: Sequence[str], tokens: Sequence[str]) -> list[int]:
    """Return for each word of a sequence the length of its longest run in `tokens`."""
    where: dict[str, list[int]] = {}
    for at, word in enumerate(sequence):
        where.setdefault(word, []).append(at)
    best = [0] * len(sequence)
    open_runs: dict[int, int] = {}
    last = -1
    for place in [place for place, token in enumerate(tokens) if token in where]:
        if place > last + 1:
            open_runs = {}
        last = place
        now = {at: open_runs.get(at - 1, 0) + 1 for at in where[tokens[place]]}
        for at, length in now.items():
            for covered in range(at - length + 1, at + 1):
                best[covered] = max(best[covered], length)
        open_runs = now
    return best


def unmatched_phrases(query: QueryTerms, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the quoted phrases of a query, in lower case, that none of the texts contains."""
    left = dict.fromkeys(query.phrases)
    for text in texts if left else ():
        tokens = [word.lower() for word in words.identifiers(split_scripts(text))]
        left = {phrase: None for phrase in left if not _holds(tokens, phrase)}
    return tuple(" ".join(phrase) for phrase in left)


def _holds(tokens: Sequence[str], phrase: tuple[str, ...]) -> bool:
    return len(phrase) in longest_runs(phrase, tokens)


def _of_names(query: QueryTerms, weights: WordWeights, text: str) -> float:
    alone = query.shape == "symbol"
    best = 0.0
    for name in query.names:
        value = match_of_name(name, text)
        if alone or value in (SAME, SAME_LETTERS):
            few = FEW_OF_SEVERAL if alone and len(words.parts(name)) > 1 else FEW
            best = max(best, value * _rareness(weights.holders.get(name, 1), few))
    return best if alone else best * IN_SENTENCE


def telling_names(query: QueryTerms, weights: WordWeights) -> list[str]:
    """Return the names of a query that are rare enough to count; a lone one always does."""
    if query.shape == "symbol":
        return list(query.names)
    return [name for name in query.names if _rareness(weights.holders.get(name, 1), FEW) > 0]


def _rareness(holders: int, few: int) -> float:
    """Return 1 for a name in few files, less for more, 0 from thirty times `few` on."""
    return 1.0 if holders <= few else max(0.0, 1 - math.log(holders / few) / math.log(30))


def match_of_name(name: str, text: str) -> float:
    """Return how well a text contains a name: as written, except for case and separators, within a
    longer name, or not.
    """
    if not name.isidentifier():
        after = r"(?![=<>!+\-*/%&|^~])" if name.startswith("operator") else r"(?!\w)"
        return SAME if re.search(rf"(?<!\w){re.escape(name)}{after}", text) else 0.0
    if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
        return SAME
    return _match_of_letters(name, text)


def _match_of_letters(name: str, text: str) -> float:
    """Return how well a text contains a name in other case, with other separators, or in a longer
    one.
    """
    key = joined(name)
    if text.isascii() and key not in text.lower().replace("_", ""):
        return 0.0  # no word holds it, whatever its case and separators
    best = 0.0
    for word in set(words.identifiers(split_scripts(text))):
        if len(word) < len(key):
            continue
        pieces = words.parts(word)
        if "".join(pieces) == key:
            return SAME_LETTERS
        if key in pieces and name.lower() == key:
            best = max(best, A_WORD)
        elif joins_to(pieces, key):
            best = max(best, INSIDE)
    return best


def joins_to(pieces: Sequence[str], key: str) -> bool:
    """Return whether adjacent pieces, joined, are `key`."""
    whole = "".join(pieces)
    at = whole.find(key) if key else -1
    bounds = {0, *_ends(pieces)}
    while at >= 0:
        if at in bounds and at + len(key) in bounds:
            return True
        at = whole.find(key, at + 1)
    return False


def _ends(pieces: Iterable[str]) -> list[int]:
    ends, at = [], 0
    for piece in pieces:
        at += len(piece)
        ends.append(at)
    return ends
