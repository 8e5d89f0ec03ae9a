"""Facts of a model and the links of the capture to the facts, in transactions of a table."""

from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.interpretation import Mention
from membrane.domain.records.stored import RemovedRecord, StoredRecord
from membrane.usecases.capture.write_facts import write_facts
from membrane.usecases.ports.services import Services
from membrane.usecases.revision.derived_facts import MAX_CONTESTED_FACTS
from tests.builders.captured_records import proposed_facts
from tests.builders.captures import captured
from tests.builders.entities import add_entity
from tests.builders.ingesting import ingest
from tests.builders.proposals import fact
from tests.builders.requests import call, change, observation
from tests.worlds.captures import require_sound_captures
from tests.worlds.limits import MAX_ACTIONS
from tests.worlds.revision import CONTESTED, held_in, require_whole, revising
from tests.worlds.stores import Store


def capture_in(services: Services) -> StoredRecord:
    body = captured("Ana owns billing", services)
    held = services.records.load(str(body["primary_record"]["id"]))
    assert isinstance(held, StoredRecord)
    return held


def test_the_capture_is_linked_to_a_fact_and_takes_the_fact_along(table: Store) -> None:
    services = revising(table)
    held = capture_in(services)

    (fact_id,) = write_facts(proposed_facts(fact()), (), held, services)

    assert [(each.source_id, each.predicate) for each in table.records.incoming(fact_id)] == [
        (held.id, "derived_semantic")
    ]
    require_whole(held_in(table), table.everything())
    change(DeleteRecord(id=held.id, erase=True), services)
    assert isinstance(table.records.load(fact_id), RemovedRecord)


def test_a_name_of_an_at_sign_alone_is_looked_up_nowhere(table: Store) -> None:
    services = revising(table)
    held = capture_in(services)

    (fact_id,) = write_facts(proposed_facts(fact(object="@")), (), held, services)

    assert isinstance(table.records.load(fact_id), StoredRecord)


def test_the_fact_that_contests_the_most_fits_a_transaction(table: Store) -> None:
    services = revising(table)
    ends = [add_entity(name, services) for name in ("billing", "Ana")]
    mentions = [
        Mention(surface=name, canonical_entity_id=each.id)
        for name, each in zip(("billing", "Ana"), ends, strict=True)
    ]
    for year in range(2000, 2001 + MAX_CONTESTED_FACTS):
        window = {"start": f"{year}-01-01T00:00:00Z", "end": f"{year + 1}-01-01T00:00:00Z"}
        fields = {"subject": "billing", "predicate": CONTESTED, "object": f"{year}", **window}
        told = observation(**fields, scope="project:alpha")
        ingest(told, call(told), services)
    table.clock.advance(days=20)
    held = capture_in(services)
    before = len(table.watched.requests)

    (fact_id,) = write_facts(proposed_facts(fact(predicate=CONTESTED)), mentions, held, services)

    (writing,) = [
        params
        for operation, params in table.watched.requests[before:]
        if operation == "TransactWriteItems"
    ]
    assert MAX_CONTESTED_FACTS < len(writing["TransactItems"]) <= MAX_ACTIONS
    assert isinstance(table.records.load(fact_id), StoredRecord)
    found = held_in(table)
    require_whole(found, table.everything())
    require_sound_captures(found)
