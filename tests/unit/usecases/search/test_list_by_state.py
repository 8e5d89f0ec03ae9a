"""Removed records are listed by the time of removal, without content; retracted ones whole."""

from collections.abc import Sequence
from typing import Any

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.ingest.full_records import IngestRecord
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.lifecycle.requests import DeleteRecord, RestoreRecord
from membrane.domain.revision.requests import Retract
from membrane.usecases.lifecycle.sweep_due import sweep_due
from tests.builders.requests import change
from tests.worlds.retrieval import Memory, all_ids, ids, pages_of_list, semantic

READER = principal_of("reader", ["read"], ["shared"], "low")


def fact_of(name: str, **fields: Any) -> IngestRecord:
    """A fact about a subject of that name, which is also the id."""
    return semantic(name, payload={"subject": name}, **fields)


@pytest.fixture
def memory() -> Memory:
    """Four facts in two scopes, and one that is too sensitive for the reader."""
    found = Memory()
    for name in ("a", "b", "c"):
        found.add(fact_of(name, scope="shared", sensitivity="low"))
    found.add(fact_of("d", scope="project:beta", sensitivity="low"))
    found.add(fact_of("secret", scope="shared", sensitivity="high"))
    return found


def delete(memory: Memory, *record_ids: str, erase: bool = False) -> None:
    """Delete the records, a minute apart."""
    for each in record_ids:
        change(DeleteRecord(id=each, erase=erase), memory.services)
        memory.clock.advance(minutes=1)


def deleted(memory: Memory, *reader: Any, **asked: Any) -> Sequence[str]:
    return ids(memory.listed(*reader, state="deleted", **asked))


def test_a_removed_record_says_when_and_why_it_went_and_until_when_it_can_be_restored(
    memory: Memory,
) -> None:
    delete(memory, "a")

    (row,) = memory.listed(READER, state="deleted").records

    assert row == {
        "id": "a",
        "type": "semantic",
        "scope": "shared",
        "sensitivity": "low",
        "deleted_at": "2026-03-01T09:00:00.25Z",
        "reason": "deleted",
        "restorable_until": "2026-03-31T09:00:01Z",
        "expires_at": "2027-04-05T09:00:01Z",
    }


def test_the_last_removed_record_comes_first(memory: Memory) -> None:
    delete(memory, "b", "d", "a")

    assert deleted(memory) == ["a", "d", "b"]
    assert ids(memory.listed()) == ["c", "secret"]


def test_a_list_shows_what_the_key_may_see_of_the_scope_and_types_asked_for(
    memory: Memory,
) -> None:
    delete(memory, "a", "d", "secret")

    assert deleted(memory, READER) == ["a"]
    assert deleted(memory, scope="project:beta") == ["d"]
    assert deleted(memory, READER, scope="project:beta") == []
    assert deleted(memory, types=["episodic"]) == []


def test_a_restored_an_erased_and_an_expired_record_leave_the_list(memory: Memory) -> None:
    delete(memory, "a", "b", "c")

    change(RestoreRecord(id="a"), memory.services)
    delete(memory, "b", erase=True)

    assert deleted(memory) == ["c"]
    memory.clock.advance(days=401)
    assert deleted(memory) == []


def test_a_record_without_content_stays_in_the_list_and_cannot_be_restored(memory: Memory) -> None:
    delete(memory, "a")
    memory.clock.advance(days=31)
    sweep_due(memory.services, lambda: False)

    (row,) = memory.listed(state="deleted").records

    assert row["restorable_until"] is None


def test_a_pruned_record_is_not_listed_as_deleted(memory: Memory) -> None:
    delete(memory, "a")
    memory.clock.advance(days=400)
    sweep_due(memory.services, lambda: False)

    pruned = memory.listed(state="pruned").records

    assert sorted(each["id"] for each in pruned) == ["b", "c", "d", "secret"]
    assert {each["reason"] for each in pruned} == {"salience fell to 0.001"}


@pytest.mark.parametrize("state", ["deleted", "retracted"])
def test_pages_follow_one_another_without_a_gap_or_a_repeat(memory: Memory, state: str) -> None:
    if state == "deleted":
        delete(memory, "a", "b", "c", "d")
    else:
        for each in "abcd":
            change(Retract(id=each, rationale="wrong"), memory.services)

    pages = pages_of_list(memory, state=state, limit=1)

    assert [len(each.records) for each in pages] == [1, 1, 1, 1]
    assert sorted(all_ids(pages)) == ["a", "b", "c", "d"]
    if state == "deleted":
        assert all_ids(pages) == ["d", "c", "b", "a"]


def test_retracted_records_are_listed_whole_and_alone(memory: Memory) -> None:
    change(Retract(id="a", rationale="wrong"), memory.services)
    change(Retract(id="secret", rationale="wrong"), memory.services)

    (record,) = memory.listed(READER, state="retracted").records

    assert (record["id"], record["payload"]["subject"]) == ("a", "a")
    assert ids(memory.listed()) == ["b", "c", "d"]


def test_a_cursor_goes_with_the_state_that_it_came_from(memory: Memory) -> None:
    delete(memory, "a", "b")
    cursor = memory.listed(state="deleted", limit=1).next_cursor

    with pytest.raises(InvalidArgument, match="belongs to another request"):
        memory.listed(state="pruned", limit=1, cursor=cursor)
