"""Undo the newest merge of a topic; take an alias out of its keepers.

After an unmerge, revisions written since the merge stay where they were written, and the two topics
are not merged again.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from membrane.domain.language.errors import FailedPrecondition, NotFound
from membrane.domain.topics.reasoning.merging import is_newest, remaining_fields, unmerge_chain
from membrane.domain.topics.topic import HIDDEN, Topic
from membrane.domain.topics.versions import ChangeContext
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics.histories import histories_of
from membrane.usecases.topics.loading import MAX_ALIASES, NOT_FOUND, load_topics, title_heads
from membrane.usecases.topics.reasoning.forget_topics import follow_up
from membrane.usecases.topics.writing import Decision, topic_token, write

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
    from membrane.domain.topics.replies.editing import UnmergedTopic
    from membrane.domain.topics.requests.editing import UnmergeTopic


def unmerge_topic(request: "UnmergeTopic", call: Call, world: World) -> ReplyBody:
    """Undo the newest merge of the keeper of a topic; the reply has both ids.

    Raises NotFound for an absent or hidden topic, PermissionDenied, FailedPrecondition if the topic
    is not merged, if the keeper was merged or took in a topic since, or if a field of the topic has
    moved to a different topic since.
    """

    def decide(context: ChangeContext) -> Decision:
        chain = alias_chain(request.id, call, world.topics)
        if chain[-1].status in HIDDEN:
            raise NotFound(NOT_FOUND)
        _require_newest(chain, world.topics)
        after = topic, keeper = without_alias(chain, world.topics, context, request.why)
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


def without_alias(
    chain: Sequence[Topic], topics: "DynamoTopics", context: ChangeContext, why: str = ""
) -> tuple[Topic, ...]:
    """The alias as a topic, and the keepers without the alias, in the order of the chain.

    Revisions with known places share a request. Raises FailedPrecondition as `unmerge_chain` does.
    """
    rest = remaining_fields(chain)
    placed = [(line, each.current) for each in rest.values() if each.current for line in each.lines]
    found = {revision.id: revision for _, revision in topics.find_revisions(placed)}
    newest = {
        place: found.get(each.current.id) if each.current else None for place, each in rest.items()
    }
    unknown = {place: rest[place] for place, revision in newest.items() if revision is None}
    histories = histories_of([*unknown.values()], topics, limit=1, archived=True)
    newest |= {place: past[0] for place, past in zip(unknown, histories, strict=True) if past}
    return unmerge_chain(chain, newest, context, why)


def alias_chain(topic_id: str, call: Call, topics: "DynamoTopics") -> Sequence[Topic]:
    """The topic and the keepers, each merged into the next; deleted and erased topics, too.

    Raises NotFound for an absent or hidden topic, PermissionDenied if the caller may not write
    one of the topics.
    """
    visible = load_topics([topic_id], call.principal.trust, topics, deleted=True)
    chain = [topics.load_all([topic_id])[topic_id]] if visible else []
    while chain and (link := chain[-1].merged) is not None and len(chain) <= MAX_ALIASES:
        chain.append(topics.load_all([link.into])[link.into])
    if not chain:
        raise NotFound(NOT_FOUND)
    for topic in chain:
        call.principal.require_write(topic.scope, topic.sensitivity)
    return chain


def _require_newest(chain: Sequence[Topic], topics: "DynamoTopics") -> None:
    """Raise FailedPrecondition if the first topic is no alias of the newest merge."""
    if len(chain) == 1:
        raise FailedPrecondition("the topic is not merged into another one")
    alias, keeper, *others = chain
    if others or is_newest(alias, keeper):
        newer = keeper
    else:
        found = topics.load_all(keeper.absorbed).values()
        direct = [each for each in found if each.merged and each.merged.into == keeper.id]
        newer = max(direct, key=lambda each: keeper.absorbed.index(each.id))
    if newer.merged is not None:
        merge = f"topic {newer.id} was merged into topic {newer.merged.into} since"
        raise FailedPrecondition(f"{merge}: unmerge topic {newer.id} first")
