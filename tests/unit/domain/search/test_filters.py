"""What a retrieval is limited to, judged on the record itself."""

from typing import Any

import pytest

from membrane.domain.language.vocabulary import MemoryType, OutcomeStatus
from membrane.domain.records.records import MemoryRecord
from membrane.domain.search.filters import Filters
from tests.builders.records import a_stored_record

NOW = "2026-03-01T12:00:00Z"
BORN = "2026-02-01T00:00:00.5Z"

PAYLOADS: dict[str, dict[str, Any]] = {
    "fact": {
        "kind": "semantic",
        "subject": "user",
        "predicate": "likes",
        "object": "tea",
        "validity": {"mode": "global"},
    },
    "state": {"kind": "working", "thread_id": "thread-1", "state": "planning"},
    "event": {
        "kind": "episodic",
        "timeline": [{"t": BORN, "event_kind": "turn", "ref": "thread-1:turn-7"}],
    },
}


def record(kind: str, *tags: str, **payload: Any) -> MemoryRecord:
    """A record of such a payload, with these tags."""
    usual = a_stored_record().record.model_dump(by_alias=True)
    content = PAYLOADS[kind] | payload
    own = {"type": content["kind"], "payload": content, "tags": tags, "created_at": BORN}
    return MemoryRecord.model_validate(usual | own)


def event_of(ref: str) -> MemoryRecord:
    """An event of that ref."""
    return record("event", timeline=[{"t": BORN, "event_kind": "turn", "ref": ref}])


@pytest.mark.parametrize(
    ("filters", "admitted"),
    [
        (Filters(), ["fact", "state", "event"]),
        (Filters(tags=("a",)), ["fact"]),
        (Filters(tags=("a", "b")), ["fact"]),
        (Filters(tags=("a", "c")), []),
        (Filters(thread_id="thread-1"), ["state", "event"]),
        (Filters(thread_id="thread"), ["event"]),
        (Filters(subject="user"), ["fact"]),
        (Filters(subject="User"), []),
        (Filters(predicate="likes"), ["fact"]),
        (Filters(subject="user", predicate="hates"), []),
        (Filters(outcome=(OutcomeStatus.SUCCESS,)), []),
        (Filters(created_after=BORN), ["fact", "state", "event"]),
        (Filters(created_after="2026-02-01T00:00:00.500000001Z"), []),
        (Filters(created_before=BORN), []),
        (Filters(created_before="2026-02-01T00:00:00.500000001Z"), ["fact", "state", "event"]),
    ],
    ids=str,
)
def test_a_record_is_admitted_by_all_that_is_asked_of_it(
    filters: Filters, admitted: list[str]
) -> None:
    records = {
        "fact": record("fact", "b", "a"),
        "state": record("state", "b"),
        "event": record("event"),
    }

    assert [kind for kind in records if filters.admit(records[kind], NOW)] == admitted


def test_every_filter_but_that_for_retracted_records_is_beyond_the_index() -> None:
    assert not Filters().are_beyond_index
    assert not Filters(include_retracted=True).are_beyond_index
    assert Filters(tags=("a",)).are_beyond_index
    assert Filters(created_before=BORN, include_retracted=True).are_beyond_index


@pytest.mark.parametrize(
    ("ref", "belongs"),
    [
        ("thread-1:turn-7", True),
        ("thread-1", True),
        ("thread-1/7", True),
        ("thread-12:turn-7", False),
        ("thread-1b", False),
        ("thread-1é", False),
        ("my thread-1:turn-7", False),
    ],
)
def test_an_event_belongs_to_the_thread_that_its_ref_begins_with(
    ref: str, *, belongs: bool
) -> None:
    assert Filters(thread_id="thread-1").admit(event_of(ref), NOW) is belongs


@pytest.mark.parametrize("event_kind", ["message:user", "message:assistant", "tool_call"])
@pytest.mark.parametrize(
    ("ref", "belongs"),
    [
        ("chat:1", True),
        ("chat-2:1", False),
        ("chat.b:1", False),
        ("chat 2:1", False),
        ("chat:7:1", False),
    ],
)
def test_a_message_belongs_to_the_thread_of_that_very_name(
    event_kind: str, ref: str, *, belongs: bool
) -> None:
    message = record("event", timeline=[{"t": BORN, "event_kind": event_kind, "ref": ref}])

    assert Filters(thread_id="chat").admit(message, NOW) is belongs
    assert not Filters(thread_id=ref).admit(message, NOW)
    assert Filters(thread_id=ref.rpartition(":")[0]).admit(message, NOW)


@pytest.mark.parametrize(
    ("revision", "filters", "admitted"),
    [
        ({"status": "retracted"}, Filters(), False),
        ({"status": "retracted"}, Filters(include_retracted=True), True),
        ({"status": "contested"}, Filters(), True),
    ],
    ids=str,
)
def test_what_was_retracted_comes_back_where_it_is_asked_for(
    revision: dict[str, str], filters: Filters, *, admitted: bool
) -> None:
    assert filters.admit(record("fact", revision=revision), NOW) is admitted


def test_a_fact_outside_its_window_stays_away_whatever_is_asked() -> None:
    over = record("fact", validity={"mode": "timeboxed", "end": NOW})

    assert not Filters(include_retracted=True).admit(over, NOW)
    assert not Filters().admit_redacted(over, NOW)


@pytest.mark.parametrize(
    "filters",
    [Filters(subject="user"), Filters(predicate="likes"), Filters(thread_id="thread-1")],
    ids=str,
)
def test_a_filter_that_looks_into_content_shows_no_redacted_record(filters: Filters) -> None:
    assert not any(filters.admit_redacted(record(kind), NOW) for kind in PAYLOADS)


def test_nobody_learns_by_asking_for_retracted_ones_which_redacted_one_was_retracted() -> None:
    taken_back = record("fact", revision={"status": "retracted"})

    assert not Filters().admit_redacted(taken_back, NOW)
    assert not Filters(include_retracted=True).admit_redacted(taken_back, NOW)


def test_a_redacted_record_is_filtered_by_what_it_shows() -> None:
    fact = record("fact", "a")

    assert Filters(tags=("a",), created_after=BORN).admit_redacted(fact, NOW)
    assert not Filters(tags=("b",)).admit_redacted(fact, NOW)
    assert not Filters(created_before=BORN).admit_redacted(fact, NOW)


@pytest.mark.parametrize(
    ("filters", "asked", "types"),
    [
        (Filters(), [], list(MemoryType)),
        (Filters(), ["semantic", "episodic", "semantic"], ["semantic", "episodic"]),
        (Filters(subject="a"), [], ["semantic"]),
        (Filters(predicate="a"), ["working"], []),
        (Filters(thread_id="a"), [], ["episodic", "working"]),
        (Filters(thread_id="a", subject="b"), [], []),
    ],
    ids=str,
)
def test_only_types_are_read_whose_records_can_be_admitted(
    filters: Filters, asked: list[str], types: list[str]
) -> None:
    assert list(filters.types_within(map(MemoryType, asked))) == types


@pytest.mark.parametrize("ended", [None, *OutcomeStatus])
def test_an_outcome_is_one_of_those_asked_for(ended: OutcomeStatus | None) -> None:
    episode = record("event", outcome=ended)

    for asked in ((OutcomeStatus.SUCCESS,), (OutcomeStatus.FAILURE, OutcomeStatus.PARTIAL)):
        filters = Filters(outcome=asked)
        assert filters.admit(episode, NOW) == (ended in asked)
        assert not filters.admit_redacted(episode, NOW)
        assert filters.types_within(()) == (MemoryType.EPISODIC,)
        assert filters.are_beyond_index
