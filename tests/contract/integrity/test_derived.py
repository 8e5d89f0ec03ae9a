"""What the service derives from records, damaged, found and repaired; anchors in the table."""

from typing import Any

import pytest

from membrane.adapters.dynamodb.integrity.integrity_store import DynamoIntegrity
from membrane.domain.entities.requests import MergeEntities
from membrane.domain.integrity.anchors import Anchor, SignedAnchor
from membrane.domain.integrity.findings import Finding, FindingKind
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.requests import Reclassify
from membrane.table.items import LostRace
from membrane.usecases.entities.merge_entities import merge_entities
from membrane.usecases.revision.heads import key_of
from membrane.usecases.revision.standing import reclassify_record
from tests.builders.proposals import add_entity, captured
from tests.builders.requests import call, change, full_record, observation, relation
from tests.builders.stored_records import changed
from tests.worlds.anchored_tables import findings
from tests.worlds.revision import REPLACED, done, id_of, revising
from tests.worlds.stores import Store

LARGE = "x" * 200_000


def kinds_of(found: list[Finding]) -> list[tuple[FindingKind, bool]]:
    return [(each.kind, each.is_repaired) for each in found]


def related(table: Store) -> str:
    """The id of a record with an edge to another record."""
    services = revising(table)
    target = id_of(done(full_record(), services, key="target"))
    request = full_record(relations=[relation(target)])
    return id_of(done(request, services, key="source"))


def inverses(table: Store) -> list[Any]:
    return [item for item in table.everything() if "source_id" in item]


def test_an_edge_without_an_inverse_is_found_and_repaired(table: Store) -> None:
    source = related(table)
    (inverse,) = inverses(table)
    table.remove(inverse)

    found = findings(table.services, table.topics)
    assert [each.id for each in found] == [source]
    assert kinds_of(found) == [(FindingKind.EDGE_WITHOUT_INVERSE, False)]
    assert inverses(table) == []

    repaired = findings(table.services, table.topics, repair=True)
    assert kinds_of(repaired) == [(FindingKind.EDGE_WITHOUT_INVERSE, True)]
    assert inverses(table) == [inverse]
    assert findings(table.services, table.topics) == []


@pytest.mark.parametrize(
    "outdated",
    [{"sensitivity": {"S": "hyper"}}, {"scope": {"S": "elsewhere"}}],
    ids=["sensitivity", "scope"],
)
def test_an_edge_with_another_scope_or_sensitivity_than_its_source_is_found_and_repaired(
    table: Store, outdated: dict[str, Any]
) -> None:
    source = related(table)
    (inverse,) = inverses(table)
    altered = {**inverse, **outdated}
    table.inspector.put_item(TableName=table.table, Item=altered)

    found = findings(table.services, table.topics)
    assert [each.id for each in found] == [source]
    assert kinds_of(found) == [(FindingKind.EDGE_OUTDATED, False)]
    assert inverses(table) == [altered]

    repaired = findings(table.services, table.topics, repair=True)
    assert kinds_of(repaired) == [(FindingKind.EDGE_OUTDATED, True)]
    assert inverses(table) == [inverse]
    assert findings(table.services, table.topics) == []


def test_an_outdated_edge_that_went_meanwhile_is_not_put_again(table: Store) -> None:
    source = table.records.load(related(table))
    assert isinstance(source, StoredRecord)
    (inverse,) = inverses(table)
    altered = {**inverse, "sensitivity": {"S": "hyper"}}
    table.inspector.put_item(TableName=table.table, Item=altered)
    (wrong,) = table.services.integrity.wrong_inverses([source])
    table.remove(inverse)

    assert not table.services.integrity.put_inverse(wrong)
    assert inverses(table) == []


def test_edges_of_a_reclassified_record_are_no_finding(table: Store) -> None:
    request = Reclassify(id=related(table), scope="elsewhere", sensitivity=Sensitivity.HYPER)

    reclassify_record(request, call(request), table.services)

    assert [each["scope"] for each in inverses(table)] == [{"S": "elsewhere"}]
    assert findings(table.services, table.topics) == []


def test_an_active_fact_that_its_head_lacks_is_found_and_repaired(table: Store) -> None:
    services = revising(table)
    said = observation(predicate=REPLACED, object="one", scope="project:alpha")
    fact = services.records.load(id_of(done(said, services, key="fact")))
    table.clock.advance(hours=1)
    assert isinstance(fact, StoredRecord)
    key = key_of(fact.record, services)
    head = services.records.head(key)
    known_to_s = head.known_to_s + 3_600
    services.integrity.put_head(head._replace(holders=(), known_to_s=known_to_s))

    found = findings(services, table.topics, repair=True)

    assert kinds_of(found) == [(FindingKind.HEAD_MISSING, True)]
    assert services.records.head(key).holders == head.holders
    assert findings(services, table.topics) == []


@pytest.mark.parametrize("damage", [None, b"altered"], ids=["absent", "altered"])
def test_a_damaged_large_value_is_found_and_stays(table: Store, damage: bytes | None) -> None:
    services = revising(table)
    said = observation(predicate="likes", object=LARGE, scope="project:alpha")
    fact = services.records.load(id_of(done(said, services, key="fact")))
    assert isinstance(fact, StoredRecord)
    assert isinstance(fact.record.payload, SemanticPayload)
    for blob in list(table.blobs.list_blobs(fact.id)):
        table.blobs.remove(blob.name)
        if damage is not None:
            table.blobs.write(blob.name, damage)

    found = findings(services, table.topics, repair=True)

    assert kinds_of(found) == [(FindingKind.BLOB_DAMAGED, False)]


def names_of(table: Store) -> list[Any]:
    return [item for item in table.everything() if item["pk"]["S"].startswith("names#")]


def test_an_entity_that_no_name_leads_to_is_found_and_gets_its_names_again(
    table: Store,
) -> None:
    services = revising(table)
    entity = add_entity("Orion", services, payload={"aliases": [{"value": "Hunter"}]})
    before = names_of(table)
    for item in before:
        table.remove(item)

    found = findings(services, table.topics)
    assert [(each.id, each.kind) for each in found] == [(entity.id, FindingKind.NAME_MISSING)]
    assert names_of(table) == []

    repaired = findings(services, table.topics, repair=True)
    assert kinds_of(repaired) == [(FindingKind.NAME_MISSING, True)]
    assert names_of(table) == before
    assert findings(services, table.topics) == []


def test_names_that_lead_to_another_bearer_or_to_nobody_are_no_finding(table: Store) -> None:
    services = revising(table)
    add_entity("Orion", services)
    add_entity("Orion", services)
    kept, absorbed = add_entity("Bob", services), add_entity("Robert", services)
    merge = MergeEntities(id=kept.id, entity_ids=(absorbed.id,))
    merge_entities(merge, call(merge), services)
    deleted = add_entity("Vega", services)
    change(DeleteRecord(id=deleted.id), services)

    assert findings(services, table.topics) == []


def test_an_entity_that_became_less_sensitive_is_found_by_its_name_after_a_repair(
    table: Store,
) -> None:
    services = revising(table)
    entity = add_entity("Orion", services, sensitivity="high")
    held = services.records.load(entity.id)
    assert isinstance(held, StoredRecord)
    lowered = changed(held).record.model_copy(update={"sensitivity": Sensitivity.LOW})
    services.records.replace(held, held.next_version(lowered))

    repaired = findings(services, table.topics, repair=True)

    assert kinds_of(repaired) == [(FindingKind.NAME_MISSING, True)]
    reply = captured("Orion is bright", services)
    assert reply["primary_record"]["interpretation"]["mentions"][0]["canonical_entity_id"] == (
        entity.id
    )


ANCHOR = Anchor("2026-03-01T09:00:00Z", 1, "a" * 64, None, "")


def signed(anchor: Anchor) -> SignedAnchor:
    return SignedAnchor(anchor, ("key", "algorithm", "value"))


def test_an_anchor_of_an_instant_is_kept_once_and_stands(table: Store) -> None:
    integrity = DynamoIntegrity(table.client, table.table, table.records.codec, table.blobs)
    for _ in range(2):
        integrity.keep_anchor(signed(ANCHOR))

    with pytest.raises(LostRace):
        integrity.keep_anchor(signed(ANCHOR._replace(root="b" * 64)))

    assert [each.signed for each in integrity.newest_anchors()] == [signed(ANCHOR)]
