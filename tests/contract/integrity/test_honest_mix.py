"""Whatever the service does with records, the verification finds nothing."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from membrane.domain.language.errors import DomainError
from membrane.domain.lifecycle.requests import (
    ChangeLifecycle,
    DeleteRecord,
    Penalize,
    Pin,
    Reinforce,
    RestoreRecord,
    Unpin,
)
from membrane.domain.revision.requests import Contest, Reclassify, Resolve, Retract
from membrane.usecases.ingest.ingest_observation import ingest_observation
from membrane.usecases.ingest.ingest_outcome import ingest_outcome
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.ingest.ingest_report import ingest_report
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.machinery.calls import never
from tests.builders.requests import (
    call,
    change,
    event,
    fork,
    full_record,
    merge,
    observation,
    outcome,
    relation,
    supersede,
    tool_output,
)
from tests.worlds.anchored_tables import anchored as anchor
from tests.worlds.anchored_tables import findings as verify
from tests.worlds.depth import examples
from tests.worlds.stores import Store, table_store

Do = Callable[[Store, str, str, int], Any]
"""An operation on two records, varied by a number."""

LARGE = "x" * 40_000
POLICIES: Sequence[Any] = ("auto_prune", "manual_only", "never")


def report_event(table: Store, one: str, _other: str, number: int) -> Any:
    asked = event(ref=f"build:{number}", summary=f"{one} {number}", tags=[f"{number}"])
    return ingest_report(asked, call(asked), table.services)


def report_large_output(table: Store, _one: str, _other: str, number: int) -> Any:
    asked = tool_output(result={"text": f"{number} {LARGE}"})
    return ingest_report(asked, call(asked), table.services)


def observe(table: Store, _one: str, _other: str, number: int) -> Any:
    asked = observation(predicate=f"likes {number % 2}", object=f"tea {number}")
    return ingest_observation(asked, call(asked), table.services)


def ingest_with_edges(table: Store, one: str, other: str, number: int) -> Any:
    edges = [relation(one), relation(other, f"cites {number}")]
    asked = full_record(relations=edges if one != other else edges[:1])
    return ingest_record(asked, call(asked), table.services)


def note_outcome(table: Store, one: str, _other: str, number: int) -> Any:
    asked = outcome(one, source=f"agent {number}")
    return ingest_outcome(asked, call(asked), table.services)


def sweep(table: Store, _one: str, _other: str, number: int) -> Any:
    let_pass(table, days=number)
    swept = sweep_due(table.services, never)
    assert not swept.failures
    return swept


def let_pass(table: Store, **time: int) -> None:
    """An anchor sees each tombstone: anchors are daily, and tombstones last longer."""
    anchor(table.services)
    table.clock.advance(**time)


def advance(table: Store, _one: str, _other: str, number: int) -> None:
    let_pass(table, hours=number)


def take(table: Store, _one: str, _other: str, _number: int) -> None:
    anchor(table.services)


def changing(make: Callable[[str, int], Any]) -> Do:
    def do(table: Store, one: str, _other: str, number: int) -> Any:
        return change(
            make(one, number), table.services, key=f"key {number}" if number % 2 else None
        )

    return do


OPERATIONS: Sequence[Do] = (
    *(report_event, report_event, observe, observe, ingest_with_edges, report_large_output),
    *(note_outcome, sweep, advance, take, take),
    changing(lambda one, number: Reinforce(id=one, rationale=f"useful {number}")),
    changing(lambda one, _: Penalize(id=one, amount=0.3, rationale="useless")),
    changing(lambda one, _: Pin(id=one)),
    changing(lambda one, _: Unpin(id=one)),
    changing(lambda one, number: ChangeLifecycle(id=one, deletion_policy=POLICIES[number % 3])),
    changing(lambda one, _: DeleteRecord(id=one)),
    changing(lambda one, _: DeleteRecord(id=one, erase=True)),
    changing(lambda one, _: RestoreRecord(id=one)),
    changing(lambda one, number: supersede(one, payload={"object": f"coffee {number}"})),
    changing(lambda one, number: fork(one, payload={"object": f"milk {number}"})),
    changing(lambda one, _: Retract(id=one, rationale="wrong")),
    changing(lambda one, _: Contest(id=one, contesting_ref="ref", rationale="doubtful")),
    changing(lambda one, _: Resolve(id=one, rationale="settled", resolution="keep")),
    changing(lambda one, number: Reclassify(id=one, tags=(f"{number}",), rationale="other tag")),
    lambda table, one, other, _: change(merge(one, other), table.services),
)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(OPERATIONS),
        st.integers(0, 15),
        st.integers(0, 15),
        st.integers(0, 45),
    ),
    min_size=10,
    max_size=60,
)


@given(steps=STEPS)
@settings(max_examples=examples(60), deadline=None, phases=[Phase.generate])
def test_a_mix_of_all_operations_with_anchors_between_verifies_clean(
    steps: Sequence[tuple[Do, int, int, int]],
) -> None:
    table = table_store()
    for number in range(4):
        report_event(table, "first", "", number)
    anchor(table.services)

    for do, one, other, number in steps:
        ids = sorted(
            item["pk"]["S"].removeprefix("record#")
            for item in table.everything()
            if item["sk"] == {"S": "record"} and "receipt_for" not in item
        )
        with suppress(DomainError):
            do(table, ids[one % len(ids)], ids[other % len(ids)], number)

    found = verify(table.services, table.topics)
    assert found == []
