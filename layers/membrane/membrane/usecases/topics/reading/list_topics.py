"""List topics: their ids and titles, by the salience that they were given."""

from membrane.domain.language.json_text import JsonObject
from membrane.domain.topics.requests.reading import ListTopics
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.most_salient import MOST_READ, next_page, onwards
from membrane.usecases.topics.saliences import saliences_now


def list_topics(request: ListTopics, call: Call, services: TopicServices) -> ReplyBody:
    """The next topics of a scope, or of all that the principal's own trust covers.

    Raises InvalidArgument for a cursor that is not ours and where the scopes must be named.
    """
    limit = min(request.limit or MOST_READ, MOST_READ)
    topics, cursor = next_page(
        request, limit, call, services, include_archived=request.include_archived
    )
    saliences = saliences_now(topics, services)
    return ReplyBody(
        {
            "topic_ids": [topic.id for topic in topics],
            "topics": [_listed(topic, saliences.of(topic).total) for topic in topics],
            **onwards(cursor),
        }
    )


def _listed(topic: Topic, salience: float) -> JsonObject:
    return {
        "id": topic.id,
        "title": topic.title,
        "kind": topic.kind,
        "salience": salience,
        "archived": topic.status is TopicStatus.ARCHIVED,
    }
