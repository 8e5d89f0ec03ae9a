"""Communities: what belongs together is found, and chains of links do not swallow the graph."""

from collections import Counter
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.topics.graph.communities import communities

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
