"""Contesting marks a record, and says what speaks against it."""

import pytest

from membrane.domain.language.errors import FailedPrecondition, InvalidArgument, NotFound
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import RevisionStatus
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.payloads import RevisionState
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import state_of
from membrane.domain.revision.requests import Contest, Retract
from membrane.usecases.ports.services import Services
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    ALPHA,
    call,
    change,
    event,
    observation,
    refused,
    standing,
    written,
)
from tests.fakes.clock import FakeClock
from tests.worlds.faults import rivalled
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords


def fact(services: Services, **fields: str) -> MemoryRecord:
    asked = observation(**fields)
    return written(ingest(asked, call(asked), services))


def test_a_contested_record_says_so_and_keeps_its_salience(
    services: Services, clock: FakeClock
) -> None:
    doubtful = fact(services)

    record = written(change(Contest(id=doubtful.id, actor="eval", rationale="hm"), services))

    assert state_of(record.payload) == RevisionState(
        status=RevisionStatus.CONTESTED, since=rfc3339(clock.now)
    )
    assert record.salience == doubtful.salience
    assert (record.relations, record.provenance) == ((), doubtful.provenance)
    entry = record.audit_log[-1]
    assert (entry.action, entry.actor, entry.rationale) == ("revise", "eval", "hm")
    assert entry.salience_after is None


def test_the_record_that_contests_it_is_named_and_stays_as_it_is(
    services: Services, records: TableRecords
) -> None:
    doubtful, against = fact(services), fact(services)
    before = standing(against.id, records)

    record = written(
        change(Contest(id=doubtful.id, contesting_ref=against.id, rationale="hm"), services)
    )

    assert [(each.predicate, each.target_id, each.weight) for each in record.relations] == [
        ("contested_by", against.id, 1.0)
    ]
    assert record.audit_log[-1].rationale == "hm"
    assert standing(against.id, records) == before


def test_an_episode_may_speak_against_a_record(services: Services) -> None:
    doubtful, episode = fact(services), written(ingest(event(), call(event()), services))

    record = written(change(Contest(id=doubtful.id, contesting_ref=episode.id), services))

    assert record.relations[0].target_id == episode.id


def test_what_is_no_record_is_kept_as_evidence(services: Services, clock: FakeClock) -> None:
    doubtful = fact(services)
    ref = "https://example.org/a?b=c"

    record = written(
        change(Contest(id=doubtful.id, contesting_ref=ref, actor="eval", rationale="hm"), services)
    )

    assert record.relations == ()
    source = record.provenance.sources[-1]
    assert (source.kind, source.ref, source.created_by) == ("observation", ref, "eval")
    assert source.timestamp == rfc3339(clock.now)
    assert record.audit_log[-1].rationale == f"contested by {ref}: hm"


@pytest.mark.parametrize("kind", ["hidden", "deleted"])
def test_a_record_that_may_not_be_seen_is_none_to_who_names_it(
    services: Services, kind: str
) -> None:
    doubtful = fact(services, scope="shared")
    against = fact(services, scope="project:beta" if kind == "hidden" else "shared")
    if kind == "deleted":
        change(DeleteRecord(id=against.id), services)

    record = written(change(Contest(id=doubtful.id, contesting_ref=against.id), services, ALPHA))

    assert record.relations == ()
    assert record.provenance.sources[-1].ref == against.id


def test_a_record_cannot_contest_itself(services: Services, records: TableRecords) -> None:
    doubtful = fact(services)

    with refused(records, InvalidArgument, "a record cannot contest itself"):
        change(Contest(id=doubtful.id, contesting_ref=doubtful.id), services)


def test_a_record_may_be_contested_again(
    services: Services, records: TableRecords, clock: FakeClock
) -> None:
    doubtful, one, two = fact(services), fact(services), fact(services)
    began = rfc3339(clock.now)

    for against in (one, two, one):
        change(Contest(id=doubtful.id, contesting_ref=against.id), services)
        clock.advance(hours=1)

    record = standing(doubtful.id, records).record
    assert [each.target_id for each in record.relations] == [one.id, two.id]
    assert state_of(record.payload).since == began
    assert len(record.audit_log) == 4


def test_evidence_that_is_named_again_is_kept_once(services: Services) -> None:
    doubtful = fact(services)
    asked = Contest(id=doubtful.id, contesting_ref="a letter")
    once = written(change(asked, services))

    record = written(change(asked, services))

    assert record.provenance == once.provenance
    assert len(record.audit_log) == 3


def test_what_cannot_be_contested_is_refused_in_the_peers_words(
    services: Services, records: TableRecords
) -> None:
    episode, dead = written(ingest(event(), call(event()), services)), fact(services)
    change(Retract(id=dead.id), services)

    with refused(records, NotFound, "contest: get record: record not found"):
        change(Contest(id="nothing"), services)
    with refused(records, FailedPrecondition) as caught:
        change(Contest(id=episode.id), services)
    assert str(caught.value).startswith("episodic memory is immutable and cannot be revised")
    with refused(records, FailedPrecondition, "is retracted"):
        change(Contest(id=dead.id), services)


def test_a_record_that_is_deleted_while_it_contests_becomes_evidence(clock: FakeClock) -> None:
    records = TableRecords(clock)
    services = make_services(records=records, now=clock)
    doubtful, against = fact(services), fact(services)
    rivalled(records.client, lambda: change(DeleteRecord(id=against.id), services))

    record = written(change(Contest(id=doubtful.id, contesting_ref=against.id), services))

    assert record.relations == ()
    assert record.provenance.sources[-1].ref == against.id
