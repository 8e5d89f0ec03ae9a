"""Communities: what belongs together is found, who is alike, and what is kept of it."""

import json
import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.search.entries import pack_dense
from membrane.domain.topics.graph.communities import communities
from membrane.domain.topics.graph.likeness import NEAREST, alike
from membrane.domain.topics.graph.partitions import MAX_TOPICS, Partition

# --- communities ---


Links = list[tuple[int, int]]


def found(nodes: int, links: Iterable[tuple[int, int]], weight: float = 1.0) -> list[int]:
    """The communities of nodes that are linked so."""
    weights: list[dict[int, float]] = [{} for _ in range(nodes)]
    for one, other in links:
        weights[one][other] = weights[other][one] = weight
    return list(communities(weights))


def everyone(nodes: range) -> Links:
    """Each with each."""
    return [(one, other) for one in nodes for other in nodes if one < other]


def test_two_circles_with_one_bridge_are_two_communities() -> None:
    links = [*everyone(range(6)), *everyone(range(6, 12)), (0, 6)]

    numbers = found(12, links)

    assert numbers == [0] * 6 + [1] * 6


def test_a_chain_falls_apart() -> None:
    nodes = 1_000

    numbers = found(nodes, [(node, node + 1) for node in range(nodes - 1)])

    assert max(Counter(numbers).values()) < nodes / 10


def test_a_ring_of_circles_does_not_become_one() -> None:
    circles = [range(start, start + 5) for start in range(0, 100, 5)]
    links = [link for circle in circles for link in everyone(circle)]
    links += [(circle[-1], (circle[-1] + 1) % 100) for circle in circles]

    numbers = found(100, links)

    assert all(len({numbers[node] for node in circle}) == 1 for circle in circles)
    assert max(Counter(numbers).values()) <= 15


def test_what_is_linked_with_nothing_is_by_itself() -> None:
    assert found(3, []) == [0, 1, 2]
    assert found(0, []) == []


def test_a_heavier_link_decides() -> None:
    weights: list[dict[int, float]] = [{1: 1.0}, {0: 1.0, 2: 0.5}, {1: 0.5, 3: 1.0}, {2: 1.0}]

    assert list(communities(weights)) == [0, 0, 1, 1]


@given(
    st.integers(1, 12).flatmap(
        lambda nodes: st.tuples(
            st.just(nodes),
            st.lists(st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))),
        )
    )
)
def test_communities_are_of_linked_nodes_and_numbered_as_they_come(
    drawn: tuple[int, Links],
) -> None:
    nodes, links = drawn
    links = [(one, other) for one, other in links if one != other]

    numbers = found(nodes, links)

    assert numbers == found(nodes, links)
    assert list(dict.fromkeys(numbers)) == list(range(max(numbers) + 1))
    assert all(_is_connected(community, numbers, links) for community in set(numbers))


def _is_connected(community: int, numbers: list[int], links: Links) -> bool:
    members = {node for node, number in enumerate(numbers) if number == community}
    reached = {min(members)}
    for _ in members:
        reached |= {b for a, b in links if a in reached and b in members}
        reached |= {a for a, b in links if b in reached and a in members}
    return reached == members


# --- which topics are alike ---


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


# --- communities as they are kept ---


MADE_AT = "2026-03-01T09:00:00Z"


MAX_ITEM_BYTES = 390_000


NUMBERS = st.one_of(st.none(), st.integers(0, MAX_TOPICS - 1))


@given(
    st.dictionaries(st.text(min_size=1, max_size=8), NUMBERS, max_size=20),
    st.sampled_from(Sensitivity),
)
def test_what_is_kept_says_what_it_was_made_of(
    numbers: dict[str, int | None], level: Sensitivity
) -> None:
    made = Partition.of(MADE_AT, list(numbers), {level: list(numbers.values())})

    read = Partition.from_json(json.loads(json.dumps(made.as_json())))

    assert read.made_at == MADE_AT
    assert {each: read.community_of(each, level) for each in numbers} == numbers


def test_a_reader_is_told_of_the_communities_up_to_the_own_ceiling() -> None:
    levels: dict[Sensitivity, list[int | None]] = {
        Sensitivity.LOW: [0, None, 0],
        Sensitivity.HIGH: [0, 1, 1],
    }
    made = Partition.of(MADE_AT, ["a", "b", "c"], levels)

    told = {
        ceiling: [made.community_of(each, ceiling) for each in ("a", "b", "c")]
        for ceiling in Sensitivity
    }

    assert told == {
        Sensitivity.PUBLIC: [None, None, None],
        Sensitivity.LOW: [0, None, 0],
        Sensitivity.MEDIUM: [0, None, 0],
        Sensitivity.HIGH: [0, 1, 1],
        Sensitivity.HYPER: [0, 1, 1],
    }


def test_a_topic_that_came_later_is_in_no_community() -> None:
    made = Partition.of(MADE_AT, ["a"], {Sensitivity.LOW: [0]})

    assert made.community_of("later", Sensitivity.LOW) is None


def test_as_many_topics_as_there_may_be_stay_within_an_item() -> None:
    ids = [f"topic-{number}" for number in range(MAX_TOPICS)]
    numbers = [number * 7_919 % MAX_TOPICS for number in range(MAX_TOPICS)]

    made = Partition.of(MADE_AT, ids, dict.fromkeys(Sensitivity, numbers))

    assert len(json.dumps(made.as_json())) < MAX_ITEM_BYTES


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"made_at": MADE_AT, "marks": "?", "levels": {}},
        {"made_at": MADE_AT, "marks": "", "levels": {"low": "AAAA"}},
        {"made_at": MADE_AT, "marks": "", "levels": {"secret": ""}},
    ],
)
def test_what_is_damaged_is_not_read(document: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"damaged|Sensitivity"):
        Partition.from_json(document)
