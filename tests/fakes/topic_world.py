"""Services of topics over fakes, with a default for every part."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from membrane.domain.language.json_text import JsonObject
from membrane.domain.topics.policy import TopicPolicy
from membrane.usecases.ports.catalogue import Catalogue, EntryPlace, Kept, Page
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.search import EntryStore, SearchIndex
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.ports.services_topics import TellReason, TopicServices
from membrane.usecases.ports.topics import TopicStore
from tests.fakes.entries import FakeEntries
from tests.fakes.records import FakeRecords
from tests.fakes.search import FakeSearch
from tests.fakes.topics import FakeTopics
from tests.fakes.world import make_reading_services


@dataclass(slots=True)
class FakeTopicCatalogue:
    """The Catalogue of topics over fakes, some at a time."""

    topics: FakeTopics
    entries: FakeEntries
    at_a_time: int = 2
    kept: Kept | None = None

    def page(self, after: str | None) -> Page:
        """See Catalogue."""
        every = sorted(
            [(each.id, each.scope, "topic") for each in self.topics.topics.values()]
            + [
                (topic_id, scope, "entry")
                for (scope, topic_id), kept in self.entries.places.items()
                if kept.entry is not None
            ]
        )
        left = [each for each in every if after is None or json.dumps(each) > after]
        some = left[: self.at_a_time]
        return Page(
            [(topic_id, scope) for topic_id, scope, kind in some if kind == "topic"],
            [EntryPlace(topic_id, scope, 0) for topic_id, scope, kind in some if kind == "entry"],
            json.dumps(some[-1]) if len(left) > self.at_a_time else None,
        )

    def scope_after(self, scope: str | None) -> str | None:
        """See Catalogue."""
        left = [each for each in self.entries.scopes if scope is None or each > scope]
        return min(left, default=None)

    def progress(self) -> Kept | None:
        """See Catalogue."""
        return self.kept

    def keep(self, progress: JsonObject, before: Kept | None) -> Kept:
        """See Catalogue."""
        if self.kept != before:
            raise LostRace
        self.kept = Kept(dict(progress), 1 if before is None else before.revision + 1)
        return self.kept


@dataclass(slots=True)
class ToldReason:
    """What the function that reasons was told, each with its delay in seconds."""

    told: list[tuple[JsonObject, int]] = field(default_factory=list)
    failing: Callable[[JsonObject], None] = lambda _: None
    """Asked first; raises what sending shall raise."""

    def __call__(self, message: JsonObject, delay_s: int) -> None:
        self.failing(message)
        self.told.append((message, delay_s))


def topical(
    *,
    topics: TopicStore | None = None,
    topic_search: SearchIndex | None = None,
    topic_entries: EntryStore | None = None,
    topic_catalogue: Catalogue | None = None,
    tell_reason: TellReason | None = None,
    topic_policy: TopicPolicy | None = None,
    **others: Any,
) -> TopicServices:
    """TopicServices over fakes, but for the parts given; see `make_reading_services`."""
    if isinstance(topics, FakeTopics):
        others = {"records": topics.records, "now": topics.records.now} | others
    usual = make_reading_services(**others)
    records = usual.records if isinstance(usual.records, FakeRecords) else FakeRecords(usual.now)
    stored = topics or FakeTopics(records, usual.retention)
    indexed = stored if isinstance(stored, FakeTopics) else FakeTopics(records)
    kept = topic_entries or FakeEntries(now=usual.now)
    known = kept if isinstance(kept, FakeEntries) else FakeEntries(now=usual.now)
    return TopicServices(
        **{each.name: getattr(usual, each.name) for each in fields(ReadingServices)},
        topics=stored,
        topic_search=topic_search or FakeSearch(known),
        topic_entries=kept,
        topic_catalogue=topic_catalogue or FakeTopicCatalogue(indexed, known),
        tell_reason=tell_reason or ToldReason(),
        topic_policy=topic_policy or TopicPolicy(),
    )


def fake_topics(services: TopicServices) -> FakeTopics:
    """The store of services over fakes, to look into."""
    assert isinstance(services.topics, FakeTopics)
    return services.topics
