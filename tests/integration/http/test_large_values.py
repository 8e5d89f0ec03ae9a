"""Values that no request or reply carries, over HTTP: uploads, claims, links."""

import base64
import hashlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from membrane.domain.language.values import MAX_VALUE_BYTES
from membrane.domain.records.sizes import MAX_BODY_BYTES, MAX_PAYLOAD_BYTES
from membrane.usecases.ports.uploads import DOWNLOAD_LINK_PERIOD
from membrane_local.http_messages import Request, Response
from membrane_local.storage.blobs import DirectoryBlobs
from membrane_local.storage.bucket_endpoint import BucketEndpoint
from tests.worlds.api import Api
from tests.worlds.threads import at_once

TEN_MB = json.dumps({"log": ["line\n\u00e9" * 8] * 140_000}, indent=1, ensure_ascii=False).encode()
TOOL = {"source": "agent", "tool_name": "cat"}
ESCAPED_QUOTE_BYTES = 4
"""A quote in JSON that is a string in a payload: a backslash and a quote, each escaped."""


def opened(api: Api, content: bytes, key: str | None = None) -> dict[str, Any]:
    """The reply to asking for an upload of that content."""
    declared = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    reply = api.post("/v1/uploads", declared, key=key)
    assert reply.status == 201, reply.body
    return dict(reply.body)


def follow(
    api: Api,
    url: str,
    *,
    method: str = "GET",
    headers: dict[str, str] | None = None,
    body: bytes = b"",
) -> Response:
    """One request where a link leads, without any key."""
    place = urlsplit(url)
    sent = {"host": place.netloc, **(headers or {})}
    return api.application.answer(Request(method, place.path, place.query, sent, body))


def put(api: Api, upload: dict[str, Any], content: bytes, **changed: str) -> Response:
    """The value where the upload's link leads, with its headers but for those changed."""
    headers = {**upload["headers"], **changed}
    return follow(api, upload["url"], method=upload["method"], headers=headers, body=content)


def uploaded(api: Api, content: bytes) -> dict[str, str]:
    """The claim of content that is there."""
    upload = opened(api, content)
    assert put(api, upload, content).status == 200
    return {"$upload": upload["upload_id"]}


def test_ten_megabytes_go_in_and_come_back_byte_for_byte(api: Api) -> None:
    assert MAX_PAYLOAD_BYTES < len(TEN_MB) <= MAX_VALUE_BYTES
    record = api.post("/v1/ingest/tool-output", {**TOOL, "result": uploaded(api, TEN_MB)}).record

    read = api.get(f"/v1/records/{record['id']}").record

    blob = read["payload"]["tool_graph"][0]["result"]["$blob"]
    assert (blob["sha256"], blob["size"]) == (hashlib.sha256(TEN_MB).hexdigest(), len(TEN_MB))
    assert follow(api, blob["url"]).body == TEN_MB


def test_a_value_that_fits_the_reply_stands_in_its_place(api: Api) -> None:
    value = ["x" * 1_000_000]
    record = api.post(
        "/v1/ingest/observation",
        {
            "source": "agent",
            "subject": "log",
            "predicate": "has",
            "object": uploaded(api, json.dumps(value).encode()),
        },
    ).record

    assert record["payload"]["object"] == value
    assert api.get(f"/v1/records/{record['id']}").record["payload"]["object"] == value


def test_a_value_that_escaping_makes_too_long_for_a_reply_gets_a_link(api: Api) -> None:
    value = '"' * (MAX_BODY_BYTES // ESCAPED_QUOTE_BYTES)

    record = api.post("/v1/ingest/tool-output", {**TOOL, "result": value}).record

    blob = record["payload"]["tool_graph"][0]["result"]["$blob"]
    assert json.loads(follow(api, blob["url"]).body) == value


def test_the_retry_of_a_request_without_a_key_is_recognised_by_its_upload(api: Api) -> None:
    body = {**TOOL, "result": uploaded(api, TEN_MB)}
    first = api.post("/v1/ingest/tool-output", body)
    stored = api.stored()

    again = api.post("/v1/ingest/tool-output", body)

    assert (first.status, again.status) == (201, 200)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.record["id"] == first.record["id"]
    assert api.stored() == stored


def test_another_request_cannot_claim_what_went_into_a_record(api: Api) -> None:
    claim = uploaded(api, b"[1]")
    assert api.post("/v1/ingest/tool-output", {**TOOL, "result": claim}).status == 201
    stored = api.stored()

    reply = api.post(
        "/v1/ingest/tool-output", {**TOOL, "result": claim}, headers={"idempotency-key": "other"}
    )

    assert (reply.status, reply.body["code"]) == (409, "FAILED_PRECONDITION")
    assert api.stored() == stored


def test_another_principal_cannot_claim_an_upload(api: Api) -> None:
    claim = uploaded(api, b"[1]")
    stranger = api.key_for(actor_id="stranger")
    stored = api.stored()

    reply = api.post("/v1/ingest/tool-output", {**TOOL, "result": claim}, key=stranger)

    assert (reply.status, reply.body["detail"]) == (404, "upload not found")
    assert api.stored() == stored


def test_an_upload_is_put_once(api: Api) -> None:
    upload = opened(api, b"[1]")

    statuses = [put(api, upload, b"[1]").status for _ in range(2)]

    assert statuses == [200, 412]


@pytest.mark.parametrize(
    ("content", "changed"),
    [
        (b"[2]", {}),
        (b"[1]", {"content-length": "4"}),
        (b"[1]", {"if-none-match": ""}),
        (
            b"[2]",
            {"x-amz-checksum-sha256": base64.b64encode(hashlib.sha256(b"[2]").digest()).decode()},
        ),
    ],
    ids=["other content", "other length", "overwriting", "other digest"],
)
def test_a_link_takes_what_was_declared_and_nothing_else(
    api: Api, content: bytes, changed: dict[str, str]
) -> None:
    upload = opened(api, b"[1]")

    assert put(api, upload, content, **changed).status in (400, 403)

    reply = api.post("/v1/ingest/tool-output", {**TOOL, "result": {"$upload": upload["upload_id"]}})
    assert (reply.status, reply.body["detail"]) == (409, "nothing was uploaded yet")


def test_of_equal_uploads_at_once_one_alone_is_taken(api: Api) -> None:
    content = b"[1]"
    upload = opened(api, content)

    replies = at_once([lambda: put(api, upload, content)] * 32)

    assert sorted(reply.status for reply in replies) == [200, *[412] * 31]


def test_nobody_but_the_stack_signs_addresses(api: Api, tmp_path: Path) -> None:
    upload = opened(api, b"[1]")
    stranger = BucketEndpoint(DirectoryBlobs(tmp_path), "membrane-blobs")
    place = "uploads/../../../../../../../../etc/hostname"

    for url in (stranger.links.download(place), stranger.links.download("blobs/x")):
        assert follow(api, url).status == 403
    assert follow(api, upload["url"].replace("X-Amz-Signature=", "X-Amz-Signature=é")).status == 403
    assert follow(api, upload["url"].partition("?")[0]).status == 403


def test_an_address_is_good_for_its_time_alone(tmp_path: Path) -> None:
    later = datetime.now(UTC) + DOWNLOAD_LINK_PERIOD + timedelta(seconds=2)
    blobs = DirectoryBlobs(tmp_path)
    blobs.write("blobs/r/1", b"content")
    early, late = BucketEndpoint(blobs, "b"), BucketEndpoint(blobs, "b", now=lambda: later)

    statuses = [
        door.answer(request_for(door.links.download("blobs/r/1"))).status for door in (early, late)
    ]

    assert statuses == [200, 403]


def request_for(url: str) -> Request:
    """The request that following an address makes."""
    place = urlsplit(url)
    return Request("GET", place.path, place.query, {"host": place.netloc}, b"")


def test_a_link_leads_to_one_object(api: Api) -> None:
    record = api.post("/v1/ingest/tool-output", {**TOOL, "result": uploaded(api, TEN_MB)}).record
    url = record["payload"]["tool_graph"][0]["result"]["$blob"]["url"]
    upload = opened(api, b"[1]")

    assert follow(api, url.replace("/blobs/", "/uploads/")).status == 403
    assert follow(api, url, method="PUT", headers=upload["headers"], body=b"[1]").status == 403
    assert follow(api, upload["url"]).status == 403


def test_a_declared_size_over_the_limit_is_413(api: Api) -> None:
    before = api.stored()

    reply = api.post("/v1/uploads", {"size": MAX_VALUE_BYTES + 1, "sha256": "0" * 64})

    assert (reply.status, reply.body["code"]) == (413, "INVALID_ARGUMENT")
    assert api.stored() == before


def test_the_same_key_opens_the_same_upload(api: Api) -> None:
    body = {"size": 3, "sha256": "0" * 64}
    replies = [api.post("/v1/uploads", body, headers={"idempotency-key": "1"}) for _ in range(2)]

    assert [reply.status for reply in replies] == [201, 200]
    assert replies[0].body["upload_id"] == replies[1].body["upload_id"]
    assert replies[1].headers["idempotency-replayed"] == "true"


def test_a_record_that_was_returned_can_be_sent_with_its_large_value(api: Api) -> None:
    record = api.post("/v1/ingest/tool-output", {**TOOL, "result": uploaded(api, TEN_MB)}).record
    read = api.get(f"/v1/records/{record['id']}").record

    copy = api.post("/v1/records", {**read, "id": "copy"}).record

    assert api.call("DELETE", f"/v1/records/{record['id']}").status == 204
    blob = copy["payload"]["tool_graph"][0]["result"]["$blob"]
    assert "/blobs/copy/" in blob["url"]
    assert follow(api, blob["url"]).body == TEN_MB


def test_an_outcome_leaves_a_large_value_as_it_is(api: Api) -> None:
    record = api.post("/v1/ingest/tool-output", {**TOOL, "result": uploaded(api, TEN_MB)}).record
    outcome = {
        "source": "judge",
        "target_record_id": record["id"],
        "outcome_status": "success",
    }

    changed = api.post("/v1/ingest/outcome", outcome).record

    blob = changed["payload"]["tool_graph"][0]["result"]["$blob"]
    assert follow(api, blob["url"]).body == TEN_MB


def test_a_damaged_value_is_a_500_and_never_an_empty_answer(api: Api) -> None:
    value = json.dumps("x" * 200_000).encode()
    record = api.post("/v1/ingest/tool-output", {**TOOL, "result": uploaded(api, value)}).record
    sha256 = hashlib.sha256(value).hexdigest()
    api.functions.store.blobs.write(f"blobs/{record['id']}/{sha256}", b"other")

    assert api.get(f"/v1/records/{record['id']}").status == 500


@pytest.mark.parametrize(
    "content",
    [
        b'{"$blob": {"sha256": "x", "size": 5}}',
        b'{"$blob": {"sha256": "' + b"0" * 64 + b'", "size": 5}}',
        b'{"$blob": 7}',
        b'{"$upload": "another"}',
    ],
)
@pytest.mark.parametrize("route", ["/v1/ingest/tool-output", "/v1/records"])
def test_an_upload_cannot_forge_a_reference(api: Api, content: bytes, route: str) -> None:
    claim = uploaded(api, content)
    fact = {
        "type": "semantic",
        "sensitivity": "low",
        "payload": {
            "kind": "semantic",
            "subject": "s",
            "predicate": "p",
            "object": claim,
            "validity": {"mode": "global"},
        },
    }
    stored = api.stored()

    reply = api.post(route, {**TOOL, "result": claim} if "tool" in route else fact)

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")
    assert api.stored() == stored


@pytest.mark.parametrize("upload_id", ["x" * 50_000, "", "../x", "é"])
def test_what_no_upload_can_be_named_is_400(api: Api, upload_id: str) -> None:
    reply = api.post("/v1/ingest/tool-output", {**TOOL, "result": {"$upload": upload_id}})

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")


def test_a_key_used_again_after_a_day_opens_a_place_of_its_own(api: Api) -> None:
    headers = {"idempotency-key": "1"}
    declared = [
        {"size": 3, "sha256": hashlib.sha256(content).hexdigest()} for content in (b"[1]", b"[2]")
    ]
    first = api.post("/v1/uploads", declared[0], headers=headers).body
    assert put(api, first, b"[1]").status == 200
    api.functions.clock.advance(timedelta(days=1, seconds=1))

    second = api.post("/v1/uploads", declared[1], headers=headers).body

    assert put(api, second, b"[2]").status == 200
    claim = {"$upload": second["upload_id"]}
    record = api.post("/v1/ingest/tool-output", {**TOOL, "result": claim}).record
    assert record["payload"]["tool_graph"][0]["result"] == [2]


def test_links_count_for_what_a_reply_can_carry(api: Api) -> None:
    large = "x" * 140_000
    nodes = [{"id": str(n), "tool": "t", "result": large} for n in range(40)]
    record = {
        "type": "episodic",
        "sensitivity": "low",
        "payload": {"kind": "episodic", "timeline": [], "tool_graph": nodes},
    }

    created = api.post("/v1/records", record).record

    read = api.get(f"/v1/records/{created['id']}").record
    assert read["payload"]["tool_graph"] == created["payload"]["tool_graph"]
