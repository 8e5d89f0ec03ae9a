"""What a topic names beside itself, as far as the reader may see it: other topics, and records."""

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
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.loading import load_topics

MOST_LOOKED_UP = 1_000
"""Topics, and as many records, that one request looks up for this; others count as not seen."""

AT_ONCE = 200
"""Events whose topics are looked up together."""


@dataclass(slots=True)
class Discretion:
    """For one reader, in one request; each id is looked up once. Deleted topics count."""

    trust: Trust
    services: TopicServices
    _topics: dict[str, bool] = field(default_factory=dict)
    """By id whether it may be seen."""
    _records: dict[str, bool] = field(default_factory=dict)
    """The same of records."""

    def events(self, told: Sequence[TopicEvent]) -> Iterator[TopicEvent]:
        """The events that may be told, in their order, each as far as it may be told.

        The topics that some events name are looked up together, as the reader goes on.
        """
        for begin in range(0, len(told), AT_ONCE):
            some = told[begin : begin + AT_ONCE]
            seen = self._seen_topics(each for event in some for each in named_in(event.detail))
            records = self._seen_records(filter(None, map(evidence_in, some)))
            yield from filter(None, (seen_event(each, seen, records) for each in some))

    def revisions(self, told: Sequence[Revision]) -> list[Revision]:
        """Revisions, in their order, each with no more evidence and reason than may be seen."""
        topics = self.linked(told)
        records = self._seen_records(each.evidence for each in told if each.evidence)
        return [
            seen_revision(each if each.evidence in records else replace(each, evidence=""), topics)
            for each in told
        ]

    def linked(self, told: Iterable[Revision]) -> frozenset[str]:
        """The topics that the reasons of revisions name, those that may be seen."""
        return self._seen_topics(linked_by(told))

    def _seen_topics(self, topic_ids: Iterable[str]) -> frozenset[str]:
        def visible(new: Sequence[str]) -> Collection[str]:
            return load_topics(new, self.trust, self.services.topics, deleted=True).keys()

        return _seen(topic_ids, self._topics, visible)

    def _seen_records(self, record_ids: Iterable[str]) -> frozenset[str]:
        def visible(new: Sequence[str]) -> Collection[str]:
            there = self.services.records.load_own(new)
            allows = self.trust.allows
            return [id_ for id_, each in there.items() if allows(each.scope, each.sensitivity)]

        return _seen(record_ids, self._records, visible)


def _seen(
    ids: Iterable[str], known: dict[str, bool], visible: Callable[[Sequence[str]], Collection[str]]
) -> frozenset[str]:
    """All known ids that may be seen, once as many of these as allowed were looked up."""
    unknown = (each for each in dict.fromkeys(ids) if each not in known)
    new = list(islice(unknown, max(0, MOST_LOOKED_UP - len(known))))
    if new:
        there = visible(new)
        known |= {each: each in there for each in new}
    return frozenset(each for each, is_seen in known.items() if is_seen)
