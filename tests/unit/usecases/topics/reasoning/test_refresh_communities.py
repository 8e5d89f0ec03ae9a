"""When communities are sought anew."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from membrane.domain.topics.graph.partitions import KEPT_AS
from membrane.usecases.topics.reasoning.find_communities import FEW, refresh_communities
from tests.builders.indexed_topics import held
from tests.worlds.queried_topics import Asked


@dataclass(slots=True)
class Scope:
    """A scope with so many topics."""

    size: int
    world: Asked = field(default_factory=Asked)

    def __post_init__(self) -> None:
        for number in range(self.size):
            held(self.world.topics, f"topic-{number}")

    def refresh(self, *, is_changed: bool, left_s: float = 240.0) -> int:
        """How often they were sought so far, and kept."""

        def is_out_of_time(needed_s: float = 0.0) -> bool:
            return left_s < needed_s

        refresh_communities("team", self.world.services, is_out_of_time, is_changed=is_changed)
        kept = self.world.services.topics.find_document(KEPT_AS, "team")
        return 0 if kept is None else kept.revision

    @property
    def told(self) -> list[tuple[dict[str, Any], int]]:
        """The messages sent, each with its delay."""
        return self.world.told.told


@pytest.fixture
def large() -> Scope:
    """One that waits 40 seconds."""
    return Scope(2 * FEW)


def test_a_small_scope_never_waits() -> None:
    small = Scope(FEW)

    sought = [small.refresh(is_changed=True) for _ in range(3)]

    assert (sought, small.told) == ([1, 2, 3], [])


def test_a_large_scope_waits_and_is_told_of_again(large: Scope) -> None:
    assert large.refresh(is_changed=True) == 1
    large.world.clock.advance(seconds=10)
    assert large.refresh(is_changed=True) == 1
    assert large.told == [({"scope": "team"}, 30)]

    large.world.clock.advance(seconds=30)
    assert large.refresh(is_changed=False) == 2
    assert large.refresh(is_changed=False) == 2
    assert len(large.told) == 1


def test_where_nothing_waits_nothing_is_done(large: Scope) -> None:
    assert large.refresh(is_changed=False) == 0
    assert large.refresh(is_changed=True) == 1

    large.world.clock.advance(days=1)

    assert large.refresh(is_changed=False) == 1


def test_a_message_that_comes_too_early_is_sent_again() -> None:
    huge = Scope(1)
    huge.world.topics.keep_document(
        "communities-pace", "team", {"due_s": 4e9, "is_waiting": True}, None
    )

    assert huge.refresh(is_changed=False) == 0
    assert huge.told == [({"scope": "team"}, 900)]


def test_what_waits_is_told_of_once_until_it_is_time(large: Scope) -> None:
    large.refresh(is_changed=True)
    for _ in range(3):
        large.world.clock.advance(seconds=10)
        large.refresh(is_changed=True)

    assert large.told == [({"scope": "team"}, 30)]


def test_without_time_for_a_scope_of_that_size_it_goes_on_by_a_message(large: Scope) -> None:
    assert large.refresh(is_changed=True, left_s=99) == 0
    assert large.told == [({"scope": "team"}, 1)]

    large.world.clock.advance(seconds=1)
    assert large.refresh(is_changed=False) == 1
    large.world.clock.advance(seconds=40)
    assert large.refresh(is_changed=True, left_s=1.9) == 1
    large.world.clock.advance(seconds=1)
    assert large.refresh(is_changed=False, left_s=2.1) == 2
