"""Merge two topics that are one, whatever was found of them: it is looked at again in the write."""

from membrane.domain.topics.making import Circumstances
from membrane.domain.topics.reasoning.actions import not_merged
from membrane.domain.topics.reasoning.duplicates import Duplicate, cosine_of, duplicate_of
from membrane.domain.topics.reasoning.merging import chain_length, merged, obstacle
from membrane.domain.topics.rendering import searchable_topic
from membrane.domain.topics.titles import normalised
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.topics.loading import load_topics
from membrane.usecases.topics.reasoning.following_up import follow_up
from membrane.usecases.topics.writing import Decided, write

MERGED = "TopicsMerged"
"""The metric."""

NOTHING = Decided(None, {})


def merge_topics(one_id: str, other_id: str, call: Call, services: TopicServices) -> bool:
    """Whether they were merged: not where they are not, or no more, to be one.

    Raises PermissionDenied, Aborted.
    """
    keyless = call._replace(key=None)

    def decide(during: Circumstances) -> Decided:
        return _decided(_duplicate(one_id, other_id, call, services), keyless, services, during)

    answer = write(decide, keyless, services).answer
    if "merged" not in answer.body:
        return False
    alias = services.topics.load(answer.body["merged"])
    if alias is not None:
        follow_up(alias, keyless, services)
    services.measure(MERGED, 1, "Count")
    return True


def _duplicate(one_id: str, other_id: str, call: Call, services: TopicServices) -> Duplicate | None:
    """The two as duplicates, consistently read; aliases are followed."""
    found = load_topics([one_id, other_id], call.principal.trust, services.topics)
    one, other = found.get(one_id), found.get(other_id)
    if one is None or other is None:
        return None
    return duplicate_of(one, other, _similarity(one, other, services), services.topic_policy)


def _similarity(one: Topic, other: Topic, services: TopicServices) -> float | None:
    """Of what they say now, where their titles do not decide."""
    if normalised(one.title) == normalised(other.title):
        return None
    texts = [searchable_topic(topic).text for topic in (one, other)]
    first, second = services.embedder.embed(texts)
    return cosine_of(first, second)


def _decided(
    duplicate: Duplicate | None, call: Call, services: TopicServices, during: Circumstances
) -> Decided:
    if duplicate is None:
        return NOTHING
    keeper, other = duplicate.keeper, duplicate.other
    call.principal.require_write(keeper.scope, keeper.sensitivity)
    hindrance = obstacle(duplicate, chain_length(services.topics.load_all(other.absorbed)))
    if hindrance is not None:
        action = not_merged(duplicate, hindrance, during.timestamp)
        services.topics.log(keeper.scope, action.told, action.at, action.id)
        return NOTHING
    after, alias = merged(duplicate, during)
    change = TopicChange(topics=((keeper, after), (other, alias)))
    return Decided(change, {"merged": other.id, "into": keeper.id})
