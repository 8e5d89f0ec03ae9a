"""Go through the topics of several scopes, by the salience that they were given."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import islice

from membrane.domain.access.trust import Trust
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.ports.topics import TopicPlace, TopicStore
from membrane.usecases.search.progress import mark_of
from membrane.usecases.topics.loading import LIVING

PAGE = 100
"""Places that a scope is asked for at once."""

MOST_READ = 1_000
"""Topics that are looked at in one call, whether they may be seen or not."""

Passed = Mapping[str, TopicPlace]
"""By mark of a scope the last place that earlier calls have passed."""


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
        return self.topics.list_topics(scope, PAGE, after)


def _order(found: tuple[str, TopicPlace]) -> tuple[float, str]:
    """The index orders equal ranks by id."""
    _, place = found
    return place.rank, place.topic_id
