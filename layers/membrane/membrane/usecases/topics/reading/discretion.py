"""What a topic names beside itself, as far as the reader may see it: other topics, and records."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

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
    """For one reader, in one request; what was looked up once is known. Deleted topics count."""

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
        new = _unknown(topic_ids, self._topics)
        if new:
            there = load_topics(new, self.trust, self.services.topics, deleted=True)
            self._topics |= {each: each in there for each in new}
        return _seen(self._topics)

    def _seen_records(self, record_ids: Iterable[str]) -> frozenset[str]:
        new = _unknown(record_ids, self._records)
        if new:
            there = self.services.records.load_own(new)
            self._records |= {
                each: each in there
                and self.trust.allows(there[each].scope, there[each].sensitivity)
                for each in new
            }
        return _seen(self._records)


def _unknown(ids: Iterable[str], known: dict[str, bool]) -> list[str]:
    """As many as may still be looked up, the first ones."""
    new = (each for each in dict.fromkeys(ids) if each not in known)
    return [each for _, each in zip(range(MOST_LOOKED_UP - len(known)), new, strict=False)]


def _seen(known: dict[str, bool]) -> frozenset[str]:
    return frozenset(each for each, is_seen in known.items() if is_seen)
