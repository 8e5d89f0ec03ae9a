"""The route of the query, served by a function of its own."""

from typing import TYPE_CHECKING, cast

from membrane.adapters.aws_lambda.http import bodies, topic_bodies
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.domain.language.vocabulary import Permission
from membrane.domain.topics.requests.query import QueryTopics
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services import Services
from membrane.usecases.topics.querying.query_topics import query_topics

if TYPE_CHECKING:
    from membrane.usecases.ports.services_topics import TopicServices


def _query_topics(request: QueryTopics, call: Call, services: Services) -> ReplyBody:
    """The handler gives no others."""
    return query_topics(request, call, cast("TopicServices", services))


QUERY_TOPICS = Operation(
    rpc="QueryTopics",
    route="POST /v1/query",
    permission=Permission.READ,
    request=QueryTopics,
    run=_query_topics,
    present=topic_bodies.answered,
    assemble=bodies.body_alone,
    takes_key=False,
)

QUERIES = (QUERY_TOPICS,)
