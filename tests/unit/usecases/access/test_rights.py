"""Rights come from the principal; a request can only narrow them."""

from collections.abc import Callable

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.access.requests import TrustInput
from membrane.domain.ingest.reports import PlacedReport
from membrane.domain.language.errors import NotFound, PermissionDenied
from membrane.domain.language.vocabulary import Permission
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.requests import ReadAudit, RetrieveById
from membrane.usecases.ingest.ingest_outcome import NO_TARGET
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.delete_and_restore import delete_record
from membrane.usecases.machinery.visibility import DENIED, NOT_FOUND
from membrane.usecases.ports.services import Services
from membrane.usecases.records.read_history import read_audit
from membrane.usecases.records.read_record import retrieve_by_id
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    ALPHA,
    BETA,
    OWNER,
    call,
    event,
    full_record,
    observation,
    outcome,
    refused,
    tool_output,
    working_state,
    written,
)
from tests.worlds.memory_table import TableRecords

LOWEST = principal_of("lowest", Permission, ["*"], "public")


def made(services: Services, **fields: object) -> MemoryRecord:
    """A record of the owner's, placed as the fields say."""
    return written(ingest(event(**fields), call(event(**fields)), services))


def retrieved(
    record_id: str, principal: Principal, services: Services, **trust: object
) -> MemoryRecord:
    """The record as the principal gets it, with that trust asked for."""
    asked = RetrieveById(id=record_id, trust=TrustInput.model_validate(trust))
    return retrieve_by_id(asked, call(asked, principal), services)


# --- writing -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("principal", "asked", "scope"),
    [
        (OWNER, None, ""),
        (OWNER, "", ""),
        (OWNER, "anywhere", "anywhere"),
        (ALPHA, None, "project:alpha"),
        (ALPHA, "", "project:alpha"),
        (ALPHA, "shared", "shared"),
        (principal_of("mixed", ["ingest"], ["a", "*"], "low"), None, ""),
        (principal_of("mixed", ["ingest"], ["a", "*"], "low"), "b", "b"),
    ],
)
def test_a_record_goes_where_its_principal_may_write(
    services: Services, principal: Principal, asked: str | None, scope: str
) -> None:
    report = event(scope=asked)

    record = written(ingest(report, call(report, principal), services))

    assert record.scope == scope


@pytest.mark.parametrize("make", [event, tool_output, observation, working_state])
@pytest.mark.parametrize("scope", ["project:beta", "project:alph", "project:alpha ", "Shared"])
def test_no_principal_writes_outside_its_scopes(
    services: Services, records: TableRecords, make: Callable[..., PlacedReport], scope: str
) -> None:
    report = make(scope=scope)

    with refused(records, PermissionDenied):
        ingest(report, call(report, ALPHA), services)  # type: ignore[arg-type]  # one of the four


@pytest.mark.parametrize("make", [event, tool_output, observation, working_state])
def test_no_principal_writes_above_its_ceiling(
    services: Services, records: TableRecords, make: Callable[..., PlacedReport]
) -> None:
    report = make(sensitivity="high")

    with refused(records, PermissionDenied):
        ingest(report, call(report, ALPHA), services)  # type: ignore[arg-type]  # one of the four


def test_the_default_sensitivity_is_no_way_around_the_ceiling(
    services: Services, records: TableRecords
) -> None:
    with refused(records, PermissionDenied):
        ingest(event(), call(event(), LOWEST), services)


@pytest.mark.parametrize("fields", [{"scope": "project:beta"}, {"sensitivity": "high"}])
def test_a_full_record_is_held_to_the_same_rights(
    services: Services, records: TableRecords, fields: dict[str, str]
) -> None:
    asked = full_record(**fields)

    with refused(records, PermissionDenied):
        ingest_record(asked, call(asked, ALPHA), services)


def test_an_unscoped_record_is_read_by_all_but_changed_only_with_all_scopes(
    services: Services, records: TableRecords
) -> None:
    record = made(services)

    assert retrieved(record.id, ALPHA, services).id == record.id
    with refused(records, PermissionDenied):
        ingest(outcome(record.id), call(outcome(record.id), ALPHA), services)
    with refused(records, PermissionDenied):
        deletion = DeleteRecord(id=record.id)
        delete_record(deletion, call(deletion, ALPHA), services)


# --- what may not be seen answers as absent ------------------------------------------------------

HIDDEN = [{"scope": "project:beta"}, {"scope": "shared", "sensitivity": "high"}]


@pytest.mark.parametrize("placed", HIDDEN, ids=["out of scope", "too sensitive"])
def test_a_hidden_record_reads_as_one_that_was_never_made(
    services: Services, records: TableRecords, placed: dict[str, str]
) -> None:
    hidden = made(services, **placed)

    for record_id in (hidden.id, "never-made"):
        asked = ReadAudit(id=record_id)
        with refused(records, NotFound, NOT_FOUND):
            retrieved(record_id, ALPHA, services)
        with refused(records, NotFound, NOT_FOUND):
            read_audit(asked, call(asked, ALPHA), services)


@pytest.mark.parametrize("placed", HIDDEN, ids=["out of scope", "too sensitive"])
def test_a_hidden_record_changes_as_one_that_was_never_made(
    services: Services, records: TableRecords, placed: dict[str, str]
) -> None:
    hidden = made(services, **placed)

    for record_id in (hidden.id, "never-made"):
        completion, deletion = outcome(record_id), DeleteRecord(id=record_id)
        with refused(records, NotFound, NO_TARGET):
            ingest(completion, call(completion, ALPHA), services)
        with refused(records, NotFound, NOT_FOUND):
            delete_record(deletion, call(deletion, ALPHA), services)


def test_a_hidden_tombstone_is_hidden_too(services: Services, records: TableRecords) -> None:
    hidden = made(services, scope="project:beta")
    deletion = DeleteRecord(id=hidden.id)
    delete_record(deletion, call(deletion), services)
    asked = ReadAudit(id=hidden.id)

    with refused(records, NotFound, NOT_FOUND):
        read_audit(asked, call(asked, ALPHA), services)
    assert read_audit(asked, call(asked, BETA), services).deleted_at is not None


@pytest.mark.parametrize(
    ("principal", "placed"),
    [
        (ALPHA, {"scope": "project:alpha", "sensitivity": "medium"}),
        (ALPHA, {"scope": "shared"}),
        (ALPHA, {}),
        (BETA, {"scope": "project:beta", "sensitivity": "hyper"}),
        (OWNER, {"scope": "any", "sensitivity": "hyper"}),
        (LOWEST, {"scope": "any", "sensitivity": "public"}),
    ],
)
def test_a_principal_reads_its_own_scopes_and_unscoped_records_up_to_its_ceiling(
    services: Services, principal: Principal, placed: dict[str, str]
) -> None:
    record = made(services, **placed)

    assert retrieved(record.id, principal, services).id == record.id


# --- the trust that a request asks for -----------------------------------------------------------


@pytest.mark.parametrize(
    "trust",
    [
        {"max_sensitivity": "public"},
        {"scopes": ["shared"]},
        {"scopes": ["project:beta"]},
        {"max_sensitivity": "hyper", "scopes": [""]},
    ],
)
def test_a_request_may_narrow_its_trust_and_is_told_so(
    services: Services, records: TableRecords, trust: dict[str, object]
) -> None:
    record = made(services, scope="project:alpha")
    asked = ReadAudit(id=record.id, trust=TrustInput.model_validate(trust))

    with refused(records, PermissionDenied, DENIED):
        retrieved(record.id, ALPHA, services, **trust)
    with refused(records, PermissionDenied, DENIED):
        read_audit(asked, call(asked, ALPHA), services)


@pytest.mark.parametrize("placed", HIDDEN, ids=["out of scope", "too sensitive"])
def test_a_request_cannot_widen_its_trust(
    services: Services, records: TableRecords, placed: dict[str, str]
) -> None:
    hidden = made(services, **placed)

    with refused(records, NotFound, NOT_FOUND):
        retrieved(
            hidden.id,
            ALPHA,
            services,
            max_sensitivity="hyper",
            scopes=["project:beta", "shared", "*"],
        )


@pytest.mark.parametrize(
    "trust",
    [{}, {"max_sensitivity": ""}, {"scopes": []}, {"scopes": ["project:alpha"]}],
)
def test_a_request_that_narrows_nothing_sees_what_its_principal_sees(
    services: Services, trust: dict[str, object]
) -> None:
    record = made(services, scope="project:alpha", sensitivity="medium")

    assert retrieved(record.id, ALPHA, services, **trust).id == record.id


def test_scopes_that_are_not_the_principals_leave_only_unscoped_records(
    services: Services, records: TableRecords
) -> None:
    unscoped, scoped = made(services), made(services, scope="project:alpha")

    assert retrieved(unscoped.id, ALPHA, services, scopes=["elsewhere"]).id == unscoped.id
    with refused(records, PermissionDenied, DENIED):
        retrieved(scoped.id, ALPHA, services, scopes=["elsewhere"])


def test_asking_for_all_scopes_is_asking_for_all_of_the_principals(
    services: Services, records: TableRecords
) -> None:
    own, hidden = made(services, scope="project:alpha"), made(services, scope="project:beta")

    assert retrieved(own.id, ALPHA, services, scopes=["*"]).id == own.id
    assert retrieved(hidden.id, OWNER, services, scopes=["*"]).id == hidden.id
    with refused(records, NotFound, NOT_FOUND):
        retrieved(hidden.id, ALPHA, services, scopes=["*"])
