"""A record gets another scope, sensitivity or tags within the caller's rights, or counts again."""

from typing import Any

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.language.errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    TooManyProfiles,
)
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import (
    ConflictPolicy,
    MemoryType,
    Permission,
    RevisionStatus,
)
from membrane.domain.lifecycle.pruning import due_of
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.payloads import RevisionState
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import state_of
from membrane.domain.revision.requests import Contest, Reclassify, Retract
from membrane.domain.salience.decay_defaults import PolicyDefaults, default_profile
from membrane.domain.salience.profiles import MAX_CLASSES
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.delete_and_restore import delete_record
from membrane.usecases.ports.services import Services
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    ALPHA,
    call,
    change,
    event,
    full_record,
    merge,
    observation,
    refused,
    standing,
    supersede,
    written,
)
from tests.fakes.clock import FakeClock
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords

REVISER = principal_of("reviser", [Permission.REVISE], ["project:alpha", "shared"], "medium")
"""No administrator."""


def fact(services: Services, **fields: Any) -> MemoryRecord:
    asked = observation(**fields)
    return written(ingest(asked, call(asked), services))


def reclassify(record: MemoryRecord, **fields: Any) -> Reclassify:
    return validate(Reclassify, {"id": record.id, **fields})


def test_what_is_asked_for_is_changed_and_the_rest_stays(
    services: Services, records: TableRecords, clock: FakeClock
) -> None:
    before = fact(services, scope="shared", tags=["a"])
    anchor = standing(before.id, records).anchor
    clock.advance(hours=1)
    asked = reclassify(
        before, scope="project:alpha", sensitivity="medium", tags=["b", "c", "b"], rationale="why"
    )

    change(asked, services, REVISER)

    stored = standing(before.id, records)
    record = stored.record
    assert (record.scope, record.sensitivity, record.tags) == (
        "project:alpha",
        "medium",
        ("b", "c"),
    )
    assert (record.payload, record.lifecycle, stored.anchor) == (
        before.payload,
        before.lifecycle,
        anchor,
    )
    entry = record.audit_log[-1]
    assert (entry.action, entry.actor) == ("revise", "reviser")
    assert entry.rationale == ("scope changed, sensitivity low -> medium, 1 tags -> 2 tags: why")
    assert record.updated_at == rfc3339(clock.now)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"scope": ""}, "scope changed"),
        ({"scope": "shared"}, "classification confirmed"),
        ({"tags": []}, "1 tags -> 0 tags"),
        ({"tags": ["a"], "sensitivity": "low"}, "classification confirmed"),
        ({"sensitivity": "public"}, "sensitivity low -> public"),
    ],
)
def test_the_audit_says_what_is_another(
    services: Services, fields: dict[str, Any], words: str
) -> None:
    before = fact(services, scope="shared", tags=["a"])

    record = written(change(reclassify(before, **fields), services))

    assert record.audit_log[-1].rationale == words


@pytest.mark.parametrize("fields", [{}, {"rationale": "why"}, {"scope": None, "tags": None}])
def test_a_request_for_nothing_is_refused(
    services: Services, records: TableRecords, fields: dict[str, Any]
) -> None:
    record = fact(services)

    with refused(records, InvalidArgument, "nothing is to be changed"):
        change(reclassify(record, **fields), services)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"retracted": True}, "to retract a record, post to its path /retract"),
        ({"retracted": 0}, "retracted must be true or false"),
        ({"retracted": 0.0}, "retracted must be true or false"),
        ({"retracted": "false"}, "retracted must be true or false"),
        ({"scope": "*"}, "the scope * is reserved"),
        ({"tags": ["x" * 257]}, "tag exceeds maximum length of 256"),
        ({"payload": {}}, "payload unknown field"),
    ],
)
def test_what_is_no_classification_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        validate(Reclassify, {"id": "a", **fields})

    assert str(caught.value) == message


def test_an_episode_is_classified_like_any_record(services: Services) -> None:
    episode = written(ingest(event(), call(event()), services))

    record = written(change(reclassify(episode, scope="shared", tags=["a"]), services))

    assert (record.scope, record.tags, record.payload) == ("shared", ("a",), episode.payload)


def test_a_retracted_record_is_classified_and_stays_retracted(services: Services) -> None:
    dead = fact(services)
    change(Retract(id=dead.id), services)

    record = written(change(reclassify(dead, sensitivity="high"), services))

    assert (record.sensitivity, record.salience) == ("high", 0.0)
    assert state_of(record.payload).status is RevisionStatus.RETRACTED


# --- rights --------------------------------------------------------------------------------------


@pytest.mark.parametrize("placed", [{"scope": "project:beta"}, {"sensitivity": "high"}])
def test_what_may_not_be_seen_is_not_found(
    services: Services, records: TableRecords, placed: dict[str, str]
) -> None:
    hidden = fact(services, **{"scope": "shared", **placed})

    with refused(records, NotFound, "record not found"):
        change(reclassify(hidden, tags=["a"]), services, REVISER)


@pytest.mark.parametrize(
    ("placed", "fields"),
    [
        ({"scope": ""}, {"scope": "shared"}),
        ({"scope": "shared"}, {"scope": "project:beta"}),
        ({"scope": "shared"}, {"scope": ""}),
        ({"scope": "shared"}, {"sensitivity": "high"}),
        ({"scope": "shared"}, {"sensitivity": "public"}),
    ],
    ids=["from no scope", "to a strange one", "to none", "above the ceiling", "lower"],
)
def test_what_the_caller_may_not_do_is_refused(
    services: Services, records: TableRecords, placed: dict[str, str], fields: dict[str, str]
) -> None:
    record = fact(services, **placed)

    with refused(records, PermissionDenied):
        change(reclassify(record, **fields), services, REVISER)


def test_lowering_a_sensitivity_takes_the_permission_admin(
    services: Services, records: TableRecords
) -> None:
    record = fact(services, scope="shared", sensitivity="medium")

    with refused(records, PermissionDenied, "needs the permission admin"):
        change(reclassify(record, sensitivity="low"), services, REVISER)
    assert written(change(reclassify(record, sensitivity="low"), services)).sensitivity == "low"


# --- taking up again -----------------------------------------------------------------------------


def test_a_retracted_record_is_taken_up_again_as_salient_as_a_new_one(
    services: Services, clock: FakeClock
) -> None:
    dead = fact(services)
    change(Retract(id=dead.id), services)
    clock.advance(days=1)

    record = written(change(reclassify(dead, retracted=False, rationale="true"), services))

    assert record.salience == 1.0
    assert state_of(record.payload) == RevisionState(
        status=RevisionStatus.ACTIVE, since=rfc3339(clock.now)
    )
    entry = record.audit_log[-1]
    assert entry.rationale == "no longer retracted: true"
    assert (entry.salience_before, entry.salience_after) == (0.0, 1.0)


def test_a_record_may_be_taken_up_and_moved_at_once(
    services: Services, records: TableRecords
) -> None:
    dead = fact(services)
    change(Retract(id=dead.id), services)

    record = written(change(reclassify(dead, retracted=False, scope="shared"), services))

    assert record.scope == "shared"
    assert record.audit_log[-1].rationale == "no longer retracted: scope changed"
    (*_, delta) = standing(dead.id, records).history
    assert ("scope",) in {was.path for was in delta.was}


@pytest.mark.parametrize("how", ["supersede", "merge"])
def test_what_was_replaced_is_not_taken_up(
    services: Services, records: TableRecords, how: str
) -> None:
    old = fact(services)
    asked = supersede(old.id) if how == "supersede" else merge(old.id)
    new = written(change(asked, services))

    words = f"it was superseded by {new.id}: supersede that one"
    with refused(records, FailedPrecondition, words):
        change(reclassify(old, retracted=False), services)


def test_what_was_replaced_is_taken_up_once_its_successor_is_gone_for_good(
    services: Services,
) -> None:
    old = fact(services)
    new = written(change(supersede(old.id), services))
    erasing = DeleteRecord(id=new.id, erase=True)
    delete_record(erasing, call(erasing), services)

    record = written(change(reclassify(old, retracted=False), services))

    state = state_of(record.payload)
    assert (state.status, state.superseded_by) == (RevisionStatus.ACTIVE, "")


def test_what_was_replaced_is_not_taken_up_while_its_successor_may_be_restored(
    services: Services, records: TableRecords
) -> None:
    old = fact(services)
    new = written(change(supersede(old.id), services))
    change(DeleteRecord(id=new.id), services)

    words = f"its successor {new.id} is deleted: restore or erase that one"
    with refused(records, FailedPrecondition, words):
        change(reclassify(old, retracted=False), services)
    change(DeleteRecord(id=new.id, erase=True), services)
    record = written(change(reclassify(old, retracted=False), services))

    assert state_of(record.payload).status is RevisionStatus.ACTIVE


def skill(services: Services, **decay: Any) -> MemoryRecord:
    """One that is fading so."""
    asked = full_record(lifecycle={"decay": decay})
    return written(ingest_record(asked, call(asked), services))


def test_what_has_outlived_its_max_age_is_taken_up_to_stay(
    services: Services, records: TableRecords, clock: FakeClock
) -> None:
    dead = skill(services, max_age_seconds=3_600)
    change(Retract(id=dead.id), services)
    clock.advance(hours=5)

    record = written(change(reclassify(dead, retracted=False), services))

    assert record.salience == 1.0
    assert record.audit_log[-1].salience_after == 1.0
    assert record.audit_log[-1].rationale == "no longer retracted, max_age_seconds 3600 -> 0"
    due_s = due_of(standing(dead.id, records), {})
    assert due_s is not None
    assert due_s > epoch_seconds(clock.now)


@pytest.mark.parametrize("hours", [0, 5])
def test_where_its_profile_would_be_one_too_many_it_gets_its_types_own_once_it_is_too_old(
    services: Services, records: TableRecords, clock: FakeClock, hours: int
) -> None:
    dead = skill(services, half_life_seconds=1, max_age_seconds=3_600)
    change(Retract(id=dead.id), services)
    for half_life_s in range(2, MAX_CLASSES - 1):
        skill(services, half_life_seconds=half_life_s)
    clock.advance(hours=hours)

    record = written(change(reclassify(dead, retracted=False), services))

    usual = default_profile(MemoryType.COMPETENCE, services.policy)
    assert record.lifecycle.decay == (usual if hours else dead.lifecycle.decay)
    if hours:
        skill(services, half_life_seconds=100)  # in the place of the profile that nothing has now
    with refused(records, TooManyProfiles):
        skill(services, half_life_seconds=101)


def test_what_is_not_taken_up_keeps_its_profile_where_that_would_be_one_too_many(
    services: Services, records: TableRecords, clock: FakeClock
) -> None:
    old = skill(services, half_life_seconds=1, max_age_seconds=3_600)
    for half_life_s in range(2, MAX_CLASSES):
        asked = full_record(scope="shared", lifecycle={"decay": {"half_life_seconds": half_life_s}})
        written(ingest_record(asked, call(asked), services))
    clock.advance(hours=5)

    with refused(records, TooManyProfiles):
        change(reclassify(old, scope="shared"), services)


def test_what_was_not_retracted_is_not_taken_up(services: Services, records: TableRecords) -> None:
    active, doubtful = fact(services), fact(services)
    change(Contest(id=doubtful.id), services)
    episode = written(ingest(event(), call(event()), services))

    for record in (active, doubtful, episode):
        with refused(records, FailedPrecondition, f"record {record.id} is not retracted"):
            change(reclassify(record, retracted=False), services)


# --- places of facts -----------------------------------------------------------------------------


@pytest.fixture
def strict(records: TableRecords, clock: FakeClock) -> Services:
    """A world in which there is one active fact of a subject and predicate."""
    policy = PolicyDefaults(conflicts={"likes": ConflictPolicy.REPLACE})
    return make_services(records=records, now=clock, policy=policy)


def test_a_fact_is_not_taken_up_beside_the_one_that_stands_there_now(
    strict: Services, records: TableRecords
) -> None:
    dead = fact(strict, object="tea")
    change(Retract(id=dead.id), strict)
    active = fact(strict, object="coffee")

    with refused(records, FailedPrecondition, f"record {active.id} is the active fact"):
        change(reclassify(dead, retracted=False), strict)
    change(Retract(id=active.id), strict)
    change(reclassify(dead, retracted=False), strict)

    (head,) = records.heads
    assert [holder.record_id for holder in head.holders] == [dead.id]


def test_a_fact_does_not_move_to_where_another_one_stands(
    strict: Services, records: TableRecords
) -> None:
    here, there = fact(strict, scope="here"), fact(strict, scope="there")

    with refused(records, FailedPrecondition, f"record {there.id} is the active fact"):
        change(reclassify(here, scope="there"), strict)
    change(reclassify(here, scope="elsewhere"), strict)

    newcomer = fact(strict, scope="here", object="coffee")
    assert state_of(newcomer.payload).supersedes == ""


def test_a_fact_is_not_shown_to_those_who_believe_another(
    strict: Services, records: TableRecords
) -> None:
    secret = fact(strict, object="tea", sensitivity="high", scope="shared")
    asked = observation(object="coffee", scope="shared")
    public = written(ingest(asked, call(asked, ALPHA), strict))

    with refused(records, FailedPrecondition, f"record {public.id} is the active fact"):
        change(reclassify(secret, sensitivity="low"), strict)
    change(Retract(id=public.id), strict)
    change(reclassify(secret, sensitivity="low"), strict)

    (head,) = records.heads
    assert [(each.record_id, each.sensitivity) for each in head.holders] == [(secret.id, "low")]


def test_other_tags_and_a_higher_sensitivity_need_no_other_place(
    strict: Services, records: TableRecords
) -> None:
    record = fact(strict)
    heads = records.heads

    change(reclassify(record, tags=["a"], sensitivity="high"), strict)

    assert records.heads == heads
