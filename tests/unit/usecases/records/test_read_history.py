"""Versions of a record, the record as it was, the newest of a chain: all as far as trust goes."""

from collections.abc import Sequence
from typing import Any

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import Permission
from membrane.domain.lifecycle.requests import DeleteRecord, Penalize, Reinforce, RestoreRecord
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.replies import RecordVersion
from membrane.domain.records.requests import ReadVersions, RetrieveById
from membrane.domain.records.sizes import MAX_REPLY_BYTES, payload_bytes
from membrane.domain.revision.requests import Contest, Reclassify, Retract
from membrane.usecases.machinery.visibility import DENIED, NOT_FOUND
from membrane.usecases.ports.services import Services
from membrane.usecases.records import read_record
from membrane.usecases.records.read_history import Versions, read_versions
from membrane.usecases.records.read_record import retrieve_by_id
from tests.builders.ingesting import ingest
from tests.builders.records import complaints
from tests.builders.requests import (
    ALPHA,
    BETA,
    OWNER,
    call,
    change,
    event,
    fork,
    merge,
    observation,
    outcome,
    refused,
    supersede,
    written,
)
from tests.fakes.clock import FakeClock
from tests.worlds.memory_table import TableRecords

LOW = principal_of("low", Permission, ["*"], "low")


@pytest.fixture
def record(services: Services) -> MemoryRecord:
    """A fact in a scope that ALPHA has."""
    return observed(services)


def observed(services: Services, **fields: Any) -> MemoryRecord:
    """A fact in a scope that ALPHA has."""
    report = observation(**{"scope": "project:alpha", **fields})
    return written(ingest(report, call(report), services))


def reclassified(record_id: str, services: Services, clock: FakeClock, **fields: Any) -> None:
    """The record with another class, an hour later."""
    clock.advance(hours=1)
    change(Reclassify.model_validate({"id": record_id, **fields}), services)


def versions(
    record_id: str, services: Services, principal: Principal = OWNER, **asked: Any
) -> Versions:
    """The record's versions, as that principal sees them."""
    request = validate(ReadVersions, {"id": record_id, **asked})
    return read_versions(request, call(request, principal), services)


def retrieved(
    record_id: str, services: Services, principal: Principal = OWNER, **asked: Any
) -> MemoryRecord:
    """The record, as it is or was."""
    request = validate(RetrieveById, {"id": record_id, **asked})
    return retrieve_by_id(request, call(request, principal), services)


def fields_of(version: RecordVersion) -> Sequence[str]:
    """Of which it tells a change."""
    return [each["field"] for each in version["changes"]]


# --- Versions -----------------------------------------------------------------------------------


def test_versions_tell_when_who_why_and_what(
    services: Services, clock: FakeClock, record: MemoryRecord
) -> None:
    clock.advance(hours=1)
    change(Retract(id=record.id, actor="ann", rationale="wrong"), services)

    found = versions(record.id, services)

    born, retracted_at = record.created_at, rfc3339(clock.now)
    assert found.next_cursor is None
    assert found.versions == [
        {
            "number": 1,
            "valid_from": born,
            "valid_to": retracted_at,
            "action": "create",
            "actor": "ingestion-service",
            "principal": "owner",
            "rationale": "Ingested observation from agent",
            "changes": [],
        },
        {
            "number": 2,
            "valid_from": retracted_at,
            "action": "delete",
            "actor": "ann",
            "principal": "owner",
            "rationale": "wrong",
            "changes": [
                {
                    "field": "payload.revision",
                    "after": {"status": "retracted", "since": retracted_at},
                }
            ],
        },
    ]


def test_each_revision_of_a_record_is_a_version_of_it(
    services: Services, clock: FakeClock, record: MemoryRecord
) -> None:
    reclassified(record.id, services, clock, tags=["a"])
    clock.advance(hours=1)
    change(Contest(id=record.id, contesting_ref="a letter"), services)
    clock.advance(hours=1)
    change(Reinforce(id=record.id), services)
    change(fork(record.id), services)
    change(supersede(record.id), services)

    found = versions(record.id, services).versions

    assert [fields_of(each) for each in found] == [
        [],
        ["tags"],
        ["provenance.sources", "payload.revision"],
        [
            "payload.revision.since",
            "payload.revision.status",
            "payload.revision.superseded_by",
        ],
    ]


def test_an_outcome_of_an_episode_is_a_version_of_it(services: Services) -> None:
    episode = written(ingest(event(), call(event()), services))
    report = outcome(episode.id)
    ingest(report, call(report), services)

    found = versions(episode.id, services).versions

    assert [fields_of(each) for each in found] == [[], ["provenance.sources", "payload.outcome"]]
    assert found[1]["changes"][1] == {"field": "payload.outcome", "after": "success"}
    (added,) = found[1]["changes"][0]["added"]
    assert added["kind"] == "outcome"


def test_pages_go_on_where_the_last_one_ended(
    services: Services, clock: FakeClock, record: MemoryRecord
) -> None:
    for number in range(4):
        reclassified(record.id, services, clock, tags=[f"t{number}"])

    first = versions(record.id, services, limit=2)
    second = versions(record.id, services, limit=2, cursor=first.next_cursor)
    third = versions(record.id, services, limit=2, cursor=second.next_cursor)

    pages = [first, second, third]
    assert [[each["number"] for each in page.versions] for page in pages] == [[1, 2], [3, 4], [5]]
    assert third.next_cursor is None
    assert [*first.versions, *second.versions, *third.versions] == versions(
        record.id, services
    ).versions


def test_a_page_ends_where_a_reply_is_full(
    services: Services, clock: FakeClock, record: MemoryRecord
) -> None:
    for number in range(90):
        tags = [f"{number} {tag} ".ljust(256, '"') for tag in range(60)]
        reclassified(record.id, services, clock, tags=tags)

    first = versions(record.id, services)
    second = versions(record.id, services, cursor=first.next_cursor)

    size = payload_bytes(compact_json(list(first.versions)))
    assert MAX_REPLY_BYTES - 200_000 < size < MAX_REPLY_BYTES
    assert second.next_cursor is None
    pages = (*first.versions, *second.versions)
    assert [each["number"] for each in pages] == [*range(1, 92)]


@pytest.mark.parametrize("cursor", ["x", "-1", "1.5", "1" * 10, "\u0661", " 1"])
def test_a_cursor_that_is_not_ours_is_refused(
    services: Services, record: MemoryRecord, cursor: str
) -> None:
    with pytest.raises(InvalidArgument, match="cursor"):
        versions(record.id, services, cursor=cursor)


def test_a_page_behind_the_last_version_is_empty(services: Services, record: MemoryRecord) -> None:
    assert versions(record.id, services, cursor="7") == Versions([], None)


def test_versions_of_what_may_not_be_seen_are_not_found(
    services: Services, records: TableRecords, record: MemoryRecord
) -> None:
    for record_id, principal in ((record.id, BETA), ("never-made", OWNER), ("no/id", OWNER)):
        with refused(records, NotFound, NOT_FOUND):
            versions(record_id, services, principal)
    with refused(records, PermissionDenied, DENIED):
        versions(record.id, services, trust={"scopes": ["shared"]})


def test_a_deleted_record_has_no_versions_to_read(
    services: Services, records: TableRecords, record: MemoryRecord
) -> None:
    change(DeleteRecord(id=record.id), services)

    with refused(records, NotFound, NOT_FOUND):
        versions(record.id, services)


def test_of_a_version_out_of_reach_only_its_times_are_told(
    services: Services, clock: FakeClock, record: MemoryRecord
) -> None:
    reclassified(record.id, services, clock, tags=["open"])
    reclassified(record.id, services, clock, sensitivity="high", tags=["secret"])
    reclassified(record.id, services, clock, tags=["still secret"])
    reclassified(record.id, services, clock, sensitivity="low", tags=["open again"])
    reclassified(record.id, services, clock, tags=["last"])

    found = versions(record.id, services, LOW).versions

    assert "secret" not in compact_json(list(found))
    assert [sorted(each) for each in found[2:4]] == [
        ["number", "valid_from", "valid_to", "withheld"]
    ] * 2
    assert [each["number"] for each in found if "withheld" in each] == [3, 4]
    assert ["changes" in each for each in found] == [True, True, False, False, False, True]


def test_the_version_after_one_out_of_reach_does_not_tell_why_it_was_made(
    services: Services, clock: FakeClock, record: MemoryRecord
) -> None:
    reclassified(record.id, services, clock, sensitivity="high", rationale="a secret of hers")
    reclassified(record.id, services, clock, sensitivity="low", rationale="no secret any more")
    reclassified(record.id, services, clock, tags=["a"], rationale="it was asked for")

    found = versions(record.id, services, LOW).versions

    assert "secret" not in compact_json(list(found))
    assert "rationale" not in found[2]
    assert (found[2]["action"], found[2]["principal"]) == ("revise", "owner")
    assert found[3]["rationale"].endswith("it was asked for")
    assert "no secret any more" in versions(record.id, services).versions[2]["rationale"]


def test_a_version_in_a_scope_of_others_is_out_of_reach(
    services: Services, clock: FakeClock, record: MemoryRecord
) -> None:
    reclassified(record.id, services, clock, scope="project:beta", tags=["theirs"])
    reclassified(record.id, services, clock, scope="shared", tags=["ours"])

    found = versions(record.id, services, ALPHA).versions
    narrowed = versions(record.id, services, trust={"scopes": ["shared"]}).versions

    assert [each.get("withheld", False) for each in found] == [False, True, False]
    assert "theirs" not in compact_json(list(found))
    assert [each.get("withheld", False) for each in narrowed] == [True, True, False]


# --- As of an instant ---------------------------------------------------------------------------


def test_a_record_is_read_as_it_was(
    services: Services, clock: FakeClock, record: MemoryRecord
) -> None:
    clock.advance(hours=1)
    then, before = rfc3339(clock.now), retrieved(record.id, services)
    clock.advance(hours=1)
    change(Penalize(id=record.id, amount=0.3, rationale="doubt"), services)
    change(Retract(id=record.id), services)

    found = retrieved(record.id, services, as_of=then)

    assert found == before
    assert retrieved(record.id, services).payload != before.payload


def test_an_instant_may_have_any_zone_and_be_this_very_one(
    services: Services, clock: FakeClock, record: MemoryRecord
) -> None:
    now = retrieved(record.id, services)

    assert retrieved(record.id, services, as_of=rfc3339(clock.now)) == now
    assert retrieved(record.id, services, as_of="2026-03-01T10:00:00.25+01:00") == now


def test_the_future_is_refused(
    services: Services, records: TableRecords, record: MemoryRecord
) -> None:
    with refused(records, InvalidArgument, "as_of lies in the future"):
        retrieved(record.id, services, as_of="2026-03-01T09:00:00.250001Z")


def test_before_it_was_made_and_while_it_was_deleted_a_record_is_not_found(
    services: Services, records: TableRecords, clock: FakeClock, record: MemoryRecord
) -> None:
    clock.advance(hours=1)
    change(DeleteRecord(id=record.id), services)
    deleted = rfc3339(clock.now)
    clock.advance(hours=1)
    change(RestoreRecord(id=record.id), services)

    for instant in ("2026-03-01T09:00:00Z", "0001-01-01T00:00:00Z", deleted):
        with refused(records, NotFound, NOT_FOUND):
            retrieved(record.id, services, as_of=instant)


def test_what_was_out_of_reach_then_stays_so(
    services: Services, records: TableRecords, clock: FakeClock, record: MemoryRecord
) -> None:
    reclassified(record.id, services, clock, scope="project:beta", sensitivity="high")
    then = rfc3339(clock.now)
    reclassified(record.id, services, clock, scope="shared", sensitivity="low")

    for principal in (ALPHA, LOW):
        with refused(records, NotFound, NOT_FOUND):
            retrieved(record.id, services, principal, as_of=then)
    with refused(records, PermissionDenied, DENIED):
        retrieved(record.id, services, as_of=then, trust={"max_sensitivity": "low"})
    assert retrieved(record.id, services, as_of=then).sensitivity == "high"


def test_what_is_out_of_reach_today_may_not_be_read_as_it_was_either(
    services: Services, records: TableRecords, clock: FakeClock, record: MemoryRecord
) -> None:
    then = rfc3339(clock.now)
    reclassified(record.id, services, clock, sensitivity="high")

    with refused(records, NotFound, NOT_FOUND):
        retrieved(record.id, services, LOW, as_of=then)


# --- The newest of a chain ----------------------------------------------------------------------


def chain(services: Services, length: int) -> list[str]:
    """Facts of which each but the first replaced the one before it."""
    ids = [observed(services).id]
    for _ in range(length):
        ids.append(written(change(supersede(ids[-1]), services)).id)
    return ids


def test_resolving_leads_to_the_newest_of_a_chain(services: Services) -> None:
    ids = chain(services, 3)

    found = [retrieved(each, services, resolve="latest").id for each in ids]

    assert found == [ids[-1]] * 4


def test_resolving_what_was_merged_leads_to_the_union(
    services: Services, record: MemoryRecord
) -> None:
    other = observed(services, object="milk")
    union = written(change(merge(record.id, other.id), services))

    assert retrieved(other.id, services, resolve="latest").id == union.id


def test_what_was_retracted_and_not_replaced_is_the_newest(
    services: Services, record: MemoryRecord
) -> None:
    change(Retract(id=record.id), services)

    assert retrieved(record.id, services, resolve="latest").id == record.id


def test_a_chain_that_leads_out_of_reach_is_not_found(
    services: Services, records: TableRecords, clock: FakeClock
) -> None:
    first, middle, last = chain(services, 2)
    reclassified(last, services, clock, sensitivity="high")

    with refused(records, NotFound, NOT_FOUND):
        retrieved(first, services, LOW, resolve="latest")
    with refused(records, PermissionDenied, DENIED):
        retrieved(first, services, resolve="latest", trust={"max_sensitivity": "low"})
    change(DeleteRecord(id=last), services)
    with refused(records, NotFound, NOT_FOUND):
        retrieved(middle, services, resolve="latest")


def test_a_chain_that_is_too_long_tells_where_to_go_on(
    services: Services, records: TableRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_record, "MAX_STEPS", 10)
    ids = chain(services, 11)

    assert retrieved(ids[1], services, resolve="latest").id == ids[-1]
    with refused(records, FailedPrecondition, f"go on from record {ids[10]}"):
        retrieved(ids[0], services, resolve="latest")


def test_resolve_knows_one_word_and_no_instant(services: Services, record: MemoryRecord) -> None:
    with pytest.raises(InvalidArgument) as caught:
        retrieved(record.id, services, resolve="newest")
    assert complaints(caught.value) == {"resolve": "resolve must be one of: latest"}
    with pytest.raises(InvalidArgument, match="as_of and resolve"):
        retrieved(record.id, services, resolve="latest", as_of=record.created_at)
