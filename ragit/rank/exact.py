"""Measure how much of a query a text contains word for word: runs of its words, its names, its
quoted phrases. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import accumulate, pairwise

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

LEAST_OF_CHAIN = 5
"""Number of words in pieces of several from which the pieces are likely one message."""

MOST_GAP = 5
"""Limit of words between two runs: an expression that a message inserts, or its value."""

OF_GAP = 0.98
"""What is left of the weight of a chain of runs at each gap: the fewest gaps are the likeliest."""

MOST_BEFORE = 16
"""Limit of runs before one that it may follow."""

OF_VALUE = 0.15
"""Weight of a word of the query that stands where the text inserts a value."""

VALUE = "inserted0value"
"""The word that stands for a value."""

_INSERTED = (
    r"%[-+#0]*\d*(?:\.\d+)?[a-zA-Z@]|%\(\w+\)[a-z]|[$#]?\{[\w.:!\[\]()<>$-]*\}|\\\([^)\n]*\)"
    r"|(?<![\w$])\$\w+|[\"'`]\)?\s*(?:\+|<<|<>|\.\.?|&|\|\||,)\s*(?=[\w(@$])"
    r"|(?<=[\w)\]])\s*(?:\+|<<|<>|\.\.?|&|\|\|)\s*[\"'`]"
)
"""A placeholder in a string, or the end or beginning of a string that is joined to something."""

OF_WHOLE = 0.7
"""Least factor of a text that contains all of more than RUN words, however common they are."""

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
    if query.phrases:
        tokens = squeezed(tokens_of(query, text), query.spelled)
        return float(all(_holds(tokens, phrase) for phrase in query.phrases))
    found = _of_names(query, weights, text)
    factor = OF_SHAPE.get(query.shape, 1.0)
    sequences = query.with_pair(query.sequences, squeezed(plain_tokens(text), query.spelled))
    if sequences:  # few texts have any, and to look for inserted values takes long
        tokens = squeezed(tokens_of(query, text), query.spelled)
        for sequence in sequences:
            found = max(found, factor * of_sequence(sequence, weights, tokens))
    return found


def tokens_of(query: QueryTerms, text: str) -> list[str]:
    """Return the words of a text in lower case, with VALUE before and after each inserted value;
    not if the query itself is code that inserts one.
    """
    if query.sequences and not re.search(_INSERTED, query.title):
        text = re.sub(_INSERTED, rf" {VALUE} \g<0> {VALUE} ", text)
    return plain_tokens(text)


def plain_tokens(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    if text.isascii():
        return words.identifiers(text.lower())
    return [word.lower() for word in words.identifiers(split_scripts(text))]


def without_values(tokens: Sequence[str]) -> Sequence[str]:
    """Return the words of a text without the marks of inserted values."""
    return [token for token in tokens if token != VALUE] if VALUE in tokens else tokens


def of_sequence(sequence: Sequence[str], weights: WordWeights, tokens: Sequence[str]) -> float:
    """Return how much of a sequence of words is side by side in another, weighted by rarity, or in
    the pieces that the placeholders of a message leave.
    """
    runs = runs_in(sequence, without_values(tokens))
    held = [weights.of.get(word, 0.0) for word in sequence]
    if max((run.length for run in runs), default=0) < 2 or not any(held):
        return 0.0
    asks = sequence[0] in ASKING
    best = _of_longest_run(runs, held, weights.rarest, asks=asks)
    if best < 1 and len(sequence) >= RUN:
        best = max(best, _of_message(sequence, held, tokens, weights.rarest, asks=asks))
    return best * (OF_QUESTION if asks else 1.0)


def _of_message(
    sequence: Sequence[str],
    held: Sequence[float],
    tokens: Sequence[str],
    rarest: float,
    *,
    asks: bool,
) -> float:
    """Return how much the text is a message with values in it that prints the sequence."""
    chain = best_chain(held, runs_in(sequence, tokens))
    if not chain:
        return 0.0
    missed = _missed(chain, len(held), tokens)
    covered = [at for run in chain for at in range(run.start, run.end)]
    is_whole = all(is_value for _, is_value in missed) and len(covered) >= RUN
    is_whole = is_whole and 2 * (len(held) - len(covered)) <= len(covered)
    is_whole = is_whole and not _has_other_words(chain, tokens)
    if not (is_whole or _is_message(chain, len(held))):
        return 0.0
    length = _length(chain, held, asks=asks)
    telling = _telling([held[at] for at in covered], length, rarest)
    if is_whole:
        return max(telling, OF_WHOLE) if len(covered) > RUN else telling
    own = sum(held[at] for at in covered)
    mean = own / len(covered)
    lacking = sum(
        OF_VALUE * min(held[at], mean) if is_value else held[at]
        for places, is_value in missed
        for at in places
    )
    credited = sum(sum(held[run.start : run.end]) * _CREDIT.get(run.length, 1.0) for run in chain)
    return credited / (own + lacking) * _strength(length) * telling


def _has_other_words(chain: Sequence[Run], tokens: Sequence[str]) -> bool:
    """Return whether a text has words of its own between two runs, and not an inserted value."""
    for run, after in pairwise(chain):
        between = tokens[run.at + run.length : after.at]
        if between and not _is_inserted(between):
            return True
    return False


def _is_inserted(between: Sequence[str]) -> bool:
    """Return whether words of a text begin and end with an inserted value."""
    return bool(between) and between[0] == between[-1] == VALUE


def _missed(chain: Sequence[Run], count: int, tokens: Sequence[str]) -> list[tuple[range, bool]]:
    """Return the places of the words of a sequence that are in no run, and whether the text inserts
    a value there.
    """
    found: list[tuple[range, bool]] = []
    end, place = 0, chain[0].at - 1
    for run in (*chain, Run(count, chain[-1].at + chain[-1].length + 1, 0)):
        places = range(end, run.start)
        if places:
            inserted = _is_inserted(tokens[max(0, place) : run.at])
            found.append((places, inserted and len(places) <= MOST_GAP))
        end, place = run.end, run.at + run.length
    return found


def _of_longest_run(
    runs: Sequence[Run], held: Sequence[float], rarest: float, *, asks: bool
) -> float:
    """Return how much the longest run says; words of further runs, wherever, count in part."""
    credits = [0.0] * len(held)
    for run in runs:
        for at in range(run.start, run.end):
            credits[at] = max(credits[at], _CREDIT.get(run.length, 1.0))
    longest = max(runs, key=lambda run: run.length)
    elsewhere = {at for run in runs if run.length > 1 for at in range(run.start, run.end)}
    others = len(elsewhere.difference(range(longest.start, longest.end)))
    length = _length([longest], held, asks=asks) + OF_OTHER_RUNS * others
    telling = _telling(held[longest.start : longest.end], length, rarest)
    whole = longest.length == len(held) >= RUN
    if whole and longest.length > RUN:
        telling = max(telling, OF_WHOLE)
    strength = 1.0 if whole else _strength(length)
    share = sum(weight * credit for weight, credit in zip(held, credits, strict=True)) / sum(held)
    return min(1.0, share) * strength * telling


def _is_message(chain: Sequence[Run], words_asked: int) -> bool:
    """Return whether runs are likely one message with values in it: few pieces, and most of the
    words.
    """
    pieces = [run.length for run in chain if run.length > 1]
    total = sum(pieces)
    return total >= max(LEAST_OF_CHAIN, words_asked / 2) and max(pieces) >= RUN - 1


def _length(runs: Sequence[Run], held: Sequence[float], *, asks: bool) -> float:
    """Return the length of runs in uncommon words. `held` are the weights of all words."""
    common = 0.5 if asks else 0.8
    words_in = (held[at] for run in runs for at in range(run.start, run.end))
    return sum(common if weight == COMMON_WORD_WEIGHT else 1.0 for weight in words_in)


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
    """Return the words with one empty word in place of a few unknown ones, and more than MOST_GAP
    in place of many: runs of known words stay the same, and are found faster for several sequences.
    """
    kept: list[str] = []
    unknown = MOST_GAP  # nothing is kept of what comes first
    for token in tokens:
        if token in known or token == VALUE:
            kept.append(token)
            unknown = 0
            continue
        unknown += 1
        if unknown == 1:
            kept.append("")
        elif unknown == MOST_GAP:
            kept += [""] * MOST_GAP
    return kept


class Run(NamedTuple):
    """Adjacent words of a query that are adjacent in a text, too."""

    start: int
    """Index of the first word in the query."""
    at: int
    """Index of the same word in the text."""
    length: int

    @property
    def end(self) -> int:
        """Index after the last word in the query."""
        return self.start + self.length


def runs_in(sequence: Sequence[str], tokens: Sequence[str]) -> list[Run]:
    """Return the runs of a sequence in `tokens` that are part of no longer one, by their end in
    `tokens`.
    """
    where: dict[str, list[int]] = {}
    for at, word in enumerate(sequence):
        where.setdefault(word, []).append(at)
    found: list[Run] = []
    open_runs: dict[int, int] = {}
    last = -1
    for place in [place for place, token in enumerate(tokens) if token in where]:
        if place > last + 1:
            found += [Run(at - n + 1, last - n + 1, n) for at, n in open_runs.items()]
            open_runs = {}
        now = {at: open_runs.get(at - 1, 0) + 1 for at in where[tokens[place]]}
        found += [
            Run(at - n + 1, last - n + 1, n) for at, n in open_runs.items() if at + 1 not in now
        ]
        open_runs, last = now, place
    return found + [Run(at - n + 1, last - n + 1, n) for at, n in open_runs.items()]


def best_chain(held: Sequence[float], runs: Iterable[Run]) -> list[Run]:
    """Return the heaviest runs that follow each other in the query and, close by, in the text.
    `held` are the weights of the query's words.
    """
    sums = [0.0, *accumulate(held)]
    listed = sorted(runs, key=lambda run: run.at)
    best: list[tuple[float, int]] = []
    for number, run in enumerate(listed):
        own = sums[run.end] - sums[run.start]
        chosen = (own, -1)
        for before in range(max(0, number - MOST_BEFORE), number):
            other = listed[before]
            gap = run.at - other.at - other.length
            if 0 <= gap <= MOST_GAP and 0 <= run.start - other.end <= MOST_GAP:
                chosen = max(chosen, (own + best[before][0] * OF_GAP, before))
        best.append(chosen)
    if not best:
        return []
    number = max(range(len(best)), key=lambda one: best[one][0])
    chain: list[Run] = []
    while number >= 0:
        chain.append(listed[number])
        number = best[number][1]
    return chain[::-1]


def unmatched_phrases(query: QueryTerms, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the quoted phrases of a query, in lower case, that none of the texts contains."""
    left = dict.fromkeys(query.phrases)
    for text in texts if left else ():
        left = {phrase: None for phrase in left if not has_phrase(text, phrase)}
    return tuple(" ".join(phrase) for phrase in left)


def has_phrase(text: str, phrase: tuple[str, ...]) -> bool:
    """Return whether a text contains the words of a phrase side by side, in any case."""
    return _holds([word.lower() for word in words.identifiers(split_scripts(text))], phrase)


def _holds(tokens: Sequence[str], phrase: tuple[str, ...]) -> bool:
    return any(run.length == len(phrase) for run in runs_in(phrase, tokens))


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
