"""Edges are made, removed softly, and made anew."""

from datetime import UTC, datetime, timedelta

from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.relations import MAX_PERIODS, new_edge, removed_edges
from membrane.domain.topics.topic import Edge
from membrane.domain.topics.versions import ChangeContext

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(hours: float, principal: str = "owner") -> ChangeContext:
    """So many hours after the start."""
    now = START + timedelta(hours=hours)
    return ChangeContext(now, principal, "salt", "token", TopicPolicy())


def made(before: Edge | None, hours: float) -> Edge:
    edge = new_edge(before, "ada", "bob", "knows", at(hours))
    assert edge is not None
    return edge


def test_what_is_there_is_not_made_again() -> None:
    edge = made(None, 0)

    assert new_edge(edge, "ada", "bob", "knows", at(1)) is None
    assert removed_edges([], at(1)) == ()


def test_only_what_is_there_is_removed() -> None:
    edge = made(None, 0)

    (gone,) = removed_edges([edge], at(1))

    assert gone.removed_at == "2026-01-01T01:00:00Z"
    assert removed_edges([gone], at(2)) == ()


def test_an_edge_that_was_made_anew_tells_of_when_it_was_there() -> None:
    (gone,) = removed_edges([made(None, 1)], at(2))

    anew = new_edge(gone, "ada", "bob", "knows", at(3, "other"))

    assert anew is not None
    assert (anew.principal, anew.removed_at) == ("other", None)
    there = [anew.held_at(at(hours).now) for hours in (0.5, 1, 1.5, 2, 2.5, 3, 99)]
    assert there == [False, True, True, False, False, True, True]


def test_what_an_edge_remembers_has_an_end() -> None:
    edge = made(None, 0)

    for hours in range(MAX_PERIODS + 5):
        (edge,) = removed_edges([edge], at(hours + 0.5))
        edge = made(edge, hours + 1)

    assert len(edge.earlier) == MAX_PERIODS
    assert edge.earlier[-1][1] == at(MAX_PERIODS + 4.5).timestamp
