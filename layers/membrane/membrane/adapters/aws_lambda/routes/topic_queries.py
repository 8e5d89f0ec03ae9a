"""The route of queries for topics, with a function of its own."""

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.domain.language.vocabulary import Permission
from membrane.domain.topics.requests.query import QueryTopics
from membrane.usecases.topics.querying.query_topics import query_topics

QUERY_TOPICS = Operation(
    QueryTopics,
    "POST /v1/query",
    Permission.READ,
    bodies.body_alone,
    query_topics,
)

QUERIES = (QUERY_TOPICS,)
