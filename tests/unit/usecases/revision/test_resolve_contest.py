"""Resolving a contest: the record holds after all, or not, or another takes its place."""

import pytest

from membrane.domain.language.errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import RevisionStatus
from membrane.domain.records import audit
from membrane.domain.records.payloads import RevisionState
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import state_of
from membrane.domain.revision.requests import Contest, Resolve, Retract
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.ports.services import Services
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    ALPHA,
    call,
    change,
    event,
    full_record,
    observation,
    refused,
    standing,
    supersede,
    written,
)
from tests.fakes.clock import FakeClock
from tests.worlds.faults import lose_races, rivalled, win_unheard
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords


def fact(services: Services, **fields: str) -> MemoryRecord:
    asked = observation(**fields)
    return written(ingest(asked, call(asked), services))


def contested(services: Services, by: str = "", **fields: str) -> MemoryRecord:
    """A fact that something speaks against."""
    doubtful = fact(services, **fields)
    return written(change(Contest(id=doubtful.id, contesting_ref=by), services))


def resolve(record: MemoryRecord, resolution: str, **fields: str) -> Resolve:
    return validate(Resolve, {"id": record.id, "resolution": resolution, **fields})


def test_a_record_that_is_kept_is_active_again(services: Services, clock: FakeClock) -> None:
    doubtful = contested(services)
    clock.advance(hours=1)

    record = written(change(resolve(doubtful, "keep", rationale="checked"), services))

    assert state_of(record.payload) == RevisionState(
        status=RevisionStatus.ACTIVE, since=rfc3339(clock.now)
    )
    assert record.audit_log[-1].action == "revise"
    assert record.audit_log[-1].rationale == "contest resolved: kept: checked"


def test_a_record_that_is_retracted_is_kept_for_reading(services: Services) -> None:
    doubtful = contested(services)

    record = written(change(resolve(doubtful, "retract", rationale="wrong"), services))

    assert state_of(record.payload).status is RevisionStatus.RETRACTED
    assert (record.salience, record.audit_log[-1].rationale) == (0.0, "wrong")


@pytest.mark.parametrize("named", [True, False])
def test_a_record_is_superseded_by_the_one_named_or_the_last_that_contested_it(
    services: Services, records: TableRecords, *, named: bool
) -> None:
    first, last = fact(services), fact(services)
    doubtful = contested(services, first.id)
    change(Contest(id=doubtful.id, contesting_ref=last.id), services)
    successor = first if named else last
    fields = {"superseded_by": first.id} if named else {}

    record = written(change(resolve(doubtful, "supersede", rationale="so", **fields), services))

    assert state_of(record.payload).superseded_by == successor.id
    assert record.audit_log[-1].rationale == f"superseded by {successor.id}: so"
    stands = standing(successor.id, records)
    assert state_of(stands.record.payload).supersedes == doubtful.id
    assert state_of(stands.record.payload).status is RevisionStatus.ACTIVE
    assert [(each.predicate, each.target_id) for each in stands.record.relations] == [
        ("supersedes", doubtful.id)
    ]
    assert stands.trail[-1].rationale == f"supersedes {doubtful.id}: so"
    assert audit.first_broken(stands.id, stands.trail) is None


@pytest.mark.parametrize("others", [1, 2])
def test_what_spoke_against_it_in_a_contest_that_was_resolved_does_not_replace_it(
    services: Services, clock: FakeClock, others: int
) -> None:
    first, *later = [fact(services) for _ in range(1 + others)]
    doubtful = contested(services, first.id)
    for against in (*later, first):
        change(resolve(doubtful, "keep"), services)
        clock.advance(seconds=1)
        change(Contest(id=doubtful.id, contesting_ref=against.id), services)

    record = written(change(resolve(doubtful, "supersede"), services))

    assert state_of(record.payload).superseded_by == first.id


def test_a_successor_must_be_named_where_no_record_contests_it_now(
    services: Services, records: TableRecords, clock: FakeClock
) -> None:
    doubtful = contested(services, fact(services).id)
    change(resolve(doubtful, "keep"), services)
    clock.advance(seconds=1)
    change(Contest(id=doubtful.id, contesting_ref="a letter"), services)

    with refused(records, InvalidArgument, "superseded_by is required"):
        change(resolve(doubtful, "supersede"), services)


def test_a_record_that_superseded_another_already_goes_on_naming_that_one(
    services: Services, records: TableRecords
) -> None:
    old = fact(services)
    successor = written(change(supersede(old.id), services))
    doubtful = contested(services, successor.id)

    change(resolve(doubtful, "supersede"), services)

    stands = standing(successor.id, records).record
    assert state_of(stands.payload).supersedes == old.id
    assert [each.target_id for each in stands.relations] == [old.id, doubtful.id]


@pytest.mark.parametrize("resolution", ["keep", "supersede", "retract"])
def test_only_what_is_contested_is_resolved(
    services: Services, records: TableRecords, resolution: str
) -> None:
    sound, dead = fact(services), contested(services)
    change(Retract(id=dead.id), services)
    episode = written(ingest(event(), call(event()), services))

    with refused(records, FailedPrecondition, f"resolve: record {sound.id} is not contested"):
        change(resolve(sound, resolution), services)
    with refused(records, FailedPrecondition, f"resolve: record {dead.id} is retracted"):
        change(resolve(dead, resolution), services)
    with refused(records, FailedPrecondition, "resolve: episodic memory is immutable"):
        change(resolve(episode, resolution), services)
    gone = sound.model_copy(update={"id": "nothing"})
    with refused(records, NotFound, "resolve: get record nothing: record not found"):
        change(resolve(gone, resolution), services)


def test_what_is_no_resolution_is_refused() -> None:
    with pytest.raises(InvalidArgument) as caught:
        validate(Resolve, {"id": "a", "resolution": "forget"})

    assert str(caught.value) == "resolution must be one of: keep, supersede, retract"


def test_a_successor_has_an_id_no_longer_than_others() -> None:
    with pytest.raises(InvalidArgument) as caught:
        validate(Resolve, {"id": "a", "resolution": "supersede", "superseded_by": "x" * 129})

    assert str(caught.value) == "superseded_by exceeds maximum length of 128"


@pytest.mark.parametrize("resolution", ["keep", "retract"])
def test_a_successor_goes_with_superseding_alone(
    services: Services, records: TableRecords, resolution: str
) -> None:
    doubtful, other = contested(services), fact(services)

    with refused(records, InvalidArgument, "superseded_by goes with"):
        change(resolve(doubtful, resolution, superseded_by=other.id), services)


def test_a_successor_must_be_a_standing_record_of_the_same_type(
    services: Services, records: TableRecords
) -> None:
    doubtful, dead = contested(services), fact(services)
    change(Retract(id=dead.id), services)
    skill = written(ingest_record(full_record(), call(full_record()), services))

    with refused(records, InvalidArgument, "superseded_by is required"):
        change(resolve(doubtful, "supersede"), services)
    with refused(records, InvalidArgument, "a record cannot supersede itself"):
        change(resolve(doubtful, "supersede", superseded_by=doubtful.id), services)
    with refused(records, FailedPrecondition, f"resolve: record {dead.id} is retracted"):
        change(resolve(doubtful, "supersede", superseded_by=dead.id), services)
    with refused(records, InvalidArgument, "is not of the type semantic"):
        change(resolve(doubtful, "supersede", superseded_by=skill.id), services)
    with refused(records, NotFound, "resolve: get superseding record no: record not found"):
        change(resolve(doubtful, "supersede", superseded_by="no"), services)


def test_a_successor_must_be_seen_and_written_by_the_caller(
    services: Services, records: TableRecords
) -> None:
    doubtful = contested(services, scope="shared")
    hidden, unscoped = fact(services, scope="project:beta"), fact(services)

    with refused(records, NotFound, "resolve: get superseding record"):
        change(resolve(doubtful, "supersede", superseded_by=hidden.id), services, ALPHA)
    with refused(records, PermissionDenied):
        change(resolve(doubtful, "supersede", superseded_by=unscoped.id), services, ALPHA)


@pytest.mark.parametrize("races", [0, 1, 2])
def test_whatever_is_lost_on_the_way_both_records_change_once(clock: FakeClock, races: int) -> None:
    records = TableRecords(clock)
    services = make_services(records=records, now=clock)
    other = fact(services)
    doubtful = contested(services, other.id)
    lose_races(records.client, races)
    won = win_unheard(records.client)

    change(resolve(doubtful, "supersede"), services)

    assert won
    assert len(standing(doubtful.id, records).trail) == 3
    assert len(standing(other.id, records).trail) == 2


def test_a_successor_that_is_retracted_meanwhile_supersedes_nothing(clock: FakeClock) -> None:
    records = TableRecords(clock)
    services = make_services(records=records, now=clock)
    other = fact(services)
    doubtful = contested(services, other.id)
    rivalled(records.client, lambda: change(Retract(id=other.id), services))

    with pytest.raises(FailedPrecondition, match=f"record {other.id} is retracted"):
        change(resolve(doubtful, "supersede"), services)

    status = state_of(standing(doubtful.id, records).record.payload).status
    assert status is RevisionStatus.CONTESTED
