"""Tests that both implementations of the static model (a matrix for documents, plain Python for
queries) agree.
"""

from __future__ import annotations

import math
import subprocess
import sys
from array import array
from pathlib import Path

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragit.embed import EmbedderOptions, few, load_embedder, quantize
from ragit.embed.modelfile import ModelFile, letter_groups, open_model, write_model
from ragit.embed.static import DEFAULT_MODEL, StaticEmbedder, _lengths, _Matrix
from ragit.errors import ConfigError, EmbedderUnavailable
from ragit.word_numbers import NumberedTexts
from ragit.words import identifiers, words


def floats(vector: bytes) -> list[float]:
    values = array("f")
    values.frombytes(vector)
    return values.tolist()


def cosine(one: bytes, other: bytes) -> float:
    return math.fsum(a * b for a, b in zip(floats(one), floats(other), strict=True))


@pytest.fixture(scope="module")
def static() -> StaticEmbedder:
    return StaticEmbedder(EmbedderOptions())


TEXT = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(
            [
                "parseConfig",
                "HTTPServer2",
                "read_file",
                "lock",
                "Zyxgrplq",
                "提交偏移",
                "é",
                "x" * 90,
            ]
        )
    ).map(" ".join),
)


@settings(max_examples=150, deadline=None)
@given(texts=st.lists(TEXT, max_size=8))
def test_query_vector_equals_document_vector(static: StaticEmbedder, texts: list[str]) -> None:
    for text, vector in zip(texts, static.embed(texts), strict=True):
        query = static.embed_query(text)
        assert len(query) == len(vector) == 4 * static.dimensions
        assert max(abs(a - b) for a, b in zip(floats(vector), floats(query), strict=True)) < 1e-5


@settings(max_examples=150, deadline=None)
@given(text=TEXT)
def test_few_and_matrix_vectors_are_bit_identical(static: StaticEmbedder, text: str) -> None:
    (numbered,) = NumberedTexts().of([text])
    (vector,) = _Matrix(static.file).encode(numbered)
    assert few.embed(static.file, identifiers(text)) == vector


def test_source_files_have_bit_identical_vectors(static: StaticEmbedder) -> None:
    matrix = _Matrix(static.file)
    sources = sorted(Path(few.__file__).parent.glob("*.py"))
    texts = [source.read_text() for source in sources]
    (numbered,) = NumberedTexts().of(texts)
    alone = [few.embed(static.file, identifiers(text)) for text in texts]
    assert matrix.encode(numbered) == alone


def test_weight_table_equals_the_weight_formula(static: StaticEmbedder) -> None:
    counts = numpy.arange(1 << 13)
    table = _Matrix(static.file)._weights(counts).tolist()
    assert [static.file.weight(count) for count in counts.tolist()] == table


@pytest.mark.parametrize("width", [1, 2, 3, 5, 7, 8, 255, 256])
def test_lengths_are_bit_identical(width: int) -> None:
    rows = numpy.random.default_rng(width).normal(size=(3, width))
    expected = [math.sqrt(few._sum([x * x for x in row])) for row in rows.tolist()]
    assert _lengths(rows)[:, 0].tolist() == expected


PARTS = st.floats(-1, 1, width=32).filter(lambda x: not 0 < abs(x) < 1e-30)
"""Parts of a vector; a factor that scaled only smaller ones to 127 would overflow 32 bits."""
VALUES = st.lists(PARTS, min_size=8, max_size=8)


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(VALUES, min_size=few.TEXTS + 1, max_size=few.TEXTS + 1))
def test_few_vectors_are_quantized_like_many(rows: list[list[float]]) -> None:
    vectors = [array("f", row).tobytes() for row in rows]
    assert [few.quantize(vector) for vector in vectors] == quantize(vectors)


def test_few_texts_do_not_import_numpy() -> None:
    probe = """
import sys
from ragit.embed import load_embedder, quantize
embedder = load_embedder()
quantize(embedder.embed(["open the file", "close it"]))
assert "numpy" not in sys.modules
quantize(embedder.embed(["open the file"] * 17))
assert "numpy" in sys.modules
"""
    subprocess.run([sys.executable, "-c", probe], check=True)


@settings(max_examples=50, deadline=None)
@given(texts=st.lists(TEXT, min_size=1, max_size=8), data=st.data())
def test_vector_does_not_depend_on_the_other_texts(
    static: StaticEmbedder, texts: list[str], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(texts))))
    together = static.embed(texts)
    shuffled = static.embed([texts[i] for i in order])
    assert shuffled == [together[i] for i in order]
    assert [static.embed([text])[0] for text in texts] == together


def test_vectors_have_length_one_or_zero(static: StaticEmbedder) -> None:
    some, none, punctuation = static.embed(["open the file", "", "{}();"])
    assert cosine(some, some) == pytest.approx(1, abs=1e-5)
    assert none == punctuation == bytes(4 * static.dimensions) == static.embed_query("  ")


def test_related_text_is_nearer_than_unrelated_text(static: StaticEmbedder) -> None:
    query = static.embed_query("read a file line by line")
    near, far = static.embed(
        ["def read_lines(path): return open(path).readlines()", "class ButtonColour: red, green"]
    )
    assert cosine(query, near) > cosine(query, far) + 0.1


def test_texts_beyond_one_batch_are_embedded(static: StaticEmbedder) -> None:
    texts = [f"value{i} of table {i % 7}" for i in range(250)]
    vectors = static.embed(texts)
    assert len(vectors) == 250
    assert cosine(vectors[249], static.embed_query(texts[249])) == pytest.approx(1, abs=1e-5)


def test_emptied_identifier_cache_does_not_change_vectors(
    static: StaticEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = static.embed(["some qzxwv words"])
    monkeypatch.setattr("ragit.word_numbers.MOST", 0)
    assert static.embed(["other vwxzq words"]) and static.embed(["some qzxwv words"]) == before


def test_prefixes_are_embedded_and_document_prefix_is_fingerprinted() -> None:
    plain = load_embedder("static")
    prefixed = load_embedder(
        "static", EmbedderOptions(document_prefix="passage: ", query_prefix="query: ")
    )
    assert prefixed.embed(["lock"]) == plain.embed(["passage: lock"])
    assert prefixed.embed_query("lock") == plain.embed_query("query: lock")
    assert prefixed.fingerprint != plain.fingerprint
    assert (
        load_embedder("static", EmbedderOptions(query_prefix="query: ")).fingerprint
        == plain.fingerprint
    )


def test_shipped_model_is_intact_and_at_most_16_mb() -> None:
    assert ModelFile(DEFAULT_MODEL).intact()
    assert DEFAULT_MODEL.stat().st_size <= 16_000_000


def test_sampled_words_are_found_at_their_rows() -> None:
    file = ModelFile(DEFAULT_MODEL)
    for number, word in enumerate(file.words()):
        if number % 97 == 0:
            assert file.find(word) == number
    assert file.find("") is None
    assert file.find("zzzzzzzzzzzz") is None


def test_query_imports_no_heavy_module() -> None:
    script = (
        "import sys; from ragit.embed import load_embedder\n"
        "e = load_embedder(); e.embed_query('open the qqzzx file'); e.fingerprint\n"
        "heavy = {'numpy', 'openai', 'http', 'hashlib', 'importlib.metadata', 'ssl'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def tiny(path: Path, **changes: object) -> Path:
    settings = {"groups": 1, "group_length": 4, "exponent": 1.0} | changes
    write_model(
        path, ["alpha", "beta"], [0.5, 1.0, 2.0], bytes([2, 0, 0, 3, 1, 1]), [0.0, 0.0], **settings
    )  # type: ignore[arg-type]
    return path


def test_vectors_of_a_tiny_model_match_the_formula(tmp_path: Path) -> None:
    embedder = StaticEmbedder(EmbedderOptions(model=str(tiny(tmp_path / "model"))))
    # alpha twice: 2 * 0.5 * (2, 0); beta once: 1.0 * (0, 3); gamma by its groups: 2.0 * (1, 1)
    for vector in (
        embedder.embed_query("alpha beta alpha"),
        embedder.embed(["alpha beta alpha"])[0],
    ):
        assert floats(vector) == pytest.approx([2 / math.sqrt(13), 3 / math.sqrt(13)])
    assert floats(embedder.embed_query("gamma")) == pytest.approx([math.sqrt(0.5)] * 2)


def test_mean_is_subtracted_after_scaling_to_unit_length(tmp_path: Path) -> None:
    path = tmp_path / "model"
    write_model(
        path, ["alpha"], [1.0], bytes([5, 0]), [0.5, 0.5], groups=0, group_length=4, exponent=1.0
    )
    embedder = StaticEmbedder(EmbedderOptions(model=str(path)))
    for vector in (embedder.embed_query("alpha"), embedder.embed(["alpha"])[0]):
        assert floats(vector) == pytest.approx([math.sqrt(0.5), -math.sqrt(0.5)])
    assert embedder.embed_query("unknown") == embedder.embed(["unknown"])[0] == bytes(8)


def test_unusable_model_file_is_named_in_the_error(tmp_path: Path) -> None:
    missing, empty, foreign, short, old = (
        tmp_path / name for name in ("missing", "empty", "foreign", "short", "old")
    )
    empty.write_bytes(b"")
    foreign.write_bytes(b"PK\3\4" * 100)
    short.write_bytes(tiny(tmp_path / "model").read_bytes()[:-1])
    old.write_bytes(b"RAGITEMB\x63" + tiny(tmp_path / "model").read_bytes()[9:])
    for path in (missing, empty, foreign, short, old):
        with pytest.raises(EmbedderUnavailable, match=path.name) as caught:
            load_embedder("static", EmbedderOptions(model=str(path)))
        assert caught.value.hint


def test_model_is_mapped_again_only_if_its_file_is_replaced(tmp_path: Path) -> None:
    first = open_model(tiny(tmp_path / "model"))
    assert open_model(tmp_path / "model") is first
    tiny(tmp_path / "new", exponent=0.5).replace(tmp_path / "model")
    assert open_model(tmp_path / "model").exponent == 0.5


def test_damaged_model_is_not_intact(tmp_path: Path) -> None:
    path = tiny(tmp_path / "model")
    assert ModelFile(path).intact()
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert not ModelFile(path).intact()


def test_unsorted_or_incomplete_model_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="sorted"):
        write_model(
            tmp_path / "m",
            ["b", "a"],
            [1.0, 1.0],
            bytes(4),
            [0.0, 0.0],
            groups=0,
            group_length=4,
            exponent=1.0,
        )
    with pytest.raises(ValueError, match="cover"):
        write_model(
            tmp_path / "m",
            ["a"],
            [1.0],
            bytes(1),
            [0.0, 0.0],
            groups=0,
            group_length=4,
            exponent=1.0,
        )


def test_other_dimensions_are_rejected() -> None:
    with pytest.raises(ConfigError, match="256"):
        load_embedder("static", EmbedderOptions(dimensions=128))


@given(word=st.text(min_size=1, max_size=12))
def test_letter_groups_cover_the_word(word: str) -> None:
    groups = letter_groups(word, 4)
    assert groups[0].startswith("<") and groups[-1].endswith(">")
    assert groups[0] + "".join(group[-1] for group in groups[1:]) == f"<{word}>"


def test_words_split_an_identifier() -> None:
    assert words("HTTPServer2") == ["http", "server", "2"]
