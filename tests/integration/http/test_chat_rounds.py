"""Conversations: the route, the rounds, the tools, the stream, and the end (MemState's chat)."""

import json
from typing import Any

import pytest

from membrane_local.http_messages import Request
from tests.worlds.chat_endpoint import Answer, in_turn, says, sends
from tests.worlds.faults import silent_records
from tests.worlds.talks import (
    BUSY,
    REFUSED,
    SILENT,
    TOKENS,
    Frame,
    Talk,
    body_of,
    calls,
    frames_in,
    talking,
    word,
)

CREATE = ("memory_create_topic", {"title": "Ada", "topic_id": "ada"})
LIST: tuple[str, Any] = ("memory_list_topics", {})


def topics(talk: Talk) -> int:
    return len(talk.api.get("/v1/topics").body["topics"])


def test_a_question_is_routed_and_answered(talk: Talk) -> None:
    reply = talk.say("who am I?", word("query"), word("  You are Ada. "))

    assert reply.status == 200
    assert reply.body == {
        "reply": "You are Ada.",
        "tool_log": [],
        "model": "llama",
        "provider": "openai",
        "intent": "query",
        "intent_source": "classifier",
        "max_tool_rounds": 32,
        "tokens": {"used": 2 * TOKENS, "questions": 2},
    }
    route, first = talk.asked
    assert [each["content"] for each in route["messages"][1:]] == ["user: who am I?"]
    assert (route.get("tools"), route["temperature"]) == (None, 0.0)
    assert [each["content"] for each in first["messages"][1:]] == ["who am I?"]


@pytest.mark.parametrize(
    ("answer", "route"),
    [
        ("INGEST.", "ingest"),
        ("I would say both", "both"),
        ("Ingest, not query", "ingest"),
        ("querying and ingestion", "both"),
        ("", "both"),
    ],
)
def test_the_first_word_of_the_answer_that_names_a_route_counts(
    talk: Talk, answer: str, route: str
) -> None:
    assert talk.say("x", word(answer), word("hi")).body["intent"] == route


def test_the_question_about_the_route_shows_the_end_of_long_messages(talk: Talk) -> None:
    said = [("user", "a" * 4_001), ("assistant", "hi"), ("user", "c" * 3_990)]
    messages = [{"role": role, "content": text} for role, text in said]

    talk.say("", word("query"), word("hi"), messages=messages, intent_turns=9)

    (_, told) = talk.asked[0]["messages"]
    assert told["content"].startswith("…a")
    assert "a…\n\nassistant: hi\n\nuser: ccc" in told["content"]
    assert len(told["content"]) == 8_001


@pytest.mark.parametrize(
    ("route", "others", "permissions", "count"),
    [
        ("query", {}, (), 7),
        ("ingest", {}, (), 23),
        ("both", {}, (), 26),
        ("both", {}, ("read",), 14),
        ("query", {"profile": "agent"}, (), 3),
        ("both", {"profile": "agent"}, (), 8),
    ],
)
def test_each_route_offers_the_tools_of_the_profile_that_the_key_may_call(
    talk: Talk, route: str, others: dict[str, Any], permissions: tuple[str, ...], count: int
) -> None:
    key = talk.api.key_for(permissions=permissions or ("read", "ingest", "revise"))

    reply = talk.say("x", word("hi"), key=key, intent_override=route, **others).body

    assert (reply["intent"], reply["intent_source"]) == (route, "override")
    assert len(talk.offered(0)) == count
    assert len(talk.asked) == 1


def test_calls_run_in_order_and_their_results_are_read_by_the_model(talk: Talk) -> None:
    steps = word("ingest"), calls(CREATE, LIST, text="One moment."), word("Done.")

    log = talk.say("I am Ada", *steps).body["tool_log"]

    assert [each["tool"] for each in log] == [CREATE[0], LIST[0]]
    assert log[0]["result"] == {"ok": True, "topic_id": "ada"}
    assert log[1]["result"]["topic_ids"] == ["ada"]
    _, user, model, first, second = talk.asked[-1]["messages"]
    assert (user["content"], model["content"]) == ("I am Ada", "One moment.")
    ids = [each["id"] for each in model["tool_calls"]]
    assert ids == [first["tool_call_id"], second["tool_call_id"]]
    assert first["content"] == '{"ok":true,"topic_id":"ada"}'


def test_the_frames_of_a_conversation_come_in_memstates_order(talk: Talk) -> None:
    frames = talk.hear("I am Ada", word("ingest"), calls(CREATE), word("Done."))

    assert [each["type"] for each in frames] == [
        *("intent", "llm_round", "tool_start", "tool_end"),
        *("llm_round", "reply", "done"),
    ]
    intent, _, start, end, _, reply, done = frames
    assert intent == {"type": "intent", "route": "ingest", "intent_source": "classifier"}
    assert (start["index"], start["tool"], start["args"]) == (0, *CREATE)
    assert start["viz"]["label"] == "Creating topic Ada"
    assert end["result"] == {"ok": True, "topic_id": "ada"}
    assert end["viz"]["topic_ids"] == ["ada"]
    assert reply == {"type": "reply", "text": "Done."}
    assert (done["reply"], done["tool_log"][0]["tool"]) == ("Done.", CREATE[0])


ID = "0123456789abcdef"
HINTS: list[tuple[str, Any, tuple[str, str, str]]] = [
    ("memory_list_topics", {}, ("scan", "scan", "Scanning topics")),
    ("memory_get_topic", {"topic_id": ID}, ("read", "topic", "Reading topic 01234567")),
    (
        "memory_append_field",
        {"topic_id": ID, "field_name": "age"},
        ("write_field", "field", "Writing field age"),
    ),
    ("memory_delete_topic", {"topic_id": ID}, ("write_topic", "topic", "Deleting topic 01234567")),
    (
        "memory_add_relationship",
        {"from_topic_id": ID, "to_topic_id": "b", "kind": "knows"},
        ("write_edge", "topic", "Linking topics (knows)"),
    ),
    (
        "memory_nest_fields_in_topic",
        {"topic_id": ID, "field_names": ["a", "b"], "nest_key": "n"},
        ("reorganize", "topic", "Reorganizing topic 01234567"),
    ),
    ("memory_reorganize_merge_topics", {}, ("reorganize", "scan", "Planning a reorganisation")),
]


def test_a_call_has_hints_for_programs_that_draw_the_graph(talk: Talk) -> None:
    def ends(*made: tuple[str, Any]) -> list[Frame]:
        frames = talk.hear("x", calls(*made), word("."), intent_override="both")
        return [each for each in frames if each["type"] in ("tool_start", "tool_end")]

    starts = ends(*((tool, args) for tool, args, _ in HINTS))[::2]
    assert [(each["viz"]["action"], each["viz"]["viz_focus"], each["viz"]["label"])
            for each in starts] == [expected for *_, expected in HINTS]  # fmt: skip

    edge = {"from_topic_id": "ada", "to_topic_id": "home", "kind": "knows"}
    nested = {"topic_id": "ada", "field_names": ["x", "y"], "nest_key": "n"}
    place = {"topic_id": "ada", "field_name": "n"}
    found = ends(
        CREATE,
        ("memory_create_topic", {"title": "Home", "topic_id": "home"}),
        *[("memory_append_field", {**place, "field_name": each, "value": 1}) for each in "xy"],
        ("memory_add_relationship", edge),
        ("memory_nest_fields_in_topic", nested),
        ("memory_get_field", place),
        ("memory_get_field", {**place, "nested_field_name": "x"}),
        LIST,
        ("memory_get_topic", {"topic_id": "absent"}),
    )
    linked, _, bundle, inner, listed, absent = found[9::2]
    assert (linked["viz"]["edge"], "edge" in listed["viz"]) == (edge, False)
    assert bundle["viz"]["field_names"] == ["x", "y"]
    assert inner["viz"]["field_target"] == {"name": "x", "nest_key": "n"}
    assert (inner["viz"]["nest_key"], inner["viz"]["highlight_fields"]) == ("n", ["x"])
    assert listed["viz"]["label"] == "Scanning 2 topics"
    assert sorted(listed["viz"]["topic_ids"]) == ["ada", "home"]
    assert (listed["viz"]["ok"], absent["viz"]["ok"]) == (True, False)


def test_a_model_that_says_nothing_offers_help_unless_it_called_a_tool(talk: Talk) -> None:
    assert talk.say("hm", word("both"), word(" ")).body["reply"] == "How can I help?"
    assert talk.say("hm", word("both"), calls(LIST), word("")).body["reply"] == ""


def test_rounds_and_calls_of_an_answer_have_an_end(talk: Talk) -> None:
    steps = [calls(LIST)] * 3
    rounds = talk.say("x", *steps, intent_override="query", max_tool_rounds=3).body
    many = talk.say("x", word("query"), calls(*[LIST] * 40), word("hi")).body

    assert rounds["reply"] == (
        "Stopped after 3 tool rounds (max 3); check tool_log for partial results."
    )
    assert len(rounds["tool_log"]) == 3
    assert len(many["tool_log"]) == 32
    model, *results = talk.asked[-1]["messages"][2:]
    assert len(model["tool_calls"]) == len(results) == 32


@pytest.mark.parametrize(
    ("call", "profile", "error"),
    [
        (CREATE, "memstate", "not open here"),
        (("memory_reorganize_merge_topics", {}), "memstate", "not open here"),
        (("read", {"id": "absent"}), "agent", "not found"),
        (("read", "{broken"), "agent", "the arguments must be a JSON object"),
        (("recall", {"query": "x", "user": "bob"}), "agent", "user is not an argument"),
    ],
)
def test_a_refusal_of_a_tool_has_no_effect_and_is_read_by_the_model(
    talk: Talk, call: tuple[str, Any], profile: str, error: str
) -> None:
    reply = talk.say("x", word("query"), calls(call), word("I could not."), profile=profile).body

    (entry,) = reply["tool_log"]
    assert (reply["reply"], entry["result"]["ok"]) == ("I could not.", False)
    assert error in entry["result"]["error"]
    assert (
        entry["result"]["error"] in json.loads(talk.asked[-1]["messages"][-1]["content"])["error"]
    )
    if call[1] == "{broken":
        assert entry["args"] == {"unreadable": "{broken"}
    assert topics(talk) == 0


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"title": "A", "title": "B"}'])
def test_a_text_that_is_no_json_object_has_no_arguments_for_memstates_tools(
    talk: Talk, text: str
) -> None:
    steps = calls(("memory_list_topics", text), ("memory_create_topic", text)), word("ok")

    listed, made = talk.say("x", *steps, intent_override="both").body["tool_log"]

    assert listed["result"]["topics"] == []
    assert made["result"] == {"ok": False, "error": "title required"}


def test_the_writes_are_those_of_the_key(talk: Talk) -> None:
    key = talk.api.key_for(actor_id="ann", scopes=("team:a",))
    write = calls(("remember", {"text": "tea"}))

    (entry,) = talk.say(
        "I like tea", word("ingest"), write, word("ok"), key=key, profile="agent"
    ).body["tool_log"]

    record = talk.api.get(f"/v1/records/{entry['result']['id']}").record
    assert (record["audit_log"][0]["principal"], record["scope"]) == ("ann", "team:a")


def test_a_store_that_does_not_answer_a_tool_is_a_refusal_and_a_fault_for_operators(
    talk: Talk, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = calls(("read", {"id": "m"})), word("Try later.")

    with silent_records(talk.api.functions.store.dynamodb):
        reply = talk.say("x", *steps, profile="agent", intent_override="query")

    assert (reply.status, reply.body["reply"]) == (200, "Try later.")
    assert reply.body["tool_log"][0]["result"] == {
        "ok": False,
        "error": "the store did not answer",
    }
    assert "Chat: FAULT" in capsys.readouterr().err


@pytest.mark.parametrize("failure", [SILENT, REFUSED, BUSY], ids=["silent", "refused", "busy"])
def test_what_was_written_before_a_failure_is_in_the_answer(talk: Talk, failure: Answer) -> None:
    steps = word("ingest"), calls(CREATE), calls(LIST), failure
    reply = talk.say("x", *steps)
    *_, told, error = talk.hear("x", *steps)

    assert reply.status == 200
    assert len(reply.body["tool_log"]) == 2
    assert "Stopped after 2 calls of tools, which stand" in reply.body["reply"]
    assert reply.body["stopped"]["status"] == error["status"] >= 429
    assert (told["type"], error["type"]) == ("reply", "error")
    assert error["tool_log"][0]["tool"] == CREATE[0]
    assert topics(talk) == 1


@pytest.mark.parametrize("steps", [(), (word("ingest"),)], ids=["the route", "the first round"])
def test_a_failure_before_any_tool_is_an_error(talk: Talk, steps: tuple[Answer, ...]) -> None:
    silent, busy = (talk.say("x", *steps, each) for each in (SILENT, BUSY))
    *_, last = talk.hear("x", *steps, SILENT)

    assert (silent.status, silent.body["code"]) == (503, "UNAVAILABLE")
    assert (busy.status, busy.headers["retry-after"]) == (429, "600")
    assert {**last, "request_id": ""} == {
        "type": "error",
        "status": 503,
        "code": "UNAVAILABLE",
        "detail": silent.body["detail"],
        "request_id": "",
    }


def test_a_busy_model_is_asked_again_after_the_wait_that_it_names(talk: Talk) -> None:
    busy = sends(b"{}", 429, [("Retry-After", "1")])

    assert talk.say("x", busy, word("query"), word("hi")).body["reply"] == "hi"


def test_a_garbled_answer_is_asked_for_again_coldly_and_with_a_call(talk: Talk) -> None:
    garbled = sends(b'{"error": {"code": "tool_use_failed"}}', 400)

    reply = talk.say("x", garbled, garbled, word("hi"), intent_override="query")
    given_up = talk.say("x", *[garbled] * 3, intent_override="query")

    assert (reply.body["reply"], given_up.status) == ("hi", 503)
    assert len(talk.asked) == 3
    first, second, _ = talk.asked
    assert (first.get("tool_choice"), second["tool_choice"]) in (
        ("auto", "required"),
        (None, "required"),
    )
    assert second["temperature"] == 0.0


def test_a_repeated_conversation_writes_nothing_twice(talk: Talk) -> None:
    write = calls(("remember", {"text": "tea"}), ("remember", {"text": "tea"}))

    logs = [
        talk.say(
            "I like tea",
            word("ingest"),
            write,
            word("ok"),
            profile="agent",
            idempotency_key="key-1",
        ).body["tool_log"]
        for _ in range(2)
    ]

    ids = [[each["result"]["id"] for each in log] for log in logs]
    assert ids[0] == ids[1]


@pytest.mark.parametrize(
    ("said", "turns", "told"),
    [
        ([("system", "obey"), ("user", " hello "), ("tool", "x"), ("user", "who?")], 9,
         ["hello\n\nwho?"]),
        ([("user", 7), ("assistant", "hi"), ("user", {"a": 1})], 9, ["7", "hi", '{"a":1}']),
        ([("user", "1"), ("assistant", "2"), ("user", "3"), ("assistant", "4"), ("user", "5")], 2,
         ["3", "4", "5"]),
        ([("assistant", "welcome"), ("user", "hello"), ("assistant", "hi"), ("user", "who?")], 9,
         ["(You said before: welcome)\n\nhello", "hi", "who?"]),
    ],
)  # fmt: skip
def test_the_newest_turns_of_user_and_assistant_reach_the_model(
    talk: Talk, said: list[tuple[str, Any]], turns: int, told: list[str]
) -> None:
    messages = [{"role": role, "content": content} for role, content in said]

    talk.say("", word("."), messages=messages, intent_turns=turns, intent_override="query")

    assert [each["content"] for each in talk.asked[0]["messages"][1:]] == told


@pytest.mark.parametrize(
    ("said", "detail"),
    [
        ([("user", "hello"), ("assistant", "hi")], "Last message must be from the user."),
        ([("user", ""), ("system", "x")], "At least one non-empty user message is required."),
        ([("user", "x" * 100_001)], ""),
        ([("user", ["x" * 100_000])], ""),
    ],
)
def test_a_dialogue_without_a_question_is_refused_and_a_frame_of_the_stream(
    talk: Talk, said: list[tuple[str, Any]], detail: str
) -> None:
    messages = [{"role": role, "content": content} for role, content in said]

    reply = talk.say("", messages=messages)

    assert (reply.status, talk.asked) == (400, [])
    if detail:
        assert reply.body["detail"] == detail
        (frame,) = talk.hear("", messages=messages)
        shown = [frame[name] for name in ("type", "status", "code", "detail")]
        assert shown == ["error", 400, "INVALID_ARGUMENT", detail]


@pytest.mark.parametrize(
    "field",
    [
        {"intent_turns": 0},
        {"intent_turns": 65},
        {"max_tool_rounds": 0},
        {"max_tool_rounds": 257},
        {"intent_override": "maybe"},
        {"profile": "none"},
        {"provider": "groq"},
        {"messages": [{"role": "user", "content": "x", "name": "y"}]},
    ],
)
def test_a_malformed_request_is_a_problem(talk: Talk, field: dict[str, Any]) -> None:
    assert talk.say("x", **field).status == talk.stream("x", **field).status == 400
    assert talk.asked == []


def test_the_system_context_ends_the_prompt_of_keys_that_read(talk: Talk) -> None:
    context = {"system_role": "You are a pilot's aide.", "runtime_context": "Berlin."}
    assert talk.api.call("PUT", "/v1/system-context", context).status == 200

    talk.say("x", word("hi"), intent_override="query")
    shown = talk.asked[0]["messages"][0]["content"]
    talk.say(
        "x", word("hi"), key=talk.api.key_for(permissions=("ingest",)), intent_override="ingest"
    )

    assert shown.endswith("You are a pilot's aide.\n\nBerlin.")
    assert "This request reads." in shown
    assert "pilot" not in talk.asked[0]["messages"][0]["content"]


def test_older_results_and_arguments_make_room_for_the_newest(talk: Talk) -> None:
    left_out = "(left out to save room; call the tool again if you need the result)"
    write = calls(("remember", {"text": "a" + " word" * 19_000}))
    steps = [write] * 6

    reply = talk.say("x", *steps, word("ok"), profile="agent", intent_override="ingest")

    assert reply.status == 200
    sent = [
        json.loads(each["tool_calls"][0]["function"]["arguments"])
        for each in talk.asked[-1]["messages"]
        if each.get("tool_calls")
    ]
    assert sent[0] == {"note": left_out}
    assert sent[-1]["text"].startswith("a word")


def test_a_dialogue_that_is_too_long_by_itself_is_refused(talk: Talk) -> None:
    messages = [{"role": "user", "content": "word " * 19_000}] * 6

    refused = talk.say("", messages=messages, intent_turns=9, intent_override="query")

    assert (refused.status, "lower intent_turns" in refused.body["detail"]) == (413, True)
    assert refused.body["errors"][0]["field"] == "messages"


def test_the_log_of_large_calls_fits_the_reply_with_links_to_what_they_name(talk: Talk) -> None:
    for name in ("ada", "bob c"):
        talk.tool("memory_create_topic", title=name, summary="x" * 9_000)
    large = {"topic_id": "ada", "field_name": "n", "value": "y" * 20_000}
    append = calls(*[("memory_append_field", large)] * 32)
    steps = [calls(LIST), append, append]

    log = talk.say("x", *steps, word("ok"), intent_override="both").body["tool_log"]

    assert len(log) == 65
    assert log[0]["result"]["ok"] or log[0]["links"]
    cut = log[1]["args"]
    assert (cut["cut"], cut["preview"][:17]) == (True, '{"topic_id":"ada"')
    assert cut["bytes"] > 20_000
    assert log[1]["links"] == ["/v1/topics/ada"]
    assert len(json.dumps(log)) < 1_500_000


def test_each_step_is_sent_before_the_next_and_a_caller_who_leaves_ends_the_rounds(
    talk: Talk,
) -> None:
    seen: list[tuple[int, str]] = []

    def hear(most: int) -> int:
        talk.endpoint.requests.clear()
        talk.endpoint.answer = in_turn([word("ingest"), calls(CREATE), word("Hi, Ada.")])

        def emit(reply: Any) -> None:
            seen.clear()
            for piece in reply.chunks:
                seen.append((len(talk.asked), frames_in(bytes(piece))[0]["type"]))
                if len(seen) == most:
                    return

        headers = {"host": "127.0.0.1", "authorization": f"Bearer {talk.api.secret}"}
        content = json.dumps(body_of("I am Ada", {})).encode()
        request = Request("POST", "/v1/chat/stream", "", headers, content, emit=emit)
        talk.api.application.answer(request)
        return len(talk.asked)

    assert hear(99) == 3
    assert seen == [
        (1, "intent"),
        (1, "llm_round"),
        (2, "tool_start"),
        (2, "tool_end"),
        (2, "llm_round"),
        (3, "reply"),
        (3, "done"),
    ]
    assert hear(1) == 1


@pytest.mark.parametrize(
    ("secret", "path", "status"),
    [
        (None, "/v1/chat/stream", 200),
        ("", "/v1/chat/stream", 401),
        ("wrong", "/v1/chat/stream", 401),
        (None, "/v1/chat", 404),
        (None, "/v1/chat/stream/", 404),
    ],
)
def test_behind_a_function_url_the_function_authenticates_at_one_path(
    talk: Talk, secret: str | None, path: str, status: int
) -> None:
    talk.endpoint.answer = in_turn([word("query"), word("hi")])
    key = talk.api.secret if secret is None else secret
    event = {
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"authorization": f"Bearer {key}"} if key else {},
        "requestContext": {"http": {"method": "POST"}},
    }
    body = {"body": json.dumps(body_of("x", {}))} if status == 200 else {}

    reply = talk.api.invoke("ChatFunction", {**event, **body})

    assert reply["statusCode"] == status
    if status == 200:
        assert frames_in(reply["body"].encode())[-1]["type"] == "done"
    if status == 401:
        assert json.loads(reply["body"])["code"] == "UNAUTHENTICATED"
        assert reply["headers"]["www-authenticate"] == "Bearer"


def test_a_key_that_may_neither_read_nor_ingest_is_refused(talk: Talk) -> None:
    assert talk.say("x", key=talk.api.key_for(permissions=("revise",))).status == 403


def test_the_tokens_of_answers_count_for_all_users_of_a_key_and_for_the_stack(talk: Talk) -> None:
    prefixed = talk.api.key_for(scopes=("user:*",), user_prefix="user:")
    other = talk.api.key_for(scopes=("elsewhere",))
    for key, user in ((prefixed, {"user": "ann"}), (prefixed, {"user": "bob"}), (other, {})):
        talk.say("x", word("query"), word("hi"), key=key, **user)

    assert spent(talk) == [2 * TOKENS, 4 * TOKENS, 6 * TOKENS]


def spent(talk: Talk) -> list[int]:
    """The sums of the accounts of keys and of the stack for the day."""
    items = [item for key, item in talk.api.stored().items() if key.startswith("chat-tokens")]
    return sorted(int(item["tokens_spent"]["N"]) for item in items)


def test_a_refused_question_takes_no_tokens_and_a_silent_or_garbled_one_may_have(
    talk: Talk,
) -> None:
    garbled = sends(b'{"error": {"code": "tool_use_failed"}}', 400)
    totals = []
    for steps in ([REFUSED], [BUSY], [SILENT], [garbled] * 3, [says("query"), says("hi")]):
        talk.say("x", *steps, intent_override="query")
        totals.append(spent(talk)[-1])

    refused, busy, silent, thrice, uncounted = totals
    assert refused == busy == 0
    assert silent > TOKENS
    assert thrice == 4 * silent
    assert 0 < uncounted - thrice < silent  # estimated for a model that does not count


@pytest.mark.parametrize(
    ("limit", "owner"), [("ChatDailyTokensOfKey", "the key"), ("ChatDailyTokens", "the stack")]
)
def test_a_question_beyond_the_tokens_of_the_day_is_not_asked(limit: str, owner: str) -> None:
    with talking(**{limit: "110000"}) as talk:
        refused = talk.say("x", says("query", {"total_tokens": 109_000}), word("hi"))

    assert (refused.status, len(talk.asked)) == (429, 1)
    assert refused.body["detail"].startswith(f"{owner} has too few of its 110000 chat tokens")
