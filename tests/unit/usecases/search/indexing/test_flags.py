"""Which changes of a record wake the index function, and which end the record's vector at once."""

from typing import Any

import pytest

from membrane.domain.language.vocabulary import DeletionPolicy, Sensitivity
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
from membrane.domain.revision.requests import Contest, Reclassify, Resolve, Retract
from tests.builders.ingesting import ingest
from tests.builders.requests import call, change, event, merge, outcome, written
from tests.worlds.retrieval import Memory, semantic

WHY: dict[str, Any] = {"id": "a", "actor": "me", "rationale": "so"}

PINNED, CONTESTED, DELETED = Pin(**WHY), Contest(**WHY), DeleteRecord(**WHY)


@pytest.fixture
def memory() -> Memory:
    """A memory that has a fact, which is indexed."""
    memory = Memory()
    memory.add(semantic("a"))
    return memory


@pytest.mark.parametrize(
    "changes",
    [
        [Reinforce(**WHY)],
        [Penalize(**WHY, amount=0.5)],
        [PINNED],
        [CONTESTED],
        [CONTESTED, Resolve(**WHY, resolution="keep")],
        [ChangeLifecycle(**WHY, deletion_policy=DeletionPolicy.NEVER)],
    ],
    ids=lambda changes: " ".join(type(each).__name__ for each in changes),
)
def test_what_changes_no_word_wakes_nobody(memory: Memory, changes: list[ChangeRequest]) -> None:
    for each in changes:
        change(each, memory.services)

    assert memory.records.stale == {}
    assert [entry.record_id for entry in memory.vectors.entries] == ["a"]


@pytest.mark.parametrize(
    "changes",
    [
        [Reclassify(**WHY, tags=("new",))],
        [Reclassify(**WHY, sensitivity=Sensitivity.HIGH)],
        [Reclassify(**WHY, scope="team")],
        [DELETED, RestoreRecord(**WHY)],
        [PINNED, Unpin(**WHY)],
    ],
    ids=["tags", "sensitivity", "scope", "restored", "unpinned"],
)
def test_what_changes_the_vector_or_how_long_it_stays_wakes_the_index_function(
    memory: Memory, changes: list[ChangeRequest]
) -> None:
    for each in changes:
        change(each, memory.services)

    assert memory.records.stale.keys() == {"a"}


def test_the_next_change_takes_the_flag_away(memory: Memory) -> None:
    change(Reclassify(**WHY, tags=("new",)), memory.services)

    change(Reinforce(**WHY), memory.services)

    assert memory.records.stale == {}


@pytest.mark.parametrize(
    "deed",
    [Retract(**WHY), DELETED, DeleteRecord(**WHY, erase=True)],
    ids=["retract", "delete", "erase"],
)
def test_what_is_found_no_more_loses_its_vector_in_that_write(
    memory: Memory, deed: ChangeRequest
) -> None:
    change(deed, memory.services)

    assert memory.vectors.entries == []
    assert "a" not in memory.records.stale


def test_a_merge_wakes_for_the_one_that_is_made_whose_vector_ends_all_others(
    memory: Memory,
) -> None:
    memory.add(semantic("b"))

    change(merge("a", "b", id="c"), memory.services)

    found = [each.record_id for each in memory.vectors.entries]
    assert (found, {*memory.records.stale}) == (["a", "b"], {"a", "b", "c"})
    memory.index("c", "a", "b")
    assert [each.record_id for each in memory.vectors.entries] == ["c"]


def test_the_first_outcome_of_a_status_wakes_and_the_next_one_does_not() -> None:
    memory = Memory()
    record = memory.add(event())
    flags = []
    for key in ("first", "second"):
        told = outcome(record.id, idempotency_key=key)
        written(ingest(told, call(told), memory.services))
        flags.append(record.id in memory.records.stale)

    assert flags == [True, False]
