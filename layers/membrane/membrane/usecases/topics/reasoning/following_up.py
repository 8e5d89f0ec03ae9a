"""What a merge, its undoing, or a step down the ladder entails beside the topic itself.

Such a topic stays due until all of it is done. So what a crash left of it, the next look at what
is due finds; and each part may be done twice.
"""

from membrane.domain.topics.ladder import leaves_ladder, next_due, without_ladder_step
from membrane.domain.topics.reasoning.actions import action_of
from membrane.domain.topics.reasoning.alias_reads import access_with, access_without
from membrane.domain.topics.topic import Topic
from membrane.domain.topics.versions import NEVER_READ, ChangeContext, next_version, revived_event
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.topics.loading import EVERYTHING, load_topics
from membrane.usecases.topics.saliences import access_of
from membrane.usecases.topics.writing import NOTHING, Decided, circumstances, write


def follow_up(topic: Topic, call: Call, services: TopicServices) -> None:
    """Append to the action log, move an alias's reads to its keeper, note when a step is due next.

    A topic that was read so much that it needs no step any more leaves the ladder before that.
    """
    if topic.merged is not None:
        _give_reads_to_keeper(topic, call, services)
    if topic.unmerged_from:
        until_won(lambda: _take_back(topic, call, services), services)
    for event in topic.trail:
        action = action_of(topic, event)
        if action is not None:
            services.topics.log(topic.scope, action.body, action.at, action.id)
    topic = _off_the_ladder(topic, call, services)
    context = circumstances(call, services)
    until_s = next_due(topic, access_of(topic.id, services), context.policy, context.now_s)
    services.topics.put_off(topic.id, topic.version, until_s)


def _off_the_ladder(topic: Topic, call: Call, services: TopicServices) -> Topic:
    """The topic as it stands then; the ladder is looked at again in the write."""

    def decide(context: ChangeContext) -> Decided:
        now = services.topics.load(topic.id)
        if now is None or not _has_risen(now, context, services):
            return NOTHING
        after = next_version(without_ladder_step(now), revived_event(now), context=context)
        return Decided(TopicChange(topics=[(now, after)]), {"topic_id": now.id})

    if not _has_risen(topic, circumstances(call, services), services):
        return topic
    decided = write(decide, call._replace(key=None), services).decided
    if decided is None or decided.change is None:
        return topic
    return decided.change.topics[0][1]


def _has_risen(topic: Topic, context: ChangeContext, services: TopicServices) -> bool:
    return leaves_ladder(topic, access_of(topic.id, services), context.policy, context.now_s)


def _take_back(topic: Topic, call: Call, services: TopicServices) -> None:
    """Take the reads that the topic gave to its keepers, which it has left, off their counts."""
    gone = {topic.id, *topic.absorbed}
    known = services.topics.accesses(topic.unmerged_from)
    had = {each: access for each, access in known.items() if not gone.isdisjoint(access.given)}
    context = circumstances(call, services)
    for keeper in services.topics.load_all(list(had)).values():
        after = access_without(keeper, had[keeper.id], gone, context)
        services.topics.keep_access(keeper.id, had[keeper.id], after)


def _give_reads_to_keeper(alias: Topic, call: Call, services: TopicServices) -> None:
    keepers = load_topics([alias.id], EVERYTHING, services.topics, deleted=True)
    if alias.id in keepers:
        keeper = keepers[alias.id]
        until_won(lambda: _add_reads(alias, keeper, call, services), services)


def _add_reads(alias: Topic, keeper: Topic, call: Call, services: TopicServices) -> None:
    known = services.topics.accesses([alias.id, keeper.id])
    if alias.id not in known:
        return
    before = known.get(keeper.id, NEVER_READ)
    context = circumstances(call, services)
    after = access_with(keeper, before, alias, known[alias.id], context)
    if after is not before:
        services.topics.keep_access(keeper.id, before, after)
