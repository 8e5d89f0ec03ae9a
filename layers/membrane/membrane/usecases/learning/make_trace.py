"""Make a trace of the waiting steps of a thread, or find the trace that a concurrent run made."""

from collections.abc import Sequence

from membrane.domain.ingest.turns import thread_of
from membrane.domain.language.errors import TooManyProfiles
from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.learning.made_records import (
    idle_step,
    new_trace,
    trace_of,
    used_opening,
    used_step,
)
from membrane.domain.records.idempotency import id_within
from membrane.domain.records.learning_mark import UNMARKED, Stage
from membrane.domain.records.natural_key import event_key
from membrane.domain.records.payloads import TOOL_CALL, EpisodicPayload, TimelineEvent
from membrane.domain.records.stored import AnyRecord, StoredRecord, is_alive
from membrane.table.writes import IdTaken, LostRace
from membrane.usecases.learning.find_matches import CONSOLIDATE, making_for
from membrane.usecases.machinery.calls import until_won
from membrane.usecases.machinery.side_by_side import load_undamaged
from membrane.usecases.ports.records import Change
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World

MAX_STEPS = 64
"""Steps of a trace: the transaction has room for as many. A longer thread goes on in a further
trace.
"""

MIN_STEPS = 2
"""Steps of a trace without an outcome."""

FIRST_TURN = 1


def make_trace(step_ids: Sequence[str], world: World) -> StoredRecord | None:
    """The trace of at most MAX_STEPS waiting steps of a thread, the oldest first.

    None if nothing comes of the steps, or a concurrent run has used the steps and the trace is
    gone. Every step loses the mark in the transaction that writes the trace. Raises Aborted;
    ScopeFenced; the errors of the store.
    """
    return until_won(lambda: _attempt(step_ids, world), world)


def _attempt(step_ids: Sequence[str], world: World) -> StoredRecord | None:
    records = world.records
    found, damaged = load_undamaged(step_ids, records.load_each, records.load)
    for error in damaged.values():
        world.report(CONSOLIDATE, FAULT, error)
    held = [found.get(each) for each in step_ids]
    steps = [each for each in held if is_alive(each) and each.learning.awaits is Stage.STEP]
    if not steps:
        return _trace_of_used(held[0], world)
    if len(steps) < MIN_STEPS and _outcome_of(steps[-1]) is None:
        making = making_for(steps[0].id, world)
        records.replace_all([(steps[0], idle_step(steps[0], making))])
        return None
    opening = _opening_of(steps[0], world)
    trace = _trace_from(steps, opening, world)
    try:
        _write(trace, steps, opening, world)
    except IdTaken:
        raise LostRace from None  # another run has used the first step: read again
    return trace


def _write(
    trace: StoredRecord,
    steps: Sequence[StoredRecord],
    opening: StoredRecord | None,
    world: World,
) -> None:
    fading = world.learning_policy.step_fading
    opened = list[Change]()
    if opening is not None:
        making = making_for(opening.id, world)
        opened.append((opening, used_opening(opening, trace.id, making)))
    try:
        used = _used_steps(steps, trace, fading, world)
        world.records.create(trace, changed=[*used, *opened])
    except TooManyProfiles:  # the shorter half-life would be one decay class of the scope too many
        used = _used_steps(steps, trace, 1.0, world)
        world.records.create(trace, changed=[*used, *opened])


def _used_steps(
    steps: Sequence[StoredRecord], trace: StoredRecord, fading: float, world: World
) -> list[Change]:
    return [
        (
            step,
            used_step(step, trace.id, making_for(step.id, world), fading=fading),
        )
        for step in steps
    ]


def _trace_from(
    steps: Sequence[StoredRecord], opening: StoredRecord | None, world: World
) -> StoredRecord:
    """The new record of the trace; the id depends on the first step, for two runs at once."""
    making = making_for(id_within(steps[0].id, "trace"), world)
    records = [step.record for step in steps]
    payload = trace_of(records, None if opening is None else _first_event(opening))
    message = None if opening is None else opening.record
    return new_trace(
        payload,
        records,
        message,
        making,
        is_interpreted=world.learning_policy.interprets_traces,
        crosses_scopes=world.learning_policy.crosses_scopes,
    )


def _opening_of(step: StoredRecord, world: World) -> StoredRecord | None:
    """The first message of the conversation that the step belongs to.

    None without a conversation, and for a message that is a step itself or has opened a trace: a
    message leads to one trace, which goes with the message. So later traces of a long conversation
    are without the message. One Query and one BatchGetItem, for the tool calls of messages alone.
    """
    thread = thread_of(step.record)
    payload = step.record.payload
    if not isinstance(payload, EpisodicPayload) or thread != payload.thread_id:
        return None
    key = event_key(step.scope, f"{thread}:{FIRST_TURN}")
    ids = [record_id for record_id, _ in world.natural.newest(key, 1)]
    held = world.records.load_each(ids).get(ids[0]) if ids else None
    if not is_alive(held) or held.learning != UNMARKED:
        return None
    event = _first_event(held)
    return None if event is None or event.event_kind == TOOL_CALL else held


def _first_event(held: StoredRecord) -> TimelineEvent | None:
    payload = held.record.payload
    if not isinstance(payload, EpisodicPayload) or not payload.timeline:
        return None
    return payload.timeline[0]


def _trace_of_used(step: AnyRecord | None, world: World) -> StoredRecord | None:
    """The living trace that another run made of the step."""
    if not isinstance(step, StoredRecord) or not step.learning.trace_id:
        return None
    held = world.records.load(step.learning.trace_id)
    return held if is_alive(held) else None


def _outcome_of(step: StoredRecord) -> OutcomeStatus | None:
    payload = step.record.payload
    return payload.outcome if isinstance(payload, EpisodicPayload) else None
