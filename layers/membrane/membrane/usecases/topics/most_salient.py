"""Topics of several scopes, those first that were given most salience, page after page."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import islice

from membrane.domain.access.trust import MAX_SCOPES, Trust
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.json_text import JsonObject
from membrane.domain.tokens.cursors import decode, encode, not_ours
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.machinery.named_scopes import named_scopes
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicPlace, TopicStore
from membrane.usecases.search.progress import mark_of

PAGE = 100
"""Places that a scope is asked for at once."""

MOST_READ = 1_000
"""Topics that are looked at in one call, whether they may be seen or not."""

Passed = Mapping[str, TopicPlace]
"""By mark of a scope the last place that earlier calls have passed."""

NOTHING_PASSED: Passed = {}


def scopes_asked(scope: str | None, trust: Trust, topics: TopicStore) -> Sequence[str]:
    """That one, where the trust covers it; without one all that it covers, and what is unscoped.

    Raises InvalidArgument for more than MAX_SCOPES.
    """
    if scope is not None:
        return [scope] if trust.covers(scope) else []
    every = topics.scopes(None, MAX_SCOPES + 2) if trust.scopes is None else trust.scopes
    return named_scopes(every, "a list of topics goes through", "in the query as scope")


@dataclass(slots=True)
class Walk:
    """Goes from topic to topic: active ones, and archived ones where they are asked for."""

    scopes: Sequence[str]
    trust: Trust
    topics: TopicStore
    include_archived: bool = False
    passed: Passed = field(default_factory=lambda: NOTHING_PASSED)
    is_ended: bool = field(default=False, init=False)
    """Whether nothing is left behind what was taken."""

    def take(self, limit: int) -> Sequence[Topic]:
        """So many topics that may be seen; fewer at the end, or where MOST_READ were looked at.

        It looks for one topic more, so that `is_ended` tells nothing of what may not be seen.
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
        """The topic of each place, where there is one now that belongs there and may be seen."""
        there = self.topics.load_all([place.topic_id for _, place in chunk])
        return [self._shown(scope, there.get(place.topic_id)) for scope, place in chunk]

    def _shown(self, scope: str, topic: Topic | None) -> Topic | None:
        if topic is None or topic.scope != scope:
            return None
        is_listed = topic.status is TopicStatus.ACTIVE or (
            self.include_archived and topic.status is TopicStatus.ARCHIVED
        )
        is_seen = self.trust.allows(topic.scope, topic.sensitivity)
        return topic if is_listed and is_seen else None

    def _places(self) -> Iterator[tuple[str, TopicPlace]]:
        """What comes after what was passed, with its scope; the highest rank first."""
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


def cursor_of(walk: Walk, binding: bytes, services: TopicServices) -> str | None:
    """Where the walk goes on; None at its end."""
    if walk.is_ended:
        return None
    after = {mark: [place.topic_id, place.rank] for mark, place in walk.passed.items()}
    return encode({"after": after}, binding, services.cursor_key())


def passed_in(cursor: str | None, binding: bytes, services: TopicServices) -> Passed:
    """What a cursor says; raises InvalidArgument for one of another request."""
    if cursor is None:
        return NOTHING_PASSED
    match decode(cursor, binding, services.cursor_key()):
        case {"after": dict(after)}:
            return {mark: _place(told) for mark, told in after.items()}
        case _:
            raise not_ours()


def onwards(cursor: str | None) -> JsonObject:
    """The part of a reply that says where the next page begins."""
    return {} if cursor is None else {"next_cursor": cursor}


def _place(told: object) -> TopicPlace:
    match told:
        case [str(topic_id), int() | float() as rank] if (
            RECORD_ID.fullmatch(topic_id) and not isinstance(rank, bool) and math.isfinite(rank)
        ):
            return TopicPlace(topic_id, float(rank))
        case _:
            raise not_ours()


def _order(found: tuple[str, TopicPlace]) -> tuple[float, str]:
    """As the index has equal ranks."""
    _, place = found
    return place.rank, place.topic_id
