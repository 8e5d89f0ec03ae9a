"""Conversations over HTTP, in batches, in imports and as events."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.builders.stored_records import noise
from tests.integration.events.test_event_sources import bus_event, message
from tests.integration.events.test_import import PATH, put, text
from tests.worlds.api import Api, Reply

TALK: dict[str, Any] = {
    "thread_id": "talk",
    "messages": [
        {"role": "user", "name": "Ada", "content": "Where do I live?"},
        {"role": "assistant", "content": "In Lisbon."},
    ],
}


@pytest.fixture(autouse=True)
def _standing_still(api: Api) -> None:
    """Salience is that of the same instant in every reply, and nothing is indexed until a reset."""
    api.functions.clock.freeze(frozen=True)
    api.post("/_dev/stream", {"paused": True})


def told(api: Api, body: Any = TALK, **options: Any) -> Reply:
    return api.post("/v1/messages", body, **options)


def test_messages_are_answered_with_their_records_and_turns(api: Api) -> None:
    first, second = told(api), told(api)

    assert (first.status, second.status) == (201, 201)
    turns = [(each.body["first_turn"], each.body["next_turn"]) for each in (first, second)]
    assert turns == [(1, 3), (3, 5)]
    for shown in first.body["records"]:
        assert api.get(f"/v1/records/{shown['id']}").record == shown
        assert shown["lifecycle"]["decay"]["half_life_seconds"] == 2_592_000


def test_what_is_said_of_a_conversation_holds_for_its_records(api: Api) -> None:
    said = {"scope": "project:alpha", "sensitivity": "medium", "tags": ["a"]}

    mine = told(api, {**TALK, **said, "source": "chat"}).body
    nameless = told(api, {**TALK, "scope": "project:beta"}).body

    for record in mine["records"]:
        assert {name: record[name] for name in said} == said
        assert record["audit_log"][0]["rationale"] == "Ingested message from chat"
    assert nameless["first_turn"] == 1, "a thread of another scope is another thread"
    speakers = [each["provenance"]["sources"][0]["created_by"] for each in nameless["records"]]
    assert speakers == ["Ada", "assistant"]
    assert nameless["records"][0]["audit_log"][0]["rationale"] == "Ingested message from Ada"
    events = [each["payload"]["timeline"][0] for each in mine["records"]]
    assert [(each["ref"], each["event_kind"], each["summary"]) for each in events] == [
        ("talk:1", "message:user", "Where do I live?"),
        ("talk:2", "message:assistant", "In Lisbon."),
    ]


def test_messages_without_a_time_follow_each_other_from_now_on(api: Api) -> None:
    api.post("/_dev/clock", {"set": "2026-03-01T09:00:00.25Z"})
    hello, then = {"role": "user", "content": "Hi"}, "2020-01-01T00:00:00+01:00"
    wrapped = {"type": "human", "data": {"content": "Hi"}, "at": then}
    never = {**hello, "at": "0001-01-01T00:00:00Z"}
    talk = [hello, never, {**hello, "createdAt": "today"}, wrapped, {**hello, "createdAt": then}]

    records = told(api, {**TALK, "messages": talk}).body["records"]
    api.post("/_dev/clock", {"set": datetime.now(UTC).isoformat()})

    now = ["2026-03-01T09:00:00.25Z", *(f"2026-03-01T09:00:00.25000{n}Z" for n in range(1, 5))]
    assert [each["created_at"] for each in records] == now
    times = [each["payload"]["timeline"][0]["t"] for each in records]
    assert times == [*now[:3], *["2019-12-31T23:00:00Z"] * 2]


@pytest.mark.parametrize("arguments", ['{"pattern": "TODO"}', {"pattern": "TODO"}], ids=str)
def test_a_result_is_told_with_its_call_and_a_tool_unknown_by_its_name(
    api: Api, arguments: Any
) -> None:
    call = {"id": "c", "function": {"name": "grep", "arguments": arguments}}
    talk = [
        {"role": "assistant", "content": "Let me see", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "3 lines"},
        {"role": "tool", "name": "grep", "content": ""},
        {"role": "tool", "tool_call_id": "another", "content": "3"},
    ]

    asked, *answers = told(api, {**TALK, "messages": talk}).body["records"]

    assert told_of(asked) == ("message:assistant", "Let me see")
    args = {"pattern": "TODO"}
    (node,) = asked["payload"]["tool_graph"]
    assert (node["id"], node["tool"], node["args"]) == ("c", "grep", args)
    nodes = [each["payload"]["tool_graph"][0] for each in answers]
    found = [(each["tool"], each.get("args"), each["result"]) for each in nodes]
    assert found == [("grep", args, "3 lines"), ("grep", None, ""), ("tool", None, "3")]


def test_a_repeat_has_the_turns_and_records_of_the_first_call(api: Api) -> None:
    key = {"idempotency-key": "k"}

    first = told(api, headers=key)
    told(api)
    before = api.stored()
    again = told(api, headers=key)
    shorter = {**TALK, "messages": TALK["messages"][:1]}
    longer = {**TALK, "messages": TALK["messages"] * 2}
    others = [told(api, each, headers=key) for each in (shorter, longer)]

    assert (again.status, again.headers["idempotency-replayed"]) == (200, "true")
    assert again.body == first.body
    assert [(each.status, each.body["code"]) for each in others] == [(409, "ALREADY_EXISTS")] * 2
    assert api.stored() == before


@pytest.mark.parametrize("erase", [False, True])
def test_a_repeat_names_what_was_deleted_and_makes_nothing_anew(api: Api, *, erase: bool) -> None:
    key = {"idempotency-key": "k"}
    first = told(api, headers=key)
    ids = [each["id"] for each in first.body["records"]]
    query = "?erase=true" if erase else ""

    api.call("DELETE", f"/v1/records/{ids[0]}{query}")
    half = told(api, headers=key).body
    api.call("DELETE", f"/v1/records/{ids[1]}{query}")
    all_gone = told(api, headers=key)
    other = told(api, {**TALK, "messages": TALK["messages"][:1]}, headers=key)

    assert (half["first_turn"], half["next_turn"]) == (1, 3)
    gone, there = half["records"]
    assert (gone["id"], gone.keys()) == (ids[0], {"id", "deleted_at"})
    assert there == first.body["records"][1]
    assert [each.keys() for each in all_gone.body["records"]] == [{"id", "deleted_at"}] * 2
    turns = (all_gone.body["first_turn"], all_gone.body["next_turn"])
    assert turns == ((None, None) if erase else (1, 3))
    assert (all_gone.status, other.status) == (200, 409)


def test_a_repeat_whose_records_are_partly_long_gone_is_refused(api: Api) -> None:
    key = {"idempotency-key": "k"}
    first = told(api, headers=key)
    api.call("DELETE", f"/v1/records/{first.body['records'][0]['id']}")
    api.post("/_dev/clock", {"advance_seconds": 401 * 86_400})

    again = told(api, headers=key)

    api.post("/_dev/clock", {"set": datetime.now(UTC).isoformat()})
    assert (again.status, again.body["detail"]) == (
        409,
        "the idempotency key was used before, and what it made is long gone",
    )


def test_a_repeat_whose_caller_may_see_less_now_is_refused(api: Api) -> None:
    key, body = {"idempotency-key": "k"}, {**TALK, "sensitivity": "medium"}
    told(api, body, headers=key, key=api.key_for(max_sensitivity="medium"))

    assert told(api, body, headers=key, key=api.key_for(max_sensitivity="low")).status == 403


def test_a_lifecycle_holds_for_every_message_of_the_conversation(api: Api) -> None:
    lifecycle = {"decay": {"half_life_seconds": 77}, "deletion_policy": "manual_only"}

    records = told(api, {**TALK, "lifecycle": lifecycle}).body["records"]

    assert [each["lifecycle"]["decay"]["half_life_seconds"] for each in records] == [77, 77]
    assert {each["lifecycle"]["deletion_policy"] for each in records} == {"manual_only"}
    listed = api.get("/v1/records").body["records"]
    assert {each["id"] for each in listed} == {each["id"] for each in records}


def test_messages_that_would_outlast_others_need_revise(api: Api) -> None:
    before, key = api.stored(), api.key_for(permissions=("ingest",))

    reply = told(api, {**TALK, "lifecycle": {"pinned": True}}, key=key)

    assert (reply.status, reply.body["detail"]) == (
        403,
        "lifecycle.pinned needs the permission revise",
    )
    assert api.stored() == before


def test_a_refusal_names_the_message(api: Api) -> None:
    before = api.stored()
    system = {"role": "system", "content": "Be brief"}

    reply = told(api, {**TALK, "messages": [*TALK["messages"], system]})

    assert reply.status == 400
    (error,) = reply.body["errors"]
    assert error["field"] == "messages.2.role"
    assert "instructions are not memories" in error["message"]
    assert api.stored() == before


def test_a_key_limited_to_a_scope_speaks_there(api: Api) -> None:
    key = api.key_for(scopes=("project:alpha",))

    own = told(api, key=key)
    elsewhere = told(api, {**TALK, "scope": "project:beta"}, key=key)

    assert {each["scope"] for each in own.body["records"]} == {"project:alpha"}
    assert elsewhere.status == 403


def test_what_no_reply_could_carry_is_413_and_leaves_nothing(api: Api) -> None:
    before = api.stored()
    quadrupled_by_escaping = [{"role": "user", "content": '"' * 100_000}] * 16

    reply = told(api, {**TALK, "messages": quadrupled_by_escaping})

    assert (reply.status, reply.body["code"]) == (413, "INVALID_ARGUMENT")
    assert api.stored() == before


def test_a_large_conversation_comes_back_as_it_was_sent(api: Api) -> None:
    contents = [noise(100_000, number) for number in range(20)]
    sent = [{"role": "tool", "name": "cat", "content": each} for each in contents]

    reply = told(api, {**TALK, "messages": sent}, headers={"idempotency-key": "k"})
    again = told(api, {**TALK, "messages": sent}, headers={"idempotency-key": "k"})

    for each in (reply, again):
        nodes = [record["payload"]["tool_graph"][0] for record in each.body["records"]]
        assert [node["result"] for node in nodes] == contents


def test_a_question_finds_what_was_said_and_what_was_answered(api: Api) -> None:
    tokens = told(api).body["consistency_tokens"]

    found = api.post(
        "/v1/retrieve",
        {"task_descriptor": "Where does Ada live?", "consistency_tokens": tokens},
    )

    said = [each["payload"]["timeline"][0]["summary"] for each in found.body["records"]]
    assert sorted(said) == ["In Lisbon.", "Where do I live?"]


def test_a_batch_takes_conversations_beside_other_requests(api: Api) -> None:
    event = {"rpc": "IngestEvent", "source": "ci", "event_kind": "build", "ref": "1"}
    items = [event, {"rpc": "IngestMessages", **TALK}, {"rpc": "IngestMessages", "messages": []}]
    key = {"idempotency-key": "k"}

    first = api.post("/v1/ingest/batch", {"items": items}, headers=key).body["results"]
    again = api.post("/v1/ingest/batch", {"items": items}, headers=key).body["results"]

    assert [entry["status"] for entry in first] == [201, 201, 400]
    assert [entry["status"] for entry in again] == [200, 200, 400]
    assert again[1] == {**first[1], "status": 200}
    assert first[1]["next_turn"] == 3


def test_a_batch_too_large_for_its_reply_is_answered_with_the_ids_of_the_messages(api: Api) -> None:
    tags = [f"{number:0256}" for number in range(100)]
    talk = {**TALK, "messages": TALK["messages"] * 50, "tags": tags}

    reply = api.post("/v1/ingest/batch", {"items": [{"rpc": "IngestMessages", **talk}] * 3})

    turns = [entry["first_turn"] for entry in reply.body["results"]]
    assert turns == [1, 101, 201]
    for entry in reply.body["results"]:
        assert [set(each) for each in entry["records"]] == [{"id"}] * 100


def test_lines_of_one_thread_keep_their_order_in_an_import(api: Api) -> None:
    lines = [
        {"rpc": "IngestMessages", word: "talk", "messages": [{"role": "user", "content": str(n)}]}
        for n, word in enumerate(["thread_id", "session"] * 10)
    ]

    put(api, text(*lines))
    first = api.get(PATH).body
    put(api, text(*lines))
    again = api.get(PATH).body

    assert (first["created"], first["refused"]) == (20, 0)
    assert (again["created"], again["replayed"]) == (0, 20)
    said = {
        record["payload"]["timeline"][0]["ref"]: record["payload"]["timeline"][0]["summary"]
        for record in api.get("/v1/records?limit=50").body["records"]
    }
    assert said == {f"talk:{n + 1}": str(n) for n in range(20)}


def test_conversations_come_by_bus_queue_and_direct_invocation(api: Api) -> None:
    function = "IngestMessagesFunction"

    by_bus = api.invoke(function, bus_event("IngestMessages", TALK))
    batch = {"Records": [message(json.dumps(TALK), "m-1"), message("{}", "m-2")]}
    by_queue = api.invoke(function, batch)
    directly = api.invoke(function, TALK)

    assert {each["audit_log"][0]["principal"] for each in by_bus["records"]} == {"event-bus"}
    assert by_queue == {"batchItemFailures": [{"itemIdentifier": "m-2"}]}
    assert (by_bus["first_turn"], directly["first_turn"]) == (1, 5)


def test_a_repeat_fits_its_reply_though_a_record_was_changed_often(api: Api) -> None:
    sent = [{"role": "user", "content": "x" * 61_000} for _ in range(100)]
    key = {"idempotency-key": "k"}
    first = told(api, {**TALK, "messages": sent}, headers=key)
    assert first.status == 201, first.body
    (changed, *_) = first.body["records"]
    for _ in range(10):
        reason = {"amount": 0, "rationale": "x" * 20_000}
        api.post(f"/v1/records/{changed['id']}/penalize", reason)

    again = told(api, {**TALK, "messages": sent}, headers=key)

    assert again.status == 200, again.body
    assert len(again.body["records"]) == 100


OPENAI: list[dict[str, Any]] = [
    {"role": "developer", "content": "Be brief. " * 11000, "name": None},
    {"role": "System", "content": [{"type": "text", "text": "Be kind"}]},
    {
        "role": "User",
        "content": [
            {"type": "text", "text": "Look:"},
            {
                "type": "image_url",
                "image_url": {"url": "data:image/png;base64,aGVsbG8=", "detail": None},
            },
            {"type": "file", "file": {"file_id": "file-1", "filename": "a.pdf", "file_data": None}},
            {"type": "input_audio", "input_audio": {"data": "aGVsbG8=", "format": "wav"}},
        ],
    },
    {
        "role": "assistant", "content": None, "refusal": None, "annotations": [], "audio": None,
        "function_call": None,
        "tool_calls": [
            {
                "id": "call-1", "type": "function",
                "function": {"name": "grep", "arguments": '{"pattern": "TO'},
            },
            {
                "id": "call-2", "type": "function",
                "function": {"name": "sum", "arguments": '{"of": NaN}'},
            },
            {"id": "call-3", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}},
        ],
    },
    {"role": "tool", "tool_call_id": "call-1", "content": [{"type": "text", "text": "none"}]},
    {"role": "function", "name": "sum", "content": "NaN"},
    {"role": "assistant", "content": None, "refusal": "I cannot say.", "tool_calls": None},
    {
        "role": "assistant", "content": None,
        "audio": {"id": "a-1", "data": "aGVsbG8=", "expires_at": 1, "transcript": "Hello Ada"},
    },
    {"role": "assistant", "function_call": {"name": "grep", "arguments": "{}"}},
]  # fmt: skip


def told_of(record: dict[str, Any]) -> tuple[str, str]:
    """The kind and the summary of the record of a message."""
    event = record["payload"]["timeline"][0]
    return event["event_kind"], event["summary"]


def test_a_conversation_of_openai_is_taken_as_its_client_dumps_it(api: Api) -> None:
    reply = told(api, {"session": "s", "messages": OPENAI})

    assert (reply.status, reply.body.get("skipped")) == (201, 2), reply.body
    records = reply.body["records"]
    assert [told_of(each) for each in records] == [
        (
            "message:user",
            "Look:\n[image: image/png, 5 bytes]\n[file: a.pdf, file-1]\n[audio: wav, 5 bytes]",
        ),
        ("message:assistant", "tool_call: grep, sum, sql"),
        ("tool_call", "tool_call: grep"),
        ("tool_call", "tool_call: sum"),
        ("message:assistant", "I cannot say."),
        ("message:assistant", "Hello Ada"),
        ("message:assistant", "tool_call: grep"),
    ]
    calls = records[1]["payload"]["tool_graph"]
    assert [each["args"] for each in calls] == [
        {"text": '{"pattern": "TO'},
        {"text": '{"of": NaN}'},
        {"text": "SELECT 1"},
    ]


RESULT: dict[str, Any] = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "12 degrees"}
USE: Any = {
    "type": "tool_use",
    "id": "toolu_1",
    "name": "weather",
    "input": {"in": "Rome"},
}


@pytest.mark.parametrize(
    ("message", "kind", "summary"),
    [
        ({"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}, "message:user", "Hi"),
        (
            {
                "id": "msg_1", "type": "message", "status": "completed", "role": "assistant",
                "content": [
                    {"type": "output_text", "text": "Hi", "annotations": [], "logprobs": None},
                ],
            },
            "message:assistant", "Hi",
        ),
        (
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Hm", "signature": "x"},
                    {"type": "text", "text": "I look.", "citations": None}, USE,
                ],
            },
            "message:assistant", "I look.",
        ),
        ({"role": "assistant", "content": [USE]}, "message:assistant", "tool_call: weather"),
        ({"role": "user", "content": [RESULT]}, "tool_call", "tool_call: tool"),
        (
            {"role": "user", "content": [RESULT, {"type": "text", "text": "And tomorrow?"}]},
            "message:user", "[tool_result toolu_1] 12 degrees\nAnd tomorrow?",
        ),
        (
            {
                "role": "user",
                "content": [
                    {
                        "type": "image",
                        "source": {
                            "type": "base64", "media_type": "image/jpeg", "data": "aGVsbG8=",
                        },
                    },
                    {
                        "type": "document", "title": "Plan",
                        "source": {"type": "url", "url": "https://a"},
                    },
                ],
            },
            "message:user", "[image: image/jpeg, 5 bytes]\n[document: Plan, https://a]",
        ),
        (
            {"role": "model", "parts": [{"text": "Hi"}, {"text": "there", "thought": None}]},
            "message:assistant", "Hi\nthere",
        ),
        (
            {
                "role": "user",
                "parts": [{"fileData": {"mimeType": "video/mp4", "fileUri": "gs://a"}}],
            },
            "message:user", "[file: video/mp4, gs://a]",
        ),
        (
            {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": {}}}]},
            "message:assistant", "tool_call: weather",
        ),
        (
            {
                "role": "user",
                "content": [{"toolResult": {"toolUseId": "t", "content": [{"text": "3"}]}}],
            },
            "tool_call", "tool_call: tool",
        ),
        (
            {"type": "function_call_output", "call_id": "call_1", "output": "12 degrees"},
            "tool_call", "tool_call: tool",
        ),
        (
            {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"reasoningText": {"text": "Hm", "signature": "x"}}},
                    {"text": "Hi"},
                ],
            },
            "message:assistant", "Hi",
        ),
    ],
)  # fmt: skip
def test_a_message_of_a_provider_is_taken(
    api: Api, message: dict[str, Any], kind: str, summary: str
) -> None:
    reply = told(api, {"session": "s", "messages": [message]})

    assert reply.status == 201, reply.body
    assert "skipped" not in reply.body
    (record,) = reply.body["records"]
    assert told_of(record) == (kind, summary)


def test_a_result_among_the_parts_belongs_to_the_call_of_the_same_request(api: Api) -> None:
    talk = [{"role": "assistant", "content": [USE]}, {"role": "user", "content": [RESULT]}]

    record = told(api, {"session": "s", "messages": talk}).body["records"][1]

    (node,) = record["payload"]["tool_graph"]
    assert (node["tool"], node["args"], node["result"]) == (
        "weather",
        {"in": "Rome"},
        "12 degrees",
    )


def test_a_message_that_cannot_be_taken_is_named_by_the_index_in_the_request(api: Api) -> None:
    before = api.stored()
    unknown = {"role": "user", "content": [{"type": "narration"}]}

    reply = told(api, {"session": "s", "messages": [*OPENAI, {"role": "user"}]})
    other = told(api, {"session": "s", "messages": [*OPENAI, unknown, "Hi"]})
    alone = told(api, {"session": "s", "messages": OPENAI[:2]})

    assert [each["field"] for each in reply.body["errors"]] == ["messages.9.content"]
    assert [each["field"] for each in other.body["errors"]] == ["messages.9.content", "messages.10"]
    assert "besides instructions" in alone.body["detail"]
    assert api.stored() == before
