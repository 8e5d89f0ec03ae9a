"""Follow up a merge, an unmerge or a ladder step, beside the topic itself.

The topic stays due until the follow-up is complete: after a crash, the next look at due topics
finds the rest. Every part may be done twice.
"""

from functools import partial

from membrane.domain.topics.ladder import leaves_ladder, next_due, without_ladder_step
from membrane.domain.topics.reasoning.actions import action_of
from membrane.domain.topics.reasoning.alias_reads import access_with, access_without
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.domain.topics.versions import NEVER_READ, ChangeContext, next_version, revived_event
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics.loading import EVERYTHING, load_topics
from membrane.usecases.topics.saliences import access_of
from membrane.usecases.topics.writing import NOTHING, Decision, change_context, write


def follow_up(topic: Topic, call: Call, world: World) -> None:
    """Append to the action log, move the reads of an alias to the keeper, note the next due step.

    Before the note, a topic with enough reads to need no step leaves the ladder.
    """
    if topic.merged is not None:
        until_won(lambda: _add_reads(topic, call, world), world)
    if topic.unmerged_from:
        until_won(lambda: _subtract_reads(topic, call, world), world)
    for event in topic.trail:
        action = action_of(topic, event)
        if action is not None:
            log = partial(world.topics.log, topic.scope, action.body, action.at, action.id)
            until_won(log, world)
    topic = _leave_ladder(topic, call, world)
    context = change_context(call, world)
    until_s = next_due(topic, access_of(topic.id, world), context.policy, context.now_s)
    world.topics.put_off(topic.id, topic.version, until_s)


def _leave_ladder(topic: Topic, call: Call, world: World) -> Topic:
    """The topic, off the ladder if the reads suffice; the write checks the reads again."""

    def decide(context: ChangeContext) -> Decision:
        now = world.topics.load(topic.id)
        if now is None or not _leaves_ladder(now, context, world):
            return NOTHING
        after = next_version(without_ladder_step(now), revived_event(now), context=context)
        return Decision(TopicChange(topics=[(now, after)]), {"topic_id": now.id})

    if not _leaves_ladder(topic, change_context(call, world), world):
        return topic
    decision = write(decide, call._replace(key=None), world).decision
    if decision is None or decision.change is None:
        return topic
    return decision.change.topics[0][1]


def _leaves_ladder(topic: Topic, context: ChangeContext, world: World) -> bool:
    return leaves_ladder(topic, access_of(topic.id, world), context.policy, context.now_s)


def _subtract_reads(topic: Topic, call: Call, world: World) -> None:
    """Subtract the reads that an unmerged topic gave to former keepers."""
    gone = {topic.id, *topic.absorbed}
    known = world.topics.accesses(topic.unmerged_from)
    had = {each: access for each, access in known.items() if not gone.isdisjoint(access.given)}
    context = change_context(call, world)
    for keeper in world.topics.load_all(list(had)).values():
        after = access_without(keeper, had[keeper.id], gone, context)
        world.topics.keep_access(keeper.id, had[keeper.id], after)


def _add_reads(alias: Topic, call: Call, world: World) -> None:
    keepers = load_topics([alias.id], EVERYTHING, world.topics, deleted=True)
    keeper = keepers.get(alias.id)
    if keeper is None or keeper.status is TopicStatus.ERASED:
        return
    known = world.topics.accesses([alias.id, keeper.id])
    if alias.id not in known:
        return
    before = known.get(keeper.id, NEVER_READ)
    context = change_context(call, world)
    after = access_with(keeper, before, alias, known[alias.id], context)
    if after is not before:
        world.topics.keep_access(keeper.id, before, after)
