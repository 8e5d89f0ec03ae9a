"""A batch ends before API Gateway stops waiting for it."""

from datetime import datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from membrane.adapters.aws_lambda.batches.ingests import INGESTS, perform_batch
from membrane.adapters.aws_lambda.batches.items import BEGINS_WITHIN
from membrane.domain.ingest.full_records import IngestBatch
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.usecases.lifecycle.delete_and_restore import delete_record
from membrane.wiring.world import World
from tests.builders.requests import OWNER, call
from tests.fakes.clock import MORNING
from tests.fakes.operators import Reports
from tests.worlds.memory import make_world
from tests.worlds.memory_table import TableRecords

if TYPE_CHECKING:
    from membrane.domain.language.values import LargeValue

FACT = {
    "rpc": "IngestObservation",
    "source": "agent",
    "subject": "user",
    "predicate": "likes",
    "object": "tea",
}


def test_items_that_time_runs_out_for_are_not_begun_and_told_so() -> None:
    seconds = count()
    records = TableRecords(lambda: MORNING)

    def now() -> datetime:
        """Every look at the clock takes a second."""
        return MORNING + timedelta(seconds=next(seconds))

    items = tuple(
        {"rpc": "IngestEvent", "source": "ci", "event_kind": "build", "ref": str(n)}
        for n in range(20)
    )
    asked = IngestBatch(items=items)

    body = perform_batch(asked, call(asked, OWNER), make_world(records=records, now=now))

    statuses = [entry["status"] for entry in body["results"]]
    assert statuses == sorted(statuses)
    assert set(statuses) == {201, 503}
    assert statuses.count(201) == len(records.places) <= BEGINS_WITHIN.total_seconds()
    assert body["results"][-1]["error"]["code"] == "UNAVAILABLE"


def batched(items: tuple[dict[str, Any], ...], services: World) -> list[dict[str, Any]]:
    """The entries of a batch's reply."""
    asked = IngestBatch(items=items)
    body = perform_batch(asked, call(asked, OWNER), services)
    return list(body["results"])


def test_what_was_just_written_is_not_read_again_for_the_reply(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads: list[LargeValue] = []

    def noted(_: TableRecords, large: "LargeValue") -> None:
        reads.append(large)

    monkeypatch.setattr(TableRecords, "value", noted, raising=False)
    items = tuple({**FACT, "object": letter * 1_000_000} for letter in "abcdefgh")

    entries = batched(items, make_world())

    in_place = [entry for entry in entries if isinstance(entry["record"]["payload"]["object"], str)]
    assert (len(in_place), reads) == (6, [])


def test_that_a_record_is_gone_is_told_also_where_the_reply_is_short() -> None:
    services = make_world()
    (gone_id,) = [
        entry["record"]["id"] for entry in batched(({**FACT, "idempotency_key": "1"},), services)
    ]
    asked = DeleteRecord(id=gone_id)
    delete_record(asked, call(asked, OWNER), services)
    longer_when_printed = [1e5] * 14_000
    items = tuple({**FACT, "object": longer_when_printed} for _ in range(52))

    entries = batched(({**FACT, "idempotency_key": "1"}, *items), services)

    assert set(entries[0]["record"]) == {"id", "deleted_at"}
    assert {tuple(entry["record"]) for entry in entries[1:]} == {("id",)}


def test_a_fault_is_reported_as_of_the_items_own_rpc(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a defect")

    reports = Reports()
    monkeypatch.setitem(vars(INGESTS["IngestEvent"]), "run", broken)
    event = {"rpc": "IngestEvent", "source": "ci", "event_kind": "build", "ref": "1"}
    asked = IngestBatch(items=(event,))

    perform_batch(asked, call(asked, OWNER), make_world(report=reports))

    assert reports.told == [("IngestEvent", "FAULT")]
    assert [str(fault) for fault in reports.faults] == ["a defect"]
