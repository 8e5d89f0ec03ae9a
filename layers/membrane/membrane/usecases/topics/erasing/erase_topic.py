"""Erase a topic: write the tombstone, then remove the content behind the tombstone."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from membrane.domain.language.vocabulary import Permission
from membrane.domain.topics.erasing import erased_topic
from membrane.domain.topics.reasoning.unmerging import unmerge_chain
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.domain.topics.versions import ChangeContext
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics.alias_chains import alias_chain, newest_revisions
from membrane.usecases.topics.erasing.erased_content import remove_erased_content
from membrane.usecases.topics.writing import Decision, topic_token, write

if TYPE_CHECKING:
    from membrane.domain.topics.replies.editing import DeletedTopic


def erase_topic(topic_id: str, why: str, call: Call, world: World) -> ReplyBody:
    """Erase a topic of any status with all topics merged into the topic.

    An alias is taken out of the keeper and erased alone. A repeat finishes an interrupted erasure,
    and leaves an erased topic unchanged. Raises NotFound for an absent or hidden topic;
    PermissionDenied; FailedPrecondition for an alias with a history that has moved elsewhere since
    the merge; Aborted, after which a repeat goes on.
    """
    call.principal.require(Permission.ADMIN)

    def decide(context: ChangeContext) -> Decision:
        chain = alias_chain(topic_id, call, world.topics)
        if chain[-1].status is TopicStatus.ERASED:
            return Decision(None, _body(chain[-1]), about=(chain[-1].id,))
        *keepers, tombstone = _versions_after(chain, why, context, world)
        changed = [*zip(chain[1:], keepers, strict=True)]
        change = TopicChange(topics=[(chain[0], tombstone), *changed])
        return Decision(change, _body(tombstone))

    answer = write(decide, call, world).answer
    remove_erased_content(answer.body["deleted"], call, world)
    return answer


def _versions_after(
    chain: Sequence[Topic], why: str, context: ChangeContext, world: World
) -> Sequence[Topic]:
    """The keepers without the lines of the first topic of the chain, then its tombstone."""
    if len(chain) == 1:
        return [erased_topic(chain[0], why, context)]
    newest = newest_revisions(chain, world.topics)
    alone, *keepers = unmerge_chain(chain, newest, context)
    return [*keepers, erased_topic(alone, why, context)]


def _body(topic: Topic) -> "DeletedTopic":
    return {"deleted": topic.id, "consistency_token": topic_token(topic)}
