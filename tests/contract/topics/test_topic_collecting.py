"""What histories of topics name in the bucket is never collected; what nothing names is."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from membrane.adapters.dynamodb.topics.revisions import REVISION
from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
from membrane.domain.language.values import LargeValue
from membrane.usecases.collect_blobs import Collected, collect_blobs
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.topics.histories import history_of
from membrane.usecases.topics.loading import SERVICE
from membrane.usecases.topics.writing import archive_history
from membrane.wiring.world import World
from tests.builders.stored_topics import append, made
from tests.fakes.bucket import FakeBlobs
from tests.worlds.stores import Store

LARGE = 140_000


@dataclass(slots=True)
class PageAnItem:
    """A client whose Queries have a page an item, as those of items of a megabyte have."""

    client: Any
    amid: list[Callable[[], object]]
    """Done once a revision was read."""

    def query(self, **request: Any) -> Any:
        reply = self.client.query(**request, Limit=1)
        if self.amid and any(map(is_revision, reply["Items"])):
            self.amid.pop()()
        return reply

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)


@dataclass(slots=True)
class Overtaken:
    """Topics of which somebody writes one before an archive of it is named."""

    topics: DynamoTopics
    write: Callable[[], object]
    times: int = 2
    made: list[TopicChange] = field(default_factory=list)

    def apply(self, change: TopicChange) -> None:
        self.made.append(change)
        if len(self.made) <= self.times:
            self.write()
        self.topics.apply(change)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.topics, name)


def is_revision(item: Any) -> bool:
    return str(item["sk"]["S"]).startswith(REVISION)


def over(table: Store, topics: Any = None) -> World:
    """The world of topics over that table."""
    return table.services.but(topics=topics or table.topics)


def large_values(services: World, topic_id: str) -> list[str]:
    """The digests of those of its field, archived ones too."""
    topic = services.topics.load(topic_id)
    assert topic is not None
    told = history_of(topic.fields["a"], services.topics, archived=True)
    return [each.value.sha256 for each in told if isinstance(each.value, LargeValue)]


def names(table: Store) -> set[str]:
    assert isinstance(table.blobs, FakeBlobs)
    return set(table.blobs.blobs)


def test_what_is_archived_while_blobs_are_looked_for_keeps_its_large_values(
    table: Store,
) -> None:
    usual = over(table)
    topic_id = made(usual)
    for number in range(6):
        append(usual, topic_id, "a", str(number) * LARGE)
    table.clock.advance(days=2)
    moment: list[Callable[[], object]] = [lambda: archive_history(topic_id, 1, SERVICE, usual)]
    topics = table.topics
    assert isinstance(topics, DynamoTopics)
    paging: Any = PageAnItem(topics.client, moment)

    collected = collect_blobs(
        usual.but(topics=replace(topics, client=paging), documents=table.documents)
    )

    assert not moment
    assert collected.removed == 0
    digests = large_values(usual, topic_id)
    assert len(digests) == 6
    assert {f"blobs/topic@{topic_id}/{each}" for each in digests} <= names(table)


def test_archives_of_lost_races_leave_nothing_behind(table: Store) -> None:
    usual = over(table)
    topic_id = made(usual)
    for number in range(6):
        append(usual, topic_id, "a", number)
    racing = Overtaken(table.topics, lambda: append(usual, topic_id, "a", 99))

    archive_history(topic_id, 1, SERVICE, over(table, racing))
    table.clock.advance(days=2)
    collected = collect_blobs(usual.but(topics=usual.topics, documents=table.documents))

    topic = usual.topics.load(topic_id)
    assert topic is not None
    (line,) = topic.fields["a"].lines
    kept = {f"blobs/topic@{topic_id}/{each.sha256}" for each in line.archives}
    stored = [each for each in table.everything() if each["sk"]["S"].startswith("stored#")]
    assert len(racing.made) > len(line.archives)
    assert len(stored) == len(line.archives)
    assert collected == Collected(listed=len(racing.made), removed=len(racing.made) - len(kept))
    assert names(table) == kept
    assert len(history_of(topic.fields["a"], usual.topics, archived=True)) == 8
