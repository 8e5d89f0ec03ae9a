"""The references of topics to topics and records, as far as visible to a reader."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from membrane.domain.access.trust import Trust
from membrane.domain.topics.events import TopicEvent
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.showing.naming import (
    evidence_in,
    linked_by,
    named_in,
    seen_event,
    seen_revision,
)
from membrane.usecases.ports.world import World
from membrane.usecases.topics.loading import load_topics

MOST_LOOKED_UP = 1_000
"""The most topics, and as many records, to look up for a request; the rest counts as hidden."""

AT_ONCE = 200
"""Events whose references are looked up together."""


@dataclass(slots=True)
class ReferenceFilter:
    """For a reader, in a request; every id is looked up once. Deleted topics count as visible."""

    trust: Trust
    world: World
    _topics: dict[str, bool] = field(default_factory=dict)
    """By id, whether the topic is visible."""
    _records: dict[str, bool] = field(default_factory=dict)
    """By id, whether the record is visible."""

    def visible_events(self, events: Sequence[TopicEvent]) -> Iterator[TopicEvent]:
        """The visible events, in order, without hidden references.

        The references are looked up in batches, as the reader goes on.
        """
        for begin in range(0, len(events), AT_ONCE):
            some = events[begin : begin + AT_ONCE]
            seen = self._seen_topics(each for event in some for each in named_in(event.detail))
            records = self._seen_records(filter(None, map(evidence_in, some)))
            yield from filter(None, (seen_event(each, seen, records) for each in some))

    def visible_revisions(self, revisions: Sequence[Revision]) -> list[Revision]:
        """The revisions, in order, without hidden evidence and hidden references in reasons."""
        topics = self.visible_links(revisions)
        records = self._seen_records(each.evidence for each in revisions if each.evidence)
        return [
            seen_revision(each if each.evidence in records else replace(each, evidence=""), topics)
            for each in revisions
        ]

    def visible_links(self, revisions: Iterable[Revision]) -> frozenset[str]:
        """The visible topics that the reasons of revisions name."""
        return self._seen_topics(linked_by(revisions))

    def _seen_topics(self, topic_ids: Iterable[str]) -> frozenset[str]:
        def visible(new: Sequence[str]) -> Collection[str]:
            return load_topics(new, self.trust, self.world.topics, deleted=True).keys()

        return _visible_ids(topic_ids, self._topics, visible)

    def _seen_records(self, record_ids: Iterable[str]) -> frozenset[str]:
        def visible(new: Sequence[str]) -> Collection[str]:
            there = self.world.records.load_own(new)
            allows = self.trust.allows
            return [id_ for id_, each in there.items() if allows(each.scope, each.sensitivity)]

        return _visible_ids(record_ids, self._records, visible)


def _visible_ids(
    ids: Iterable[str], known: dict[str, bool], visible: Callable[[Sequence[str]], Collection[str]]
) -> frozenset[str]:
    """All known ids that are visible, after a look-up of unknown ids up to the limit."""
    unknown = (each for each in dict.fromkeys(ids) if each not in known)
    new = list(islice(unknown, max(0, MOST_LOOKED_UP - len(known))))
    if new:
        there = visible(new)
        known |= {each: each in there for each in new}
    return frozenset(each for each, is_seen in known.items() if is_seen)
