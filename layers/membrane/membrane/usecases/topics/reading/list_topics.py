"""List topics of several scopes, page after page, by the salience that they were given."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import islice

from membrane.domain.access.trust import MAX_SCOPES, Trust
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.json_text import JsonObject
from membrane.domain.tokens.cursors import decode, encode, not_ours
from membrane.domain.topics.requests.reading import ListTopics, ReadGraph
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.named_scopes import named_scopes
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicPlace, TopicStore
from membrane.usecases.search.inquiry import binding_of
from membrane.usecases.search.progress import mark_of
from membrane.usecases.topics.loading import LIVING
from membrane.usecases.topics.saliences import saliences_now

PAGE = 100
"""Places that a scope is asked for at once."""

MOST_READ = 1_000
"""Topics that are looked at in one call, whether they may be seen or not."""

Passed = Mapping[str, TopicPlace]
"""By mark of a scope the last place that earlier calls have passed."""


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
            **onwards(cursor),
        }
    )


@dataclass(slots=True)
class Walk:
    """Goes from topic to topic: active ones and, if asked for, archived ones."""

    scopes: Sequence[str]
    trust: Trust
    topics: TopicStore
    include_archived: bool = False
    passed: Passed = field(default_factory=dict)
    is_ended: bool = field(default=False, init=False)
    """Whether nothing is left behind what was taken."""

    def take(self, limit: int) -> Sequence[Topic]:
        """So many topics that may be seen; fewer at the end, or where MOST_READ were looked at.

        The walk looks for one topic more, so that `is_ended` discloses no hidden topic.
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
        """The topic of each place; None where it is gone, has moved or may not be seen."""
        there = self.topics.load_all([place.topic_id for _, place in chunk])
        listed = LIVING if self.include_archived else (TopicStatus.ACTIVE,)
        shown = {
            (topic.scope, topic.id): topic
            for topic in there.values()
            if topic.status in listed and self.trust.allows(topic.scope, topic.sensitivity)
        }
        return [shown.get((scope, place.topic_id)) for scope, place in chunk]

    def _places(self) -> Iterator[tuple[str, TopicPlace]]:
        """The places behind the passed ones, with their scopes; the highest rank first."""
        firsts = side_by_side(
            lambda scope: self._page(scope, self.passed.get(mark_of(scope))), self.scopes
        )
        several = map(self._of, self.scopes, firsts)
        return merge(*several, key=_order, reverse=True)

    def _of(self, scope: str, page: Sequence[TopicPlace]) -> Iterator[tuple[str, TopicPlace]]:
        while page:
            yield from ((scope, place) for place in page)
            page = self._page(scope, page[-1]) if len(page) == PAGE else ()

    def _page(self, scope: str, after: TopicPlace | None) -> Sequence[TopicPlace]:
        return self.topics.listed(scope, PAGE, after)


def next_page(
    request: ListTopics | ReadGraph,
    limit: int,
    call: Call,
    services: TopicServices,
    *,
    include_archived: bool,
) -> tuple[Sequence[Topic], str | None]:
    """The topics behind the request's cursor that the principal may see, and the next cursor.

    Raises InvalidArgument for a cursor of another request, and for more than MAX_SCOPES.
    """
    binding, trust = binding_of(request, call), call.principal.trust
    scopes = _scopes(request.scope, trust, services.topics)
    passed = _passed(request.cursor, binding, services)
    walk = Walk(scopes, trust, services.topics, include_archived, passed)
    topics = walk.take(limit)
    if walk.is_ended:
        return topics, None
    after = {mark: [place.topic_id, place.rank] for mark, place in walk.passed.items()}
    return topics, encode({"after": after}, binding, services.cursor_key())


def onwards(cursor: str | None) -> JsonObject:
    """The part of a reply that says where the next page begins."""
    return {} if cursor is None else {"next_cursor": cursor}


def _scopes(scope: str | None, trust: Trust, topics: TopicStore) -> Sequence[str]:
    """The scope asked for, if the trust covers it; else all that the trust covers, and unscoped."""
    if scope is not None:
        return [scope] if trust.covers(scope) else []
    every = topics.scopes(None, MAX_SCOPES + 2) if trust.scopes is None else trust.scopes
    return named_scopes(every, "a list of topics goes through", "in the query as scope")


def _passed(cursor: str | None, binding: bytes, services: TopicServices) -> Passed:
    if cursor is None:
        return {}
    match decode(cursor, binding, services.cursor_key()):
        case {"after": dict(after)}:
            return {mark: place_in(told) for mark, told in after.items()}
        case _:
            raise not_ours()


def place_in(told: object) -> TopicPlace:
    """The place that a cursor says; raises InvalidArgument for anything else."""
    match told:
        case [str(topic_id), int() | float() as rank] if (
            RECORD_ID.fullmatch(topic_id) and not isinstance(rank, bool) and math.isfinite(rank)
        ):
            return TopicPlace(topic_id, float(rank))
        case _:
            raise not_ours()


def _order(found: tuple[str, TopicPlace]) -> tuple[float, str]:
    """The index orders equal ranks by id."""
    _, place = found
    return place.rank, place.topic_id
