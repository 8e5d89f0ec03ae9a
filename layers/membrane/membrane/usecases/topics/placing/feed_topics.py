"""Feed topics with what is observed: a new fact is placed as a new revision of a topic's field.

The fact's subject is the topic, its predicate the field, its object the value, and the record is
the evidence. Each record feeds once, however often it is told of.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from membrane.domain.access.trust import ALL_SCOPES, Principal, Source
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.stored import StoredRecord
from membrane.domain.topics.placing.feeding import observed_in
from membrane.domain.topics.placing.observations import Observed
from membrane.usecases.machinery.one_by_one import PASSING
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.batch import Changed, Failed, merged
from membrane.usecases.topics.placing.place_topic import place_observation

FEED = "FeedTopics"
"""How faults are reported."""

FEEDER = "feeding"
"""As whom topics are fed."""


@dataclass(slots=True)
class Fed:
    """What came of a batch."""

    placed: int = 0
    failed: list[Failed] = field(default_factory=list)


def feed_topics(facts: Iterable[Changed], services: TopicServices) -> Fed:
    """Place these new records, one after the other, where topics are to be fed at all.

    One that fails by a fault of its own is reported, and is in the result. Raises
    ResourceExhausted and Unavailable; then the batch is to be repeated.
    """
    fed = Fed()
    every = merged(facts) if services.topic_policy.feeds else []
    for each in every:
        try:
            fed.placed += _feed(each.record_id, services)
        except PASSING:
            raise
        except Exception as error:  # noqa: BLE001 - raised, it would keep back the others
            fed.failed.append(Failed(each, error))
    for failed in fed.failed:
        services.report(FEED, FAULT, failed.error)
    return fed


def _feed(record_id: str, services: TopicServices) -> bool:
    """Whether the record tells topics anything; one that was deleted meanwhile does not."""
    held = services.records.load(record_id)
    if not isinstance(held, StoredRecord) or held.tombstone is not None:
        return False
    observed = observed_in(held.record)
    if observed is None:
        return False
    place_observation(observed, _feeder(observed), f"evidence:{record_id}", services)
    return True


def _feeder(observed: Observed) -> Principal:
    """Who may see and write what is of the fact's scope and no more sensitive than the fact."""
    permissions = frozenset((Permission.INGEST, Permission.READ))
    scopes = (observed.scope or ALL_SCOPES,)
    return Principal(FEEDER, permissions, scopes, observed.sensitivity, Source.SERVICE)
