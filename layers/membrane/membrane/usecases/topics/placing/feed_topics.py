"""Keep what topics tell of observed facts as the facts' records are now.

A fact's subject is the topic, its predicate the field, its object the value, and the record is the
evidence. A fact that is erased, deleted, retracted or replaced is withdrawn from its topic. A fact
that comes back, or changes its scope or sensitivity, is placed anew. The record as it is now
decides, whichever change was told.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from membrane.domain.access.trust import ALL_SCOPES, FEEDER, Principal, Source
from membrane.domain.language.errors import Aborted
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.stored import StoredRecord
from membrane.domain.topics.placing.statements import ObservedFact, content_of, observed_fact
from membrane.usecases.machinery.long_jobs import IsOutOfTime, OutOfTime, never
from membrane.usecases.machinery.retries import MAX_TRIES, TRANSIENT
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.changes import Changed, Failed, merge_changes
from membrane.usecases.topics.placing.place_topic import place_observation
from membrane.usecases.topics.placing.withdraw_statement import remove_blobs, withdraw_statement

FEED = "FeedTopics"
"""How faults are reported."""


class Step(StrEnum):
    PLACED = "placed"
    WITHDRAWN = "withdrawn"
    CLEARED = "cleared"
    """Blobs of what was withdrawn are removed."""


@dataclass(slots=True)
class Fed:
    placed: int = 0
    withdrawn: int = 0
    failed: list[Failed] = field(default_factory=list)


def feed_topics(
    facts: Iterable[Changed], services: TopicServices, is_out_of_time: IsOutOfTime = never
) -> Fed:
    """Settle these records, one after the other, if topics are to be fed.

    A record that fails by a fault of its own, or has no turn in time, is reported, and is in the
    result. Raises ResourceExhausted and Unavailable; then the batch is to be repeated.
    """
    fed = Fed()
    every = merge_changes(facts) if services.topic_policy.feeds else []
    for each in every:
        if is_out_of_time():
            fed.failed.append(Failed(each, OutOfTime()))
            continue
        try:
            steps = _settle(each.record_id, services)
            fed.placed += steps.count(Step.PLACED)
            fed.withdrawn += steps.count(Step.WITHDRAWN)
        except TRANSIENT:
            raise
        except Exception as error:  # noqa: BLE001 - raised, it would keep back the others
            fed.failed.append(Failed(each, error))
    for failed in fed.failed:
        services.report(FEED, FAULT, failed.error)
    return fed


def _settle(record_id: str, services: TopicServices) -> Sequence[Step]:
    """Withdraw and place, until topics tell what the record says.

    Each round reads the record anew. Raises Aborted where other writers come first every time.
    """
    steps: list[Step] = []
    for tries in range(MAX_TRIES):
        try:
            step = _step(record_id, services)
        except (Aborted, LostRace):
            services.back_off(tries)
            continue
        if step is None:
            return steps
        steps.append(step)
    raise Aborted("other writers came first every time")


def _step(record_id: str, services: TopicServices) -> Step | None:
    """Do the next step; None where nothing is left to do."""
    observed = _observed(record_id, services)
    statement = services.topics.statement(record_id)
    if statement is None:
        if observed is None:
            return None
        place_observation(observed, _feeder(observed), services)
        return Step.PLACED
    if statement.is_withdrawn:
        remove_blobs(statement, services)
        return Step.CLEARED
    if observed is not None and statement.content == content_of(observed):
        return None
    withdraw_statement(statement, services)
    return Step.WITHDRAWN


def _observed(record_id: str, services: TopicServices) -> ObservedFact | None:
    held = services.records.load(record_id)
    if not isinstance(held, StoredRecord) or held.tombstone is not None:
        return None
    return observed_fact(held.record)


def _feeder(observed: ObservedFact) -> Principal:
    """Who may see and write what is of the fact's scope and no more sensitive than the fact."""
    permissions = frozenset((Permission.INGEST, Permission.READ))
    scopes = (observed.scope or ALL_SCOPES,)
    return Principal(FEEDER, permissions, scopes, observed.sensitivity, Source.SERVICE)
