"""Packed vectors, and their cosine with a query."""

import math
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.documents.likeness import best_cosines, pack

DIMENSIONS = 384
COMPONENTS = st.floats(-1.0, 1.0).map(lambda number: round(number, 6))
VECTORS = st.lists(COMPONENTS, min_size=4, max_size=4)


def cosine(first: Sequence[float], second: Sequence[float]) -> float:
    """Without packing."""
    product = math.fsum(a * b for a, b in zip(first, second, strict=True))
    return product / (math.hypot(*first) * math.hypot(*second))


def random_vector(chance: Random) -> list[float]:
    return [chance.gauss(0.0, 1.0) for _ in range(DIMENSIONS)]


def test_a_vector_takes_a_byte_a_component() -> None:
    assert len(pack(random_vector(Random(1)))) == DIMENSIONS
    assert pack([0.5, -1.0, 0.0]) == bytes([64, 256 - 127, 0])


def test_packing_moves_a_cosine_by_a_few_thousandths() -> None:
    chance = Random(7)
    query = random_vector(chance)
    vectors = [[a + 0.5 * b for a, b in zip(query, random_vector(chance), strict=True)]
               for _ in range(50)]  # fmt: skip

    found = best_cosines(query, [[pack(vector)] for vector in vectors])

    for vector, near in zip(vectors, found, strict=True):
        assert near == pytest.approx(cosine(query, vector), abs=0.003)


def test_the_best_passage_of_each_document_counts() -> None:
    near, far, opposite = pack([1.0, 0.1]), pack([0.0, 1.0]), pack([-1.0, 0.0])

    found = best_cosines([1.0, 0.0], [[far, near], [opposite], [far]])

    assert found == pytest.approx([0.995, -1.0, 0.0], abs=0.01)


def test_a_document_without_a_usable_vector_has_no_cosine() -> None:
    usable = pack([1.0, 0.0])

    assert best_cosines([1.0, 0.0], []) == []
    assert best_cosines([1.0, 0.0], [[], [pack([1.0, 0.0, 0.0])], [pack([0.0, 0.0])]]) == [
        None,
        None,
        None,
    ]
    assert best_cosines([0.0, 0.0], [[usable]]) == [None]
    assert best_cosines([1.0, 0.0], [[pack([0.0, 0.0]), usable]]) == [pytest.approx(1.0)]


@given(VECTORS, st.floats(0.001, 1000.0))
def test_a_packed_vector_depends_on_the_direction_alone(vector: list[float], scale: float) -> None:
    halves = [127 * each / max(map(abs, vector)) % 1 for each in vector] if any(vector) else []
    if any(abs(half - 0.5) < 1e-6 for half in halves):
        return  # rounding may go either way

    assert pack([each * scale for each in vector]) == pack(vector)


@given(VECTORS, st.lists(st.lists(VECTORS, max_size=3), max_size=4))
def test_a_cosine_is_between_the_extremes(
    query: list[float], documents: list[list[list[float]]]
) -> None:
    found = best_cosines(query, [[pack(each) for each in vectors] for vectors in documents])

    assert len(found) == len(documents)
    for near, vectors in zip(found, documents, strict=True):
        if near is None:
            assert not any(query) or not any(map(any, vectors))
        else:
            assert -1.0 <= near <= 1.0
