"""What the records that come from others have in common: gates, place, keys, races."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.ingest.full_records import OpenUpload
from membrane.domain.language.errors import (
    Aborted,
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import ConflictPolicy, Permission, Sensitivity
from membrane.domain.lifecycle.requests import ChangeRequest, DeleteRecord
from membrane.domain.records.idempotency import keyed_id
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.records.states import state_of
from membrane.domain.revision.requests import Contest, Retract, Supersede
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.machinery.calls import Written
from membrane.usecases.machinery.retries import MAX_TRIES
from membrane.usecases.ports.services import Services
from membrane.usecases.records.creating import REUSED
from membrane.usecases.records.open_upload import open_upload
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    ALPHA,
    OWNER,
    call,
    change,
    event,
    fork,
    gone,
    merge,
    observation,
    refused,
    relation,
    standing,
    supersede,
    written,
)
from tests.fakes.clock import FakeClock
from tests.worlds.faults import lose_races, rivalled, win_unheard
from tests.worlds.memory import make_services, put_upload
from tests.worlds.memory_table import TableRecords

Asking = Callable[..., ChangeRequest]
"""What asks for a record that comes from the one of that id."""

EVERY: dict[str, Asking] = {"supersede": supersede, "fork": fork, "merge": merge}
each = pytest.mark.parametrize("asking", EVERY.values(), ids=EVERY)

SOURCES = {"supersede": "old record", "fork": "source record", "merge": "source record"}
"""What the refusals call a record that another comes from."""

REVISER = principal_of("reviser", [Permission.REVISE], ["project:alpha", "shared"], "medium")
"""May revise what lies in two scopes and is not too sensitive, and is no administrator."""


def fact(services: Services, **fields: Any) -> MemoryRecord:
    """A fact of the owner's, placed as the fields say."""
    asked = observation(**fields)
    return written(ingest(asked, call(asked), services))


def name_of(asking: Asking) -> str:
    return next(name for name, known in EVERY.items() if known is asking)


# --- gates ---------------------------------------------------------------------------------------


@each
@pytest.mark.parametrize(
    "placed",
    [{"scope": "project:beta"}, {"scope": "shared", "sensitivity": "high"}],
    ids=["out of scope", "too sensitive"],
)
def test_what_may_not_be_seen_is_revised_as_what_was_never_made(
    services: Services, records: TableRecords, asking: Asking, placed: dict[str, str]
) -> None:
    hidden = fact(services, **placed)
    name = name_of(asking)

    for record_id in (hidden.id, "never-made"):
        words = f"{name}: get {SOURCES[name]} {record_id}: record not found"
        with refused(records, NotFound, words):
            change(asking(record_id), services, REVISER)


@pytest.mark.parametrize("asking", [supersede, fork], ids=["supersede", "fork"])
def test_what_could_be_no_id_is_not_repeated_whole(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    with refused(records, NotFound, "record not found") as caught:
        change(asking("x" * 9_000), services)

    assert len(str(caught.value)) < 200


@each
def test_what_may_be_seen_but_not_written_is_not_revised(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    unscoped = fact(services)

    with refused(records, PermissionDenied):
        change(asking(unscoped.id), services, REVISER)


@each
def test_what_is_deleted_is_not_revised(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    dead = fact(services)
    change(DeleteRecord(id=dead.id), services)

    with refused(records, NotFound, "record not found"):
        change(asking(dead.id), services)


@each
def test_an_episode_is_not_revised(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    episode = written(ingest(event(), call(event()), services))

    words = "episodic memory is immutable and cannot be revised: record " + episode.id
    with refused(records, FailedPrecondition, f"{name_of(asking)}: {words}"):
        change(asking(episode.id), services)


@each
def test_what_was_retracted_is_revised_no_further(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    old = fact(services)
    change(Retract(id=old.id), services)

    with refused(records, FailedPrecondition, f"{name_of(asking)}: record {old.id} is retracted"):
        change(asking(old.id), services)


@each
def test_no_episode_is_made_by_revision(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    old = fact(services)
    episode = asking(old.id).model_dump(exclude_defaults=True)
    (field_name,) = (name for name in episode if name.endswith("_record"))
    payload = {"kind": "episodic", "timeline": []}
    episode[field_name] |= {"type": "episodic", "payload": payload}

    with refused(records, InvalidArgument, "an episodic record is not made by revision"):
        change(type(asking(old.id)).model_validate(episode), services)


@each
@pytest.mark.parametrize("scope", ["project:beta", "hidden"])
def test_a_relation_must_point_at_what_may_be_seen(
    services: Services, records: TableRecords, asking: Asking, scope: str
) -> None:
    old, hidden = fact(services, scope="shared"), fact(services, scope=scope)

    for target_id in (hidden.id, "never-made"):
        with refused(records, NotFound, "a relation's target: record not found"):
            change(asking(old.id, relations=[relation(target_id)]), services, REVISER)


@each
def test_a_fact_needs_evidence_or_provenance(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    old = fact(services)

    words = f"{name_of(asking)}: semantic revision requires evidence: record new has no evidence"
    with refused(records, InvalidArgument, words):
        change(asking(old.id, id="new", payload={"evidence": []}), services)
    sources = {"sources": [{"kind": "observation", "ref": "seen"}]}
    record = written(change(asking(old.id, payload={"evidence": []}, provenance=sources), services))

    assert record.provenance.sources[0].ref == "seen"


# --- place ---------------------------------------------------------------------------------------


@each
@pytest.mark.parametrize(
    ("source", "asked", "made"),
    [("low", "medium", "medium"), ("medium", "low", "medium"), ("medium", "public", "medium")],
)
def test_a_record_is_at_least_as_sensitive_as_where_it_comes_from(
    services: Services, asking: Asking, source: str, asked: str, made: str
) -> None:
    old = fact(services, scope="shared", sensitivity=source)

    record = written(change(asking(old.id, sensitivity=asked), services, REVISER))

    assert record.sensitivity == made


@each
@pytest.mark.parametrize("asked", [None, "", "shared"])
def test_a_record_stays_in_the_scope_where_it_comes_from(
    services: Services, asking: Asking, asked: str | None
) -> None:
    old = fact(services, scope="shared")

    record = written(change(asking(old.id, scope=asked), services, REVISER))

    assert record.scope == "shared"


@each
def test_a_record_leaves_its_scope_neither_for_another_of_the_callers_nor_for_a_strangers(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    old = fact(services, scope="shared")

    for scope in ("project:alpha", "project:beta"):
        with refused(records, PermissionDenied, "stays in the scope of its sources"):
            change(asking(old.id, scope=scope), services, REVISER)


@each
def test_an_administrator_may_make_it_less_sensitive_and_move_it(
    services: Services, asking: Asking
) -> None:
    old = fact(services, scope="shared", sensitivity="high")

    record = written(change(asking(old.id, scope="other", sensitivity="public"), services))

    assert (record.scope, record.sensitivity) == ("other", Sensitivity.PUBLIC)


@each
def test_nobody_makes_a_record_beyond_the_own_ceiling(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    old = fact(services, scope="shared")

    for principal in (REVISER, ALPHA):
        with refused(records, PermissionDenied, "highest sensitivity"):
            change(asking(old.id, sensitivity="high"), services, principal)


# --- what is made --------------------------------------------------------------------------------


@each
def test_what_the_server_owns_in_a_record_is_not_taken_from_its_sender(
    services: Services, asking: Asking
) -> None:
    other, old = fact(services), fact(services)
    forged = {
        "audit_log": [{"action": "create", "actor": "forger", "rationale": "forged"}],
        "created_at": "1999-01-01T00:00:00Z",
        "interpretation": {"summary": "forged"},
        "relations": [relation(other.id, "supersedes"), relation(other.id, "contested_by")],
        "payload": {"revision": {"status": "retracted", "superseded_by": other.id}},
    }

    record = written(change(asking(old.id, **forged), services))

    assert "forge" not in str(record)
    assert record.created_at != "1999-01-01T00:00:00Z"
    assert [entry.action for entry in record.audit_log] == ["create"]
    assert {each.target_id for each in record.relations} == {old.id}
    assert other.id not in str(record)


@each
def test_a_record_that_was_read_may_be_sent_back_changed(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    first = fact(services)
    second = written(change(supersede(first.id), services))
    sent = {name: value for name, value in as_json(second).items() if name != "id"}

    third = written(change(asking(second.id, **sent), services))

    assert {each.target_id for each in third.relations} == {second.id}
    assert state_of(standing(first.id, records).record.payload).superseded_by == second.id


@each
def test_a_record_that_was_contested_more_often_than_relations_are_taken_may_be_sent_back(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    doubtful = fact(services)
    for _ in range(31):
        change(Contest(id=doubtful.id, contesting_ref=fact(services).id), services)
    read = as_json(standing(doubtful.id, records).record)
    sent = {name: value for name, value in read.items() if name != "id"}

    record = written(change(asking(doubtful.id, **sent), services))

    assert {each.target_id for each in record.relations} == {doubtful.id}


@each
def test_other_relations_come_behind_those_of_the_revision(
    services: Services, asking: Asking
) -> None:
    cited, old = fact(services), fact(services)
    asked = [relation(cited.id), relation(old.id, "cites", weight=0.5)]

    record = written(change(asking(old.id, relations=asked), services))

    assert [(each.predicate, each.target_id) for each in record.relations][1:] == [
        ("cites", cited.id),
        ("cites", old.id),
    ]
    assert record.relations[0].target_id == old.id


@each
def test_relations_have_room_for_those_of_the_revision(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    cited, old = fact(services), fact(services)
    asked = [relation(cited.id, f"cites-{number}") for number in range(30)]

    with refused(records, InvalidArgument, "too many relations with those to the sources: 31"):
        change(asking(old.id, relations=asked), services)
    record = written(change(asking(old.id, relations=asked[1:]), services))

    assert len(record.relations) == 30


@each
def test_actor_and_reason_are_audited_as_claims_beside_the_principal(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    old = fact(services)
    asked = asking(old.id).model_copy(update={"actor": "eval", "rationale": "update"})

    record = written(change(asked, services))

    entries = (record.audit_log[0], standing(old.id, records).trail[-1])
    assert [(entry.actor, entry.principal) for entry in entries] == [("eval", "owner")] * 2
    assert all(entry.rationale.endswith(": update") for entry in entries)
    assert written(change(asking(fact(services).id), services)).audit_log[0].actor == "owner"


@each
def test_a_large_value_is_claimed_by_the_record(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    old = fact(services)
    text = compact_json("x" * 200_000).encode()
    upload = OpenUpload(size=len(text), sha256=hashlib.sha256(text).hexdigest())
    upload_id = open_upload(upload, call(upload), services).upload.id
    put_upload(upload_id, text, services)
    asked = asking(old.id, payload={"object": {"$upload": upload_id}})

    record = written(change(asked, services, key="key-1"))

    claimed = services.uploads.find(upload_id)
    assert claimed is not None
    assert claimed.claimed_by == record.id
    payload = record.payload
    assert isinstance(payload, SemanticPayload)
    assert isinstance(payload.object, LargeValue)
    assert records.value(payload.object) == text
    assert change(asked, services, key="key-1") == Written(record, 1, replayed=True)


# --- ids and keys --------------------------------------------------------------------------------


@each
def test_a_chosen_id_is_kept_and_may_not_be_taken(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    other, old = fact(services), fact(services)

    for taken in (old.id, other.id):
        with refused(records, AlreadyExists, "record already exists"):
            change(asking(old.id, id=taken), services)
    assert written(change(asking(old.id, id="mine"), services)).id == "mine"


@each
def test_an_id_of_the_kind_that_keys_make_is_refused(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    old = fact(services)

    with refused(records, InvalidArgument, "version 8"):
        change(asking(old.id, id=keyed_id(OWNER.identity, "Supersede", "key-1")), services)


@each
@pytest.mark.parametrize("chosen", [{}, {"id": "mine"}], ids=["made of the key", "chosen"])
def test_a_repeat_under_the_same_key_gives_the_record_again(
    services: Services, records: TableRecords, asking: Asking, chosen: dict[str, str]
) -> None:
    asked = asking(fact(services).id, **chosen)
    first = written(change(asked, services, key="key-1"))
    stored = records.everything()

    again = written(change(asked, services, key="key-1"), replayed=True)

    assert again == first
    assert records.everything() == stored


@each
@pytest.mark.parametrize("chosen", [{}, {"id": "mine"}], ids=["made of the key", "chosen"])
def test_another_body_under_the_same_key_is_refused(
    services: Services, records: TableRecords, asking: Asking, chosen: dict[str, str]
) -> None:
    old = fact(services)
    change(asking(old.id, **chosen), services, key="key-1")

    with refused(records, AlreadyExists, REUSED):
        change(asking(old.id, confidence=0.5, **chosen), services, key="key-1")


@each
def test_a_repeat_says_when_the_record_was_deleted(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    asked = asking(fact(services).id)
    record = written(change(asked, services, key="key-1"))
    change(DeleteRecord(id=record.id), services)
    stored = records.everything()

    assert gone(change(asked, services, key="key-1")).record_id == record.id
    assert records.everything() == stored


# --- places of facts -----------------------------------------------------------------------------


@pytest.fixture
def strict(records: TableRecords, clock: FakeClock) -> Services:
    """A world in which there is one active fact of a subject and predicate."""
    policy = PolicyDefaults(conflicts={"likes": ConflictPolicy.REPLACE})
    return make_services(records=records, now=clock, policy=policy)


@pytest.mark.parametrize("asking", [supersede, merge], ids=["supersede", "merge"])
def test_a_record_takes_the_place_of_what_it_replaces(
    strict: Services, records: TableRecords, asking: Asking
) -> None:
    old = fact(strict)

    new = written(change(asking(old.id), strict))

    (head,) = records.heads
    assert [holder.record_id for holder in head.holders] == [new.id]


@pytest.mark.parametrize("asking", [supersede, merge], ids=["supersede", "merge"])
def test_a_place_that_another_fact_holds_is_not_taken(
    strict: Services, records: TableRecords, asking: Asking
) -> None:
    standing_there = fact(strict)
    elsewhere = fact(strict, subject="somebody")

    words = f"record {standing_there.id} is the active fact of this subject and predicate"
    with refused(records, FailedPrecondition, words):
        change(asking(elsewhere.id), strict)


def test_a_variant_needs_a_place_of_its_own(strict: Services, records: TableRecords) -> None:
    source = fact(strict)

    with refused(records, FailedPrecondition, f"record {source.id} is the active fact"):
        change(fork(source.id), strict)
    conditional = {"mode": "conditional", "conditions": {"time": "morning"}}
    variant = written(change(fork(source.id, payload={"validity": conditional}), strict))

    assert [holder.record_id for head in records.heads for holder in head.holders] == [
        source.id,
        variant.id,
    ]


def test_a_repeat_is_not_refused_for_the_place_that_its_own_record_holds(
    strict: Services,
) -> None:
    asked = supersede(fact(strict).id)
    first = written(change(asked, strict, key="key-1"))

    again = written(change(asked, strict, key="key-1"), replayed=True)

    assert again == first


# --- races ---------------------------------------------------------------------------------------


@each
@pytest.mark.parametrize("races", [0, 1, MAX_TRIES - 1])
@pytest.mark.parametrize("key", [None, "key-1"])
def test_whatever_is_lost_on_the_way_a_revision_is_made_once(
    services: Services,
    records: TableRecords,
    asking: Asking,
    races: int,
    key: str | None,
) -> None:
    old = fact(services)
    lose_races(records.client, races)
    won = win_unheard(records.client)

    record = written(change(asking(old.id), services, key=key))

    assert won
    assert set(records.ids) == {old.id, record.id}
    assert len(standing(old.id, records).trail) == 2


@each
def test_who_loses_every_race_changes_nothing(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    old = fact(services)
    lose_races(records.client, MAX_TRIES)

    with refused(records, Aborted):
        change(asking(old.id), services)


@each
def test_what_another_retracts_meanwhile_is_revised_no_further(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    old = fact(services)
    rivalled(records.client, lambda: change(Retract(id=old.id), services))

    with pytest.raises(FailedPrecondition, match="is retracted"):
        change(asking(old.id), services)

    assert set(records.ids) == {old.id}


@each
def test_a_source_that_becomes_more_sensitive_meanwhile_makes_the_record_so(
    services: Services, records: TableRecords, asking: Asking
) -> None:
    old = fact(services, scope="shared")

    def classify() -> None:
        found = standing(old.id, records)
        record = found.record.model_copy(update={"sensitivity": Sensitivity.MEDIUM})
        records.places[found.id] = replace(found, record=record, version=found.version + 1)

    rivalled(records.client, classify)

    record = written(change(asking(old.id), services, REVISER))

    assert record.sensitivity is Sensitivity.MEDIUM


def test_of_two_that_supersede_one_record_at_once_one_is_told_that_it_is_retracted(
    services: Services, records: TableRecords
) -> None:
    old = fact(services)
    other: list[MemoryRecord] = []
    rivalled(records.client, lambda: other.append(written(change(supersede(old.id), services))))

    with pytest.raises(FailedPrecondition, match=f"record {old.id} is retracted"):
        change(supersede(old.id), services)

    assert set(records.ids) == {old.id, other[0].id}


@pytest.mark.parametrize("principal", [OWNER, REVISER])
def test_a_repeat_meets_its_own_record_although_the_source_is_retracted_since(
    services: Services, principal: Principal
) -> None:
    old = fact(services, scope="shared")
    asked: Supersede = supersede(old.id)
    first = written(change(asked, services, principal, key="key-1"))

    again = written(change(asked, services, principal, key="key-1"), replayed=True)

    assert again.id == first.id
