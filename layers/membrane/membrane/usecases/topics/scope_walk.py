"""What the reasoning about topics has in common, whoever asks for it: a scope gone through.

A topic that is damaged is reported and passed over: it keeps back none of the others.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from membrane.domain.access.trust import ALL_SCOPES, Principal, Source
from membrane.domain.access.trust import REASON as ACTOR
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.load_batch import load_sound
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicPlace

PAGE = 100

REASON = "Reason"
"""How what fails by itself is reported."""

SERVICE = Call(
    Principal(ACTOR, frozenset(Permission), (ALL_SCOPES,), Sensitivity.HYPER, Source.SERVICE),
    REASON,
    key=None,
    fingerprint=b"",
)
"""As whom the service does what it does by itself."""


class IsOutOfTime(Protocol):
    """Tells whether nothing more is to be begun."""

    def __call__(self, needed_s: float = 0.0) -> bool:
        """Nothing that takes so many seconds longer than most does."""


@contextmanager
def passing_over(services: TopicServices, rpc: str = REASON) -> Iterator[None]:
    """Report what fails by itself, and go on; raises what passes."""
    try:
        yield
    except TRANSIENT:
        raise
    except Exception as fault:  # noqa: BLE001 - raised, it would keep back all others, every time
        services.report(rpc, FAULT, fault)


def sound_topics(topic_ids: Sequence[str], services: TopicServices) -> Mapping[str, Topic]:
    """By id those that are there and whole."""
    found, damaged = load_sound(topic_ids, services.topics.load_all, services.topics.load)
    for error in damaged.values():
        services.report(REASON, FAULT, error)
    return found


def all_of(
    scope: str, services: TopicServices, after: TopicPlace | None, page_size: int = PAGE
) -> Iterator[tuple[Topic, TopicPlace]]:
    """The topics of a scope behind a place, each with its own."""
    while page := services.topics.listed(scope, page_size, after):
        there = sound_topics([place.topic_id for place in page], services)
        yield from (
            (topic, place)
            for place in page
            if (topic := there.get(place.topic_id)) is not None and topic.scope == scope
        )
        after = page[-1]
