"""What each operation on a record costs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

import pytest

from membrane.domain.ingest.reports import IngestEvent, Report
from membrane.domain.language.requests import validate
from membrane.domain.lifecycle.requests import DeleteRecord, Penalize, Pin, RecordChange, Reinforce
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.records.requests import ReadAudit, RetrieveById
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.delete_and_restore import delete_record
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.records.read_record import read_audit, retrieve_by_id
from tests.builders.filled_stores import fill
from tests.builders.proposals import add_entity, captured
from tests.builders.records import ingest
from tests.builders.requests import (
    call,
    change,
    event,
    full_record,
    observation,
    outcome,
    tool_output,
    working_state,
    written,
)
from tests.builders.stored_records import noise
from tests.fakes.clock import MORNING, counted_salts
from tests.worlds.budgets import CHANGE, FORGET, GET, INGEST, PRUNE, SWEEP
from tests.worlds.limits import item_bytes
from tests.worlds.metering import Cost, meter, spent_by
from tests.worlds.revision import revising
from tests.worlds.search_indexes import index, indexing
from tests.worlds.stores import Store, memory_store

TEXT = noise(1_000)
PLACE: dict[str, Any] = {"scope": "project:alpha", "tags": ("one", "two")}
REPORTS: dict[str, Callable[[], Report]] = {
    "event": lambda: event(summary=TEXT, **PLACE),
    "tool output": lambda: tool_output(result=TEXT, **PLACE),
    "observation": lambda: observation(object=TEXT, **PLACE),
    "working state": lambda: working_state(context_summary=TEXT, **PLACE),
}
SIZES = (10, 1_000)
DELETION = replace(CHANGE, write_units=10)
"""A transaction of two: the tombstone, and the marker in the place of the vector."""


@pytest.fixture(scope="module")
def stores() -> Iterator[Mapping[int, Store]]:
    """A store of each size."""
    with ExitStack() as stack:
        yield {size: stack.enter_context(filled_store(size)) for size in SIZES}


@contextmanager
def filled_store(size: int) -> Iterator[Store]:
    """A store of that many records."""
    with memory_store() as store:
        store.clock.now = MORNING.replace(microsecond=123_457)  # no digit less than a real clock
        fill(store.inspector, store.table, store.codec, range(size))
        yield store


@pytest.fixture(params=SIZES, ids=["at 10 records", "at 1000 records"])
def filled(request: pytest.FixtureRequest, stores: Mapping[int, Store]) -> Store:
    """Each of the stores."""
    return stores[request.param]


def ingested(table: Store, report: Report, key: str | None = None) -> MemoryRecord:
    """The record of a report."""
    return written(ingest(report, call(report, key=key), table.services))


_keys = count(1)


def new_key() -> str:
    """An idempotency key that no test has used."""
    return f"key-{next(_keys)}"


def breakdown(table: Store, record_id: str) -> str:
    """A record's attributes by size, for the message of a missed budget."""
    item = table.own_item(record_id)
    sizes = {name: item_bytes({name: value}) for name, value in item.items()}
    largest = sorted(sizes.items(), key=lambda each: -each[1])
    return f"{item_bytes(item)} bytes: " + ", ".join(f"{name} {size}" for name, size in largest)


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
@pytest.mark.parametrize("keyed", [False, True], ids=["keyless", "keyed"])
def test_ingesting_a_report_is_one_write_of_five_units(
    filled: Store, report: Callable[[], Report], *, keyed: bool
) -> None:
    cost = meter(filled.client)

    record = ingested(filled, report(), new_key() if keyed else None)

    assert cost.within(INGEST), f"{cost} for {breakdown(filled, record.id)}"


def test_a_decay_profile_that_the_settings_do_not_imply_is_registered_with_its_first_report(
    filled: Store,
) -> None:
    asked = as_json(event(summary=TEXT)) | {"lifecycle": {"decay": {"half_life_seconds": 7_777}}}
    report = validate(IngestEvent, asked)
    cost = meter(filled.client)

    record = ingested(filled, report)
    first = replace(cost)
    ingested(filled, report)

    assert first.requests == 2, "a look at the list, and one transaction"
    assert (cost - first).within(INGEST)
    assert record.lifecycle.decay.half_life_seconds == 7_777


@pytest.mark.parametrize("report", ["event", "tool output"])
@pytest.mark.parametrize("keyed", [False, True], ids=["keyless", "keyed"])
def test_ingesting_an_outcome_is_a_read_and_a_write_of_seven_units(
    filled: Store, report: str, *, keyed: bool
) -> None:
    record = ingested(filled, REPORTS[report]())
    asked = outcome(record.id)
    cost = meter(filled.client)

    ingest(asked, call(asked, key=new_key() if keyed else None), filled.services)

    assert cost.within(CHANGE), f"{cost} for {breakdown(filled, record.id)}"


CHANGES: dict[str, Callable[..., RecordChange]] = {
    "reinforce": Reinforce,
    "penalize": partial(Penalize, amount=0.25),
    "pin": Pin,
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
@pytest.mark.parametrize("keyed", [False, True], ids=["keyless", "keyed"])
def test_moving_a_salience_is_a_read_and_a_write_of_seven_units(
    filled: Store, report: Callable[[], Report], name: str, *, keyed: bool
) -> None:
    record = ingested(filled, report())
    filled.clock.advance(seconds=1_234.567891)
    cost = meter(filled.client)

    asked = CHANGES[name](id=record.id, actor="planner", rationale="it was useful once more")
    change(asked, filled.services, key=new_key() if keyed else None)

    assert cost.within(CHANGE), f"{cost} for {breakdown(filled, record.id)}"


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_getting_a_record_is_one_read_of_one_unit(
    filled: Store, report: Callable[[], Report]
) -> None:
    record = ingested(filled, report())
    cost = meter(filled.client)

    asked = RetrieveById(id=record.id)
    retrieve_by_id(asked, call(asked), filled.services)

    assert cost.within(GET), f"{cost} for {breakdown(filled, record.id)}"


def test_reading_an_audit_trail_is_one_read_of_one_unit(filled: Store) -> None:
    record = ingested(filled, REPORTS["event"]())
    cost = meter(filled.client)

    asked = ReadAudit(id=record.id)
    read_audit(asked, call(asked), filled.services)

    assert cost.within(GET)


def test_verifying_an_audit_trail_also_asks_for_the_newest_anchor(filled: Store) -> None:
    record = ingested(filled, REPORTS["event"]())
    cost = meter(filled.client)

    asked = ReadAudit(id=record.id, verify=True)
    read_audit(asked, call(asked), filled.services)

    assert cost.within(Cost(requests=2, read_units=2))


def test_deleting_a_record_is_a_read_and_a_write_with_the_end_of_its_vector(
    filled: Store,
) -> None:
    record = ingested(filled, REPORTS["event"]())
    cost = meter(filled.client)

    asked = DeleteRecord(id=record.id, rationale="no longer needed")
    delete_record(asked, call(asked, key=new_key()), filled.services)

    assert cost.within(DELETION), f"{cost} for {breakdown(filled, record.id)}"


def swept(table: Store) -> Cost:
    """What a sweep costs."""
    cost = meter(table.client)
    sweep_due(table.services, lambda: False)
    return replace(cost)


def test_a_sweep_with_nothing_due_is_sixteen_reads_whatever_is_stored(
    stores: Mapping[int, Store],
) -> None:
    costs = [swept(store) for store in stores.values()]

    assert all(cost.within(SWEEP) for cost in costs), costs
    assert costs[0] == costs[1]


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
@pytest.mark.parametrize("keyed", [False, True], ids=["keyless", "keyed"])
def test_pruning_a_record_and_its_vector_is_a_read_and_two_writes_of_eleven_units(
    table: Store, report: Callable[[], Report], *, keyed: bool
) -> None:
    table.clock.now = MORNING.replace(microsecond=123_457)
    idle = swept(table)
    record = ingested(table, report(), new_key() if keyed else None)
    assert index(indexing(table), record.id).written == 1
    table.clock.advance(days=400)

    cost = swept(table) - idle

    found = table.records.load(record.id)
    assert found is not None
    assert found.tombstone is not None
    assert cost.within(PRUNE), f"{cost} for {breakdown(table, record.id)}"


def test_forgetting_a_record_is_a_read_and_a_write(table: Store) -> None:
    idle = swept(table)
    record = ingested(table, REPORTS["event"]())
    table.clock.advance(days=1)
    swept(table)
    table.clock.advance(days=31)

    cost = swept(table) - idle

    assert cost.within(FORGET), f"{cost} for {breakdown(table, record.id)}"


def test_a_full_record_of_the_usual_class_costs_what_a_report_costs(filled: Store) -> None:
    skill = {"kind": "competence", "skill_name": TEXT, "triggers": [], "recipe": []}
    asked = full_record(payload=skill, **PLACE)
    cost = meter(filled.client)

    record = written(ingest_record(asked, call(asked, key=new_key()), filled.services))

    assert cost.within(INGEST), f"{cost} for {breakdown(filled, record.id)}"


def test_a_replay_is_a_refused_write_and_a_read(filled: Store) -> None:
    report, key = REPORTS["event"](), new_key()
    ingested(filled, report, key)
    cost = meter(filled.client)

    written(ingest(report, call(report, key=key), filled.services), replayed=True)

    assert cost.requests == 2
    assert cost.read_units <= 1


def test_no_cost_depends_on_how_much_is_stored(stores: Mapping[int, Store]) -> None:
    costs = []
    for store in stores.values():
        world = store.services.but(new_salt=counted_salts())  # random ones compress unevenly
        cost = meter(store.client)
        report = REPORTS["event"]()
        asked = outcome(written(ingest(report, call(report), world)).id)
        ingest(asked, call(asked), world)
        costs.append(cost)

    assert costs[0] == costs[1]


def test_edges_that_point_at_a_record_make_it_no_dearer(table: Store) -> None:
    target = ingested(table, REPORTS["event"]())
    for number in range(30):
        asked = full_record(relations=[{"predicate": f"{number:0250d}", "target_id": target.id}])
        ingest_record(asked, call(asked), table.services)
    cost = meter(table.client)

    get = RetrieveById(id=target.id)
    retrieve_by_id(get, call(get), table.services)

    assert cost.within(GET)


def test_both_are_written_at_once_and_an_entity_used_today_costs_its_read_alone(
    table: Store,
) -> None:
    services = revising(table)
    bob = add_entity("Bob", services)
    capture_id = captured("Bob said so", services)["primary_record"]["id"]
    table.clock.advance(days=3)
    spent = meter(table.client)

    first, again = (
        spent_by(lambda: change(Reinforce(id=capture_id), services), spent) for _ in range(2)
    )

    held = table.records.load_each([bob.id, capture_id])
    assert [each.action for each in held[bob.id].trail] == ["create", "reinforce"]
    assert [each.action for each in held[capture_id].trail] == ["create", "reinforce", "reinforce"]
    assert (first.requests, again.requests) == (3, 3)
    assert again.write_units < first.write_units
