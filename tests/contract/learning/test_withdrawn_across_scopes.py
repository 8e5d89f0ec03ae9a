"""The owner of a trace withdraws the trace from skills across scopes, and learns nothing new."""

from collections.abc import Sequence

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import PermissionDenied
from membrane.domain.language.vocabulary import Permission
from membrane.domain.learning import learned_records
from membrane.domain.lifecycle.endings import expired_record
from membrane.domain.lifecycle.requests import DeleteRecord, Reinforce
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import RemovedRecord, StoredRecord
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.ports.services import Services
from membrane.usecases.records.tombstones import erasure_tombstone
from membrane.usecases.revision.withdraw_evidence import FEWER
from tests.builders.episodes import written
from tests.builders.requests import call, change, full_record
from tests.contract.learning.test_withdrawn_evidence import (
    add_marked,
    change_often,
    fade,
    places_with_mark,
)
from tests.worlds.crossing import (
    consolidate_later,
    content_shown,
    crossing,
    learn_across,
    plan_of,
    release_for,
    release_in,
    scopes_of,
    sources_of,
    successes_of,
    within_scopes,
)
from tests.worlds.learned import stored
from tests.worlds.stores import Store

WHY = "asked by a person"


def owner_of(scope: str) -> Principal:
    return principal_of(f"owner-of-{scope}", Permission, [scope], "hyper")


def withdraw(record_id: str, scope: str, services: Services, *, erase: bool) -> None:
    request = DeleteRecord(id=record_id, erase=erase, rationale=WHY)
    change(request, services, owner_of(scope))


def reinforce(record_id: str, scope: str, services: Services) -> None:
    request = Reinforce(id=record_id, actor="me", rationale="useful")
    change(request, services, owner_of(scope))


def trace_of(scope: str, skill_id: str, services: Services) -> StoredRecord:
    (found,) = [each for each in sources_of(skill_id, services) if each.scope == scope]
    return found


def tells_who(held: Sequence[StoredRecord | RemovedRecord]) -> list[str]:
    """The entries of audit trails that tell of the owner, or of the reason of the owner."""
    entries = [repr(entry) for each in held for entry in each.trail]
    return [each for each in entries if "owner-of" in each or WHY in each]


def assert_ended(record_ids: Sequence[str], services: Services, *, is_erased: bool) -> None:
    """The records are erased or else retracted, and do not tell who asked for that."""
    ended = services.records.load_all(record_ids)
    assert len(ended) == len(record_ids)
    for held in ended.values():
        if is_erased:
            assert held.tombstone is not None
            assert held.tombstone.is_erased
        else:
            assert is_retracted(stored(held.id, services).record.payload)
    assert tells_who([*ended.values()]) == []


@pytest.mark.parametrize("erase", [False, True])
def test_the_owner_of_a_trace_withdraws_it_from_the_unscoped_skill(
    store: Store, *, erase: bool
) -> None:
    services = crossing(store)
    skill_id = learn_across(store, services, "a", "b", "c")
    plan_id = plan_of(skill_id, services).id

    withdraw(trace_of("a", skill_id, services).id, "a", within_scopes(services), erase=erase)

    assert successes_of(skill_id, services) == 2
    for each in (skill_id, plan_id):
        assert scopes_of(sources_of(each, services)) == ["b", "c"]
    assert tells_who([stored(skill_id, services), stored(plan_id, services)]) == []


@pytest.mark.parametrize("is_step", [False, True])
def test_an_erasure_leaves_no_word_in_the_unscoped_skill(store: Store, *, is_step: bool) -> None:
    services = crossing(store)
    learn_across(store, services, "b", "c")
    add_marked("t-1", services)
    (skill_id,) = consolidate_later(store, services).grown
    trace = trace_of("team", skill_id, services)
    steps = [each.ref for each in trace.record.provenance.sources]
    change_often(skill_id, store, services)

    for each in steps if is_step else [trace.id, *steps]:
        withdraw(each, "team", services, erase=True)

    assert successes_of(skill_id, services) == 2
    assert places_with_mark(store) == []


@pytest.mark.parametrize("erase", [False, True])
def test_a_skill_with_one_trace_left_ends(store: Store, *, erase: bool) -> None:
    services = crossing(store)
    skill_id = learn_across(store, services, "a", "b")
    plan_id = plan_of(skill_id, services).id
    trace_id = trace_of("a", skill_id, services).id

    withdraw(trace_id, "a", services, erase=erase)

    assert_ended([skill_id, plan_id], services, is_erased=erase)


@pytest.mark.parametrize("erase", [False, True])
@pytest.mark.parametrize("more", [("t-1",), ("t-1", "t-2")])
def test_a_skill_whose_successes_are_left_in_one_scope_ends(
    store: Store, more: Sequence[str], *, erase: bool
) -> None:
    services = crossing(store)
    skill_id = learn_across(store, services, "a", "b")
    plan_id = plan_of(skill_id, services).id
    release_in("b", *more, services=services)
    assert set(consolidate_later(store, services).grown) == {skill_id}

    withdraw(trace_of("a", skill_id, services).id, "a", services, erase=erase)

    assert_ended([skill_id, plan_id], services, is_erased=erase)


@pytest.mark.parametrize("erase", [False, True])
def test_a_skill_with_successes_of_two_scopes_left_stays_without_single_values(
    store: Store, *, erase: bool
) -> None:
    services = crossing(store)
    release_for("zedekiah", "a", services)
    release_for("obadiah", "b", services)
    (skill_id,) = consolidate_later(store, services).skills
    release_in("b", "t-1", services=services)
    assert consolidate_later(store, services).grown == [skill_id]
    left = [each for each in sources_of(skill_id, services) if each.scope == "b"]

    withdraw(left[0].id, "b", services, erase=erase)

    assert scopes_of(sources_of(skill_id, services)) == ["a", "b"]
    shown = content_shown(skill_id, services)
    assert [each for each in ("zedekiah", "obadiah", "t-1", "examples") if each in shown] == []


def test_a_trace_that_faded_counts_until_its_owner_erases_it(store: Store) -> None:
    services = crossing(store)
    skill_id = learn_across(store, services, "a", "b", "c", "d")
    faded = trace_of("a", skill_id, services).id
    fade([faded], store, services)
    assert successes_of(skill_id, services) == 4

    withdraw(faded, "a", services, erase=True)

    assert successes_of(skill_id, services) == 3
    assert scopes_of(sources_of(skill_id, services)) == ["b", "c", "d"]


def test_a_deleted_skill_goes_for_good_with_erased_evidence(store: Store) -> None:
    services = crossing(store)
    skill_id = learn_across(store, services, "a", "b", "c")
    trace_id = trace_of("a", skill_id, services).id
    change(DeleteRecord(id=skill_id, rationale="wrong"), services)

    withdraw(trace_id, "a", services, erase=True)

    held = services.records.load(skill_id)
    assert held is not None
    assert held.tombstone is not None
    assert held.tombstone.is_erased


def test_the_owner_of_a_trace_may_not_change_the_skill_itself(store: Store) -> None:
    services = crossing(store)
    skill_id = learn_across(store, services, "a", "b")

    with pytest.raises(PermissionDenied):
        withdraw(skill_id, "a", services, erase=False)


@pytest.mark.parametrize("erase", [False, True])
def test_a_record_that_only_claims_to_be_evidence_withdraws_nothing(
    store: Store, *, erase: bool
) -> None:
    services = crossing(store)
    skill_id = learn_across(store, services, "a", "b")
    before = services.records.load(skill_id)
    event = {"t": "2026-01-01T00:00:00Z", "event_kind": "trace", "ref": "trace:t", "summary": ""}
    forged = full_record(
        type="episodic",
        scope="c",
        payload={"kind": "episodic", "timeline": [event], "outcome": "success"},
        relations=[{"predicate": "derived_competence", "target_id": skill_id}],
        provenance={"created_by": "consolidation", "sources": []},
    )
    owner = owner_of("c")
    made = written(ingest_record(forged, call(forged, owner), services))

    withdraw(made.id, "c", services, erase=erase)

    after = services.records.load(skill_id)
    assert before is not None
    assert after is not None
    assert (after.version, after.trail) == (before.version, before.trail)


@pytest.mark.parametrize("reinforcements", [0, 40])
def test_a_trace_without_document_and_out_of_the_list_is_withdrawn_too(
    store: Store, monkeypatch: pytest.MonkeyPatch, reinforcements: int
) -> None:
    services = crossing(store)
    learn_across(store, services, "b", "c")
    add_marked("t-1", services)
    (skill_id,) = consolidate_later(store, services).grown
    trace = trace_of("team", skill_id, services)
    monkeypatch.setattr(learned_records, "MAX_EVIDENCE", 2)
    release_in("d", "t-2", services=services)
    release_in("e", "t-3", services=services)
    assert set(consolidate_later(store, services).grown) == {skill_id}
    for _ in range(reinforcements):
        reinforce(trace.id, "team", services)
    fade([trace.id], store, services)
    faded = stored(trace.id, services)
    making = Making(trace.id, "", store.clock.now, "sweep", "5" * 32)
    tombstone = erasure_tombstone(faded, making.now, services.retention)
    store.records.forget(faded, expired_record(faded, making, tombstone._replace(reason="expired")))
    assert scopes_of(sources_of(skill_id, services)) == ["d", "e"]

    withdraw(trace.id, "team", services, erase=True)

    withdrawn = stored(skill_id, services).trail[-1].rationale
    assert withdrawn.endswith(f"{FEWER}: {trace.id}")
