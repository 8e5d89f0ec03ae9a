"""Which writes wake the index function, and what a search finds until the index knows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import pytest

from membrane.domain.access.principals import Principal
from membrane.domain.language.requests import validate
from membrane.domain.language.vocabulary import MARKER_PERIOD
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
from membrane.domain.search.requests import Retrieve
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.ports.indexes import Due
from membrane.usecases.search.retrieve import retrieve
from membrane.wiring.world import World
from tests.builders.records import ingest
from tests.builders.requests import (
    ALPHA,
    OWNER,
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
from tests.fakes.clock import StandIn
from tests.worlds.depth import cases
from tests.worlds.search_indexes import flag, has_vector, index, indexing, vector_of
from tests.worlds.stores import Store

WHY: dict[str, Any] = {"actor": "me", "rationale": "seen"}


@dataclass(frozen=True, slots=True)
class Place:
    """A store, and what changes its records."""

    store: Store
    services: World

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


SCOPE = "shared"
WRONG: dict[str, Any] = {"actor": "me", "rationale": "wrong"}


@dataclass(frozen=True, slots=True)
class Tea:
    """What a user likes, in a store whose index function runs when a test says so."""

    store: Store
    services: World = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "services", indexing(self.store))

    def fact(self, said: str, **fields: Any) -> str:
        """The id of a fact that is indexed."""
        asked = full_record(**a_fact(payload={"object": said}, scope=SCOPE, **fields))
        record_id = written(ingest_record(asked, call(asked), self.services)).id
        assert index(self.services, record_id).written == 1
        return record_id

    def corrected(self, record_id: str, said: str, **fields: Any) -> str:
        """The id of the successor, which the index does not have yet."""
        asked = supersede(record_id, payload={"object": said}, **fields)
        return written(change(asked, self.services)).id

    def found(self, principal: Principal = OWNER, **asked: Any) -> list[str]:
        """The objects of the facts that another client finds."""
        about = {"task_descriptor": "What does the user like to drink?", "min_score": 0.1, **asked}
        request = validate(Retrieve, about)
        answer = retrieve(request, call(request, principal), self.services)
        return [each["payload"]["object"] for each in answer.records]


@pytest.fixture
def tea(store: Store) -> Tea:
    return Tea(store)


def test_the_successor_is_found_before_the_index_has_it_and_afterwards_once(tea: Tea) -> None:
    old = tea.fact("green tea")
    new = tea.corrected(old, "black tea")
    at_once = tea.found()

    index(tea.services, new)
    between = tea.found()
    index(tea.services, old)
    index(tea.services, old)

    assert at_once == between == tea.found() == ["black tea"]
    assert has_vector(tea.services, new)
    assert not has_vector(tea.services, old)


def test_of_a_merge_the_made_fact_is_found_once(tea: Tea) -> None:
    several = [tea.fact(f"tea {number}") for number in range(3)]
    asked = merge(*several, payload={"object": "tea of any kind"})
    made = written(change(asked, tea.services)).id
    at_once = tea.found()

    index(tea.services, made, *several)

    assert at_once == tea.found() == ["tea of any kind"]


@pytest.mark.parametrize("order", cases([*permutations(range(3))], [(0, 1, 2), (2, 1, 0)]))
def test_the_newest_of_a_chain_is_found_in_whatever_order_the_index_function_runs(
    tea: Tea, order: Sequence[int]
) -> None:
    ids = [tea.fact("green tea")]
    ids.append(tea.corrected(ids[0], "black tea"))
    ids.append(tea.corrected(ids[1], "white tea"))
    found = [tea.found()]

    for each in order:
        index(tea.services, ids[each])
        found.append(tea.found())

    assert found == [["white tea"]] * 4
    assert [has_vector(tea.services, each) for each in ids] == [False, False, True]


def test_the_pages_of_an_answer_have_the_successor_once(tea: Tea) -> None:
    tea.corrected(tea.fact("green tea"), "black tea")
    tea.fact("water")
    request = validate(Retrieve, {"task_descriptor": "What does the user drink?", "limit": 1})

    pages = [retrieve(request, call(request), tea.services)]
    while pages[-1].next_cursor is not None:
        following = request.model_copy(update={"cursor": pages[-1].next_cursor})
        pages.append(retrieve(following, call(following), tea.services))

    found = [each["payload"]["object"] for page in pages for each in page.records]
    assert sorted(found) == ["black tea", "water"]


def test_a_successor_that_was_withdrawn_answers_nothing_and_its_forerunner_leaves_the_index(
    tea: Tea,
) -> None:
    old = tea.fact("green tea")
    new = tea.corrected(old, "black tea")

    change(Retract(id=new, **WRONG), tea.services)
    index(tea.services, new, old)

    assert tea.found() == []
    assert not tea.services.search.at([old, new], tea.services.embedder.dimensions)
    assert "vector_512" not in (vector_of(tea.store, old) or {})


def test_a_successor_beyond_the_reader_answers_nothing(tea: Tea) -> None:
    tea.corrected(tea.fact("green tea"), "a secret tea", sensitivity="high")

    assert tea.found(ALPHA) == []
    assert tea.found() == ["a secret tea"]


def test_a_successor_in_a_scope_that_was_not_asked_for_answers_nothing(tea: Tea) -> None:
    new = tea.corrected(tea.fact("green tea"), "black tea")

    change(Reclassify(id=new, scope="elsewhere", **WRONG), tea.services)

    assert tea.found(ALPHA) == tea.found(trust={"scopes": [SCOPE]}) == []


@pytest.mark.parametrize("erase", [False, True], ids=["deleted", "erased"])
def test_a_fact_that_is_removed_leads_to_no_successor(tea: Tea, *, erase: bool) -> None:
    old = tea.fact("green tea")
    tea.corrected(old, "black tea")

    change(DeleteRecord(id=old, erase=erase, **WRONG), tea.services)

    assert tea.found() == []


def test_who_asks_for_retracted_facts_gets_every_fact_as_itself(tea: Tea) -> None:
    tea.corrected(tea.fact("green tea"), "black tea")

    assert sorted(tea.found(include_retracted=True)) == ["black tea", "green tea"]


def test_a_successor_whose_vector_could_not_be_put_keeps_its_forerunner_in_the_index(
    tea: Tea,
) -> None:
    old = tea.fact("green tea")
    tea.corrected(old, "black tea")
    stuck = tea.services.but(vectors=Stuck(tea.services.vectors))

    failed = index(stuck, old).failed

    assert [each.changed.record_id for each in failed] == [old]
    assert tea.found() == ["black tea"]


@dataclass(frozen=True, slots=True)
class Stuck(StandIn):
    """A store that has the vector of a later version of every record."""

    vectors: Any

    def put_entry(self, *_: Any) -> bool:
        return False

    def end_entry(self, source_id: str, version: int) -> None:
        self.vectors.end_entry(source_id, version)


def test_a_vector_that_nobody_ended_expires(table: Store) -> None:
    tea = Tea(table)
    tea.corrected(tea.fact("green tea"), "black tea")

    table.clock.advance(seconds=MARKER_PERIOD.total_seconds())

    assert tea.found() == []


def test_only_a_retrieval_that_meets_a_superseded_fact_makes_a_request_more(
    table: Store,
) -> None:
    tea = Tea(table)
    old = tea.fact("green tea")

    def requests() -> list[str]:
        table.watched.requests.clear()
        tea.found()
        return table.watched.operations()

    usual = requests()
    new = tea.corrected(old, "black tea")
    after_correction = requests()
    index(tea.services, old, new)

    assert sorted(after_correction) == sorted([*usual, "BatchGetItem"])
    assert requests() == usual
