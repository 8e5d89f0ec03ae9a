"""What the service derives from records, damaged behind its back, found and repaired."""

from typing import Any

import pytest

from membrane.domain.integrity.findings import Finding, FindingKind
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.revision.heads import key_of
from tests.builders.requests import full_record, observation, relation
from tests.worlds.anchored_tables import findings
from tests.worlds.revision import REPLACED, done, id_of, revising
from tests.worlds.stores import TableStore

LARGE = "x" * 200_000


def kinds_of(found: list[Finding]) -> list[tuple[FindingKind, bool]]:
    return [(each.kind, each.is_repaired) for each in found]


def related(table: TableStore) -> str:
    """The id of a record with an edge to another record."""
    services = revising(table)
    target = id_of(done(full_record(), services, key="target"))
    request = full_record(relations=[relation(target)])
    return id_of(done(request, services, key="source"))


def inverses(table: TableStore) -> list[Any]:
    return [item for item in table.everything() if "source_id" in item]


def test_an_edge_without_an_inverse_is_found_and_repaired(table: TableStore) -> None:
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


def test_an_active_fact_that_its_head_lacks_is_found_and_repaired(table: TableStore) -> None:
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
def test_a_damaged_large_value_is_found_and_stays(table: TableStore, damage: bytes | None) -> None:
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
