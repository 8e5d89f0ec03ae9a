"""`stale` is set by exactly the writes that change what is indexed; any other update removes it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from membrane.domain.lifecycle.pruning import due_of
from membrane.domain.lifecycle.requests import (
    ChangeLifecycle,
    ChangeRequest,
    DeleteRecord,
    Penalize,
    Pin,
    Reinforce,
    RestoreRecord,
    Unpin,
)
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.requests import Contest, Reclassify, Retract
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.ports.indexes import Due
from membrane.usecases.ports.services_search import ReadingServices
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    a_fact,
    call,
    change,
    event,
    full_record,
    merge,
    observation,
    outcome,
    supersede,
    tool_output,
    working_state,
    written,
)
from tests.builders.stored_records import stored
from tests.worlds.indexed_records import flag, indexing
from tests.worlds.stores import Store

WHY: dict[str, Any] = {"actor": "me", "rationale": "seen"}


@dataclass(frozen=True, slots=True)
class Place:
    """A store, and what changes its records."""

    store: Store
    services: ReadingServices

    def event(self, **fields: Any) -> str:
        """The id of a new event."""
        asked = event(summary="the crane failed", **fields)
        return written(ingest(asked, call(asked), self.services)).id

    def fact(self, **payload: Any) -> str:
        """The id of a new fact."""
        told_by = {"sources": [{"kind": "event", "ref": "talk:1"}]}
        asked = full_record(**a_fact(payload=payload, provenance=told_by))
        return written(ingest_record(asked, call(asked), self.services)).id

    def change(self, asked: ChangeRequest) -> None:
        change(asked, self.services)

    def outcome(self, record_id: str, status: str) -> None:
        asked = outcome(record_id, outcome_status=status)
        ingest(asked, call(asked), self.services)

    def flag(self, record_id: str) -> str | None:
        return flag(self.store, record_id)

    def held(self, record: StoredRecord) -> str:
        """The id of a record that is stored as it is given."""
        self.store.records.create(record)
        return record.id


@pytest.fixture
def place(store: Store) -> Place:
    return Place(store, indexing(store))


# --- writes that change what is indexed -----------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    [event(), tool_output(), observation(), working_state(), full_record()],
    ids=lambda each: type(each).__name__,
)
def test_a_new_record_of_any_type_is_stale(place: Place, asked: Any) -> None:
    made = ingest_record if type(asked).__name__ == "IngestRecord" else ingest

    record = written(made(asked, call(asked), place.services))

    assert place.flag(record.id) == "written"


Asking = Callable[[str], ChangeRequest]
"""Makes the request about a record."""


def asking(kind: type[ChangeRequest], **fields: Any) -> Asking:
    return lambda record_id: kind.model_validate({"id": record_id, **WHY, **fields})


CHANGES: dict[str, list[Asking]] = {
    "sensitivity": [asking(Reclassify, sensitivity="high")],
    "scope": [asking(Reclassify, scope="another")],
    "tags": [asking(Reclassify, tags=["new"])],
    "restored": [asking(DeleteRecord), asking(RestoreRecord)],
    "taken up again": [asking(Retract), asking(Reclassify, retracted=False)],
    "unpinned": [asking(Pin), asking(Unpin)],
    "prunable": [
        asking(ChangeLifecycle, deletion_policy="never"),
        asking(ChangeLifecycle, deletion_policy="auto_prune"),
    ],
    "without a floor": [
        asking(ChangeLifecycle, decay={"min_salience": 0.5}),
        asking(ChangeLifecycle, decay={"min_salience": 0}),
    ],
}


@pytest.mark.parametrize("asked", CHANGES.values(), ids=CHANGES)
def test_what_changes_what_is_indexed_or_lets_its_vector_expire_sets_the_flag(
    place: Place, asked: list[Asking]
) -> None:
    record_id = place.fact()
    *before, last = (asking(Reinforce), *asked)
    for each in before:
        place.change(each(record_id))
    assert place.flag(record_id) is None

    place.change(last(record_id))

    assert place.flag(record_id) == "written"


def test_the_first_outcome_of_an_episode_sets_the_flag(place: Place) -> None:
    record_id = place.event()
    place.change(Reinforce(id=record_id, **WHY))

    place.outcome(record_id, "success")

    assert place.flag(record_id) == "written"


def test_what_changes_a_record_after_it_was_due_sets_the_flag_for_ttl_may_have_come(
    place: Place,
) -> None:
    record_id = place.held(stored())
    place.change(Reinforce(id=record_id, **WHY))
    place.store.clock.advance(days=30)

    place.change(Reinforce(id=record_id, **WHY))

    assert place.flag(record_id) == "written"


# --- writes that do not ---------------------------------------------------------------------------

OTHERS: dict[str, Asking] = {
    "reinforce": asking(Reinforce),
    "penalize": asking(Penalize, amount=0.1),
    "pin": asking(Pin),
    "half-life": asking(ChangeLifecycle, decay={"half_life_seconds": 7_200}),
    "never pruned": asking(ChangeLifecycle, deletion_policy="never"),
    "contest": asking(Contest, contesting_ref="elsewhere"),
    "retract": asking(Retract),
    "delete": asking(DeleteRecord),
    "erase": asking(DeleteRecord, erase=True),
}


@pytest.mark.parametrize("asked", OTHERS.values(), ids=OTHERS)
def test_any_other_change_removes_the_flag(place: Place, asked: Asking) -> None:
    record_id = place.fact()
    before = place.flag(record_id)

    place.change(asked(record_id))

    assert (before, place.flag(record_id)) == ("written", None)


def test_an_outcome_without_new_text_removes_the_flag(place: Place) -> None:
    record_id = place.event()
    place.outcome(record_id, "success")
    before = place.flag(record_id)

    place.outcome(record_id, "success")

    assert (before, place.flag(record_id)) == ("written", None)


def test_a_fact_has_the_flag_and_so_have_those_that_it_takes_the_place_of(place: Place) -> None:
    first, second, third = (place.fact(object=each) for each in ("tea", "milk", "water"))

    new = written(change(supersede(first, payload={"object": "mate"}), place.services)).id
    merged = written(change(merge(second, third, payload={"object": "chai"}), place.services)).id

    every = (first, second, third, new, merged)
    assert [place.flag(each) for each in every] == ["written"] * 5


def test_the_sweep_removes_the_flag_by_pruning_and_by_putting_off(place: Place) -> None:
    pruned, put_off = place.held(stored("pruned")), place.held(stored("put-off"))
    due_s = due_of(stored("put-off"), {})
    assert due_s is not None

    place.store.due.put_off(Due(put_off, due_s), due_s + 10**9)
    place.store.clock.advance(days=30)
    swept = sweep_due(place.services, lambda: False)

    assert swept.by_type("pruned") == {"episodic": 1}
    assert (place.flag(pruned), place.flag(put_off)) == (None, None)
