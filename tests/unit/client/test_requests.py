"""Requests of the client: absent is not null, zero is zero, and defaults are the client's."""

import json
import math
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from time import process_time
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane_client import InvalidCall, Membrane, MembraneError, MemoryType, Sensitivity
from membrane_client.core.api import Tokens
from membrane_client.core.protocol import Reply, Request
from membrane_client.values.records import MemoryRecord
from tests.builders.filled_stores import RECORD, an_api, played, sent_by
from tests.builders.requests import BLANKS

TOKEN = "MS5yMQ"
WRITTEN = Reply(
    201, {}, b'{"record": {"id": "r1"}, "consistency_token": "' + TOKEN.encode() + b'"}'
)

CAPTURED = Reply(
    201,
    {},
    b'{"primary_record": {}, "created_records": [], "edges": [],'
    b' "consistency_tokens": ["t1", "t2"]}',
)


def query_of(steps: Any) -> dict[str, list[str]]:
    request, _ = sent_by(steps)
    return parse_qs(urlsplit(request.url).query)


def test_what_is_none_is_absent_but_for_a_value_that_may_be_null() -> None:
    _, body = sent_by(an_api().ingest_tool_output("build", args=None))
    _, revision = sent_by(an_api().append_field("t1", "budget", None))

    assert body == {"tool_name": "build"}
    assert revision["value"] is None


@pytest.mark.parametrize("text", [*BLANKS, None])
def test_an_empty_note_and_an_empty_object_are_refused_before_sending(text: Any) -> None:
    with pytest.raises(InvalidCall, match="text is empty"):
        an_api().remember(text)
    with pytest.raises(InvalidCall, match="object is empty"):
        an_api().remember("tea", "costs", text)
    with pytest.raises(InvalidCall, match="object is empty"):
        sent_by(an_api().correct("r1", text, why="wrong"))


@pytest.mark.parametrize("text", BLANKS)
def test_an_empty_capture_is_refused_before_sending(text: str) -> None:
    with pytest.raises(InvalidCall, match="content is empty"):
        an_api().capture(text)


def test_zero_false_and_empty_are_sent() -> None:
    _, body = sent_by(
        an_api().retrieve("", min_salience=0.0, limit=0, tags=[], include_retracted=False)
    )

    given = ("task_descriptor", "min_salience", "limit", "tags", "include_retracted", "min_score")
    assert [body.get(each, "absent") for each in given] == ["", 0.0, 0, [], False, "absent"]


def test_an_aware_datetime_is_sent_with_its_offset_and_a_naive_one_is_refused() -> None:
    at = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=2)))

    _, body = sent_by(an_api().ingest_event("a", "b", timestamp=at))

    assert body["timestamp"] == "2026-01-02T03:04:05+02:00"
    assert query_of(an_api().retrieve_by_id("r", as_of=at))["as_of"] == [at.isoformat()]
    with pytest.raises(ValueError, match="aware"):
        sent_by(an_api().ingest_event("a", "b", timestamp=at.replace(tzinfo=None)))


def test_a_number_that_json_does_not_have_is_refused() -> None:
    with pytest.raises(InvalidCall, match="JSON"):
        sent_by(an_api().penalize("r", float("nan")))


def test_a_call_that_is_refused_before_it_is_sent_is_in_both_error_trees() -> None:
    for kind in (ValueError, MembraneError):
        with pytest.raises(kind, match="record_id"):
            sent_by(an_api().retrieve_by_id(""))


def test_enumerations_and_texts_are_the_same_words() -> None:
    words = query_of(an_api().list_records(type=[MemoryType.SEMANTIC, "working"]))
    _, body = sent_by(an_api().ingest_event("a", "b", sensitivity=Sensitivity.HIGH))

    assert words["type"] == ["semantic", "working"]
    assert body["sensitivity"] == "high"


def test_a_record_that_was_read_can_be_sent() -> None:
    record = MemoryRecord(RECORD)

    _, body = sent_by(an_api().supersede("r1", record, actor="me", rationale="newer"))

    assert body == {"new_record": RECORD, "actor": "me", "rationale": "newer"}


def test_ids_are_quoted_and_an_id_that_is_no_segment_of_a_path_is_refused() -> None:
    request, _ = sent_by(an_api().read_field("a:b", "x/y z"))

    assert urlsplit(request.url).path == "/v1/topics/a:b/fields/x%2Fy%20z"
    for none in ("", ".", ".."):
        with pytest.raises(ValueError, match="record_id"):
            sent_by(an_api().retrieve_by_id(none))


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("\ud83c", "\ufffd"),
        ("a\udf75b\ud83c", "a\ufffdb\ufffd"),
        ("\ud83c\ud83c\udf75", "\ufffd\U0001f375"),
        ("\\ud83c \U0001f375 \ufeff\x00", "\\ud83c \U0001f375 \ufeff\x00"),
    ],
)
def test_half_a_surrogate_pair_becomes_the_replacement_character(given: str, sent: str) -> None:
    talk = [{"role": "user", "content": given}]

    _, observed = sent_by(an_api().ingest_observation("Ada", given, {given: [given]}))
    _, told = sent_by(an_api().ingest_messages(talk, session="s"))

    assert (observed["predicate"], observed["object"]) == (sent, {sent: [sent]})
    assert told["messages"][0]["content"] == sent
    request, _ = sent_by(an_api().retrieve_by_id(given, user=given))
    tags = {"tags": json.dumps([given])}
    _, called = sent_by(an_api().call_tool("remember", tags))
    assert json.loads(called["arguments"]["tags"]) == [sent]
    assert unquote(urlsplit(request.url).path) == f"/v1/records/{sent}"
    assert parse_qs(urlsplit(request.url).query) == {"user": [sent]}


def test_the_key_is_sent_to_the_service() -> None:
    request, _ = sent_by(an_api(user="alice", scope="s").health())

    assert request.headers["authorization"] == "Bearer key"
    assert request.url == "http://memory/health"


def test_a_client_has_a_user_for_every_call_that_names_none() -> None:
    api = an_api(user="alice")

    assert sent_by(api.ingest_event("a", "b"))[1]["user"] == "alice"
    assert sent_by(api.ingest_event("a", "b", user="bob"))[1]["user"] == "bob"
    assert sent_by(api.delete_record("r"))[1] == {"user": "alice"}
    assert query_of(api.retrieve_by_id("r"))["user"] == ["alice"]


@pytest.mark.parametrize(
    ("of_client", "of_call"), [({}, {"user": "alice"}), ({"user": "alice"}, {})], ids=str
)
def test_a_user_comes_without_the_scope_of_the_client(
    of_client: dict[str, Any], of_call: dict[str, Any]
) -> None:
    api = an_api(scope="s", **of_client)

    for steps in (
        api.ingest_event("a", "b", **of_call),
        api.retrieve("q", **of_call),
        api.ingest_record(RECORD, **of_call),
        api.ingest_batch([{"rpc": "IngestEvent"}], **of_call),
    ):
        _, body = sent_by(steps)
        places = (body, body.get("record", {}), *body.get("items", ()))
        assert body["user"] == "alice"
        assert not any("scope" in each or "trust" in each for each in places)
    assert query_of(api.list_records(**of_call)) == {
        "user": ["alice"], "state": ["active"], "view": ["full"],
    }  # fmt: skip


def test_a_scope_of_a_call_is_sent_beside_a_user() -> None:
    api = an_api(user="alice", scope="s")

    assert sent_by(api.ingest_event("a", "b", scope="t"))[1]["scope"] == "t"
    assert sent_by(api.recall("q", scope="t"))[1]["trust"] == {"scopes": ["t"]}


def test_a_client_has_a_scope_for_what_it_writes_lists_and_retrieves() -> None:
    api = an_api(scope="s")

    assert sent_by(api.ingest_event("a", "b"))[1]["scope"] == "s"
    assert sent_by(api.ingest_event("a", "b", scope=""))[1]["scope"] == ""
    assert sent_by(api.retrieve("q"))[1]["trust"] == {"scopes": ["s"]}
    assert sent_by(api.query_topics("q"))[1]["trust"] == {"scopes": ["s"]}
    assert query_of(api.list_records())["scope"] == ["s"]
    assert sent_by(api.ingest_record(RECORD))[1]["record"]["scope"] == "s"
    items = [{"rpc": "IngestEvent"}, {"rpc": "IngestOutcome"}, {"rpc": "IngestEvent", "scope": "t"}]
    _, batch = sent_by(api.ingest_batch(items))
    assert [each.get("scope") for each in batch["items"]] == ["s", None, "t"]


def test_the_scope_of_the_client_moves_no_record() -> None:
    _, body = sent_by(an_api(scope="s").reclassify("r", tags=["t"]))

    assert body == {"tags": ["t"]}


def test_retrievals_send_the_tokens_of_writes_before_them_each_kind_its_own() -> None:
    api = an_api()
    played(api.ingest_event("a", "b"), WRITTEN)

    assert sent_by(api.retrieve("q"))[1]["consistency_tokens"] == [TOKEN]
    assert sent_by(api.recall("q"))[1]["consistency_tokens"] == [TOKEN]
    assert sent_by(api.retrieve(consistency_tokens=["t"]))[1]["consistency_tokens"] == ["t"]
    assert "consistency_tokens" not in sent_by(api.query_topics("q"))[1]


def test_a_client_that_need_not_read_its_writes_sends_no_tokens() -> None:
    api = an_api(read_your_writes=False)
    played(api.ingest_event("a", "b"), WRITTEN)

    assert "consistency_tokens" not in sent_by(api.retrieve("q"))[1]


def test_the_newest_hundred_tokens_are_kept_and_a_repeated_one_is_new_again() -> None:
    api = an_api()
    api.record_tokens.keep(str(number) for number in range(105))
    api.record_tokens.keep(["7"])

    sent = sent_by(api.retrieve("q"))[1]["consistency_tokens"]

    assert sent == ["7", *(str(number) for number in range(104, 4, -1) if number != 7)]


@given(
    st.lists(st.sampled_from([str(number) for number in range(120)]), max_size=240),
    st.lists(st.sampled_from([str(number) for number in range(120)]), max_size=60),
)
def test_tokens_are_the_newest_distinct_ones_of_a_minute(
    before: list[str], written: list[str]
) -> None:
    elapsed_s = 0.0
    tokens = Tokens(lambda: elapsed_s)
    tokens.keep(before)
    elapsed_s = 30.0
    tokens.keep(written)

    elapsed_s = 60.0
    assert tokens.newest() == list(dict.fromkeys(reversed([*before, *written])))[:100]
    elapsed_s = 60.1
    assert tokens.newest() == list(dict.fromkeys(reversed(written)))


TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NUMBER = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda below: st.lists(below) | st.dictionaries(TEXT, below),
)


@given(JSON)
def test_any_json_value_is_sent_as_it_is(value: Any) -> None:
    _, body = sent_by(an_api().put_document(["notes"], "key", value))

    assert body["value"] == value
    assert type(body["value"]) is type(value)


def test_a_batch_has_a_token_for_each_item_that_was_taken() -> None:
    api = an_api()
    reply = b'{"results": [{"status": 201, "consistency_token": "t1"}, {"status": 400}]}'

    played(api.ingest_batch([{}, {}]), Reply(200, {}, reply))

    assert api.record_tokens.newest() == ["t1"]


def test_a_text_is_noted_of_its_user_and_a_fact_is_said_as_it_is() -> None:
    _, note = sent_by(an_api(user="alice").remember("likes tea"))
    _, fact = sent_by(an_api().remember("tea", "costs", 0))

    said = ("subject", "predicate", "object", "on_conflict")
    assert [note[each] for each in said] == ["alice", "noted", "likes tea", "keep"]
    assert [fact.get(each) for each in said] == ["tea", "costs", 0, None]
    with pytest.raises(TypeError, match="remember"):
        an_api().remember("tea", "costs")


def test_a_capture_says_why_its_content_matters_and_leaves_tokens() -> None:
    api = an_api(scope="team")
    steps = api.capture(
        {"project": "acme"}, source_kind="agent_turn", context=None, reason="a decision"
    )

    (sent, *_), _ = played(steps, CAPTURED)

    assert isinstance(sent, Request)
    assert json.loads(sent.content or b"") == {
        "content": {"project": "acme"},
        "source_kind": "agent_turn",
        "reason_to_remember": "a decision",
        "source": "",
        "scope": "team",
    }
    assert {*api.record_tokens.newest()} == {"t1", "t2"}


def test_recall_goes_on_until_it_has_as_many_as_were_asked_for() -> None:
    def page(start: int, end: int, cursor: str) -> Reply:
        records = ",".join(f'{{"id": "r{number}", "text": "t"}}' for number in range(start, end))
        return Reply(200, {}, f'{{"records": [{records}]{cursor}}}'.encode())

    steps, found = played(
        an_api().recall("q", limit=150),
        page(0, 100, ', "next_cursor": "c", "receipt_id": "p1"'),
        page(100, 150, ', "next_cursor": "d", "receipt_id": "p2"'),
    )

    assert len(steps) == 2
    assert [each.id for each in found] == [f"r{number}" for number in range(150)]
    assert found.receipt_ids == ["p1", "p2"]


def test_a_prompt_is_a_text_that_cites() -> None:
    reply = b'{"prompt": {"text": "Ada likes tea [r1]", "ids": ["r1"], "tokens": 7}}'

    (request,), found = played(an_api().recall("q", view="prompt"), Reply(200, {}, reply))

    assert str(found) == "Ada likes tea [r1]"
    assert (found.ids, found.tokens, len(found)) == (["r1"], 7, 0)
    assert b'"view":"prompt"' in (request.content or b"")  # type: ignore[union-attr]  # no pause


def test_a_prompt_has_the_best_memories_though_others_follow() -> None:
    prompt = b'{"text": "tea", "ids": ["r1"], "tokens": 1}'
    reply = b'{"prompt": %b, "receipt_id": "p1", "next_cursor": "c"}' % prompt

    steps, found = played(an_api().recall("q", view="prompt"), Reply(200, {}, reply))

    assert len(steps) == 1
    assert (str(found), found.receipt_ids) == ("tea", ["p1"])


def test_instants_of_utc_are_sent_as_they_are() -> None:
    now = datetime(2026, 1, 2, tzinfo=UTC)

    _, body = sent_by(an_api().preview_decay(instants=[now]))

    assert body == {"instants": ["2026-01-02T00:00:00+00:00"]}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"url": "memory.example"}, "url"),
        ({"url": "ftp://memory.example"}, "url"),
        ({"url": "http://"}, "url"),
        ({"url": "http://[::1"}, "url"),
        ({"url": "http://a:99999"}, "url"),
        ({"url": "http://a b"}, "url"),
        ({"url": None}, "url"),
        ({"api_key": "n\u00e9"}, "api_key"),
        ({"api_key": "key\n"}, "api_key"),
        ({"scope": ""}, "scope"),
    ],
    ids=str,
)
def test_options_that_no_request_can_have_are_refused_by_name(
    options: dict[str, Any], named: str
) -> None:
    usual = Membrane("http://memory", "key")

    with pytest.raises(ValueError, match=named):
        usual.with_options(**options)
    if all(options.values()):
        with pytest.raises(ValueError, match=named):
            Membrane(**{"url": "http://memory", "api_key": "key", **options})
    usual.close()


def test_options_are_shown_without_the_key() -> None:
    assert "very-secret" not in repr(an_api(api_key="very-secret"))


def test_an_idempotency_key_that_no_header_carries_is_refused() -> None:
    with pytest.raises(ValueError, match="idempotency_key"):
        sent_by(an_api().ingest_event("a", "b", idempotency_key="n\u00e9"))


def test_an_empty_scope_is_refused() -> None:
    for call in (
        lambda: an_api().remember("likes tea", scope=""),
        lambda: an_api().recall("q", scope=""),
        lambda: an_api().add([], session="s", scope=""),
        lambda: an_api().get_all(scope=""),
    ):
        with pytest.raises(ValueError, match="scope"):
            sent_by(call())


def test_bytes_are_no_json() -> None:
    for value in (b"a", bytearray(b"a"), memoryview(b"a")):
        with pytest.raises(TypeError, match=type(value).__name__):
            sent_by(an_api().remember("tea", "is", value))


@pytest.mark.parametrize("number", [Decimal("1.10"), Fraction(1, 3), 1j])
def test_a_number_that_json_lacks_is_refused_as_a_number(number: object) -> None:
    with pytest.raises(TypeError, match="no JSON value: give an int, a float, a text"):
        sent_by(an_api().remember("tea", "costs", {"EUR": number}))


NAN, PNG = float("nan"), b"\x89PNG\xff"
IN_BASE64 = "iVBOR/8="


@pytest.mark.parametrize(
    ("part", "sent"),
    [
        (
            {"type": "tool_use", "input": {"x": [NAN]}},
            {"type": "tool_use", "input": {"x": ["NaN"]}},
        ),
        (
            {"args": {"most": math.inf, "least": -math.inf}},
            {"args": {"most": "Infinity", "least": "-Infinity"}},
        ),
        (
            {"inline_data": {"data": PNG}, "thought_signature": bytearray(PNG)},
            {"inline_data": {"data": IN_BASE64}, "thought_signature": IN_BASE64},
        ),
        (
            {"image": {"source": {"bytes": memoryview(PNG)}}},
            {"image": {"source": {"bytes": IN_BASE64}}},
        ),
        ({"json": [Decimal("3.0"), Decimal("1.10"), Decimal(2**70)]}, {"json": [3, 1.1, 2**70]}),
        (
            {
                "json": [
                    Decimal("0.12345678901234567890"),
                    Decimal("1E+400"),
                    Decimal("1E-400"),
                    Decimal("sNaN"),
                ]
            },
            {"json": ["0.12345678901234567890", "1E+400", "1E-400", "sNaN"]},
        ),
    ],
)
def test_a_message_has_the_values_that_clients_of_model_providers_dump(
    part: Any, sent: Any
) -> None:
    messages = [{"role": "assistant", "content": [part]}]

    for steps in (
        an_api().add(messages, session="s"),
        an_api().ingest_messages(messages, thread_id="s"),
    ):
        (asked,) = sent_by(steps)[1]["messages"]
        (part_sent,) = asked["content"]
        assert part_sent == sent
        assert repr(part_sent) == repr(sent)  # 3 == 3.0


def test_another_value_without_json_is_refused_with_its_place_in_the_conversation() -> None:
    said = {"role": "user", "content": "tea"}

    for value in (UUID(int=1), date(2026, 1, 2), Fraction(1, 3)):
        with pytest.raises(
            TypeError, match=rf"^messages\.1\.content\.0\.at: {type(value).__name__}"
        ):
            sent_by(an_api().add([said, {"role": "user", "content": [{"at": value}]}], session="s"))


def test_an_error_names_the_path_of_a_value_without_json() -> None:
    itself: list[Any] = ["tea"]
    itself.append(itself)

    for value, path in (
        (NAN, "object"),
        ({"a": [1, {"x": Decimal(1)}]}, r"object\.a\.1\.x"),
        ({"at": (datetime(2026, 1, 2),)}, r"object\.at\.0"),  # noqa: DTZ001 - without an offset
        (MemoryRecord({"id": PNG}), r"object\.id"),
        ({frozenset((PNG,)): 1}, "object"),
        (itself, r"object\.1"),
    ):
        with pytest.raises((TypeError, InvalidCall), match=rf"^{path}: "):
            sent_by(an_api().remember("tea", "is", value))


def test_the_path_of_a_deep_value_is_found_without_writing_the_value_at_every_level() -> None:
    value: Any = ["tea" * 300_000, NAN]
    for _ in range(300):
        value = [value]
    before = process_time()

    with pytest.raises(InvalidCall, match=r"^object(\.0){300}\.1: "):
        sent_by(an_api().remember("tea", "is", value))

    assert process_time() - before < 0.5


def test_recall_takes_one_type_and_no_view_without_texts() -> None:
    assert sent_by(an_api().recall("q", types="semantic"))[1]["memory_types"] == ["semantic"]
    with pytest.raises(ValueError, match="retrieve"):
        sent_by(an_api().recall("q", view="full"))
