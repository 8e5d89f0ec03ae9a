"""A full record of any type, as a caller wrote it or as this service returned it."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from membrane.domain.language.errors import (
    Aborted,
    AlreadyExists,
    InvalidArgument,
    NotFound,
    TooManyProfiles,
)
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.idempotency import keyed_id
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.delete_and_restore import delete_record
from membrane.usecases.machinery.retries import MAX_TRIES
from membrane.usecases.ports.services import Services
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    ALPHA,
    OWNER,
    call,
    event,
    full_record,
    refused,
    relation,
    written,
)
from tests.fakes.clock import BackOff, FakeClock
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords

NOW = "2026-03-01T09:00:00.25Z"
NO_SUCH_TARGET = "a relation's target: record not found"

PAYLOADS: dict[str, dict[str, Any]] = {
    "episodic": {"timeline": [{"t": NOW, "event_kind": "build", "ref": "build:1"}]},
    "working": {"thread_id": "thread:1", "state": "done"},
    "semantic": {
        "subject": "s",
        "predicate": "p",
        "object": None,
        "validity": {"mode": "timeboxed", "start": NOW},
    },
    "competence": {
        "skill_name": "deploy",
        "triggers": [{"signal": "merge"}],
        "recipe": [{"step": "push"}],
        "performance": {"success_count": 3},
    },
    "plan_graph": {
        "plan_id": "plan:1",
        "version": "1",
        "nodes": [{"id": "a", "op": "x"}, {"id": "b", "op": "y"}],
        "edges": [{"from": "a", "to": "b", "kind": "data"}],
    },
    "entity": {"canonical_name": "Ada", "aliases": ["A.", {"value": "Lady", "kind": "title"}]},
}


def given(services: Services, **fields: Any) -> MemoryRecord:
    """The record of a full record without a key."""
    asked = full_record(**fields)
    return written(ingest_record(asked, call(asked), services))


@pytest.fixture
def target(services: Services) -> MemoryRecord:
    """A record to relate to."""
    return written(ingest(event(scope="shared"), call(event(scope="shared")), services))


@pytest.mark.parametrize("memory_type", PAYLOADS)
def test_a_record_of_any_type_is_kept_as_it_was_sent(
    services: Services, records: TableRecords, memory_type: str
) -> None:
    payload = {"kind": memory_type, **PAYLOADS[memory_type]}

    record = given(services, type=memory_type, payload=payload, confidence=0.5, tags=["b", "a"])

    assert (record.type, record.confidence, record.tags) == (memory_type, 0.5, ("b", "a"))
    kept = as_json(record.payload)
    assert {name: kept[name] for name in ("kind", *PAYLOADS[memory_type]) if name in kept} == kept
    stored = records.load(record.id)
    assert isinstance(stored, StoredRecord)
    assert stored.with_newest_entries() == record


def test_a_record_that_this_service_returned_is_accepted_again_without_what_is_ours(
    services: Services, clock: FakeClock
) -> None:
    lifecycle = {"pinned": True, "decay": {"min_salience": 0.25}}
    first = given(services, lifecycle=lifecycle, provenance={"created_by": "somebody"})
    clock.advance(days=1)
    sent = {name: value for name, value in as_json(first).items() if name != "id"}

    forged = {"audit_log": [{"forged": True}], "interpretation": {"forged": True}}
    again = given(services, **{**sent, **forged, "created_at": "then"})

    assert again.id != first.id
    assert (again.created_at, again.updated_at) == (again.audit_log[0].timestamp,) * 2
    assert again.created_at != first.created_at
    assert [entry.rationale for entry in again.audit_log] == ["Ingested record from owner"]
    assert (again.payload, again.provenance) == (first.payload, first.provenance)
    assert again.interpretation is None
    assert again.lifecycle.decay == first.lifecycle.decay
    assert again.lifecycle.last_reinforced_at == again.created_at


@pytest.mark.parametrize(
    ("memory_type", "half_life_s"),
    [
        ("episodic", 3_600),
        ("working", 86_400),
        ("semantic", 2_592_000),
        ("competence", 2_592_000),
        ("plan_graph", 2_592_000),
        ("entity", 2_592_000),
    ],
)
def test_policy_fills_the_lifecycle_that_is_absent(
    services: Services, memory_type: str, half_life_s: int
) -> None:
    payload = {"kind": memory_type, **PAYLOADS[memory_type]}

    record = given(services, type=memory_type, payload=payload)

    assert as_json(record.lifecycle) == {
        "decay": {
            "curve": "exponential",
            "half_life_seconds": half_life_s,
            "reinforcement_gain": 0.2,
        },
        "last_reinforced_at": NOW,
        "deletion_policy": "auto_prune",
    }


def test_policy_fills_only_what_a_lifecycle_leaves_open(services: Services) -> None:
    asked = {
        "decay": {"curve": "linear", "reinforcement_gain": 0},
        "deletion_policy": "never",
        "last_reinforced_at": "1999-01-01T00:00:00Z",
    }

    record = given(services, lifecycle=asked)

    assert as_json(record.lifecycle) == {
        "decay": {
            "curve": "linear",
            "half_life_seconds": 2_592_000,
            "reinforcement_gain": 0.0,
        },
        "last_reinforced_at": NOW,
        "deletion_policy": "never",
    }


@pytest.mark.parametrize("decay", [{"curve": "custom"}, {"custom_curve": "steps"}])
def test_a_curve_that_the_settings_do_not_have_is_refused(
    services: Services, records: TableRecords, decay: dict[str, str]
) -> None:
    with refused(records, InvalidArgument, "custom_curve"):
        given(services, lifecycle={"decay": decay})


def test_a_curve_of_the_settings_may_be_asked_for_by_name(clock: FakeClock) -> None:
    policy = PolicyDefaults(custom_curves={"steps": ((0.0, 1.0), (1.0, 0.0))})
    services = make_services(now=clock, policy=policy)

    record = given(services, lifecycle={"decay": {"curve": "custom", "custom_curve": "steps"}})

    assert record.lifecycle.decay.custom_curve == "steps"


def test_a_payload_of_another_type_is_refused(services: Services, records: TableRecords) -> None:
    with refused(records, InvalidArgument, "payload kind must match memory type"):
        given(services, type="semantic")


def test_more_decay_profiles_than_a_ranking_can_merge_are_refused(
    services: Services, records: TableRecords
) -> None:
    for number in range(14):
        given(services, lifecycle={"decay": {"half_life_seconds": 100 + number}})

    with refused(records, TooManyProfiles, "16 decay profiles") as caught:
        given(services, lifecycle={"decay": {"half_life_seconds": 99}})

    assert "exponential:113" not in str(caught.value)


# --- ids -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("record_id", ["a", "x" * 128, "A.b_c:d-9"])
def test_a_chosen_id_is_kept(services: Services, record_id: str) -> None:
    assert given(services, id=record_id).id == record_id


@pytest.mark.parametrize("spell", [str, str.upper, lambda keyed: keyed.replace("-", "")])
def test_an_id_of_the_kind_that_keys_make_is_refused(
    services: Services, records: TableRecords, spell: Any
) -> None:
    with refused(records, InvalidArgument, "version 8"):
        given(services, id=spell(keyed_id(OWNER.identity, "IngestEvent", "key-1")))


def test_an_id_is_taken_by_a_record_of_any_scope(services: Services, records: TableRecords) -> None:
    given(services, id="taken", scope="project:beta")

    with refused(records, AlreadyExists, "record already exists"):
        asked = full_record(id="taken")
        ingest_record(asked, call(asked, ALPHA), services)


def test_an_id_stays_taken_after_deletion_until_the_tombstone_expires(
    services: Services, records: TableRecords, clock: FakeClock
) -> None:
    deletion = DeleteRecord(id=given(services, id="taken").id)
    delete_record(deletion, call(deletion), services)

    clock.advance(days=400)
    with refused(records, AlreadyExists):
        given(services, id="taken")
    clock.advance(seconds=1)
    assert len(given(services, id="taken").audit_log) == 1


# --- relations -----------------------------------------------------------------------------------


def test_a_relation_is_dated_now_and_weighs_1_unless_it_says_otherwise(
    services: Services, target: MemoryRecord
) -> None:
    sent = [
        relation(target.id),
        relation(target.id, "blocks", weight=0.25, created_at="1999-01-01T00:00:00Z"),
        relation(target.id, "weighs", weight=0),
    ]

    record = given(services, relations=sent)

    assert [(each.predicate, each.weight) for each in record.relations] == [
        ("cites", 1.0),
        ("blocks", 0.25),
        ("weighs", 1.0),
    ]
    assert {each.created_at for each in record.relations} == {NOW}


def test_a_target_may_be_in_any_scope_that_its_principal_sees(
    services: Services, target: MemoryRecord
) -> None:
    unscoped = given(services)
    asked = full_record(relations=[relation(target.id), relation(unscoped.id)])

    record = written(ingest_record(asked, call(asked, ALPHA), services))

    assert (record.scope, target.scope, unscoped.scope) == ("project:alpha", "shared", "")


@pytest.mark.parametrize(
    "placed",
    [{"scope": "project:beta"}, {"scope": "shared", "sensitivity": "high"}],
    ids=["out of scope", "too sensitive"],
)
def test_a_target_that_may_not_be_seen_is_refused_like_one_that_is_not_there(
    services: Services, records: TableRecords, placed: dict[str, str]
) -> None:
    hidden = given(services, **placed)

    for target_id in (hidden.id, "never-made", "no/id", "", "x" * 129):
        asked = full_record(relations=[relation(target_id)])
        with refused(records, NotFound, NO_SUCH_TARGET):
            ingest_record(asked, call(asked, ALPHA), services)


def test_a_deleted_target_is_refused(
    services: Services, records: TableRecords, target: MemoryRecord
) -> None:
    deletion = DeleteRecord(id=target.id)
    delete_record(deletion, call(deletion), services)

    with refused(records, NotFound, NO_SUCH_TARGET):
        given(services, relations=[relation(target.id)])


def test_a_record_cannot_relate_to_itself(services: Services, records: TableRecords) -> None:
    with refused(records, InvalidArgument, "cannot relate to itself"):
        given(services, id="self", relations=[relation("self")])
    asked = full_record(relations=[relation(keyed_id(OWNER.identity, "IngestRecord", "key-1"))])
    with refused(records, InvalidArgument, "cannot relate to itself"):
        ingest_record(asked, call(asked, key="key-1"), services)


def test_the_same_relation_twice_is_refused(
    services: Services, records: TableRecords, target: MemoryRecord
) -> None:
    with refused(records, InvalidArgument, "the same relation is given twice"):
        given(services, relations=[relation(target.id), relation(target.id, weight=0.5)])


@dataclass(slots=True)
class Restless(TableRecords):
    """A store in which a record changes its sensitivity just before each of some creations."""

    restless: str = ""
    changes: tuple[Sensitivity, ...] = ()

    def create(self, new: StoredRecord, **parts: Any) -> None:
        """Change the record first, while there are changes left."""
        found = self.load(self.restless)
        if isinstance(found, StoredRecord) and self.changes:
            level, *rest = self.changes
            self.changes = tuple(rest)
            record = found.record.model_copy(update={"sensitivity": level})
            self.places[found.id] = replace(found, record=record, version=found.version + 1)
        self.store.create(new, **parts)


def restless(
    clock: FakeClock, back_off: BackOff, changes: tuple[Sensitivity, ...]
) -> tuple[Services, Restless]:
    """A world with one record, `target`, that changes under the writers' feet."""
    records = Restless(clock)
    services = make_services(records=records, now=clock, back_off=back_off)
    given(services, id="target", scope="shared")
    records.restless, records.changes = "target", changes
    return services, records


def test_a_target_that_changes_meanwhile_is_looked_at_again(
    clock: FakeClock, back_off: BackOff
) -> None:
    services, _ = restless(clock, back_off, (Sensitivity.MEDIUM,))
    asked = full_record(relations=[relation("target")])

    record = written(ingest_record(asked, call(asked, ALPHA), services))

    assert record.relations[0].target_id == "target"
    assert back_off.tries == [0]


def test_a_target_that_is_hidden_meanwhile_is_refused(clock: FakeClock, back_off: BackOff) -> None:
    services, records = restless(clock, back_off, (Sensitivity.HIGH,))
    asked = full_record(relations=[relation("target")])

    with pytest.raises(NotFound, match=NO_SUCH_TARGET):
        ingest_record(asked, call(asked, ALPHA), services)

    assert set(records.places) == {"target"}


def test_a_target_that_never_rests_aborts_the_record(clock: FakeClock, back_off: BackOff) -> None:
    levels = (Sensitivity.MEDIUM, Sensitivity.LOW) * MAX_TRIES
    services, records = restless(clock, back_off, levels)
    asked = full_record(relations=[relation("target")])

    with pytest.raises(Aborted):
        ingest_record(asked, call(asked, OWNER), services)

    assert set(records.places) == {"target"}
