"""Tests of suggested names for misspelt ones."""

from __future__ import annotations

import pytest
from sandbox import GitSandbox

import ragit
from ragit.search.suggestions import edits


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ("kafkaproducer", "kafkaproducer", 0),
        ("kafkaprodcuer", "kafkaproducer", 1),
        ("kafkaproduce", "kafkaproducer", 1),
        ("kafkaproduceer", "kafkaproducer", 1),
        ("kofkaproduser", "kafkaproducer", 2),
        ("router", "kafkaproducer", 3),
    ],
)
def test_edits_count_added_dropped_changed_and_swapped_letters(
    a: str, b: str, distance: int
) -> None:
    assert edits(a, b, 2) == edits(b, a, 2) == distance


def test_misspelt_name_gets_a_suggestion(repo: GitSandbox) -> None:
    repo.write("p.py", "class KafkaProducer:\n    pass\n\n\ndef consume():\n    pass\n")
    repo.commit()
    repo.branch("other")
    repo.write("q.py", "class KafkaProducerX:\n    pass\n")
    repo.commit()
    with ragit.open(repo.path) as index:
        index.index("main", "other")

        def notes(query: str, ref: str = "main") -> tuple[str, ...]:
            return index.search(query, ref=ref).notes

        assert "did you mean KafkaProducer?" in notes("KafkaProdcuer")
        assert "did you mean KafkaProducer?" in notes("kafkaproducr")
        assert "did you mean KafkaProducer?" in notes("KafkaProducerr")
        assert "did you mean consume?" in notes("consum3")
        assert "did you mean KafkaProducer, KafkaProducerX?" in notes("KafkaProducerY", "other")
        assert not any("did you mean" in note for note in notes("KafkaProducer"))
        assert not any("did you mean" in note for note in notes("zebra"))
