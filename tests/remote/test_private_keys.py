"""Tests that private keys are found in the whole text of a file, and removed from every chunk of
it.
"""

from __future__ import annotations

import base64
import random
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragit.index.vectors.private_keys import without_private_keys
from ragit.remote.secrets import decode_without_keys, private_key_spans, redact, without_spans
from ragit.types import Chunk

LETTERS = string.ascii_letters + string.digits + "+/"


def body(lines: int, seed: int = 1) -> list[str]:
    """Return the body of a key, generated so that no scanner finds it."""
    chance = random.Random(seed)
    return ["".join(chance.choices(LETTERS, k=64)) for _ in range(lines)]


def key(lines: int = 25, kind: str = "RSA ") -> str:
    """Return a key of that many lines."""
    return "\n".join(
        [f"-----BEGIN {kind}PRIVATE KEY-----", *body(lines), f"-----END {kind}PRIVATE KEY-----"]
    )


def chunks(text: str, cuts: list[int]) -> list[Chunk]:
    """Return a text cut at these byte offsets."""
    data = text.encode()
    edges = sorted({0, len(data), *(at for at in cuts if at < len(data))})
    return [
        Chunk(1, 1, start, end, data[start:end].decode())
        for start, end in zip(edges, edges[1:], strict=False)
        if data[start:end].strip()
    ]


def lines_at(text: str, every: int) -> list[int]:
    """Return the offsets of every `every`-th line."""
    ends = [at + 1 for at, letter in enumerate(text.encode()) if letter == 10]
    return ends[every - 1 :: every]


@pytest.mark.parametrize("every", [1, 2, 5, 11, 40])
@pytest.mark.parametrize("form", ["{}", '    "{}\\n" +', "# {}", "{}\r"])
def test_private_key_is_removed_from_every_chunk(every: int, form: str) -> None:
    text = "\n".join(["ä = 1", *map(form.format, key().split("\n")), "print(ä)"])
    pieces = chunks(text, lines_at(text, every))
    done = without_private_keys(pieces)
    together = "".join(piece.text for piece in done.chunks)
    assert not [line for line in body(25) if line in together]
    assert (
        together.startswith("ä = 1")
        and together.endswith("print(ä)")
        and "END RSA PRIVATE KEY" in together
    )
    assert [piece.text.count("\n") for piece in done.chunks] == [
        piece.text.count("\n") for piece in pieces
    ]
    assert all(
        (piece.text != before.text) == bool(n)
        for piece, before, n in zip(done.chunks, pieces, done.private_keys, strict=True)
    )
    assert [redact(piece.text) for piece in done.chunks] == [piece.text for piece in done.chunks]


@example([31, 1712], "PEM on one line")  # cuts within PRIVATE KEY of both markers
@given(
    st.lists(st.integers(0, 3000), max_size=12),
    st.sampled_from(["PEM on one line", "PEM", "packed"]),
)
def test_private_key_is_removed_for_any_cuts(cuts: list[int], form: str) -> None:
    whole = {
        "PEM": key(),
        "PEM on one line": key().replace("\n", "\\n"),
        "packed": base64.b64encode(key().encode()).decode(),
    }[form]
    text = f"before: 1\nkey: {whole}\nafter: 2\n"
    secret = body(25)[12] if form != "packed" else whole[800:864]
    done = without_private_keys(chunks(text, cuts))
    together = "".join(piece.text for piece in done.chunks)
    assert not [secret[at : at + 8] for at in range(57) if secret[at : at + 8] in together]
    data = text.encode()
    assert (
        "".join(decode_without_keys(data, p.start, p.end) for p in chunks(text, cuts)) == together
    )


def test_text_between_two_keys_is_kept() -> None:
    text = f"{key(kind='')}\nbetween\n{key(kind='OPENSSH ')}\n\nafter"
    clean, keys = without_spans(text, private_key_spans(text))
    assert keys == 2
    assert clean.split("\n")[26:29] == [
        "-----END PRIVATE KEY-----",
        "between",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN CERTIFICATE-----\n" + "\n".join(body(9)) + "\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\n" + "\n".join(body(9)) + "\n-----END PUBLIC KEY-----",
        "data: "
        + base64.b64encode(b"-----BEGIN CERTIFICATE-----\n" + "\n".join(body(9)).encode()).decode(),
        "\n".join(body(9)),
        'throw new Error("no BEGIN RSA PRIVATE KEY in " + file)',
    ],
)
def test_lookalike_of_a_private_key_is_kept(text: str) -> None:
    assert redact(text) == text
    assert not any(without_private_keys(chunks(text, lines_at(text, 3))).private_keys)


def test_ssh2_putty_and_gpg_keys_are_removed() -> None:
    for begin, end in (
        (
            "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: x",
            "---- END SSH2 ENCRYPTED PRIVATE KEY ----",
        ),
        ("Private-Lines: 9", "Private-MAC: 0"),
        (
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n",
            "=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
        ),
    ):
        text = "\n".join([begin, *body(9), end])
        assert not [line for line in body(9) if line in redact(text)]


def test_chunk_without_a_key_is_returned_unchanged() -> None:
    pieces = chunks("a = 1\n" * 9, [6, 12])
    assert all(
        one is other for one, other in zip(without_private_keys(pieces).chunks, pieces, strict=True)
    )
    assert without_private_keys([]) == ((), ())
