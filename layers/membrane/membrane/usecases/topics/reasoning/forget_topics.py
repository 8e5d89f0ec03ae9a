"""Take due steps of the ladder: summarise, detach, archive.

Nothing is deleted: old history goes into the bucket, fields leave the working set, the topic leaves
default retrieval; and use brings all back. A run may end anywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.topics.reasoning import actions
from membrane.domain.topics.salience import leaves_ladder, next_due, without_ladder_step
from membrane.domain.topics.topic import LadderStep, Topic, TopicStatus
from membrane.domain.topics.versions import NEVER_READ, ChangeContext, next_version, revived_event
from membrane.usecases.machinery import calls
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics import writing
from membrane.usecases.topics.loading import EVERYTHING, access_of, load_topics


def follow_up(topic: Topic, call: calls.Call, world: World) -> None:
    """Append to the action log, move the reads of an alias to the keeper, note the next due step.

    Before the note, a topic with enough reads to need no step leaves the ladder.
    """
    if topic.merged is not None:
        calls.until_won(lambda: _add_reads(topic, call, world), world)
    if topic.unmerged_from:
        calls.until_won(lambda: _subtract_reads(topic, call, world), world)
    for event in topic.trail:
        action = actions.action_of(topic, event)
        if action is not None:
            log = partial(world.topics.log, topic.scope, action.body, action.at, action.id)
            calls.until_won(log, world)
    topic = _leave_ladder(topic, call, world)
    context = writing.change_context(call, world)
    until_s = next_due(topic, access_of(topic.id, world), context.policy, context.now_s)
    world.topics.put_off(topic.id, topic.version, until_s)


def _leave_ladder(topic: Topic, call: calls.Call, world: World) -> Topic:
    """The topic, off the ladder if the reads suffice; the write checks the reads again."""

    def decide(context: ChangeContext) -> writing.Decision:
        now = world.topics.load(topic.id)
        if now is None or not _leaves_ladder(now, context, world):
            return writing.NOTHING
        after = next_version(without_ladder_step(now), revived_event(now), context=context)
        return writing.Decision(TopicChange(topics=[(now, after)]), {"topic_id": now.id})

    if not _leaves_ladder(topic, writing.change_context(call, world), world):
        return topic
    decision = writing.write(decide, call._replace(key=None), world).decision
    if decision is None or decision.change is None:
        return topic
    return decision.change.topics[0][1]


def _leaves_ladder(topic: Topic, context: ChangeContext, world: World) -> bool:
    return leaves_ladder(topic, access_of(topic.id, world), context.policy, context.now_s)


def _subtract_reads(topic: Topic, call: calls.Call, world: World) -> None:
    """Subtract the reads that an unmerged topic gave to former keepers."""
    gone = {topic.id, *topic.absorbed}
    known = world.topics.accesses(topic.unmerged_from)
    had = {each: access for each, access in known.items() if not gone.isdisjoint(access.given)}
    context = writing.change_context(call, world)
    for keeper in world.topics.load_all(list(had)).values():
        after = actions.access_without(keeper, had[keeper.id], gone, context)
        world.topics.keep_access(keeper.id, had[keeper.id], after)


def _add_reads(alias: Topic, call: calls.Call, world: World) -> None:
    keepers = load_topics([alias.id], EVERYTHING, world.topics, deleted=True)
    keeper = keepers.get(alias.id)
    if keeper is None or keeper.status is TopicStatus.ERASED:
        return
    known = world.topics.accesses([alias.id, keeper.id])
    if alias.id not in known:
        return
    before = known.get(keeper.id, NEVER_READ)
    context = writing.change_context(call, world)
    after = actions.access_with(keeper, before, alias, known[alias.id], context)
    if after is not before:
        world.topics.keep_access(keeper.id, before, after)


FORGOTTEN = "TopicsForgotten"
"""The metric: ladder steps taken."""

FORGET = "ForgetTopics"
"""The operation in fault reports about a single topic."""

PAGE = 50

PUT_OFF_S = timedelta(hours=1).total_seconds()
"""Seconds for which a failing topic is left alone, so that no other topic is blocked."""


@dataclass(slots=True)
class ForgetTally:
    steps: int = 0
    failed: int = 0
    is_left: bool = False
    """Whether time ran out before all due topics were examined."""


def forget_topics(call: calls.Call, world: World, is_out_of_time: calls.IsOutOfTime) -> ForgetTally:
    """Go through due topics, the longest overdue first, until none is left or time runs out.

    A topic with a fault of its own is reported and put off; an unreadable topic is skipped. Raises
    ResourceExhausted, Unavailable.
    """
    seen: set[str] = set()
    tally = ForgetTally()
    by_s = epoch_seconds(world.now())
    while True:
        # unreadable topics cannot be put off and stay at the front: read past them
        found = [topic_id for topic_id, _ in world.topics.due(by_s, PAGE + tally.failed)]
        fresh = [topic_id for topic_id in found if topic_id not in seen]
        if not fresh:
            return tally
        topics, damaged = calls.load_undamaged(fresh, world.topics.load_all)
        for fault in damaged.values():
            world.report(FORGET, FAULT, fault)
        tally.failed += len(damaged)
        for topic in topics.values():
            if is_out_of_time():
                tally.is_left = True
                return tally
            _forget_topic(topic, tally, call, world)
        seen.update(fresh)


def take_steps(topic_id: str, call: calls.Call, world: World) -> Sequence[LadderStep]:
    """Take all due steps of the topic, each with audit event and log entry."""
    keyless = call._replace(key=None)
    taken: list[LadderStep] = []
    while (step := _take_step(topic_id, keyless, world)) is not None:
        taken.append(step)
    topic = world.topics.load(topic_id)
    if topic is not None:
        follow_up(topic, call, world)
    world.measure(FORGOTTEN, len(taken), "Count")
    return taken


def _forget_topic(topic: Topic, tally: ForgetTally, call: calls.Call, world: World) -> None:
    try:
        if _step_due(topic, call, world) is not None:
            tally.steps += len(take_steps(topic.id, call, world))
        else:
            follow_up(topic, call, world)
    except calls.TRANSIENT:
        raise
    except Exception as fault:  # noqa: BLE001 - raising would end every run at this topic
        world.report(FORGET, FAULT, fault)
        until_s = epoch_seconds(world.now()) + PUT_OFF_S
        world.topics.put_off(topic.id, topic.version, until_s)
        tally.failed += 1


def _step_due(topic: Topic, call: calls.Call, world: World) -> LadderStep | None:
    due = actions.due_step(topic, access_of(topic.id, world), writing.change_context(call, world))
    return None if due is None else due.step


def _take_step(topic_id: str, call: calls.Call, world: World) -> LadderStep | None:
    """Take the step that is due, if any; the write checks the step again."""
    topic = world.topics.load(topic_id)
    step = None if topic is None else _step_due(topic, call, world)
    if step is LadderStep.SUMMARISED:
        writing.archive_history(topic_id, world.topic_policy.summary_history, call, world)

    def decide(context: ChangeContext) -> writing.Decision:
        topic = world.topics.load(topic_id)
        access = access_of(topic_id, world)
        due = None if topic is None else actions.due_step(topic, access, context)
        if topic is None or due is None or due.step is not step:
            return writing.NOTHING
        change = TopicChange(topics=[(topic, actions.step_down(topic, due, access, context))])
        return writing.Decision(change, {"step": due.step})

    if step is None or not writing.write(decide, call, world).answer.body:
        return None
    return step
