"""Values too large for a request or a reply: uploads, and links."""

import json
from hashlib import sha256
from typing import Any

import pytest

from membrane_client import PayloadTooLarge, UnexpectedReply
from membrane_client.core.protocol import Reply, Request
from tests.builders.filled_stores import RECORD, an_api, played

OPENED = Reply(
    201, {}, b'{"upload_id": "u1", "url": "http://bucket/u1", "method": "PUT", "headers": {}}'
)
PUT = Reply(200, {}, b"")
WRITTEN = Reply(201, {}, b'{"record": {"id": "r1"}, "consistency_token": "t"}')
LARGE = "x" * 4_000_000


def link_to(data: bytes) -> dict[str, Any]:
    digest = sha256(data).hexdigest()
    return {"$blob": {"sha256": digest, "size": len(data), "url": f"http://bucket/{digest}"}}


def replied(**fields: Any) -> Reply:
    return Reply(200, {}, json.dumps(fields).encode())


def bodies(steps: list[Any]) -> list[Any]:
    return [json.loads(each.content or b"") for each in steps if isinstance(each, Request)]


def test_a_large_value_is_uploaded_and_claimed_in_its_place() -> None:
    steps, _ = played(
        an_api(user="alice").ingest_tool_output("build", args={"a": 1}, result=LARGE),
        OPENED, PUT, WRITTEN,
    )  # fmt: skip

    opened, put, claimed = bodies(steps)
    content = json.dumps(LARGE).encode()
    assert opened == {
        "size": len(content), "sha256": sha256(content).hexdigest(), "user": "alice",
    }  # fmt: skip
    assert put == LARGE
    assert (claimed["result"], claimed["args"]) == ({"$upload": "u1"}, {"a": 1})


def test_the_content_and_the_context_of_a_capture_are_uploaded() -> None:
    steps, _ = played(
        an_api().capture_memory({"args": LARGE}, context=LARGE),
        OPENED, PUT, OPENED, PUT, replied(primary_record={}, created_records=[], edges=[]),
    )  # fmt: skip

    *_, claimed = bodies(steps)
    assert (claimed["content"], claimed["context"]) == ({"$upload": "u1"}, {"$upload": "u1"})


def test_an_upload_belongs_to_the_scope_of_the_record() -> None:
    record = {"scope": "team", "payload": {"kind": "semantic", "object": LARGE}}
    items = [{"rpc": "IngestRecord", "record": record}]

    reported, _ = played(
        an_api().ingest_tool_output("build", result=LARGE, scope="team"),
        OPENED, PUT, WRITTEN,
    )  # fmt: skip
    batched, _ = played(an_api().ingest_batch(items), OPENED, PUT, replied(results=[]))

    assert [bodies(each)[0]["scope"] for each in (reported, batched)] == ["team", "team"]


def test_as_many_of_the_largest_values_go_as_make_room() -> None:
    items: list[dict[str, Any]] = [
        {"rpc": "IngestToolOutput", "tool_name": "a", "result": "y" * 2_000_000},
        {"rpc": "IngestRecord", "record": {"payload": {"kind": "semantic", "object": LARGE}}},
    ]

    steps, _ = played(an_api().ingest_batch(items), OPENED, PUT, replied(results=[]))

    _, _, claimed = bodies(steps)
    assert claimed["items"][1]["record"]["payload"]["object"] == {"$upload": "u1"}
    assert claimed["items"][0] == items[0]
    assert items[1]["record"]["payload"]["object"] is LARGE


def test_a_write_repeated_under_its_key_repeats_its_uploads() -> None:
    def keys(name: str, *values: str) -> list[str]:
        items = [{"rpc": "IngestToolOutput", "tool_name": "a", "result": each} for each in values]
        writing = an_api().ingest_batch(items, idempotency_key=name)
        steps, _ = played(writing, *[OPENED, PUT] * len(values), replied(results=[]))
        return [
            each.headers["idempotency-key"]
            for each in steps
            if isinstance(each, Request) and each.url.endswith("/v1/uploads")
        ]

    first = keys("k1", LARGE, LARGE)

    assert first == keys("k1", LARGE, LARGE)
    assert len({*first, *keys("k2", LARGE), *keys("k1", f"{LARGE}y")}) == 4


def test_a_text_that_no_upload_replaces_is_refused_by_the_service() -> None:
    refusal = Reply(413, {}, b'{"code": "INVALID_ARGUMENT", "detail": "too large"}')

    with pytest.raises(PayloadTooLarge):
        played(an_api().ingest_event("build", "15", summary=LARGE), refusal)


def test_links_are_followed_without_the_key_of_the_service() -> None:
    data = json.dumps({"lines": 3}).encode()
    shown = {**RECORD, "payload": {**RECORD["payload"], "object": link_to(data)}}

    steps, record = played(
        an_api().retrieve_by_id("r1"), replied(record=shown), Reply(200, {}, data)
    )

    assert record.payload is not None
    assert record.payload.raw["object"] == {"lines": 3}
    fetched = steps[1]
    assert isinstance(fetched, Request)
    assert "authorization" not in fetched.headers


def test_links_are_followed_in_the_fields_of_topics_whatever_their_names() -> None:
    data = b'"large"'
    revision = {"id": "v1", "value": link_to(data)}

    _, topic = played(
        an_api().read_topic("t1"),
        replied(fields={"result": {"history": [revision]}, "value": {"history": []}}),
        Reply(200, {}, data),
    )

    assert topic.fields["result"].history[0].value == "large"


def test_what_looks_like_a_link_deep_inside_a_value_is_a_value() -> None:
    value = {"a": link_to(b"1")}
    shown = {**RECORD, "payload": {**RECORD["payload"], "object": value}}

    steps, record = played(an_api().retrieve_by_id("r1"), replied(record=shown))

    assert len(steps) == 1
    assert record.payload is not None
    assert record.payload.raw["object"] == value


def test_other_content_than_a_link_names_is_refused() -> None:
    shown = {**RECORD, "payload": {**RECORD["payload"], "object": link_to(b"1")}}

    with pytest.raises(UnexpectedReply, match="object"):
        played(an_api().retrieve_by_id("r1"), replied(record=shown), Reply(200, {}, b"2"))


def test_a_record_that_a_list_had_no_room_for_is_read_alone() -> None:
    listed = replied(
        records=[{"id": "r1", "type": "semantic", "size": 9, "link": "/v1/records/r1"}]
    )

    steps, page = played(an_api(user="ada").list_records(), listed, replied(record=RECORD))

    assert page.records[0].raw == RECORD
    assert isinstance(steps[1], Request)
    assert steps[1].url == "http://memory/v1/records/r1?user=ada"
