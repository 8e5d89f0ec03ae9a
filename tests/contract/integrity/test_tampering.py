"""Nine kinds of edits behind the service's back, and what a verification says of each."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from membrane.domain.integrity.findings import FindingKind
from membrane.domain.topics.requests.editing import ChangeTopic, CreateTopic
from membrane.wiring.world import World
from tests.builders.stored_records import stored
from tests.builders.stored_topics import append, ask
from tests.worlds.anchored_tables import (
    anchored,
    change_record,
    edit,
    findings,
    forged_record_trail,
    forged_topic_trail,
    kinds,
    own_item,
    put_back,
    put_count,
)
from tests.worlds.planted_topics import over
from tests.worlds.stores import Store, memory_store

RECORD, OTHER = "record#record-1", "record#record-2"

Edit = Callable[[Store], None]


@pytest.fixture
def records(table: Store) -> Store:
    """Two records of four entries each, anchored."""
    for record_id in ("record-1", "record-2"):
        table.records.create(stored(record_id))
        for _ in range(3):
            change_record(table, record_id)
    anchored(table.services)
    table.clock.advance(hours=24)
    return table


def another_confidence(table: Store) -> None:
    table.put({**own_item(table, RECORD), "conf": {"N": "0.123"}})


def another_document(table: Store) -> None:
    edit(table, RECORD, "document", lambda document: document | {"tags": ["planted"]})


def without_an_entry(table: Store) -> None:
    edit(table, RECORD, "audit", lambda entries: [*entries[:1], *entries[2:]])


def without_an_entry_and_counted_so(table: Store) -> None:
    without_an_entry(table)
    put_count(table, RECORD, "audit_count", 3)


def reordered(table: Store) -> None:
    edit(table, RECORD, "audit", lambda entries: [entries[0], entries[2], entries[1], entries[3]])


def forged(table: Store) -> None:
    edit(table, RECORD, "audit", lambda entries: forged_record_trail("record-1", entries))


def truncated(table: Store) -> None:
    edit(table, RECORD, "audit", lambda entries: entries[:2])
    put_count(table, RECORD, "audit_count", 2)


def swapped(table: Store) -> None:
    one, other = own_item(table, RECORD), own_item(table, OTHER)
    table.put({**one, "audit": other["audit"]})
    table.put({**other, "audit": one["audit"]})


def replaced_by_another(table: Store) -> None:
    one, other = own_item(table, RECORD), own_item(table, OTHER)
    table.put({**other, "pk": one["pk"]})


RECORD_EDITS: dict[str, tuple[Edit, set[FindingKind]]] = {
    "a field changed": (another_confidence, {FindingKind.CHANGED}),
    "a tag changed": (another_document, {FindingKind.CHANGED}),
    "an entry removed": (
        without_an_entry,
        {FindingKind.BROKEN_CHAIN, FindingKind.REWRITTEN},
    ),
    "an entry removed, and the count": (
        without_an_entry_and_counted_so,
        {FindingKind.BROKEN_CHAIN, FindingKind.TRUNCATED},
    ),
    "two entries reordered": (reordered, {FindingKind.BROKEN_CHAIN}),
    "an entry forged, the chain recomputed": (forged, {FindingKind.REWRITTEN}),
    "the trail truncated": (truncated, {FindingKind.TRUNCATED}),
    "two trails swapped": (swapped, {FindingKind.BROKEN_CHAIN, FindingKind.REWRITTEN}),
    "replaced by another": (
        replaced_by_another,
        {FindingKind.BROKEN_CHAIN, FindingKind.REWRITTEN},
    ),
}


@pytest.mark.parametrize(("tamper", "expected"), RECORD_EDITS.values(), ids=RECORD_EDITS)
def test_an_edit_of_a_record_is_found(
    records: Store, tamper: Edit, expected: set[FindingKind]
) -> None:
    assert findings(records.services, records.topics) == []

    tamper(records)

    assert kinds(findings(records.services, records.topics), "record-1") == expected


def test_an_edit_of_a_record_is_found_by_an_anchor_in_a_bucket() -> None:
    with memory_store() as table:
        table.records.create(stored())
        anchored(table.services)
        assert findings(table.services, table.topics) == []

        another_document(table)

        found = findings(table.services, table.topics)
        assert kinds(found, "record-1") == {FindingKind.CHANGED}


def test_a_record_put_back_to_an_earlier_state_is_found(table: Store) -> None:
    table.records.create(stored())
    earlier = own_item(table, RECORD)
    change_record(table, "record-1")
    anchored(table.services)

    table.put(earlier)

    found = findings(table.services, table.topics)
    assert kinds(found, "record-1") == {FindingKind.TRUNCATED}


def test_a_removed_record_is_found_by_the_digest_of_its_id(records: Store) -> None:
    for item in records.partition(RECORD):
        records.remove(item)

    (found,) = findings(records.services, records.topics)

    assert found.kind is FindingKind.GONE


@pytest.mark.parametrize(
    ("tamper", "expected"),
    [
        (another_document, FindingKind.CHANGED),
        (forged, FindingKind.REWRITTEN),
        (truncated, FindingKind.TRUNCATED),
    ],
)
def test_an_edit_before_a_later_anchor_is_found_by_the_anchor_before_the_edit(
    records: Store, tamper: Edit, expected: FindingKind
) -> None:
    tamper(records)
    anchored(records.services)
    records.clock.advance(hours=24)

    assert kinds(findings(records.services, records.topics), "record-1") == {expected}


def test_content_that_was_anchored_is_proven_after_later_changes(records: Store) -> None:
    another_document(records)
    change_record(records, "record-1")

    assert kinds(findings(records.services, records.topics), "record-1") == {FindingKind.CHANGED}


def test_an_older_copy_of_the_table_is_found(table: Store) -> None:
    table.records.create(stored())
    older = table.everything()
    change_record(table, "record-1")
    table.records.create(stored("record-2"))
    instant = anchored(table.services).instant

    put_back(table, older)

    found = findings(table.services, table.topics)
    assert kinds(found, instant) == {FindingKind.ANCHOR_MISSING}
    assert kinds(found, "record-1") == {FindingKind.TRUNCATED}
    assert len([each for each in found if each.kind is FindingKind.GONE]) == 1


def test_an_older_copy_of_the_table_still_shows_after_the_next_anchor(records: Store) -> None:
    older = records.everything()
    newer = anchored(records.services).instant
    records.clock.advance(hours=24)
    put_back(records, older)

    anchored(records.services)

    found = findings(records.services, records.topics)
    assert kinds(found, newer) == {FindingKind.ANCHOR_MISSING}


# --- Topics -------------------------------------------------------------------------------------

TOPIC, OTHER_TOPIC = "topic#one", "topic#two"


@pytest.fixture
def services(table: Store) -> World:
    """Two topics of four events each."""
    services = over(table)
    for topic_id in ("one", "two"):
        ask(CreateTopic(topic_id=topic_id, title=topic_id), services)
        for number in range(3):
            append(services, topic_id, "color", f"{number}")
    return services


def topic_summary(table: Store) -> None:
    edit(table, TOPIC, "document", lambda document: document | {"summary": "planted"})


def topic_value(table: Store) -> None:
    def planted(document: Any) -> Any:
        document = deepcopy(document)
        document["fields"]["color"]["current"]["value"] = "planted"
        return document

    edit(table, TOPIC, "document", planted)


def topic_without_an_event(table: Store) -> None:
    edit(table, TOPIC, "trail", lambda trail: [*trail[:1], *trail[2:]])


def topic_reordered(table: Store) -> None:
    edit(table, TOPIC, "trail", lambda trail: [trail[0], trail[2], trail[1], trail[3]])


def topic_forged(table: Store) -> None:
    edit(table, TOPIC, "trail", lambda trail: forged_topic_trail("one", trail))


def topic_truncated(table: Store) -> None:
    edit(table, TOPIC, "trail", lambda trail: trail[:2])
    edit(table, TOPIC, "document", lambda document: document | {"events": 2})


def topics_swapped(table: Store) -> None:
    one, other = own_item(table, TOPIC), own_item(table, OTHER_TOPIC)
    table.put({**one, "trail": other["trail"]})


def topic_replaced(table: Store) -> None:
    table.put({**own_item(table, OTHER_TOPIC), "pk": {"S": TOPIC}})


TOPIC_EDITS: dict[str, tuple[Edit, set[FindingKind]]] = {
    "a summary changed": (topic_summary, {FindingKind.CHANGED}),
    "a value changed": (topic_value, {FindingKind.CHANGED}),
    "an event removed": (
        topic_without_an_event,
        {FindingKind.BROKEN_CHAIN, FindingKind.REWRITTEN},
    ),
    "two events reordered": (topic_reordered, {FindingKind.BROKEN_CHAIN}),
    "an event forged, the chain recomputed": (topic_forged, {FindingKind.REWRITTEN}),
    "the trail truncated": (topic_truncated, {FindingKind.TRUNCATED}),
    "two trails swapped": (topics_swapped, {FindingKind.BROKEN_CHAIN, FindingKind.REWRITTEN}),
    "replaced by another": (topic_replaced, {FindingKind.BROKEN_CHAIN, FindingKind.REWRITTEN}),
}


@pytest.mark.parametrize(("tamper", "expected"), TOPIC_EDITS.values(), ids=TOPIC_EDITS)
def test_an_edit_of_a_topic_is_found(
    table: Store, services: World, tamper: Edit, expected: set[FindingKind]
) -> None:
    anchored(table.services)
    assert findings(table.services, services.topics) == []

    tamper(table)

    assert kinds(findings(table.services, services.topics), "one") == expected


def test_a_topic_put_back_to_an_earlier_state_is_found(table: Store, services: World) -> None:
    earlier = own_item(table, TOPIC)
    ask(ChangeTopic(id="one", summary="later"), services)
    anchored(table.services)

    table.put(earlier)

    assert kinds(findings(table.services, services.topics), "one") == {FindingKind.TRUNCATED}
