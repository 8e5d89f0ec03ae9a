"""Forking puts a variant beside a record, which stays as it is."""

import pytest

from membrane.domain.language.vocabulary import RevisionStatus
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import state_of
from membrane.domain.revision.requests import Contest, Fork
from membrane.usecases.ports.services import Services
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    call,
    change,
    fork,
    full_record,
    observation,
    standing,
    written,
)
from tests.worlds.memory_table import TableRecords


@pytest.fixture
def source(services: Services) -> MemoryRecord:
    """A fact."""
    return written(ingest(observation(), call(observation()), services))


def test_the_variant_is_derived_from_its_source(services: Services, source: MemoryRecord) -> None:
    asked = fork(source.id, payload={"validity": {"mode": "conditional", "conditions": {"a": 1}}})
    asked = asked.model_copy(update={"actor": "eval", "rationale": "dev env"})

    variant = written(change(asked, services))

    assert [(each.predicate, each.target_id, each.weight) for each in variant.relations] == [
        ("derived_from", source.id, 1.0)
    ]
    assert state_of(variant.payload).status is None
    assert variant.provenance.sources == ()
    (entry,) = variant.audit_log
    assert (entry.action, entry.actor) == ("create", "eval")
    assert entry.rationale == f"forked from {source.id}: dev env"


def test_of_the_source_the_audit_alone_is_another(
    services: Services, records: TableRecords, source: MemoryRecord
) -> None:
    before = standing(source.id, records)
    asked = fork(source.id).model_copy(update={"rationale": "dev env"})

    variant = written(change(asked, services))

    after = standing(source.id, records)
    entry = after.trail[-1]
    assert (entry.action, entry.rationale) == ("fork", f"forked to {variant.id}: dev env")
    assert after.record.model_copy(update={"audit_log": before.trail}) == before.record
    assert (after.anchor, after.history) == (before.anchor, ())


def test_a_variant_may_be_of_another_type(services: Services, source: MemoryRecord) -> None:
    asked = Fork(id=source.id, forked_record=full_record().record)

    variant = written(change(asked, services))

    assert (variant.type, variant.relations[0].target_id) == ("competence", source.id)


def test_a_contested_source_stays_contested(
    services: Services, records: TableRecords, source: MemoryRecord
) -> None:
    change(Contest(id=source.id), services)

    change(fork(source.id), services)

    status = state_of(standing(source.id, records).record.payload).status
    assert status is RevisionStatus.CONTESTED
