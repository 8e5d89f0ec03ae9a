"""Feed topics with observed facts, and keep topics in step with the records of the facts.

The subject of a fact is the topic, the predicate the field, the object the value, and the record
the evidence. A fact that is erased, deleted, retracted or replaced is withdrawn from the topic. A
restored fact, or a fact of a new scope or sensitivity, is placed again. The record as of now
decides, whatever change was reported.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from membrane.domain.access.principals import FEEDER, Principal, Source
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.language.errors import Aborted, ScopeFenced
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.stored import StoredRecord
from membrane.domain.topics.placing.statements import (
    ObservedFact,
    content_of,
    observed_fact,
)
from membrane.table.items import LostRace
from membrane.usecases.machinery.calls import MAX_TRIES, TRANSIENT
from membrane.usecases.machinery.side_by_side import IsOutOfTime, OutOfTime, never
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World
from membrane.usecases.search.indexing import ChangedSource, FailedSource, merge_changes
from membrane.usecases.topics.placing.place_topic import place_observation
from membrane.usecases.topics.placing.withdraw_statement import remove_blobs, withdraw_statement

FEED = "FeedTopics"
"""The operation in fault reports."""


class Step(StrEnum):
    PLACED = "placed"
    WITHDRAWN = "withdrawn"
    CLEARED = "cleared"
    """The blobs of a withdrawn statement are removed."""


@dataclass(slots=True)
class FeedTally:
    placed: int = 0
    withdrawn: int = 0
    failed: list[FailedSource] = field(default_factory=list)


def feed_topics(
    facts: Iterable[ChangedSource], world: World, is_out_of_time: IsOutOfTime = never
) -> FeedTally:
    """Bring the statements of changed records up to date, if the policy feeds topics.

    A record with a fault of its own, or without a turn in time, is reported and part of the result.
    Raises ResourceExhausted and Unavailable; the caller then repeats the batch.
    """
    tally = FeedTally()
    every = merge_changes(facts) if world.topic_policy.feeds else []
    for each in every:
        if is_out_of_time():
            tally.failed.append(FailedSource(each, OutOfTime()))
            continue
        try:
            steps = _settle(each.record_id, world)
            tally.placed += steps.count(Step.PLACED)
            tally.withdrawn += steps.count(Step.WITHDRAWN)
        except ScopeFenced:
            continue  # the erasure removes the topics of the scope, with what they state
        except TRANSIENT:
            raise
        except Exception as error:  # noqa: BLE001 - raising would keep back all other records
            tally.failed.append(FailedSource(each, error))
    for failed in tally.failed:
        world.report(FEED, FAULT, failed.error)
    return tally


def _settle(record_id: str, world: World) -> Sequence[Step]:
    """Withdraw and place until the topics state the fact of the record.

    Every round reads the record again. Raises Aborted if every round loses the race.
    """
    steps: list[Step] = []
    for tries in range(MAX_TRIES):
        try:
            step = _take_step(record_id, world)
        except (Aborted, LostRace):
            world.back_off(tries)
            continue
        if step is None:
            return steps
        steps.append(step)
    raise Aborted("other writers came first every time")


def _take_step(record_id: str, world: World) -> Step | None:
    """Do the next step; None if nothing is left to do."""
    observed = _current_fact(record_id, world)
    statement = world.topics.statement(record_id)
    if statement is None:
        if observed is None:
            return None
        place_observation(observed, _feeding_principal(observed), world)
        return Step.PLACED
    if statement.is_withdrawn:
        remove_blobs(statement, world)
        return Step.CLEARED
    if observed is not None and statement.content == content_of(observed):
        return None
    withdraw_statement(statement, world)
    return Step.WITHDRAWN


def _current_fact(record_id: str, world: World) -> ObservedFact | None:
    held = world.records.load(record_id)
    if not isinstance(held, StoredRecord) or held.tombstone is not None:
        return None
    return observed_fact(held.record)


def _feeding_principal(observed: ObservedFact) -> Principal:
    """A principal limited to the scope and the sensitivity of the fact."""
    permissions = frozenset((Permission.INGEST, Permission.READ))
    scopes = (observed.scope or ALL_SCOPES,)
    return Principal(FEEDER, permissions, scopes, observed.sensitivity, Source.SERVICE)
