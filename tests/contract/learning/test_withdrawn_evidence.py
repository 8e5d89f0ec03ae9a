"""Evidence that goes: a trace goes with any step, a skill is learned again from what is left."""

import zlib
from collections.abc import Sequence
from contextlib import suppress

import pytest

from membrane.adapters.dynamodb.records import store as record_store
from membrane.domain.access.principals import principal_of
from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.integrity.findings import departure_from
from membrane.domain.integrity.leaves import content_digest, head_digest, leaf_of_record
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import AuditAction, OutcomeStatus, Permission
from membrane.domain.learning.recipes import USES
from membrane.domain.lifecycle.endings import deleted_version
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.payloads import CompetencePayload, EpisodicPayload
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import StoredRecord
from membrane.domain.records.versions import as_of, versions_of
from membrane.domain.revision.next_versions import has_lost_evidence
from membrane.usecases.learning.consolidate import consolidate_all
from membrane.usecases.ports.services import Services
from membrane.usecases.records.tombstones import new_tombstone
from membrane.usecases.revision.withdraw_evidence import FEWER, withdraw_evidence
from tests.builders.episodes import add_call, add_event, add_release, end
from tests.builders.requests import call, change
from tests.worlds.captures import services_over
from tests.worlds.learned import stored
from tests.worlds.stores import Item, Store

MARK = "zedekiah"
"""A word of the trace that is withdrawn, and of no other trace."""


def add_marked(
    thread: str, services: Services, status: OutcomeStatus = OutcomeStatus.SUCCESS
) -> None:
    """A release whose task, arguments and results have the mark."""
    add_event(thread, f"Release the parser version of {MARK}", services)
    add_call(thread, "run_tests", {"suite": "unit"}, {"error": f"{MARK} failed"}, services)
    add_call(thread, "build", {"tag": MARK}, {"image": MARK}, services)
    last = add_call(thread, "deploy", {"image": MARK}, {"error": f"no {MARK}"}, services)
    end(last.id, services, status)


def places_with_mark(store: Store) -> list[str]:
    """Where the store has the mark: the items of a table with its blobs, or the fake's records."""
    return [
        f"{item['pk']} {item['sk']}" for item in store.everything() if MARK in readable(item)
    ] + [
        blob.name
        for blob in store.blobs.list_blobs()
        if MARK in _decompressed(store.blobs.get(blob.name) or b"")
    ]


def readable(item: Item) -> str:
    texts = [each["S"] for each in item.values() if "S" in each]
    binaries = [each["B"] for each in item.values() if "B" in each]
    return " ".join([*texts, *map(_decompressed, binaries)])


def _decompressed(content: bytes) -> str:
    with suppress(zlib.error):
        return zlib.decompress(content).decode()
    return ""


def source_ids(record_id: str, services: Services) -> list[str]:
    return [source.ref for source in stored(record_id, services).record.provenance.sources]


def skill_in(record_id: str, services: Services) -> CompetencePayload:
    payload = stored(record_id, services).record.payload
    assert isinstance(payload, CompetencePayload)
    return payload


def successes_of(skill_id: str, services: Services) -> int:
    performance = skill_in(skill_id, services).performance
    assert performance is not None
    return performance.success_count


def marked_trace(services: Services, *record_ids: str) -> str:
    (found,) = [each for each in record_ids if MARK in repr(stored(each, services).record.payload)]
    return found


def change_often(record_id: str, store: Store, services: Services) -> None:
    """Change the content more often than the record's own item has room for."""
    for number in range(20):
        before = stored(record_id, services)
        record = before.record.model_copy(update={"tags": (f"{number}",)})
        making = Making(record_id, "", store.clock.now, "somebody", "5" * 32)
        entered = with_entry(record, AuditAction.REVISE, Why("somebody", ""), making)
        store.records.replace(before, before.next_version(entered))


def fade(trace_ids: Sequence[str], store: Store, services: Services) -> None:
    """Let the sweep remove the traces."""
    for each in trace_ids:
        trace = stored(each, services)
        tombstone = new_tombstone(trace.type, store.clock.now, "auto_pruned", services.retention)
        making = Making(each, "", store.clock.now, "sweep", "5" * 32)
        store.records.replace(
            trace, deleted_version(trace, tombstone, Why("decay-service", ""), making)
        )


def learn(store: Store, services: Services, *threads: str) -> str:
    """The skill that was learned from a release of each thread."""
    for number, thread in enumerate(threads):
        add_release(thread, f"1.{number}", services)
    store.clock.advance(hours=1)
    (skill_id,) = consolidate_all(services).skills
    return skill_id


def learn_more(store: Store, services: Services, thread: str) -> None:
    add_release(thread, f"2.{thread}", services)
    store.clock.advance(hours=1)
    assert len(consolidate_all(services).grown) == 1


@pytest.mark.parametrize("erase", [False, True])
def test_a_skill_counts_a_deleted_trace_no_longer(store: Store, *, erase: bool) -> None:
    services = services_over(store)
    skill_id = learn(store, services, "t-1", "t-2", "t-3")
    sources = [source.ref for source in stored(skill_id, services).record.provenance.sources]

    change(DeleteRecord(id=sources[0], erase=erase, rationale="law"), services)

    skill = stored(skill_id, services)
    assert [source.ref for source in skill.record.provenance.sources] == sources[1:]
    payload = skill.record.payload
    assert isinstance(payload, CompetencePayload)
    assert payload.performance is not None
    assert payload.performance.success_count == 2


@pytest.mark.parametrize("erase", [False, True])
def test_a_skill_with_too_few_traces_left_goes(store: Store, *, erase: bool) -> None:
    services = services_over(store)
    skill_id = learn(store, services, "t-1", "t-2")
    sources = [source.ref for source in stored(skill_id, services).record.provenance.sources]

    change(DeleteRecord(id=sources[0], erase=erase, rationale="law"), services)

    held = services.records.load(skill_id)
    assert held is not None
    if erase:
        assert held.tombstone is not None
        assert held.tombstone.is_erased
    else:
        assert isinstance(held, StoredRecord)
        assert is_retracted(held.record.payload)


@pytest.mark.parametrize("erase", [False, True])
def test_a_deleted_step_takes_the_trace_along(store: Store, *, erase: bool) -> None:
    services = services_over(store)
    steps = add_release("t-1", "1.0", services)
    store.clock.advance(hours=1)
    (trace_id,) = consolidate_all(services).traces

    change(DeleteRecord(id=steps[2].id, erase=erase, rationale="law"), services)

    trace = services.records.load(trace_id)
    assert trace is not None
    assert trace.tombstone is not None
    assert trace.tombstone.is_erased == erase


@pytest.mark.parametrize("status", [OutcomeStatus.SUCCESS, OutcomeStatus.FAILURE])
def test_erased_content_stays_nowhere_in_what_was_learned(
    store: Store, status: OutcomeStatus
) -> None:
    services = services_over(store)
    add_marked("t-0", services, status)
    skill_id = learn(store, services, "t-1", "t-2")
    sources = source_ids(skill_id, services)
    change_often(skill_id, store, services)
    trace = stored(marked_trace(services, *sources), services)

    for step in [source.ref for source in trace.record.provenance.sources]:
        change(DeleteRecord(id=step, erase=True, rationale="law"), services)

    assert places_with_mark(store) == []
    assert stored(skill_id, services).tombstone is None
    whole = services.records.load(skill_id, whole=True)
    assert isinstance(whole, StoredRecord)
    assert MARK not in repr(versions_of(whole))


def test_a_trace_that_is_erased_after_a_deletion_leaves_nothing_and_counts_once(
    store: Store,
) -> None:
    services = services_over(store)
    add_marked("t-0", services)
    skill_id = learn(store, services, "t-1", "t-2")
    sources = source_ids(skill_id, services)
    change_often(skill_id, store, services)
    trace = stored(marked_trace(services, *sources), services)
    steps = [source.ref for source in trace.record.provenance.sources]
    change(DeleteRecord(id=trace.id, rationale="wrong"), services)

    for each in [trace.id, *steps, trace.id]:
        change(DeleteRecord(id=each, erase=True, rationale="law"), services)

    assert places_with_mark(store) == []
    performance = skill_in(skill_id, services).performance
    assert performance is not None
    assert performance.success_count == 2


def test_the_past_of_a_skill_goes_on_after_an_erasure(store: Store) -> None:
    services = services_over(store)
    skill_id = learn(store, services, "t-1", "t-2", "t-3")
    store.clock.advance(hours=1)
    before = rfc3339(store.clock.now)
    store.clock.advance(hours=1)
    change(
        DeleteRecord(id=source_ids(skill_id, services)[0], erase=True, rationale="law"), services
    )
    after = rfc3339(store.clock.now)

    learn_more(store, services, "t-4")

    whole = services.records.load(skill_id, whole=True)
    assert isinstance(whole, StoredRecord)
    assert as_of(whole, before) is None
    then = as_of(whole, after)
    assert then is not None
    assert len(then.record.provenance.sources) == 2
    assert len(whole.record.provenance.sources) == 3
    assert [len(each.changes) > 0 for each in versions_of(whole)] == [False, False, True]


def test_an_erased_past_is_no_finding_of_an_anchor(store: Store) -> None:
    services = services_over(store)
    skill_id = learn(store, services, "t-1", "t-2", "t-3")
    whole = services.records.load(skill_id, whole=True)
    assert whole is not None
    anchored = leaf_of_record(whole)
    trace_id = source_ids(skill_id, services)[0]

    change(DeleteRecord(id=trace_id, erase=True, rationale="law"), services)

    held = services.records.load(skill_id, whole=True)
    assert held is not None
    found = departure_from(
        anchored,
        leaf_of_record(held),
        lambda position: head_digest(held.trail[position].hash),
        lambda entries: content_digest(held, entries),
        lambda _: False,
    )
    assert found is None


@pytest.mark.parametrize("erase", [False, True])
def test_a_skill_is_named_anew_only_without_erased_words(store: Store, *, erase: bool) -> None:
    services = services_over(store)
    skill_id = learn(store, services, "t-1", "t-2", "t-3")
    skill = stored(skill_id, services)
    named = skill.record.payload.model_copy(update={"skill_name": f"Words of {MARK}"})
    record = skill.record.model_copy(update={"payload": named})
    making = Making(skill_id, "", store.clock.now, "somebody", "5" * 32)
    entered = with_entry(record, AuditAction.REVISE, Why("somebody", ""), making)
    store.records.replace(skill, skill.next_version(entered))

    trace_id = source_ids(skill_id, services)[0]
    change(DeleteRecord(id=trace_id, erase=erase, rationale="law"), services)

    assert (MARK in skill_in(skill_id, services).skill_name) is not erase


@pytest.mark.parametrize("erase", [False, True])
def test_a_skill_loses_a_trace_that_its_list_has_left_out(store: Store, *, erase: bool) -> None:
    services = services_over(store)
    skill_id = learn(store, services, "t-1", "t-2", "t-3", "t-4")
    skill = stored(skill_id, services)
    sources = skill.record.provenance.sources
    shorter = skill.record.provenance.model_copy(update={"sources": sources[1:]})
    record = skill.record.model_copy(update={"provenance": shorter})
    making = Making(skill_id, "", store.clock.now, "somebody", "5" * 32)
    entered = with_entry(record, AuditAction.REVISE, Why("somebody", ""), making)
    store.records.replace(skill, skill.next_version(entered))

    change(DeleteRecord(id=sources[0].ref, erase=erase, rationale="law"), services)

    after = stored(skill_id, services)
    assert after.trail[-1].rationale.startswith(f"{FEWER}: {sources[0].ref}")
    assert successes_of(skill_id, services) == 3
    assert bool(after.history[0].was) is not erase


def test_a_faded_trace_still_counts_in_a_skill(store: Store) -> None:
    services = services_over(store)
    skill_id = learn(store, services, *(f"t-{number}" for number in range(10)))
    *faded, last = source_ids(skill_id, services)
    recipe = skill_in(skill_id, services).recipe
    fade(faded, store, services)

    change(DeleteRecord(id=last, rationale="wrong"), services)

    skill = skill_in(skill_id, services)
    assert successes_of(skill_id, services) == 9
    assert [step.tool for step in skill.recipe] == [step.tool for step in recipe]
    assert not is_retracted(skill)


def test_a_skill_is_learned_from_living_traces_and_counts_faded_ones(store: Store) -> None:
    services = services_over(store)
    skill_id = learn(store, services, *(f"t-{number}" for number in range(10)))
    *several, last = source_ids(skill_id, services)
    fade(several[:6], store, services)

    change(DeleteRecord(id=last, erase=True, rationale="law"), services)

    skill = skill_in(skill_id, services)
    assert successes_of(skill_id, services) == 9
    assert [step.args_schema[USES] for step in skill.recipe] == [9, 9, 9]
    learn_more(store, services, "t-10")
    assert successes_of(skill_id, services) == 10


def test_a_trace_is_withdrawn_once_by_a_call_that_broke_off_and_its_repeat(store: Store) -> None:
    services = services_over(store)
    skill_id = learn(store, services, *(f"t-{number}" for number in range(6)))
    *several, last = source_ids(skill_id, services)
    fade(several[:3], store, services)
    asked = DeleteRecord(id=last, rationale="wrong")
    trace = stored(last, services)
    withdraw_evidence(trace, Why("somebody", "wrong"), call(asked), services, erase=False)

    change(asked, services)

    assert successes_of(skill_id, services) == 5


def test_spilled_changes_without_room_in_the_transaction_go_before(
    table: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = services_over(table)
    add_marked("t-0", services)
    skill_id = learn(table, services, "t-1", "t-2")
    trace_id = marked_trace(services, *source_ids(skill_id, services))
    change_often(skill_id, table, services)
    monkeypatch.setattr(record_store, "MAX_TOGETHER", 1)

    change(DeleteRecord(id=trace_id, erase=True, rationale="law"), services)

    assert [each for each in table.partition(f"record#{skill_id}") if "deltas" in each] == []
    whole = services.records.load(skill_id, whole=True)
    assert isinstance(whole, StoredRecord)
    assert len(whole.history) == 1


def test_an_erasure_without_living_traces_to_learn_from_ends_a_skill(store: Store) -> None:
    services = services_over(store)
    skill_id = learn(store, services, *(f"t-{number}" for number in range(4)))
    *faded, last = source_ids(skill_id, services)
    fade(faded, store, services)

    change(DeleteRecord(id=last, erase=True, rationale="law"), services)

    held = services.records.load(skill_id)
    assert held is not None
    assert held.tombstone is not None
    assert held.tombstone.is_erased


def test_a_deleted_skill_goes_for_good_with_erased_evidence(store: Store) -> None:
    services = services_over(store)
    skill_id = learn(store, services, "t-1", "t-2", "t-3")
    trace_id = source_ids(skill_id, services)[0]
    change(DeleteRecord(id=skill_id, rationale="wrong"), services)

    change(DeleteRecord(id=trace_id, erase=True, rationale="law"), services)

    held = services.records.load(skill_id)
    assert held is not None
    assert held.tombstone is not None
    assert held.tombstone.is_erased


def test_a_skill_without_evidence_differs_from_a_dismissed_skill(store: Store) -> None:
    services = services_over(store)
    skill_id = learn(store, services, "t-1", "t-2")
    change(DeleteRecord(id=source_ids(skill_id, services)[0], rationale="old"), services)
    assert has_lost_evidence(stored(skill_id, services))


def test_a_skill_that_a_caller_deleted_does_not_come_back(store: Store) -> None:
    services = services_over(store)
    skill_id = learn(store, services, "t-1", "t-2")
    change(DeleteRecord(id=skill_id, rationale="wrong"), services)
    add_release("t-3", "1.3", services)
    add_release("t-4", "1.4", services)
    store.clock.advance(hours=1)

    done = consolidate_all(services)

    assert (done.skills, done.grown) == ([], [])
    assert len(done.unmatched) == 2


def test_a_late_outcome_reaches_the_trace_and_is_learned_from(store: Store) -> None:
    services = services_over(store)
    learn(store, services, "t-1", "t-2")
    task = add_event("t-3", "Release version 1.7 of the parser", services)
    add_call("t-3", "run_tests", {"suite": "unit"}, {"passed": 2}, services)
    add_call("t-3", "build", {"tag": "1.7"}, {"image": "p"}, services)
    add_call("t-3", "deploy", {"image": "p"}, {"ok": True}, services)
    store.clock.advance(hours=1)
    (trace_id,) = consolidate_all(services).traces
    assert consolidate_all(services).grown == []

    end(task.id, services, OutcomeStatus.FAILURE)
    done = consolidate_all(services)

    payload = stored(trace_id, services).record.payload
    assert isinstance(payload, EpisodicPayload)
    assert payload.outcome is OutcomeStatus.FAILURE
    assert len(done.grown) == 1
    assert consolidate_all(services).grown == []


def test_an_erased_step_leaves_no_copy_in_a_trace_above_the_ceiling(store: Store) -> None:
    services = services_over(store)
    task = add_event("t-1", "Water the plants", services)
    add_call("t-1", "pump", {"litres": 2}, "ok", services, sensitivity="medium")
    store.clock.advance(hours=1)
    (trace_id,) = consolidate_all(services).traces
    low = principal_of("low", Permission, ["team"], "low")

    change(DeleteRecord(id=task.id, erase=True, rationale="law"), services, low)

    trace = services.records.load(trace_id)
    assert trace is not None
    assert trace.tombstone is not None
    assert trace.tombstone.is_erased
