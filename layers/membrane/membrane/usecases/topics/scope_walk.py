"""Go through the topics of a scope to reason about them.

A damaged topic is reported and skipped.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from membrane.domain.access.principals import REASON as ACTOR
from membrane.domain.access.principals import Principal, Source
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.calls import TRANSIENT, Call
from membrane.usecases.machinery.side_by_side import load_undamaged
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.topics import TopicPlace
from membrane.usecases.ports.world import World

PAGE = 100
"""Places in a page of a scope."""

REASON = "Reason"
"""The operation in fault reports."""

SERVICE = Call(
    Principal(ACTOR, frozenset(Permission), (ALL_SCOPES,), Sensitivity.HYPER, Source.SERVICE),
    REASON,
    key=None,
    fingerprint=b"",
)
"""A call by the service itself."""


@contextmanager
def report_faults(world: World) -> Iterator[None]:
    """Report a fault of the block and go on; raises only TRANSIENT errors."""
    try:
        yield
    except TRANSIENT:
        raise
    except Exception as fault:  # noqa: BLE001 - raising would block all other topics, in every run
        world.report(REASON, FAULT, fault)


def load_sound_topics(topic_ids: Sequence[str], world: World) -> Mapping[str, Topic]:
    """By id, the topics that exist and are readable; damaged topics are reported."""
    found, damaged = load_undamaged(topic_ids, world.topics.load_all)
    for error in damaged.values():
        world.report(REASON, FAULT, error)
    return found


def topics_in_scope(
    scope: str, world: World, after: TopicPlace | None
) -> Iterator[tuple[Topic, TopicPlace]]:
    """The topics of a scope behind a place, each with a place."""
    while page := world.topics.list_topics(scope, PAGE, after):
        there = load_sound_topics([place.topic_id for place in page], world)
        yield from (
            (topic, place)
            for place in page
            if (topic := there.get(place.topic_id)) is not None and topic.scope == scope
        )
        after = page[-1]
