"""What was believed of a fact at an instant: the records of then, ranked and gated as of then."""

from datetime import timedelta
from typing import Any

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import Permission
from membrane.domain.lifecycle.requests import (
    ChangeLifecycle,
    DeleteRecord,
    Penalize,
    RestoreRecord,
)
from membrane.domain.revision.requests import Contest, Reclassify, Retract
from membrane.usecases.search.retrieve import Answer
from tests.builders.requests import ALPHA, OWNER, change, merge, supersede
from tests.fakes.clock import MORNING
from tests.worlds.retrieval import Memory, all_ids, ids, receipt_of, semantic

HIGH = principal_of("high", [Permission.READ], ["*"], "high")
LOW = principal_of("low", [Permission.READ], ["*"], "low")


@pytest.fixture
def memory() -> Memory:
    """An empty memory."""
    return Memory()


def at(hours: float) -> str:
    """So many hours after the clock began."""
    return rfc3339(MORNING + timedelta(hours=hours))


def believed(memory: Memory, hours: float, principal: Principal = OWNER, **asked: Any) -> Answer:
    """What was believed then of what the user likes."""
    usual = {"subject": "user", "predicate": "likes", "as_of": at(hours)}
    return memory.retrieve(principal, **{**usual, **asked})


def later(memory: Memory, asked: Any, hours: float = 1) -> str:
    """The id of what a change makes, so many hours later."""
    memory.clock.advance(hours=hours)
    return memory.revise(asked).id


def test_what_was_superseded_since_is_what_was_believed_before(memory: Memory) -> None:
    memory.add(semantic("tea"))
    coffee = later(memory, supersede("tea", id="coffee"))

    assert ids(believed(memory, 0)) == ["tea"]
    assert ids(believed(memory, 0.999)) == ["tea"]
    assert ids(believed(memory, 1)) == [coffee]
    assert ids(believed(memory, -0.001)) == []
    (shown,) = believed(memory, 0.5).records
    assert "revision" not in shown["payload"]
    assert [entry["action"] for entry in shown["audit_log"]] == ["create"]


def test_what_was_merged_or_retracted_since_counted_then(memory: Memory) -> None:
    memory.add(semantic("tea"))
    memory.add(semantic("mate", salience=0.5))
    memory.add(semantic("water", salience=0.25))
    later(memory, merge("tea", "mate", id="both"))
    later(memory, Retract(id="water"))

    assert ids(believed(memory, 0)) == ["tea", "mate", "water"]
    assert ids(believed(memory, 1)) == ["both", "water"]
    assert ids(believed(memory, 2)) == ["both"]


def test_what_was_retracted_then_comes_with_those_that_are_asked_for(memory: Memory) -> None:
    memory.add(semantic("tea"))
    later(memory, Retract(id="tea"))
    later(memory, Reclassify.model_validate({"id": "tea", "retracted": False}))

    assert ids(believed(memory, 1.5)) == []
    assert ids(believed(memory, 1.5, include_retracted=True)) == ["tea"]
    assert ids(believed(memory, 2)) == ["tea"]


def test_salience_and_order_are_those_of_then(memory: Memory) -> None:
    memory.add(semantic("fleeting", lifecycle={"decay": {"half_life_seconds": 3_600}}))
    memory.add(semantic("lasting", salience=0.6, lifecycle={"pinned": True}))
    later(memory, Penalize(id="lasting", amount=0.5, rationale="doubt"), hours=3)

    first, middle = believed(memory, 0), believed(memory, 1)

    assert [(each["id"], each["salience"]) for each in first.records] == [
        ("fleeting", 1.0),
        ("lasting", 0.6),
    ]
    assert [(each["id"], each["salience"]) for each in middle.records] == [
        ("lasting", 0.6),
        ("fleeting", 0.5),
    ]
    assert ids(believed(memory, 3)) == ["fleeting", "lasting"]
    assert ids(believed(memory, 1, min_salience=0.55)) == ["lasting"]


def test_the_lifecycle_is_the_one_of_then(memory: Memory) -> None:
    memory.add(semantic("tea", lifecycle={"decay": {"half_life_seconds": 3_600}}))
    asked = {"id": "tea", "decay": {"half_life_seconds": 9_000_000}}
    later(memory, ChangeLifecycle.model_validate(asked), hours=2)

    (shown,) = believed(memory, 1).records

    assert shown["salience"] == pytest.approx(0.5)
    assert shown["lifecycle"]["decay"]["half_life_seconds"] == 3_600


def test_a_fact_counts_where_its_window_was_open_then(memory: Memory) -> None:
    window = {"mode": "timeboxed", "start": at(2), "end": at(4)}
    memory.add(semantic("tea", payload={"validity": window}))
    memory.clock.advance(hours=9)

    assert [ids(believed(memory, hours)) for hours in (1, 2, 3.9, 4)] == [[], ["tea"], ["tea"], []]


def test_what_was_deleted_then_or_is_now_was_not_believed(memory: Memory) -> None:
    memory.add(semantic("tea"))
    memory.add(semantic("mate"))
    memory.clock.advance(hours=1)
    change(DeleteRecord(id="tea"), memory.services)
    memory.clock.advance(hours=1)
    change(RestoreRecord(id="tea"), memory.services)
    change(DeleteRecord(id="mate"), memory.services)

    assert ids(believed(memory, 0.5)) == ["tea"]
    assert ids(believed(memory, 1.5)) == []
    assert ids(believed(memory, 2)) == ["tea"]


def test_what_was_contested_since_is_told_as_it_stood(memory: Memory) -> None:
    memory.add(semantic("tea"))
    later(memory, Contest(id="tea"))

    (before,), (after,) = believed(memory, 0.5).records, believed(memory, 1).records

    assert "revision" not in before["payload"]
    assert after["payload"]["revision"]["status"] == "contested"


def test_pages_go_on_as_of_the_same_instant(memory: Memory) -> None:
    for number in range(7):
        memory.add(semantic(f"r{number}", salience=(9 - number) / 10))
    memory.clock.advance(hours=1)
    for number in range(7):
        memory.revise(Retract(id=f"r{number}"))

    pages = memory.pages(
        limit=3, subject="user", predicate="likes", as_of=at(0.5), memory_types=["semantic"]
    )

    assert [ids(page) for page in pages] == [["r0", "r1", "r2"], ["r3", "r4", "r5"], ["r6"]]
    assert len(set(all_ids(pages))) == 7


def test_what_was_written_since_is_not_gone_through(memory: Memory) -> None:
    memory.add_unindexed(semantic("tea"))
    memory.clock.advance(hours=1)
    for number in range(620):
        memory.clock.advance(seconds=1)
        memory.add_unindexed(semantic(f"r{number}"))

    first = believed(memory, 0.5, memory_types=["semantic"])

    assert (ids(first), first.next_cursor) == (["tea"], None)
    assert set(memory.records.loaded) == {"tea"}


def test_what_stood_then_comes_in_pages_whatever_was_written_since(memory: Memory) -> None:
    for number in range(250):
        memory.clock.advance(seconds=1)
        memory.add_unindexed(semantic(f"old{number}"))
    memory.clock.advance(hours=1)
    for number in range(250):
        memory.clock.advance(seconds=1)
        memory.add_unindexed(semantic(f"new{number}"))

    pages = memory.pages(
        limit=100,
        subject="user",
        predicate="likes",
        as_of=rfc3339(MORNING + timedelta(seconds=230)),
        memory_types=["semantic"],
    )

    assert sorted(all_ids(pages)) == sorted(f"old{number}" for number in range(230))
    assert all(page.records for page in pages)


def test_a_record_that_moved_since_is_found_by_who_may_see_both_places(memory: Memory) -> None:
    memory.add(semantic("tea", scope="project:alpha"))
    memory.add(semantic("mate", scope="project:beta"))
    memory.clock.advance(hours=1)
    for name, scope in (("tea", "project:beta"), ("mate", "shared")):
        memory.revise(Reclassify.model_validate({"id": name, "scope": scope}))

    assert set(ids(believed(memory, 0.5))) == {"tea", "mate"}
    assert ids(believed(memory, 0.5, ALPHA)) == []
    assert ids(believed(memory, 1, ALPHA)) == ["mate"]


@pytest.mark.parametrize(("then", "now"), [("high", "low"), ("low", "high"), ("medium", "low")])
def test_what_was_out_of_reach_then_or_is_now_stays_so(memory: Memory, then: str, now: str) -> None:
    memory.add(semantic("tea", sensitivity=then))
    later(memory, Reclassify.model_validate({"id": "tea", "sensitivity": now}))

    assert ids(believed(memory, 0.5)) == ["tea"]
    assert ids(believed(memory, 0.5, LOW)) == []


@pytest.mark.parametrize(
    ("then", "now", "told"),
    [
        ("high", "low", (1, 0)),
        ("low", "high", (1, 0)),
        ("high", "high", (1, 0)),
        ("high", "hyper", (0, 1)),
        ("hyper", "low", (0, 1)),
        ("medium", "low", (0, 0)),
    ],
)
def test_a_receipt_counts_what_a_wider_request_would_show_as_of_then(
    memory: Memory, then: str, now: str, told: tuple[int, int]
) -> None:
    memory.add(semantic("tea", sensitivity=then))
    memory.clock.advance(hours=1)
    if now != then:
        memory.revise(Reclassify.model_validate({"id": "tea", "sensitivity": now}))

    answer = believed(memory, 0.5, HIGH, trust={"max_sensitivity": "low"})

    receipt = receipt_of(answer, memory)
    assert ids(answer) == []
    assert (receipt.withheld, receipt.hidden) == told
    assert receipt.query["as_of"] == at(0.5)


def test_a_record_that_a_token_names_is_one_of_then_too(memory: Memory) -> None:
    memory.add_unindexed(semantic("tea"))
    later(memory, Retract(id="tea"))

    answer = believed(memory, 0.5, consistency_tokens=[memory.token("tea")])

    assert ids(answer) == ["tea"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"subject": None}, "as_of needs a subject and a predicate"),
        ({"predicate": None}, "as_of needs a subject and a predicate"),
        ({"task_descriptor": "tea?"}, "as_of does not go with a task_descriptor"),
        ({"as_of": at(0.001)}, "as_of lies in the future"),
    ],
)
def test_the_past_is_asked_of_a_fact_and_lies_behind(
    memory: Memory, asked: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidArgument, match=words):
        believed(memory, 0, **asked)


def test_of_another_type_than_facts_nothing_was_believed(memory: Memory) -> None:
    memory.add(semantic("tea"))

    assert ids(believed(memory, 0, memory_types=["episodic"])) == []
