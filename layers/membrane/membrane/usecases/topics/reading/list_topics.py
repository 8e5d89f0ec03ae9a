"""List topics: their ids and titles, by the salience that they were given."""

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.topics.access import Access
from membrane.domain.topics.making import NEVER_READ
from membrane.domain.topics.requests.reading import ListTopics
from membrane.domain.topics.salience import salience_of
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.inquiry import binding_of
from membrane.usecases.topics.most_salient import (
    MOST_READ,
    Walk,
    cursor_of,
    onwards,
    passed_in,
    scopes_asked,
)


def list_topics(request: ListTopics, call: Call, services: TopicServices) -> ReplyBody:
    """The next topics of a scope, or of all that the principal's own trust covers.

    Raises InvalidArgument for a cursor that is not ours and where the scopes must be named.
    """
    binding = binding_of(request, call)
    trust = call.principal.trust
    walk = Walk(
        scopes_asked(request.scope, trust, services.topics),
        trust,
        services.topics,
        include_archived=request.include_archived,
        passed=passed_in(request.cursor, binding, services),
    )
    topics = walk.take(min(request.limit or MOST_READ, MOST_READ))
    accesses = services.topics.accesses([topic.id for topic in topics])
    now_s = epoch_seconds(services.now())
    return ReplyBody(
        {
            "topic_ids": [topic.id for topic in topics],
            "topics": [
                _listed(topic, accesses.get(topic.id, NEVER_READ), now_s) for topic in topics
            ],
            **onwards(cursor_of(walk, binding, services)),
        }
    )


def _listed(topic: Topic, access: Access, now_s: float) -> JsonObject:
    return {
        "id": topic.id,
        "title": topic.title,
        "kind": topic.kind,
        "salience": salience_of(topic, access, now_s).total,
        "archived": topic.status is TopicStatus.ARCHIVED,
    }
