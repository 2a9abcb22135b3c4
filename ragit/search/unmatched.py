"""Find the names and phrases of a query that no indexed file contains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragit import words
from ragit.rank import QueryTerms, has_phrase, match_of_name

if TYPE_CHECKING:
    from ragit.search.candidates import Candidates
    from ragit.search.filtered_tree import FilteredTree
    from ragit.search.texts import Texts

MOST_READ = 40
"""Limit of files read to check that they lack a name; if more contain its parts, nothing is
claimed.
"""


def unmatched_names(
    tree: FilteredTree, texts: Texts, query: QueryTerms, found: Candidates
) -> tuple[str, ...]:
    """Return the names of several words that no file of the tree contains, not even within a longer
    name.
    """
    return tuple(
        name
        for term, name in query.made_of_several.items()
        if term in found.matches.holders
        and not found.matches.holders[term].files
        and not tree.has_in_path(name)
        and not _is_inside(tree, texts, name, query, found)
    )


def _is_inside(
    tree: FilteredTree, texts: Texts, name: str, query: QueryTerms, found: Candidates
) -> bool:
    """Return whether a file contains a name within a longer one, or too many may to be sure."""
    held = [
        found.matches.holders[stem].files.keys()
        for part in words.parts(name)
        if (stem := words.stem(part)) in found.matches.holders
    ]
    if not held or not all(held):
        return False
    chunkings = sorted(
        {tree.snapshot.chunkings[place] for place in set.intersection(*map(set, held))}
    )
    if len(chunkings) > MOST_READ:
        return True
    texts.load(chunkings)
    return any(match_of_name(name, texts[c].decode("utf-8", "replace")) for c in chunkings)


def unheld_phrases(
    tree: FilteredTree, texts: Texts, query: QueryTerms, found: Candidates
) -> tuple[str, ...]:
    """Return the quoted phrases of a query, in lower case, that surely no file of the tree
    contains.
    """
    unheld: list[str] = []
    for phrase in query.phrases:
        terms = {query.word_terms.get(word, "") for word in phrase}
        held = [found.matches.holders[t].files.keys() for t in terms if t in found.matches.holders]
        if not held:
            continue  # common words, which are not looked up
        places = set.intersection(*map(set, held))
        chunkings = sorted({tree.snapshot.chunkings[place] for place in places})
        if len(chunkings) <= MOST_READ and not _in_one(texts, chunkings, phrase):
            unheld.append(" ".join(phrase))
    return tuple(unheld)


def _in_one(texts: Texts, chunkings: Sequence[int], phrase: tuple[str, ...]) -> bool:
    texts.load(chunkings)
    return any(has_phrase(texts[one].decode("utf-8", "replace"), phrase) for one in chunkings)


def misspelt(query: QueryTerms, unmatched: tuple[str, ...], found: Candidates) -> tuple[str, ...]:
    """Return the names that may be misspelt: those of several words, and a lone word that no file
    contains.
    """
    if query.shape != "symbol":
        return unmatched
    alone = tuple(
        name
        for name in query.names
        if (stem := words.stem(name.lower())) in found.matches.holders
        and not found.matches.holders[stem].files
    )
    return tuple(dict.fromkeys((*unmatched, *alone)))
