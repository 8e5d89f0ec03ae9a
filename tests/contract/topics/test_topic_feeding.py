"""What a record states in topics, over each store: erased to the last byte, whatever breaks off."""

from collections.abc import Callable

import pytest

from membrane.domain.language.errors import ScopeFenced
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.topics.requests.editing import ChangeTopic, PromoteFields, UndoPromotion
from membrane.usecases.search.indexing import ChangedSource
from membrane.usecases.topics.placing import feed_topics as feeding
from membrane.usecases.topics.scope_walk import SERVICE
from membrane.usecases.topics.writing import archive_history
from membrane.wiring.world import World
from tests.builders.requests import change
from tests.builders.topic_editors import append, ask
from tests.fakes.clock import FakeClock
from tests.fakes.operators import Reports
from tests.worlds.planted_topics import (
    LARGE,
    PLANTED,
    feed,
    observed,
    over,
    planted_in,
)
from tests.worlds.stores import Store


def erase(services: World, record_id: str) -> None:
    """Erase the record, which only its id is left of."""
    change(DeleteRecord(id=record_id, erase=True), services)


def beside_others(services: World, clock: FakeClock) -> str:
    """A statement in a field that others wrote to before and after."""
    observed(services, clock, object="before")
    record_id = observed(services, clock, object=f"{PLANTED} cranes")
    observed(services, clock, object="after")
    return record_id


def large(services: World, clock: FakeClock) -> str:
    """A value that lies in the bucket."""
    observed(services, clock, object="before")
    return observed(services, clock, object=LARGE)


def alone(services: World, clock: FakeClock) -> str:
    """The only one of a topic, which has its name from it."""
    return observed(services, clock, subject=PLANTED, predicate=f"{PLANTED} of", object=PLANTED)


def archived(services: World, clock: FakeClock) -> str:
    """A statement that lies in the bucket with others, and one of another field."""
    record_id = beside_others(services, clock)
    observed(services, clock, object="still later")
    [place] = services.topics.list_topics("team", 10)
    archive_history(place.topic_id, 1, SERVICE, services)
    return record_id


def of_a_field_of_its_own(services: World, clock: FakeClock) -> str:
    """A field that nobody else wrote to, whose audit event has left the topic's head."""
    observed(services, clock)
    record_id = observed(services, clock, predicate=f"{PLANTED} field", object=PLANTED)
    [place] = services.topics.list_topics("team", 10)
    for number in range(20):
        append(services, place.topic_id, "cranes", number)
    return record_id


def of_a_large_topic(services: World, clock: FakeClock) -> str:
    """In a topic whose head lies in the bucket."""
    record_id = observed(services, clock, object=PLANTED)
    [place] = services.topics.list_topics("team", 10)
    noise = "".join(map(chr, range(0x4E00, 0x9E00)))
    summary = "".join(noise[each * 7919 % len(noise)] for each in range(60_000))
    ask(ChangeTopic(id=place.topic_id, summary=summary[:30_000]), services)
    return record_id


SCENES: dict[str, Callable[[World, FakeClock], str]] = {
    each.__name__: each
    for each in (
        beside_others,
        large,
        alone,
        archived,
        of_a_field_of_its_own,
        of_a_large_topic,
    )
}


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_no_byte_of_an_erased_record_is_left_in_table_or_bucket(
    table: Store, scene: Callable[[World, FakeClock], str]
) -> None:
    services = over(table)
    record_id = scene(services, table.clock)
    assert planted_in(table)

    erase(services, record_id)
    feed(services, record_id)

    assert planted_in(table) == []


def test_a_statement_in_a_promoted_topic_is_withdrawn_after_the_fields_went_back(
    table: Store,
) -> None:
    services = over(table)
    observed(services, table.clock)
    [place] = services.topics.list_topics("team", 10)
    parts = {"field_names": ["cranes"], "child_title": "Crane", "child_topic_id": "child"}
    ask(PromoteFields.model_validate({"id": place.topic_id, **parts}), services)
    child = {"subject": "Crane", "predicate": "cranes", "object": PLANTED}
    record_id = observed(services, table.clock, **child)
    statement = services.topics.statement(record_id)
    assert statement is not None
    assert statement.topic_id == "child"
    ask(UndoPromotion(id=place.topic_id, child_topic_id="child"), services)

    erase(services, record_id)
    feed(services, record_id)

    assert planted_in(table) == []


def test_a_fact_of_a_scope_under_erasure_is_left_to_the_erasure(
    table: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise ScopeFenced("the scope is being erased")

    monkeypatch.setattr(feeding, "_settle", refuse)
    services = over(table).but(report=(reports := Reports()))

    tally = feeding.feed_topics([ChangedSource("record-1", ("team",))], services)

    assert (tally.failed, reports.faults) == ([], [])
