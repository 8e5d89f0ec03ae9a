"""Which topics are alike."""

import math
from collections import Counter

import pytest

from membrane.domain.search.entries import pack_dense
from membrane.domain.topics.graph.likeness import NEAREST, alike


def at(angle: float) -> bytes:
    """A vector of length 1 in that direction, in degrees."""
    radians = math.radians(angle)
    return pack_dense((math.cos(radians), math.sin(radians)))


def test_topics_are_alike_from_a_cosine_on() -> None:
    found = set(alike([at(0), at(60), at(125)]))

    assert {(one, other) for one, other, _ in found} == {(0, 1)}
    assert next(iter(found))[2] == pytest.approx(0.5, abs=5e-3)


def test_each_topic_is_alike_to_no_more_than_its_nearest() -> None:
    angles = [0.0, *(float(angle) for angle in range(1, 31))]

    found = {(one, other) for one, other, _ in alike([at(angle) for angle in angles])}

    assert {other for one, other in found if one == 0} == set(range(1, NEAREST + 1))


def test_of_equally_near_ones_the_first_are_taken() -> None:
    found = list(alike([at(0)] * 20))

    named = Counter(other for one, other, _ in found if one == 0)
    assert set(range(1, NEAREST + 1)) <= named.keys()
    assert list(alike([at(0)] * 20)) == found


def test_what_has_nothing_in_it_is_like_nothing() -> None:
    assert list(alike([pack_dense((0.0, 0.0)), pack_dense((0.0, 0.0)), at(0)])) == []
    assert list(alike([])) == []


def test_more_topics_than_are_compared_at_once_are_all_compared() -> None:
    spread = [at(number * 0.3) for number in range(1_200)]

    found = {(one, other) for one, other, _ in alike(spread)}

    assert all((number, number + 1) in found for number in range(1_199))
