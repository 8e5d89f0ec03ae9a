"""A line is restored whole or refused, and a refused line leaves nothing behind."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.archive.lines import LEVELS, encode_line
from membrane.domain.archive.record_lines import ArchivedRecord, large_values_of, record_line
from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import AlreadyExists, DomainError, InvalidArgument, ScopeFenced
from membrane.domain.language.json_text import parse_json
from membrane.domain.lifecycle.endings import expired_record
from membrane.domain.records.interpretation import Interpretation, InterpretationStatus, Mention
from membrane.domain.records.stored import StoredRecord, Tombstone
from membrane.usecases.archive.restore_line import parse_line, restore_line
from membrane.usecases.ports.services_archive import ArchiveServices
from tests.builders.laden_records import laden
from tests.builders.stored_records import changed, stored
from tests.fakes.clock import MORNING
from tests.fakes.records import FakeRecords
from tests.fakes.world import make_archive_services
from tests.worlds.stores import table_store

Spoil = Callable[[dict[str, Any]], object]


def laden_line() -> dict[str, Any]:
    """The line of a record with edges, a large value, a long trail and a history."""
    store = table_store()
    laden(store)
    held = store.records.load("record-1", whole=True)
    assert held is not None
    values = {large: store.records.value(large) for large in large_values_of(held)}
    line = parse_json(encode_line(record_line(ArchivedRecord(held, values))), LEVELS)
    return dict(line)


def restored(line: Any, services: ArchiveServices) -> bool:
    return restore_line(parse_line(json.dumps(line).encode()), services)


def stored_in(services: ArchiveServices) -> object:
    assert isinstance(services.records, FakeRecords)
    return services.records.everything(), dict(services.records.values)


def set_at(*path: str | int, to: Any) -> Spoil:
    """Replaces one value of a line."""

    def spoil(line: dict[str, Any]) -> None:
        holder: Any = line
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = to

    return spoil


def a_tombstone(**fields: Any) -> Spoil:
    """The line of a deleted record that still has the content."""
    due = {"deleted_at_s": 1.0, "reason": "deleted", "due_s": 5, "expires_at_s": 9}
    return set_at("state", "tombstone", to=due | fields)


SPOILED: dict[str, Spoil] = {
    "content that no sweep removes": a_tombstone(due_s=None),
    "content beyond the tombstone": a_tombstone(due_s=10),
    "content that is due before the deletion": a_tombstone(due_s=0),
    "content of an erased record": a_tombstone(erasure="erasure-1"),
    "no kind": lambda line: line.pop("kind"),
    "an unknown kind": set_at("kind", to="secret"),
    "an unknown field": set_at("more", to=1),
    "an unknown field of the record": set_at("record", "more", to=1),
    "an unknown field of the state": set_at("state", "more", to=1),
    "no record": lambda line: line.pop("record"),
    "a record that is no object": set_at("record", to=[]),
    "an id with a slash": set_at("record", "id", to="../other"),
    "an id of another record": set_at("record", "id", to="record-2"),
    "a relation to an id with a slash": set_at(
        "record", "relations", to=[{"predicate": "about", "target_id": "../y", "weight": 1.0}]
    ),
    "a long id": set_at("record", "id", to="x" * 129),
    "no audit trail": set_at("record", "audit_log", to=[]),
    "a missing entry": lambda line: line["record"]["audit_log"].pop(3),
    "a missing end": lambda line: line["record"]["audit_log"].pop(),
    "a changed actor": set_at("record", "audit_log", 2, "actor", to="someone"),
    "a changed hash": set_at("record", "audit_log", 2, "hash", to="0" * 64),
    "a wrong count": set_at("record", "audit_count", to=3),
    "another creation": set_at("state", "born_s", to=1.0),
    "another last change": set_at("record", "updated_at", to="2026-01-01T00:00:00Z"),
    "a version of 0": set_at("state", "version", to=0),
    "a version that is a text": set_at("state", "version", to="1"),
    "a negative salience": set_at("record", "salience", to=-1),
    "a huge salience": set_at("record", "salience", to=1e101),
    "an anchor beyond the calendar": set_at("state", "anchored_at_s", to=1e300),
    "a short fingerprint": set_at("state", "fingerprint", to="ff"),
    "a malformed operation": set_at("state", "operations", to=["zz"]),
    "too many operations": set_at("state", "operations", to=["0" * 32] * 101),
    "a tombstone without an end": set_at("state", "tombstone", to={"deleted_at_s": 1.0}),
    "a reserved scope": set_at("record", "scope", to="*"),
    "a long scope": set_at("record", "scope", to="x" * 257),
    "a payload of another type": set_at("record", "type", to="semantic"),
    "an unknown status": set_at("record", "interpretation", to={"status": "guessed"}),
    "a mention without a name": set_at("record", "interpretation", to={"mentions": [{}]}),
    "a missing value": set_at("values", to={}),
    "an unnamed value": lambda line: line["values"].update({"0" * 64: "1"}),
    "a changed value": lambda line: line["values"].update(dict.fromkeys(line["values"], '"x"')),
    "a history of a later entry": set_at("history", to=[{"entry": 999, "was": []}]),
    "a history of the first entry": set_at("history", to=[{"entry": 0, "was": []}]),
    "a history of a flag": set_at("history", to=[{"entry": True, "was": []}]),
    "a malformed history": set_at("history", to=[{"entry": 1, "was": 7}]),
    "a history with an unknown field": set_at("history", to=[{"entry": 1, "was": [], "x": 1}]),
    "a history without a place": set_at("history", to=[{"entry": 1, "was": [{"path": []}]}]),
    "a history of no field": set_at(
        "history", to=[{"entry": 1, "was": [{"path": ["payload", "x", "y"], "kept": 1}]}]
    ),
    "a history of an unknown status": set_at(
        "history",
        to=[{"entry": 1, "was": [{"path": ["interpretation"], "value": {"status": "guessed"}}]}],
    ),
    "a history of an unknown word": set_at(
        "history", to=[{"entry": 1, "was": [{"path": ["sensitivity"], "value": "secret"}]}]
    ),
}


def test_an_interpretation_is_restored_with_the_record() -> None:
    services, line = make_archive_services(), laden_line()
    line["record"]["interpretation"] = {"status": "resolved", "mentions": [{"surface": "Orion"}]}

    assert restored(line, services)

    held = services.records.load("record-1", whole=True)
    assert isinstance(held, StoredRecord)
    resolved = InterpretationStatus.RESOLVED
    assert held.record.interpretation == Interpretation(
        status=resolved, mentions=(Mention(surface="Orion"),)
    )


def test_a_line_is_restored_with_everything() -> None:
    services, line = make_archive_services(), laden_line()

    assert restored(line, services)

    held = services.records.load("record-1", whole=True)
    assert held is not None
    values = {large: services.records.value(large) for large in large_values_of(held)}
    again = encode_line(record_line(ArchivedRecord(held, values)))
    assert parse_json(again, LEVELS) == line


def test_a_removed_record_is_restored_with_the_ids_of_its_facts() -> None:
    services, capture = make_archive_services(), stored()
    making = Making(capture.id, "", MORNING, "decay-service", "5" * 32)
    removed = replace(
        expired_record(capture, making, Tombstone(1.0, "deleted", None, 4_000_000_000)),
        facts=("fact-1", "fact-2"),
    )
    line = parse_json(encode_line(record_line(ArchivedRecord(removed, {}))), LEVELS)

    assert restored(line, services)

    assert services.records.load(capture.id, whole=True) == removed


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_a_spoiled_line_is_refused_and_leaves_nothing(spoil: Spoil) -> None:
    services, line = make_archive_services(), laden_line()
    before = stored_in(services)
    spoil(line)

    with pytest.raises(DomainError):
        restored(line, services)

    assert stored_in(services) == before


def test_a_line_that_is_nested_too_deep_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="nested deeper"):
        parse_line(b"[" * 200 + b"]" * 200)


def test_an_equal_record_is_skipped_and_a_different_one_stays_as_it_is() -> None:
    services, line = make_archive_services(), laden_line()
    restored(line, services)

    assert not restored(line, services)

    newest = services.records.load("record-1")
    assert newest is not None
    services.records.replace(newest, changed(newest))  # type: ignore[arg-type]  # a living record
    before = stored_in(services)
    with pytest.raises(AlreadyExists, match="record-1 exists and differs"):
        restored(line, services)
    assert stored_in(services) == before


def test_a_damaged_item_is_refused_by_name() -> None:
    with pytest.raises(DomainError, match="damaged when the export was made"):
        restored({"kind": "damaged", "id": "x", "reason": "unreadable"}, make_archive_services())


@pytest.mark.parametrize(
    "line",
    [
        {"kind": "receipt", "keyed_id": "a", "record_id": "b", "fingerprint": "x"},
        {"kind": "receipt", "keyed_id": "a/b", "record_id": "b", "fingerprint": "0" * 64},
        {"kind": "thread", "key": "0" * 64, "next_turn": 1},
        {"kind": "thread", "key": "0" * 63, "next_turn": 2},
        {"kind": "thread", "key": "0" * 64, "next_turn": 2, "more": 1},
    ],
)
def test_a_malformed_receipt_or_thread_is_refused(line: Any) -> None:
    services = make_archive_services()
    before = stored_in(services)

    with pytest.raises(DomainError):
        restored(line, services)

    assert stored_in(services) == before


def test_the_line_of_a_record_has_no_more_than_the_record() -> None:
    line = record_line(ArchivedRecord(stored(), {}))

    assert line.keys() == {"kind", "record", "state"}


@pytest.mark.parametrize("make", [lambda _line: None, a_tombstone()], ids=["live", "deleted"])
def test_a_record_of_a_scope_that_is_being_erased_is_refused(make: Spoil) -> None:
    services, line = make_archive_services(), laden_line()
    make(line)
    services.fences.put(line["record"]["scope"], "erasure-1")
    before = stored_in(services)

    with pytest.raises(ScopeFenced):
        restored(line, services)

    assert stored_in(services) == before
