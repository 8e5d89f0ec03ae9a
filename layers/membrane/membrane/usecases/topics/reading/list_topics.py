"""List topics of several scopes, page by page, by assigned salience."""

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from membrane.domain.access.trust import MAX_SCOPES, Trust
from membrane.domain.language.cursors import decode, encode, foreign_cursor
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.topics.requests.reading import ListTopics, ReadGraph
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.machinery.calls import Call, ReplyBody, cursor_part
from membrane.usecases.ports.topics import TopicPlace
from membrane.usecases.ports.world import World
from membrane.usecases.search.inquiry import binding_of
from membrane.usecases.topics.loading import saliences_now
from membrane.usecases.topics.walk import MOST_READ, PassedPlaces, Walk

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
    from membrane.domain.topics.replies.reading import TopicList


def list_topics(request: ListTopics, call: Call, world: World) -> ReplyBody:
    """The next topics of a scope, or of all scopes of the principal.

    Raises InvalidArgument for a foreign cursor and if scopes must be named.
    """
    limit = min(request.limit or MOST_READ, MOST_READ)
    topics, cursor = next_page(
        request, limit, call, world, include_archived=request.include_archived
    )
    saliences = saliences_now(topics, world)
    body: TopicList = {
        "topic_ids": [topic.id for topic in topics],
        "topics": [
            {
                "id": topic.id,
                "title": topic.title,
                "kind": topic.kind,
                "salience": saliences.of(topic).total,
                "archived": topic.status is TopicStatus.ARCHIVED,
            }
            for topic in topics
        ],
        **cursor_part(cursor),
    }
    return ReplyBody(body)


def next_page(
    request: ListTopics | ReadGraph,
    limit: int,
    call: Call,
    world: World,
    *,
    include_archived: bool,
) -> tuple[Sequence[Topic], str | None]:
    """The visible topics behind the cursor of the request, and the next cursor.

    Raises InvalidArgument for the cursor of a different request, and for more than MAX_SCOPES.
    """
    binding, trust = binding_of(request, call), call.principal.trust
    scopes = _scopes(request.scope, trust, world.topics)
    passed = _passed_places(request.cursor, binding, world)
    walk = Walk(scopes, trust, world.topics, include_archived, passed)
    topics = walk.take(limit)
    if walk.is_ended:
        return topics, None
    after = {mark: [place.topic_id, place.rank] for mark, place in walk.passed.items()}
    return topics, encode({"after": after}, binding, world.cursor_key())


def _scopes(scope: str | None, trust: Trust, topics: "DynamoTopics") -> Sequence[str]:
    """The requested scope, if the trust covers it; without a request, every scope, and unscoped."""
    if scope is not None:
        return [scope] if trust.covers(scope) else []
    known = partial(topics.scopes, None, MAX_SCOPES + 2)
    return trust.known_scopes(known, "a list of topics goes through", "in the query as scope")


def _passed_places(cursor: str | None, binding: bytes, world: World) -> PassedPlaces:
    if cursor is None:
        return {}
    match decode(cursor, binding, world.cursor_key()):
        case {"after": dict(after)}:
            return {mark: place_in(value) for mark, value in after.items()}
        case _:
            raise foreign_cursor()


def place_in(value: object) -> TopicPlace:
    """The place in a cursor; raises InvalidArgument for any different value."""
    match value:
        case [str(topic_id), int() | float() as rank] if (
            RECORD_ID.fullmatch(topic_id) and not isinstance(rank, bool) and math.isfinite(rank)
        ):
            return TopicPlace(topic_id, float(rank))
        case _:
            raise foreign_cursor()
