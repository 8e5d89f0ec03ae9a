"""Merging retracts each source in the place of one new record."""

from typing import Any

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.language.errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import is_retracted, state_of
from membrane.domain.revision.requests import Merge, Retract
from membrane.domain.revision.successors import MAX_SOURCES
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.ports.services import Services
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    a_fact,
    call,
    change,
    full_record,
    merge,
    observation,
    refused,
    relation,
    standing,
    written,
)
from tests.worlds.memory_table import TableRecords

REVISER = principal_of("reviser", [Permission.REVISE], ["project:alpha", "shared"], "medium")


def fact(services: Services, **fields: Any) -> MemoryRecord:
    asked = observation(**fields)
    return written(ingest(asked, call(asked), services))


def test_the_new_record_is_derived_from_each_source_in_order(services: Services) -> None:
    first, second = fact(services), fact(services)
    asked = merge(second.id, first.id).model_copy(update={"actor": "eval", "rationale": "same"})

    union = written(change(asked, services))

    assert [(each.predicate, each.target_id, each.weight) for each in union.relations] == [
        ("derived_from", second.id, 1.0),
        ("derived_from", first.id, 1.0),
    ]
    assert state_of(union.payload).status is None
    (entry,) = union.audit_log
    assert entry.rationale == f"merged from [{second.id} {first.id}]: same"


def test_each_source_is_retracted_and_names_the_new_record(
    services: Services, records: TableRecords
) -> None:
    sources = [fact(services) for _ in range(3)]
    asked = merge(*(each.id for each in sources)).model_copy(update={"rationale": "same"})

    union = written(change(asked, services))

    for stored in (standing(each.id, records) for each in sources):
        assert is_retracted(stored.record.payload)
        assert state_of(stored.record.payload).superseded_by == union.id
        assert stored.anchor.salience == 0.0
        assert (stored.trail[-1].action, stored.trail[-1].rationale) == (
            "merge",
            f"merged into {union.id}: same",
        )


def test_a_repeated_id_counts_once(services: Services, records: TableRecords) -> None:
    source = fact(services)

    union = written(change(merge(source.id, source.id), services))

    assert len(union.relations) == 1
    assert len(standing(source.id, records).trail) == 2


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([], "ids must not be empty"),
        ([f"r{number}" for number in range(23)], "too many ids: 23 (max 22)"),
        (["x" * 129], "ids.0 exceeds maximum length of 128"),
    ],
)
def test_a_merge_is_of_one_to_twenty_two_records(ids: list[str], message: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        validate(Merge, {"ids": ids, "merged_record": a_fact()})

    assert str(caught.value) == message


def test_as_many_sources_as_there_may_be_are_merged_at_once(
    services: Services, records: TableRecords
) -> None:
    ids = [fact(services).id for _ in range(MAX_SOURCES)]

    union = written(change(merge(*ids, *ids), services))

    assert len(union.relations) == MAX_SOURCES
    assert all(is_retracted(standing(each, records).record.payload) for each in ids)


def test_sources_and_other_relations_together_have_room_in_one_transaction(
    services: Services, records: TableRecords
) -> None:
    cited = fact(services)
    ids = [fact(services).id for _ in range(MAX_SOURCES)]
    asked = [relation(cited.id), relation(cited.id, "explains")]
    words = "too many relations with those to the sources: 24 (max 23)"

    with refused(records, InvalidArgument, words):
        change(merge(*ids, relations=asked), services)
    union = written(change(merge(*ids, relations=asked[:1]), services))

    assert len(union.relations) == MAX_SOURCES + 1


def test_one_source_that_cannot_be_merged_leaves_all_as_they_were(
    services: Services, records: TableRecords
) -> None:
    one, two, dead = fact(services), fact(services), fact(services)
    change(Retract(id=dead.id), services)

    with refused(records, NotFound, "merge: get source record nothing: record not found"):
        change(merge(one.id, "nothing"), services)
    with refused(records, FailedPrecondition, f"merge: record {dead.id} is retracted"):
        change(merge(one.id, two.id, dead.id), services)


def test_sources_may_be_of_several_types(services: Services) -> None:
    skill = written(ingest_record(full_record(), call(full_record()), services))

    union = written(change(merge(fact(services).id, skill.id), services))

    assert len(union.relations) == 2


def test_the_new_record_is_as_sensitive_as_the_most_sensitive_source(services: Services) -> None:
    low, medium = (
        fact(services, scope="shared"),
        fact(services, scope="shared", sensitivity="medium"),
    )

    assert written(change(merge(low.id, medium.id), services, REVISER)).sensitivity == "medium"


def test_sources_of_several_scopes_are_merged_by_an_administrator_who_names_the_scope(
    services: Services, records: TableRecords
) -> None:
    one, two = fact(services, scope="shared"), fact(services, scope="project:alpha")

    with refused(records, PermissionDenied, "stays in the scope of its sources"):
        change(merge(one.id, two.id, scope="shared"), services, REVISER)
    with refused(records, InvalidArgument, "name the new record's scope"):
        change(merge(one.id, two.id), services)
    assert written(change(merge(one.id, two.id, scope="shared"), services)).scope == "shared"
