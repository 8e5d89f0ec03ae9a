"""List topics of several scopes, page by page, by rank: the assigned salience, without reads."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING

from membrane.domain.access.trust import MAX_SCOPES, Trust
from membrane.domain.language.cursors import decode, encode, foreign_cursor
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.topics.requests.reading import ListTopics, ReadGraph
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.machinery.calls import Call, ReplyBody, cursor_part, side_by_side
from membrane.usecases.ports.topics import TopicPlace
from membrane.usecases.ports.world import World
from membrane.usecases.search.inquiry import binding_of, mark_of
from membrane.usecases.topics.loading import LIVING, saliences_now

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
    from membrane.domain.topics.replies.reading import TopicList


PAGE = 100
"""Places in a page of a scope."""

MOST_READ = 1_000
"""The most topics to examine in a call, visible or not."""

PassedPlaces = Mapping[str, TopicPlace]
"""By mark of a scope, the last place that earlier calls passed."""


@dataclass(slots=True)
class Walk:
    """A walk through active topics and, with `include_archived`, archived topics."""

    scopes: Sequence[str]
    trust: Trust
    topics: "DynamoTopics"
    include_archived: bool = False
    passed: PassedPlaces = field(default_factory=dict)
    is_ended: bool = field(default=False, init=False)
    """Whether no visible topic is left."""

    def take(self, limit: int) -> Sequence[Topic]:
        """Up to `limit` visible topics; fewer at the end, or after MOST_READ places.

        The walk looks for an additional visible topic, so that `is_ended` discloses no hidden
        topic.
        """
        places = self._places()
        taken: list[Topic] = []
        passed, read, is_more = dict(self.passed), 0, False
        while read < MOST_READ and not is_more:
            chunk = list(islice(places, min(PAGE, limit + 1 - len(taken), MOST_READ - read)))
            if not chunk:
                self.is_ended = True
                break
            read += len(chunk)
            for (scope, place), topic in zip(chunk, self._visible(chunk), strict=True):
                is_more = topic is not None and len(taken) == limit
                if is_more:
                    break
                passed[mark_of(scope)] = place
                if topic is not None:
                    taken.append(topic)
        self.passed = passed
        return taken

    def _visible(self, chunk: Sequence[tuple[str, TopicPlace]]) -> Sequence[Topic | None]:
        there = self.topics.load_all([place.topic_id for _, place in chunk])
        listed = LIVING if self.include_archived else (TopicStatus.ACTIVE,)
        shown = {
            (topic.scope, topic.id): topic
            for topic in there.values()
            if topic.status in listed and self.trust.allows(topic.scope, topic.sensitivity)
        }
        return [shown.get((scope, place.topic_id)) for scope, place in chunk]

    def _places(self) -> Iterator[tuple[str, TopicPlace]]:
        """The places behind the passed places, with scopes; the highest rank first."""
        firsts = side_by_side(
            lambda scope: self._page(scope, self.passed.get(mark_of(scope))), self.scopes
        )
        several = map(self._follow, self.scopes, firsts)
        return merge(*several, key=_rank_and_id, reverse=True)

    def _follow(self, scope: str, page: Sequence[TopicPlace]) -> Iterator[tuple[str, TopicPlace]]:
        while page:
            yield from ((scope, place) for place in page)
            page = self._page(scope, page[-1]) if len(page) == PAGE else ()

    def _page(self, scope: str, after: TopicPlace | None) -> Sequence[TopicPlace]:
        return self.topics.list_topics(scope, PAGE, after)


def _rank_and_id(found: tuple[str, TopicPlace]) -> tuple[float, str]:
    """The sort key; the index orders equal ranks by id."""
    _, place = found
    return place.rank, place.topic_id


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

    Of the requested scope, if the trust covers it; without a request, of every scope, and unscoped.
    Raises InvalidArgument for the cursor of a different request, and for more than MAX_SCOPES.
    """
    binding, trust = binding_of(request, call), call.principal.trust
    if request.scope is None:
        known = partial(world.topics.scopes, None, MAX_SCOPES + 2)
        how = "in the query as scope"
        scopes = trust.known_scopes(known, "a list of topics goes through", how)
    else:
        scopes = [request.scope] if trust.covers(request.scope) else []
    passed = _passed_places(request.cursor, binding, world)
    walk = Walk(scopes, trust, world.topics, include_archived, passed)
    topics = walk.take(limit)
    if walk.is_ended:
        return topics, None
    after = {mark: [place.topic_id, place.rank] for mark, place in walk.passed.items()}
    return topics, encode({"after": after}, binding, world.cursor_key())


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
