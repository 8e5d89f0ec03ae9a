"""An erased topic, over each store: gone to the last byte, whatever breaks off."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.language.errors import FailedPrecondition, NotFound
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.topics.requests.editing import (
    AddRelationship,
    ChangeTopic,
    CreateTopic,
    DeleteField,
    DeleteTopic,
    NestFields,
    PromoteFields,
    RemoveRelationship,
    RestoreTopic,
    UndoPromotion,
)
from membrane.domain.topics.topic import TopicStatus
from membrane.usecases.archive.export_lines import load_whole_topic
from membrane.usecases.collect_blobs import collect_blobs
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.search.indexing import ChangedSource
from membrane.usecases.topics.histories import history_of
from membrane.usecases.topics.indexing import index_topics
from membrane.usecases.topics.loading import SERVICE
from membrane.usecases.topics.querying.reinforce_topics import reinforce_topics
from membrane.usecases.topics.reasoning.forget_topics import follow_up
from membrane.usecases.topics.writing import archive_history
from membrane.wiring.world import World
from tests.builders.stored_topics import append, ask, first_broken, made
from tests.fakes.clock import FakeClock
from tests.worlds.planted_topics import (
    LARGE,
    PLANTED,
    merge,
    over,
    planted_in,
    unmerge,
)
from tests.worlds.stores import Store

Scene = Callable[[World, FakeClock], str]


def created(services: World, topic_id: str, title: str = PLANTED, /, **values: Any) -> str:
    """A topic of that id with the fields."""
    new = {"topic_id": topic_id, "title": title, "summary": f"{title} in short"}
    ask(CreateTopic.model_validate({**new, "topic_kind": f"{title} kind"}), services)
    for name, value in values.items():
        append(services, topic_id, name, value)
    return topic_id


def read(services: World, topic_id: str, *names: str) -> None:
    """A reader, who named these fields."""
    note = {"id": services.new_id(), "at": rfc3339(services.now()), "principal": "reader"}
    fields = {topic_id: list(names)}
    reinforce_topics({**note, "topics": [topic_id], "fields": fields}, services)


def indexed(services: World, *topic_ids: str) -> None:
    """As the stream does for the topics."""
    index_topics([ChangedSource(each, ("",)) for each in topic_ids], services)


def laden(services: World, _clock: FakeClock) -> str:
    """A topic with the text wherever a caller can write, old events and an archive."""
    topic_id, other = created(services, "laden", cranes=3), made(services, "other")
    texts = {"title": PLANTED, "summary": PLANTED, "topic_kind": PLANTED}
    ask(ChangeTopic.model_validate({"id": topic_id, **texts}), services)
    said = {"why_changed": PLANTED, "impact_expected": PLANTED, "provenance": PLANTED}
    for number in range(5):
        append(services, topic_id, f"{PLANTED} field", f"{PLANTED} {number}", **said)
    append(services, topic_id, "manual", LARGE)
    append(services, topic_id, "manual", [*LARGE, PLANTED])
    append(services, topic_id, f"{PLANTED} gone", PLANTED)
    ask(DeleteField(id=topic_id, name=f"{PLANTED} gone"), services)
    append(services, topic_id, "inner", PLANTED)
    ask(NestFields(id=topic_id, field_names=("inner",), nest_key=PLANTED), services)
    for ends in ((topic_id, other), (other, topic_id)):
        ask(AddRelationship(id=ends[0], to_topic_id=ends[1], kind=PLANTED), services)
    ask(AddRelationship(id=topic_id, to_topic_id=other, kind=f"{PLANTED} once"), services)
    once = RemoveRelationship(id=topic_id, to_topic_id=other, kind=f"{PLANTED} once")
    ask(once, services)
    archive_history(topic_id, 1, SERVICE, services)
    read(services, topic_id, f"{PLANTED} field")
    for number in range(10):
        append(services, topic_id, f"{PLANTED} {number}", number)
    indexed(services, topic_id, other)
    return topic_id


def deleted(services: World, clock: FakeClock) -> str:
    """The same, deleted before."""
    topic_id = laden(services, clock)
    ask(DeleteTopic(id=topic_id, why=PLANTED), services)
    return topic_id


def merged(services: World, keeper_id: str, other_id: str) -> None:
    """Let a topic take in another, with the log of that, and the reads."""
    merge(services, keeper_id, other_id)
    alias = services.topics.load(other_id)
    assert alias is not None
    follow_up(alias, SERVICE, services)
    indexed(services, keeper_id, other_id)


def keeper(services: World, _: FakeClock) -> str:
    """A topic with two others in it, one of them with an archive."""
    for each in ("keeper", "alias", "second"):
        created(services, each, PLANTED, city=PLANTED, **{f"{PLANTED} {each}": LARGE})
        for number in range(4):
            append(services, each, "city", f"{PLANTED} {number}")
        read(services, each, "city")
    archive_history("alias", 1, SERVICE, services)
    merged(services, "alias", "second")
    merged(services, "keeper", "alias")
    append(services, "keeper", "city", f"{PLANTED} after")
    return "keeper"


def alias(services: World, _: FakeClock) -> str:
    """A topic in another topic that keeps something of its own, as another alias does."""
    created(services, "keeper", "Ada", city="Paris")
    created(services, "alias", PLANTED, city=PLANTED, **{PLANTED: LARGE})
    append(services, "alias", "city", PLANTED, provenance=PLANTED)
    created(services, "sibling", "Ada", city="Rome")
    read(services, "alias", PLANTED)
    merged(services, "keeper", "alias")
    read(services, "alias", PLANTED)
    merged(services, "keeper", "sibling")
    append(services, "keeper", "city", "Berlin")
    return "alias"


def alias_beside_a_former_one(services: World, clock: FakeClock) -> str:
    """As `alias`; the sibling keeps lines and a value of the keeper, as former versions did."""
    topic_id = alias(services, clock)
    there = services.topics.load_all(["alias", "sibling"])
    older, sibling = there["alias"], there["sibling"]
    assert sibling.merged is not None
    link = replace(sibling.merged, kept={"city": older.fields["city"]})
    after = replace(sibling, merged=link, version=sibling.version + 1)
    services.topics.apply(TopicChange(topics=[(sibling, after)], token="former"))
    return topic_id


def child(services: World, _: FakeClock) -> str:
    """A topic made of the fields of another, which links to it with its title."""
    created(services, "parent", "Ada", city="Paris", likes="tea")
    append(services, "parent", "likes", f"{PLANTED} cakes")
    asked = {
        "id": "parent",
        "field_names": ["likes"],
        "child_title": PLANTED,
        "child_summary": PLANTED,
        "child_topic_id": "child",
        "relationship_kind": PLANTED,
        "parent_link_field": "taste",
    }
    ask(PromoteFields.model_validate(asked), services)
    append(services, "child", "likes", f"{PLANTED} beer")
    indexed(services, "parent", "child")
    return "child"


def child_whose_link_moved_on(services: World, clock: FakeClock) -> str:
    """As `child`; the field with the link became a topic of its own."""
    topic_id = child(services, clock)
    asked = {"id": "parent", "field_names": ["taste"], "child_title": "Taste"}
    more = {"child_topic_id": "taste", "relationship_kind": "has"}
    ask(PromoteFields.model_validate({**asked, **more}), services)
    indexed(services, "parent", "taste")
    return topic_id


def child_whose_parent_went_back(services: World, _: FakeClock) -> str:
    """A topic made of fields of a topic that was made of another, and merged back."""
    created(services, "origin", "Ada", city="Paris", likes="tea", drinks="milk")
    asked = {"id": "origin", "field_names": ["likes", "drinks"], "child_title": "Likes"}
    more = {"child_topic_id": "parent", "relationship_kind": "has"}
    ask(PromoteFields.model_validate({**asked, **more}), services)
    asked = {"id": "parent", "field_names": ["likes"], "child_title": PLANTED}
    more = {"child_topic_id": "child", "relationship_kind": "has", "parent_link_field": "taste"}
    ask(PromoteFields.model_validate({**asked, **more}), services)
    back = {"id": "origin", "child_topic_id": "parent"}
    ask(UndoPromotion.model_validate(back), services)
    indexed(services, "origin", "parent", "child")
    return "child"


SCENES: dict[str, Scene] = {
    each.__name__: each
    for each in (
        laden,
        deleted,
        keeper,
        alias,
        alias_beside_a_former_one,
        child,
        child_whose_link_moved_on,
        child_whose_parent_went_back,
    )
}


def erase(services: World, topic_id: str) -> None:
    ask(DeleteTopic(id=topic_id, erase=True, why="it was asked for"), services)


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_no_byte_of_an_erased_topic_is_left_in_table_or_bucket(table: Store, scene: Scene) -> None:
    services = over(table)
    topic_id = scene(services, table.clock)
    assert planted_in(table)

    erase(services, topic_id)

    assert planted_in(table) == []
    tombstone = services.topics.load(topic_id)
    assert tombstone is not None
    assert tombstone.status is TopicStatus.ERASED
    trail = services.topics.events(tombstone)
    assert (trail[-1].kind, trail[-1].why) == ("erased", "it was asked for")
    assert not any(each.why or each.salt for each in trail[:-1])
    assert first_broken(topic_id, trail) is None


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_an_erased_topic_is_absent_and_cannot_be_restored(table: Store, scene: Scene) -> None:
    services = over(table)
    topic_id = scene(services, table.clock)

    erase(services, topic_id)

    with pytest.raises(NotFound):
        ask(ChangeTopic(id=topic_id, title="again"), services)
    with pytest.raises(FailedPrecondition, match="was erased"):
        ask(RestoreTopic(id=topic_id), services)
    before = table.everything()
    erase(services, topic_id)
    assert table.everything() == before


def test_the_keeper_of_an_erased_alias_stays_what_it_was_without_it(table: Store) -> None:
    services = over(table)
    topic_id = alias(services, table.clock)

    erase(services, topic_id)

    left = services.topics.load("keeper")
    assert left is not None
    assert left.absorbed == ("sibling",)
    values = [each.value for each in history_of(left.fields["city"], services.topics)]
    assert values == ["Berlin", "Paris", "Rome"]
    assert left.fields.keys() == {"city"}
    assert first_broken("keeper", services.topics.events(left)) is None


def test_another_alias_of_the_keeper_can_be_unmerged_after_the_erasure(table: Store) -> None:
    services = over(table)
    topic_id = alias(services, table.clock)
    erase(services, topic_id)

    unmerge(services, "sibling")

    left, sibling = (services.topics.load(each) for each in ("keeper", "sibling"))
    assert left is not None
    assert sibling is not None
    assert [each.value for each in history_of(left.fields["city"], services.topics)] == [
        "Berlin",
        "Paris",
    ]
    assert [each.value for each in history_of(sibling.fields["city"], services.topics)] == ["Rome"]


def test_what_a_promotion_took_away_stays_when_the_parent_is_erased(table: Store) -> None:
    services = over(table)
    child(services, table.clock)

    erase(services, "parent")

    left = services.topics.load("child")
    assert left is not None
    values = [each.value for each in history_of(left.fields["likes"], services.topics)]
    assert values == [f"{PLANTED} beer", f"{PLANTED} cakes", "tea"]


def test_what_went_back_to_the_parent_stays_when_the_child_is_erased(table: Store) -> None:
    services = over(table)
    child(services, table.clock)
    ask(UndoPromotion(id="parent", child_topic_id="child"), services)

    erase(services, "child")

    left = services.topics.load("parent")
    assert left is not None
    values = [each.value for each in history_of(left.fields["likes"], services.topics)]
    assert values == [f"{PLANTED} beer", f"{PLANTED} cakes", "tea"]


def test_no_merged_topic_keeps_a_link_that_lies_in_an_archive(table: Store) -> None:
    services = over(table)
    child(services, table.clock)
    for number in range(10):
        append(services, "parent", "taste", f"sweet {number}")
    archive_history("parent", 1, SERVICE, services)
    created(services, "sibling", "Ada", taste="bitter")
    merged(services, "parent", "sibling")

    erase(services, "child")

    assert PLANTED not in repr(load_whole_topic("sibling", services))
    table.clock.advance(days=2)
    collect_blobs(services.but(documents=table.documents))
    assert planted_in(table) == []
    assert load_whole_topic("sibling", services) is not None
    left = services.topics.load("parent")
    assert left is not None
    told = history_of(left.fields["taste"], services.topics, archived=True)
    assert {each.value for each in told} == {"bitter", *(f"sweet {number}" for number in range(10))}
    unmerge(services, "sibling")
    assert planted_in(table) == []


def test_a_vector_that_comes_late_is_refused(table: Store) -> None:
    services = over(table)
    topic_id = created(services, "topic", city=PLANTED)
    topic = services.topics.load(topic_id)
    assert topic is not None
    erase(services, topic_id)
    stale = {topic_id: topic}
    late = over(table)
    object.__setattr__(late, "topics", LateReader(late.topics, stale))

    indexed(late, topic_id)

    assert planted_in(table) == []
    assert services.topic_search.at([topic_id], services.embedder.dimensions) == []


class LateReader:
    """A store of topics whose loads are of before."""

    def __init__(self, topics: Any, before: dict[str, Any]) -> None:
        self.topics, self.before = topics, before

    def load_all(self, topic_ids: Any, trust: Any = None) -> Any:
        """As of before."""
        del trust
        return {each: self.before[each] for each in topic_ids}

    def load(self, topic_id: str) -> Any:
        """As of before."""
        return self.before[topic_id]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.topics, name)
