"""Values that no request or reply carries, over HTTP: uploads, claims, links."""

import base64
import hashlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from membrane_local.http_messages import Request, Response
from membrane_local.storage.bucket_endpoint import BucketEndpoint
from membrane_local.storage.objects import Folder
from tests.worlds.api import Api, Reply
from tests.worlds.refusals import an_error
from tests.worlds.threads import at_once

MAX_REPLY_BYTES = 6 * 1024 * 1024
LINK_PERIOD = timedelta(minutes=5)
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
    assert MAX_REPLY_BYTES < len(TEN_MB) <= 10_485_760
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
    value = '"' * ((MAX_REPLY_BYTES - 16 * 1024) // ESCAPED_QUOTE_BYTES)

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
    stranger = BucketEndpoint(Folder(tmp_path, "membrane-blobs"))
    place = "uploads/../../../../../../../../etc/hostname"

    for url in (stranger.links.download(place), stranger.links.download("blobs/x")):
        assert follow(api, url).status == 403
    assert follow(api, upload["url"].replace("X-Amz-Signature=", "X-Amz-Signature=é")).status == 403
    assert follow(api, upload["url"].partition("?")[0]).status == 403


def test_an_address_is_good_for_its_time_alone(tmp_path: Path) -> None:
    later = datetime.now(UTC) + LINK_PERIOD + timedelta(seconds=2)
    blobs = Folder(tmp_path, "b")
    blobs.write("blobs/r/1", b"content")
    early, late = BucketEndpoint(blobs), BucketEndpoint(blobs, now=lambda: later)

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

    reply = api.post("/v1/uploads", {"size": 10_485_761, "sha256": "0" * 64})

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


# --- what is declared, claimed and shown ---------------------------------------------------------

STATE = {"source": "agent", "thread_id": "1", "state": "planning"}
HASH = "0" * 64
CLAIMS = 4
"""Uploads that one request may claim."""
BORROWED = 64
"""Values of other records that one request may take."""


def fact_of(value: Any, **fields: Any) -> dict[str, Any]:
    payload = {
        "kind": "semantic",
        "subject": "s",
        "predicate": "p",
        "object": value,
        "validity": {"mode": "global"},
    }
    return {"type": "semantic", "sensitivity": "low", "payload": payload, **fields}


def observe(api: Api, value: Any, **fields: Any) -> Reply:
    key = fields.pop("key", None)
    asked = {"source": "a", "subject": "s", "predicate": "p", "object": value, **fields}
    return api.post("/v1/ingest/observation", asked, key=key)


def constraints(value: Any, count: int = 1) -> list[dict[str, Any]]:
    return [{"type": "t", "key": str(number), "value": value} for number in range(count)]


@pytest.mark.parametrize(
    "declared",
    [{"size": 0, "sha256": HASH}, {"size": 1, "sha256": "A" * 64}, {"size": 1}, {"sha256": HASH}],
    ids=str,
)
def test_size_and_digest_are_declared(api: Api, declared: dict[str, Any]) -> None:
    assert api.post("/v1/uploads", declared).status == 400


def test_a_key_opens_one_upload_in_a_scope_of_its_own_for_records_of_any(api: Api) -> None:
    alpha = api.key_for(scopes=("project:alpha", "shared"))
    value = json.dumps("x").encode()
    declared = {"size": len(value), "sha256": hashlib.sha256(value).hexdigest(), "scope": "shared"}
    again = {"idempotency-key": "1"}
    upload = api.post("/v1/uploads", declared, key=alpha, headers=again).body
    put(api, upload, value)

    other = api.post("/v1/uploads", {**declared, "size": 9}, key=alpha, headers=again)
    beyond = api.post("/v1/uploads", {**declared, "scope": "project:beta"}, key=alpha)
    claim = {"$upload": upload["upload_id"]}
    record = observe(api, claim, scope="project:alpha", key=alpha).record

    assert (other.status, other.body["code"]) == (409, "ALREADY_EXISTS")
    assert (beyond.status, beyond.body["detail"]) == (403, "the key does not cover this scope")
    assert record["scope"] == "project:alpha"


def test_small_values_stand_in_their_places_wherever_they_go(api: Api) -> None:
    claim = uploaded(api, b'{"a": 1}')
    tool = api.post("/v1/ingest/tool-output", {**TOOL, "args": claim, "result": claim}).record
    budget = uploaded(api, b'[{"type": "budget", "key": "usd", "value": 5}]')
    state = api.post("/v1/ingest/working-state", {**STATE, "active_constraints": budget}).record
    trigger = {"signal": "deploy", "conditions": uploaded(api, b'{"on": "friday"}')}
    large = uploaded(api, json.dumps({"x": "y" * 200_000}).encode())
    recipe = [{"step": "roll out", "args_schema": large}]
    skill = {"kind": "competence", "skill_name": "s", "triggers": [trigger], "recipe": recipe}
    made = api.post(
        "/v1/records", {"type": "competence", "sensitivity": "low", "payload": skill}
    ).record["payload"]

    node = tool["payload"]["tool_graph"][0]
    assert node["args"] == node["result"] == {"a": 1}
    assert state["payload"]["active_constraints"][0]["value"] == 5
    assert made["triggers"][0]["conditions"] == {"on": "friday"}
    assert made["recipe"][0]["args_schema"] == {"x": "y" * 200_000}


def test_inside_a_value_the_words_of_claims_mean_nothing(api: Api) -> None:
    value = {"deep": {"$upload": "x"}, "list": [{"$blob": {"sha256": HASH, "size": 1}}]}

    assert observe(api, value).record["payload"]["object"] == value


@pytest.mark.parametrize(
    "blob",
    [
        None,
        {"sha256": HASH, "size": 1},
        {"sha256": HASH, "size": 1, "url": "https://bucket"},
        {"sha256": HASH, "size": 1, "url": f"https://bucket/blobs/r/{'1' * 64}"},
        {"sha256": HASH, "size": 1, "url": f"https://bucket/blobs/r/{HASH}", "more": 1},
    ],
    ids=["nothing", "no address", "no blob's address", "another blob's address", "more"],
)
def test_a_blob_that_no_reply_shows_is_refused(api: Api, blob: Any) -> None:
    reply = api.post("/v1/records", fact_of({"$blob": blob}))

    assert reply.status == 400
    assert "must be as a reply shows it" in str(reply.body)


def test_a_value_is_taken_over_by_who_may_see_it_and_in_bounds(api: Api) -> None:
    alpha = api.key_for(scopes=("project:alpha",))
    tool = {**TOOL, "result": uploaded(api, TEN_MB), "scope": "project:alpha"}
    record = api.post("/v1/ingest/tool-output", tool).record
    blob = record["payload"]["tool_graph"][0]["result"]["$blob"]
    other = api.key_for(scopes=("project:beta",))
    lost = {**blob, "sha256": HASH, "url": blob["url"].replace(blob["sha256"], HASH)}
    few = {**STATE, "active_constraints": constraints({"$blob": blob}, 5)}
    small = json.dumps("x" * 200_000).encode()
    sha256 = hashlib.sha256(small).hexdigest()
    url = f"https://bucket/blobs/{observe(api, uploaded(api, small)).record['id']}/{sha256}"
    one = {"$blob": {"sha256": sha256, "size": len(small), "url": url}}
    many = {**STATE, "active_constraints": constraints(one, BORROWED + 1)}
    before = api.stored()

    replies = [
        api.post("/v1/records", fact_of({"$blob": blob}, scope="project:beta"), key=other),
        api.post("/v1/records", fact_of({"$blob": lost}, scope="project:alpha"), key=alpha),
        api.post("/v1/ingest/working-state", few),
        api.post("/v1/ingest/working-state", many),
    ]

    assert [each.status for each in replies] == [404, 404, 413, 400]
    assert replies[0].body["detail"] == replies[1].body["detail"]
    assert api.stored() == before


def test_a_claim_is_good_for_a_day_and_for_one_request(api: Api) -> None:
    claims = [uploaded(api, b"1") for _ in range(3)]
    first = observe(api, claims[0], idempotency_key="k").record
    taken = observe(api, claims[0], source="b")
    other = observe(api, claims[1], idempotency_key="k")
    unknown = observe(api, {"$upload": "none"})
    api.functions.clock.advance(timedelta(days=1, seconds=1))

    again, late = observe(api, claims[0], idempotency_key="k"), observe(api, claims[2])

    assert taken.status == 409
    assert "went into another record" in taken.body["detail"]
    assert (other.status, other.body["code"]) == (409, "ALREADY_EXISTS")
    assert (again.status, again.record["id"]) == (200, first["id"])
    assert unknown.body["detail"] == late.body["detail"] == "upload not found"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "malformed JSON"),
        (b"\xff", "not UTF-8"),
        (b'{"a":1,"a":2}', "same key twice"),
        (b"1e999", "out of range"),
        (b'"\\ud800"', "lone surrogate"),
        (b"[" * 65 + b"]" * 65, "nested deeper than 64 levels"),
    ],
    ids=["cut off", "bytes", "two keys", "infinite", "surrogate", "deep"],
)
def test_hostile_json_is_refused_in_an_upload_as_in_a_body(
    api: Api, content: bytes, words: str
) -> None:
    claim = uploaded(api, content)
    before = api.stored()

    reply = observe(api, claim)

    assert (reply.status, words in str(reply.body)) == (400, True)
    assert api.stored() == before


@pytest.mark.parametrize(
    ("field", "content", "words"),
    [
        ("args", b"[]", "does not hold a JSON object"),
        ("active_constraints", b"{}", "invalid active_constraints JSON"),
        ("active_constraints", b'[{"type": 5}]', "invalid active_constraints JSON"),
        (
            *("active_constraints", b'[{"type": "t", "key": "k", "value": {"$upload": "x"}}]'),
            "cannot claim uploads",
        ),
    ],
)
def test_an_upload_must_fit_its_field(api: Api, field: str, content: bytes, words: str) -> None:
    path, body = ("tool-output", TOOL) if field == "args" else ("working-state", STATE)

    reply = api.post(f"/v1/ingest/{path}", {**body, field: uploaded(api, content)})

    assert (reply.status, words in str(reply.body)) == (400, True), reply.body


def test_a_request_claims_no_more_uploads_than_a_transaction_has_room_for(api: Api) -> None:
    several = [each for _ in range(CLAIMS + 1) for each in constraints(uploaded(api, b"1"))]

    reply = api.post("/v1/ingest/working-state", {**STATE, "active_constraints": several})

    assert (reply.status, "4 uploads at most" in str(reply.body)) == (400, True)


def test_what_lies_there_must_be_what_was_declared(api: Api) -> None:
    upload = opened(api, b"1")
    place = urlsplit(upload["url"]).path.partition("/uploads/")[2]
    api.functions.store.blobs.write(f"uploads/{place}", b"2")

    reply = observe(api, {"$upload": upload["upload_id"]})

    assert (reply.status, "not of the declared size and SHA-256" in str(reply.body)) == (400, True)


def test_the_largest_value_of_a_reply_gets_a_link_and_the_others_stand_in_place(api: Api) -> None:
    sizes = {"a": 3_000_000, "b": 1_000_000, "c": 2_500_000}
    for letter, size in sizes.items():
        value = uploaded(api, json.dumps(letter * size).encode())
        assert observe(api, value, predicate=letter).status == 201

    records = api.get("/v1/records?type=semantic").body["records"]

    shown = {each["payload"]["predicate"]: each["payload"]["object"] for each in records}
    assert {letter: isinstance(value, str) for letter, value in shown.items()} == {
        "a": False, "b": True, "c": True
    }  # fmt: skip


def test_a_value_is_large_from_128_kib_on_and_a_link_where_the_bucket_is_busy(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    below, above = (observe(api, "x" * (131_072 - less)).record["id"] for less in (3, 2))

    def busy(*_: object) -> bytes:
        raise an_error("UNAVAILABLE", "the blob store did not answer")

    monkeypatch.setattr(type(api.functions.store.blobs), "get", busy)

    shown = [api.get(f"/v1/records/{each}").record["payload"]["object"] for each in (below, above)]
    assert isinstance(shown[0], str)
    assert "$blob" in shown[1]
