"""Words looked up in many files at once are those that are looked up file by file, to the last
bit.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragit import postings, rank
from ragit.postings import Forward
from ragit.rank import WordWeights, parse_query
from ragit.search.coverage import Lookups, SequenceShares
from ragit.search.word_arrays import WordArrays
from ragit.types import Chunk

WORDS = ("cannot", "open", "file", "files", "config", "the", "parser", "parse", "Config", "x")
QUERY = """cannot open the config file

parse cannot open the file "config file", config parser: the x
"""

CHUNKS = st.builds(
    lambda text, symbol, doc: Chunk(1, 1, 0, 1, " ".join(text), symbol=symbol, doc=doc),
    st.lists(st.sampled_from(WORDS), max_size=90),
    st.sampled_from(["", "", "parseConfig", "open_file other"]),
    st.sampled_from(["", "the config"]),
)
FILES = st.dictionaries(st.integers(1, 99), st.lists(CHUNKS, min_size=1, max_size=6), max_size=5)


@given(FILES, st.sampled_from(["bm25", "tfidf"]), st.integers(1, 60))
def test_words_in_arrays_say_the_same(
    files: dict[int, list[Chunk]], scoring: str, repeats: int
) -> None:
    words = {key: Lookups(Forward(postings.pack(of).forward)) for key, of in files.items()}
    query = parse_query(QUERY * repeats)
    rarities = {term: 0.3 + at / 7 for at, term in enumerate(query.listed)}
    arrays = WordArrays(words)
    assert arrays.scores(rarities, scoring) == {
        key: rank.score_chunks(held, rarities, scoring) for key, held in words.items()
    }
    weights = WordWeights({word: 0.1 + at / 9 for at, word in enumerate(WORDS)}, 5.0, {})
    at_once, one_by_one = SequenceShares(query, weights), SequenceShares(query, weights)
    at_once.load(arrays)
    assert at_once._sequences
    for key, held in words.items():
        assert at_once._known[key] == one_by_one.of(key, held)
