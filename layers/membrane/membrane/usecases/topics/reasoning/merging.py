"""Find duplicate topics, merge duplicates, and unmerge a topic.

The write that merges reads the duplicates again. After an unmerge, revisions written since the
merge stay where they were written, and the two topics are not merged again.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from membrane.domain.language.errors import FailedPrecondition, NotFound, WrongEmbedder
from membrane.domain.language.names import normalise_text
from membrane.domain.search.entries import unpack_dense
from membrane.domain.topics.placing.observations import similarity
from membrane.domain.topics.reasoning.actions import not_merged
from membrane.domain.topics.reasoning.duplicates import Duplicate, cosine_of, duplicate_of
from membrane.domain.topics.reasoning.merging import chain_length, merge_duplicates, obstacle
from membrane.domain.topics.reasoning.unmerging import NOT_MERGED, unmerge_chain
from membrane.domain.topics.rendering import searchable_topic
from membrane.domain.topics.titles import is_kept_apart, is_untitled, title_key
from membrane.domain.topics.topic import HIDDEN, Topic
from membrane.domain.topics.versions import ChangeContext
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics.loading import (
    LIVING,
    MAX_TITLED,
    NOT_FOUND,
    alias_chain,
    load_topics,
    newest_revisions,
    title_heads,
)
from membrane.usecases.topics.reasoning.forget_topics import follow_up
from membrane.usecases.topics.scope_walk import load_sound_topics
from membrane.usecases.topics.similar_topics import entries_for_text
from membrane.usecases.topics.writing import NOTHING, Decision, topic_token, write

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
    from membrane.domain.topics.replies.editing import UnmergedTopic
    from membrane.domain.topics.requests.editing import UnmergeTopic

MERGED = "TopicsMerged"
"""The metric."""


def duplicates_of(topic: Topic, scope: str, world: World) -> Sequence[Duplicate]:
    """The duplicates of a topic of the scope, by the indexes; the surest first."""
    if is_untitled(topic.title) or is_kept_apart(topic.kind) or topic.status not in LIVING:
        return ()
    key = title_key(topic.scope, topic.kind, topic.title)
    titled = world.topics.ids_by_title(key, MAX_TITLED)
    similar = _similar(topic, scope, world)
    others = load_sound_topics(sorted({*titled, *similar} - {topic.id}), world)
    found = (
        duplicate_of(topic, other, similar.get(other_id), world.topic_policy)
        for other_id, other in others.items()
    )
    return sorted((each for each in found if each is not None), key=_surest)


def merge_topics(one_id: str, other_id: str, call: Call, world: World) -> bool:
    """Merge two topics; False if the topics are not, or no longer, to be merged.

    Raises PermissionDenied, Aborted.
    """
    keyless = call._replace(key=None)

    def decide(context: ChangeContext) -> Decision:
        duplicate = _duplicate(one_id, other_id, call, world)
        return NOTHING if duplicate is None else _merge(duplicate, context, call, world)

    answer = write(decide, keyless, world).answer
    if "merged" not in answer.body:
        return False
    alias = world.topics.load(answer.body["merged"])
    if alias is not None:
        follow_up(alias, keyless, world)
    world.measure(MERGED, 1, "Count")
    return True


def unmerge_topic(request: "UnmergeTopic", call: Call, world: World) -> ReplyBody:
    """Take a topic out of the keeper; the reply has both ids.

    Raises NotFound for an absent or hidden topic, PermissionDenied, FailedPrecondition if the topic
    is not merged, or a field of the topic has moved to a different topic since.
    """

    def decide(context: ChangeContext) -> Decision:
        chain = _living_chain(request.id, call, world.topics)
        newest = newest_revisions(chain, world.topics)
        after = unmerge_chain(chain, newest, context, request.why)
        topic, keeper, *_ = after
        change = TopicChange(
            topics=tuple(zip(chain, after, strict=True)),
            heads=title_heads(topic, call.principal.trust, world),
        )
        body: UnmergedTopic = {
            "topic_id": topic.id,
            "unmerged_from": keeper.id,
            "consistency_token": topic_token(topic),
        }
        return Decision(change, body)

    answer = write(decide, call, world).answer
    topic = world.topics.load(answer.body["topic_id"])
    if topic is not None and topic.merged is None:
        follow_up(topic, call, world)
    return answer


def _similar(topic: Topic, scope: str, world: World) -> Mapping[str, float]:
    """By id, the cosines of near topics; empty while the index is of a different embedder."""
    try:
        stored = world.topic_search.at([topic.id], world.embedder.dimensions)
        if not stored:
            return {}
        dense, text = unpack_dense(stored[0].dense), searchable_topic(topic).text
        found = entries_for_text(text, dense, (scope,), topic.sensitivity, world)
    except WrongEmbedder:
        return {}
    cosines = {each.record_id: similarity(dense, each) for each in found}
    least = world.topic_policy.duplicate_similarity
    return {each: near for each, near in cosines.items() if near >= least}


def _surest(duplicate: Duplicate) -> tuple[float, str, str]:
    """The sort key: topics of the same title come before similar topics."""
    similarity = 1.0 if duplicate.similarity is None else duplicate.similarity
    return -similarity, duplicate.keeper.id, duplicate.other.id


def _duplicate(one_id: str, other_id: str, call: Call, world: World) -> Duplicate | None:
    """The two topics as duplicates, read consistently; aliases are followed."""
    found = load_topics([one_id, other_id], call.principal.trust, world.topics)
    one, other = found.get(one_id), found.get(other_id)
    if one is None or other is None:
        return None
    cosine = None
    if normalise_text(one.title) != normalise_text(other.title):
        texts = [searchable_topic(topic).text for topic in (one, other)]
        cosine = cosine_of(*world.embedder.embed(texts))
    return duplicate_of(one, other, cosine, world.topic_policy)


def _merge(duplicate: Duplicate, context: ChangeContext, call: Call, world: World) -> Decision:
    keeper, other = duplicate.keeper, duplicate.other
    call.principal.require_write(keeper.scope, keeper.sensitivity)
    hindrance = obstacle(duplicate, chain_length(world.topics.load_all(other.absorbed)))
    if hindrance is not None:
        action = not_merged(duplicate, hindrance, context.timestamp)
        world.topics.log(keeper.scope, action.body, action.at, action.id)
        return NOTHING
    after, alias = merge_duplicates(duplicate, context)
    change = TopicChange(topics=((keeper, after), (other, alias)))
    return Decision(change, {"merged": other.id, "into": keeper.id})


def _living_chain(topic_id: str, call: Call, topics: "DynamoTopics") -> Sequence[Topic]:
    """The alias and the keepers, each merged into the next; the write changes all of them."""
    chain = alias_chain(topic_id, call, topics)
    if chain[-1].status in HIDDEN:
        raise NotFound(NOT_FOUND)
    if len(chain) == 1:
        raise FailedPrecondition(NOT_MERGED)
    return chain
