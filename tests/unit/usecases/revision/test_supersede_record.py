"""Superseding retracts the old record, and each of the two names the other."""

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import RevisionStatus
from membrane.domain.records import audit
from membrane.domain.records.payloads import RevisionState
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import state_of
from membrane.domain.revision.requests import Contest
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.ports.services import Services
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    call,
    change,
    full_record,
    observation,
    refused,
    standing,
    supersede,
    written,
)
from tests.fakes.clock import FakeClock
from tests.worlds.memory_table import TableRecords


@pytest.fixture
def old(services: Services, clock: FakeClock) -> MemoryRecord:
    """A fact, an hour ago."""
    record = written(ingest(observation(), call(observation()), services))
    clock.advance(hours=1)
    return record


def test_the_new_record_is_active_and_names_the_old_one(
    services: Services, old: MemoryRecord, clock: FakeClock
) -> None:
    asked = supersede(old.id).model_copy(update={"actor": "eval", "rationale": "update"})

    new = written(change(asked, services))

    now = rfc3339(clock.now)
    assert state_of(new.payload) == RevisionState(
        supersedes=old.id, status=RevisionStatus.ACTIVE, since=now
    )
    assert [(each.predicate, each.target_id, each.weight) for each in new.relations] == [
        ("supersedes", old.id, 1.0)
    ]
    source = new.provenance.sources[-1]
    assert (source.kind, source.ref, source.created_by) == ("event", old.id, "eval")
    (entry,) = new.audit_log
    assert (entry.action, entry.rationale) == ("create", f"supersedes {old.id}: update")


def test_the_old_record_is_kept_retracted_and_names_the_new_one(
    services: Services, records: TableRecords, old: MemoryRecord, clock: FakeClock
) -> None:
    asked = supersede(old.id).model_copy(update={"actor": "eval", "rationale": "update"})

    new = written(change(asked, services))

    stored = standing(old.id, records)
    assert state_of(stored.record.payload) == RevisionState(
        superseded_by=new.id, status=RevisionStatus.RETRACTED, since=rfc3339(clock.now)
    )
    assert stored.record.payload.model_copy(update={"revision": None}) == old.payload
    assert (stored.anchor.salience, stored.anchor.at_s) == (0.0, epoch_seconds(clock.now))
    entry = stored.trail[-1]
    assert (entry.action, entry.actor) == ("revise", "eval")
    assert entry.rationale == f"superseded by {new.id}: update"
    assert entry.salience_before == pytest.approx(1, abs=0.01)
    assert entry.salience_after == 0.0
    assert audit.first_broken(stored.id, stored.trail) is None


def test_a_chain_goes_on_from_its_newest_record(
    services: Services, records: TableRecords, old: MemoryRecord
) -> None:
    second = written(change(supersede(old.id), services))

    third = written(change(supersede(second.id), services))

    states = [state_of(standing(each.id, records).record.payload) for each in (old, second, third)]
    assert [(each.supersedes, each.superseded_by) for each in states] == [
        ("", second.id),
        (old.id, third.id),
        (second.id, ""),
    ]


def test_a_contested_record_may_be_superseded(
    services: Services, records: TableRecords, old: MemoryRecord
) -> None:
    change(Contest(id=old.id), services)

    new = written(change(supersede(old.id), services))

    assert state_of(standing(old.id, records).record.payload).superseded_by == new.id


def test_the_new_record_must_be_of_the_same_type(services: Services, records: TableRecords) -> None:
    skill = written(ingest_record(full_record(), call(full_record()), services))

    with refused(records, InvalidArgument, "supersede: the new record must be of the type compe"):
        change(supersede(skill.id), services)


def test_what_is_no_fact_needs_no_evidence(services: Services, records: TableRecords) -> None:
    skill = written(ingest_record(full_record(), call(full_record()), services))
    better = {"kind": "competence", "skill_name": "deploy", "triggers": [], "recipe": []}
    asked = supersede(skill.id).model_copy(update={"new_record": full_record().record})

    new = written(change(asked, services))

    assert new.payload.kind == better["kind"]
    assert state_of(new.payload).supersedes == skill.id
    assert state_of(standing(skill.id, records).record.payload).superseded_by == new.id
