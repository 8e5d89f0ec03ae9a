"""Ingesting conversations: a record for each message, at the next turns of its thread."""

from functools import partial
from typing import Any

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.language.errors import (
    Aborted,
    AlreadyExists,
    InvalidArgument,
    PermissionDenied,
    TooManyProfiles,
)
from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.idempotency import is_keyed_id
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.domain.search.brief import in_brief
from membrane.usecases.ports.services import Services
from membrane.usecases.records.creating import REUSED, SPENT
from tests.builders.messages import lines, messages, refs, said, tell
from tests.builders.requests import ALPHA, change, refused, standing
from tests.fakes.clock import FakeClock
from tests.worlds.faults import before_writes, lose_races
from tests.worlds.memory import make_services, table_of
from tests.worlds.memory_table import TableRecords

CALL = {"id": "call-1", "function": {"name": "grep", "arguments": '{"pattern": "TODO"}'}}


def episodes(told: Any, records: TableRecords) -> list[EpisodicPayload]:
    """The payloads of a reply's records as they are stored."""
    found = [standing(each["id"], records).record.payload for each in told.body["records"]]
    assert all(isinstance(each, EpisodicPayload) for each in found)
    return found  # type: ignore[return-value]  # asserted just now


def test_each_message_becomes_an_episode_at_its_turn_of_the_thread(
    services: Services, records: TableRecords
) -> None:
    told = tell(said("Hi", "Hello", "Bye"), services)

    assert told.body["thread_id"] == "talk"
    assert (told.body["first_turn"], told.body["next_turn"]) == (1, 4)
    assert refs(told) == ["talk:1", "talk:2", "talk:3"]
    events = [episode.timeline[0] for episode in episodes(told, records)]
    assert [each.summary for each in events] == ["Hi", "Hello", "Bye"]
    kinds = ["message:user", "message:assistant", "message:user"]
    assert [each.event_kind for each in events] == kinds


def test_later_messages_go_on_where_the_thread_ended(services: Services) -> None:
    tell(said("Hi", "Hello"), services)

    told = tell(said("Bye"), services)

    assert (told.body["first_turn"], told.body["next_turn"]) == (3, 4)


def test_a_thread_of_another_scope_is_another_thread(services: Services) -> None:
    tell(said("Hi", scope="project:alpha"), services)

    told = tell(said("Hi", scope="project:beta"), services)

    assert told.body["first_turn"] == 1


def test_scope_sensitivity_tags_and_source_are_those_of_the_request(
    services: Services, records: TableRecords
) -> None:
    told = tell(said("Hi", "Hello", sensitivity="medium", tags=["a"], source="chat"), services)

    for shown in told.body["records"]:
        record = standing(shown["id"], records).record
        assert (record.scope, record.sensitivity, record.tags) == (
            "project:alpha",
            "medium",
            ("a",),
        )
        assert record.audit_log[0].rationale == "Ingested message from chat"


def test_who_speaks_is_the_name_or_else_the_role(services: Services, records: TableRecords) -> None:
    named = {"role": "user", "content": "Hi", "name": "Ada"}

    told = tell(messages(named, {"role": "assistant", "content": "Hello"}), services)

    found = [standing(each["id"], records).record for each in told.body["records"]]
    assert [each.provenance.sources[0].created_by for each in found] == ["Ada", "assistant"]
    assert found[0].audit_log[0].rationale == "Ingested message from Ada"


def test_messages_without_a_time_follow_each_other_from_now_on(
    services: Services, records: TableRecords
) -> None:
    given = {"role": "user", "content": "Then", "at": "2020-01-01T00:00:00+01:00"}
    first, second = said("1", "2").model_dump()["messages"]

    told = tell(messages(first, {**second, "at": NOT_GIVEN}, given), services)

    times = [episode.timeline[0].t for episode in episodes(told, records)]
    assert times == [
        "2026-03-01T09:00:00.25Z",
        "2026-03-01T09:00:00.250001Z",
        "2019-12-31T23:00:00Z",
    ]
    made = [each["created_at"] for each in told.body["records"]]
    assert made == [*times[:2], "2026-03-01T09:00:00.250002Z"]


def test_messages_have_a_half_life_of_their_own(records: TableRecords, clock: FakeClock) -> None:
    policy = PolicyDefaults(message_half_life_s=777)
    services = make_services(records=records, now=clock, policy=policy)
    spoken = {"role": "tool", "name": "grep", "content": "3"}

    told = tell(messages(*said("Hi").model_dump()["messages"], spoken), services)

    found = [each["lifecycle"]["decay"]["half_life_seconds"] for each in told.body["records"]]
    assert found == [777, 777]


def test_calls_of_tools_lie_in_the_tool_graph_of_who_called(
    services: Services, records: TableRecords
) -> None:
    told = tell(messages({"role": "assistant", "content": None, "tool_calls": [CALL]}), services)

    (episode,) = episodes(told, records)
    (node,) = episode.tool_graph
    assert (node.id, node.tool, node.args) == ("call-1", "grep", {"pattern": "TODO"})
    assert episode.timeline[0].summary == "tool_call: grep"


@pytest.mark.parametrize("arguments", ['{"pattern": "TODO"}', {"pattern": "TODO"}])
def test_what_a_tool_returned_is_told_with_the_call_of_the_same_request(
    services: Services, records: TableRecords, arguments: Any
) -> None:
    called = {**CALL, "function": {"name": "grep", "arguments": arguments}}
    calling = {"role": "assistant", "content": "Let me see", "tool_calls": [called]}
    returned = {"role": "tool", "tool_call_id": "call-1", "content": "3 lines"}

    told = tell(messages(calling, returned), services)

    asked, answered = episodes(told, records)
    assert asked.timeline[0].summary == "Let me see"
    (node,) = answered.tool_graph
    assert (node.id, node.tool, node.args) == ("call-1", "grep", {"pattern": "TODO"})
    assert node.result == "3 lines"
    assert answered.timeline[0].event_kind == "tool_call"


def test_a_tool_whose_call_came_earlier_goes_by_its_name_or_by_none(
    services: Services, records: TableRecords
) -> None:
    named = {"role": "tool", "name": "grep", "content": ""}
    unknown = {"role": "tool", "tool_call_id": "call-0", "content": "3"}

    told = tell(messages(named, unknown), services)

    assert [each.tool_graph[0].tool for each in episodes(told, records)] == ["grep", "tool"]
    assert [each.tool_graph[0].result for each in episodes(told, records)] == ["", "3"]


def test_a_refused_conversation_leaves_nothing(services: Services, records: TableRecords) -> None:
    with refused(records, InvalidArgument, "messages.2.content is required"):
        tell(said("Hi", "Hello", ""), services)
    with refused(records, PermissionDenied):
        tell(said("Hi", scope="elsewhere"), services, ALPHA)
    with refused(records, PermissionDenied):
        tell(said("Hi", sensitivity="hyper"), services, ALPHA)


# --- repeats -------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 3, 100])
def test_a_repeat_has_the_turns_and_records_of_the_first_call(
    services: Services, records: TableRecords, number: int
) -> None:
    first = tell(said(*lines(number)), services, key="k")
    tell(said("meanwhile"), services)
    stored = records.everything()

    again = tell(said(*lines(number)), services, key="k")

    assert again.replayed
    assert again.body == first.body
    assert records.everything() == stored
    assert all(is_keyed_id(each["id"]) for each in first.body["records"])


@pytest.mark.parametrize("others", [("Hi",), ("Hi", "Hello", "Bye"), ("Hi", "Ho")])
def test_other_messages_under_the_same_key_are_refused(
    services: Services, records: TableRecords, others: tuple[str, ...]
) -> None:
    tell(said("Hi", "Hello"), services, key="k")

    with refused(records, AlreadyExists, REUSED):
        tell(said(*others), services, key="k")


def test_a_repeat_names_what_was_deleted_and_makes_nothing_anew(services: Services) -> None:
    first = tell(said("Hi", "Hello"), services, key="k")
    change(DeleteRecord(id=first.body["records"][0]["id"]), services)

    again = tell(said("Hi", "Hello"), services, key="k")

    assert (again.body["first_turn"], again.body["next_turn"]) == (1, 3)
    gone, there = again.body["records"]
    assert gone == {"id": first.body["records"][0]["id"], "deleted_at": "2026-03-01T09:00:00.25Z"}
    assert there == first.body["records"][1]


@pytest.mark.parametrize("erase", [False, True])
def test_a_repeat_of_what_was_deleted_says_when(services: Services, *, erase: bool) -> None:
    first = tell(said("Hi", "Hello"), services, key="k")
    ids = [each["id"] for each in first.body["records"]]
    for each in ids:
        change(DeleteRecord(id=each, erase=erase), services)

    again = tell(said("Hi", "Hello"), services, key="k")

    assert again.replayed
    assert again.body == {
        "thread_id": "talk",
        "first_turn": None if erase else 1,
        "next_turn": None if erase else 3,
        "records": [{"id": each, "deleted_at": "2026-03-01T09:00:00.25Z"} for each in ids],
        "consistency_tokens": [],
    }


def test_what_was_erased_is_a_repeat_of_the_same_request_alone(
    services: Services, records: TableRecords
) -> None:
    first = tell(said("Hi"), services, key="k")
    change(DeleteRecord(id=first.body["records"][0]["id"], erase=True), services)

    with refused(records, AlreadyExists, REUSED):
        tell(said("Ho"), services, key="k")


def test_a_repeat_whose_tombstones_have_expired_in_part_is_refused(
    services: Services, records: TableRecords
) -> None:
    first = tell(said("Hi", "Hello"), services, key="k")
    del records.places[first.body["records"][0]["id"]]

    with refused(records, AlreadyExists, SPENT):
        tell(said("Hi", "Hello"), services, key="k")


def test_a_repeat_sees_no_more_than_its_caller_may_see_now(
    services: Services, records: TableRecords
) -> None:
    tell(said("Hi", sensitivity="medium"), services, ALPHA, key="k")
    lowered = principal_of("alpha", ["ingest"], ["project:alpha"], "low")

    with refused(records, PermissionDenied):
        tell(said("Hi", sensitivity="medium"), services, lowered, key="k")


def test_messages_with_one_decay_profile_too_many_are_refused_naming_the_field(
    services: Services, records: TableRecords
) -> None:
    for number in range(14):
        tell(said("Hi", lifecycle={"decay": {"half_life_seconds": 100 + number}}), services)

    with refused(records, TooManyProfiles, "16 decay profiles") as caught:
        tell(said("Hi", lifecycle={"decay": {"half_life_seconds": 99}}), services)

    assert [each.field for each in caught.value.violations] == ["lifecycle.decay"]
    tell(said("Hi"), services)


@pytest.mark.parametrize("content", [None, "On my way"])
def test_a_message_with_calls_of_tools_says_them_once(
    services: Services, records: TableRecords, content: str | None
) -> None:
    calls = [{"id": "call-1", "function": {"name": "deploy", "arguments": {"to": "prod"}}}]
    request = messages({"role": "assistant", "content": content, "tool_calls": calls})

    [made] = tell(request, services).body["records"]

    said = [] if content is None else [content]
    brief = in_brief(standing(made["id"], records).record, is_redacted=False)
    assert (brief["text"] or "").split("\n") == [
        *said,
        'deploy {"to":"prod"}',
    ]


# --- races ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("others", [1, 15])
def test_who_comes_second_takes_the_turns_behind(clock: FakeClock, others: int) -> None:
    services = make_services(now=clock)
    speak = [partial(tell, said("Me first"), services)] * others
    before_writes(table_of(services).client, lambda: speak and speak.pop()())

    told = tell(said("Hi", "Hello"), services)

    assert refs(told) == [f"talk:{others + 1}", f"talk:{others + 2}"]


def test_who_never_wins_is_told_that_nothing_was_changed(clock: FakeClock) -> None:
    services = make_services(now=clock)
    lose_races(table_of(services).client, 16)

    with pytest.raises(Aborted):
        tell(said("Hi", "Hello"), services)

    assert not table_of(services).ids
