"""Values that come through uploads: opened, claimed by one record, kept as they were."""

import hashlib
import json
from typing import Any

import pytest

from membrane.adapters.dynamodb.table.keys import blob_name
from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.ingest.full_records import IngestRecord, OpenUpload
from membrane.domain.language.errors import (
    AlreadyExists,
    DomainError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    TooLarge,
    Unavailable,
)
from membrane.domain.language.values import LARGE_VALUE_BYTES, MAX_VALUE_BYTES, LargeValue
from membrane.domain.language.violations import validate
from membrane.domain.records.payloads import EpisodicPayload, WorkingPayload
from membrane.domain.records.records import as_json
from membrane.domain.records.uploads import MAX_CLAIMS, NO_UPLOAD
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.ports.services import Services
from membrane.usecases.records.creating import REUSED
from membrane.usecases.records.inline_large_values import inline_large_values
from membrane.usecases.records.open_upload import Opened, open_upload
from membrane.usecases.records.resolve_references import MAX_BORROWED, NO_VALUE
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    ALPHA,
    BETA,
    OWNER,
    call,
    full_record,
    observation,
    refused,
    tool_output,
    working_state,
    written,
)
from tests.fakes.bucket import FakeBlobs
from tests.fakes.clock import FakeClock
from tests.worlds.memory import put_upload
from tests.worlds.memory_table import TableRecords

LARGE = json.dumps(["large"] * LARGE_VALUE_BYTES, indent=1).encode()
"""Spelled otherwise than this service would."""

HASH = "0" * 64


def opened(
    services: Services, principal: Principal = OWNER, key: str | None = None, **fields: Any
) -> Opened:
    """What asking for an upload gives."""
    request = OpenUpload(**{"size": 10, "sha256": HASH, **fields})
    return open_upload(request, call(request, principal, key=key), services)


def put(services: Services, content: bytes, principal: Principal = OWNER) -> dict[str, str]:
    """The claim of an upload whose value is there."""
    sha256 = hashlib.sha256(content).hexdigest()
    upload = opened(services, principal, size=len(content), sha256=sha256).upload
    put_upload(upload.id, content, services)
    return {"$upload": upload.id}


# --- opening -------------------------------------------------------------------------------------


def test_an_upload_says_how_to_put_the_value_there(services: Services) -> None:
    given = opened(services, size=1_000)

    assert given.link.method == "PUT"
    assert given.link.headers["content-length"] == "1000"
    assert given.expires_at == "2026-03-01T09:15:00.25Z"


def test_the_same_key_opens_the_same_upload_with_a_fresh_link(
    services: Services, clock: FakeClock
) -> None:
    first = opened(services, key="1")
    clock.advance(minutes=20)

    again = opened(services, key="1")

    assert (again.upload, again.replayed) == (first.upload, True)
    assert again.expires_at > first.expires_at


def test_a_key_opens_one_upload_alone(services: Services) -> None:
    opened(services, key="1", size=1)

    with pytest.raises(AlreadyExists, match=REUSED):
        opened(services, key="1", size=2)


def test_without_a_key_every_upload_is_another(services: Services) -> None:
    assert opened(services).upload.id != opened(services).upload.id


@pytest.mark.parametrize(
    ("principal", "asked", "scope"),
    [
        (ALPHA, None, "project:alpha"),
        (ALPHA, "shared", "shared"),
        (OWNER, None, ""),
        (OWNER, "any", "any"),
        (principal_of("agent", ["ingest"], ["tenant:acme:*"], "low"), None, ""),
    ],
)
def test_an_upload_belongs_to_the_scope_asked_for_or_the_first_of_the_key(
    services: Services, principal: Principal, asked: str | None, scope: str
) -> None:
    upload = opened(services, principal, scope=asked).upload

    found = services.uploads.find(upload.id)
    assert found is not None
    assert found.scope == scope


def test_no_upload_belongs_to_a_scope_beyond_the_key(services: Services) -> None:
    with pytest.raises(PermissionDenied, match="the key does not cover this scope"):
        opened(services, ALPHA, scope="project:beta")


def test_a_record_of_another_scope_may_claim_an_upload(services: Services) -> None:
    sha256 = hashlib.sha256(LARGE).hexdigest()
    upload = opened(services, ALPHA, size=len(LARGE), sha256=sha256, scope="shared").upload
    put_upload(upload.id, LARGE, services)

    asked = observation(object={"$upload": upload.id}, scope="project:alpha")
    record = written(ingest(asked, call(asked, ALPHA), services))

    assert record.scope == "project:alpha"


def test_a_value_over_the_limit_cannot_be_declared(services: Services) -> None:
    opened(services, size=MAX_VALUE_BYTES)

    with pytest.raises(TooLarge, match="exceeds maximum payload size of 10485760 bytes"):
        opened(services, size=MAX_VALUE_BYTES + 1)


@pytest.mark.parametrize(
    "declared",
    [{"size": 0, "sha256": HASH}, {"size": 1, "sha256": "A" * 64}, {"size": 1}, {"sha256": HASH}],
    ids=["no bytes", "not lower-case hex", "no digest", "no size"],
)
def test_size_and_digest_are_declared(declared: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        validate(OpenUpload, declared)


# --- claiming ------------------------------------------------------------------------------------


def test_a_small_value_stands_in_its_place(services: Services) -> None:
    asked = tool_output(args=put(services, b'{"a": 1}'), result=put(services, b"[1,2]"))

    payload = written(ingest(asked, call(asked), services)).payload

    assert isinstance(payload, EpisodicPayload)
    assert (payload.tool_graph[0].args, payload.tool_graph[0].result) == ({"a": 1}, [1, 2])


def test_a_large_value_is_kept_byte_for_byte(services: Services, records: TableRecords) -> None:
    asked = observation(object=put(services, LARGE))

    record = written(ingest(asked, call(asked), services))

    ((large, content),) = records.values.items()
    assert content == LARGE
    assert large == LargeValue(record.id, hashlib.sha256(LARGE).hexdigest(), len(LARGE))
    assert as_json(record)["payload"]["object"] == large


def test_constraints_come_through_an_upload_too(services: Services) -> None:
    content = json.dumps([{"type": "budget", "key": "usd", "value": 5}]).encode()
    asked = working_state(active_constraints=put(services, content))

    payload = written(ingest(asked, call(asked), services)).payload

    assert isinstance(payload, WorkingPayload)
    assert payload.active_constraints[0].value == 5


def test_values_deep_in_a_full_record_come_through_uploads(
    services: Services, records: TableRecords
) -> None:
    trigger = {"signal": "deploy", "conditions": put(services, b'{"on": "friday"}')}
    step = {
        "step": "roll out",
        "args_schema": put(services, json.dumps({"x": "y" * 200_000}).encode()),
    }
    skill = {"kind": "competence", "skill_name": "s", "triggers": [trigger], "recipe": [step]}
    asked = full_record(payload=skill)

    record = written(ingest_record(asked, call(asked), services))

    printed = as_json(record)["payload"]
    assert printed["triggers"][0]["conditions"] == {"on": "friday"}
    assert printed["recipe"][0]["args_schema"] in records.values


def test_inside_a_value_the_words_of_claims_mean_nothing(services: Services) -> None:
    value = {"deep": {"$upload": "x"}, "list": [{"$blob": {"sha256": HASH, "size": 1}}]}

    record = written(ingest(asked := observation(object=value), call(asked), services))

    assert as_json(record)["payload"]["object"] == value


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
def test_a_blob_that_no_reply_shows_is_refused(blob: Any) -> None:
    with pytest.raises(InvalidArgument, match="must be as a reply shows it"):
        validate(IngestRecord, {"record": fact_of({"$blob": blob})})


def test_a_value_that_was_shown_goes_into_another_record(
    services: Services, records: TableRecords
) -> None:
    first = written(
        ingest(asked := observation(object=put(services, LARGE)), call(asked), services)
    )
    (large,) = records.values
    blob = {"$blob": {**large.as_json()["$blob"], "url": f"{records.link(large)}?X-Amz-Date=1"}}

    copied = validate(IngestRecord, {"record": fact_of(blob)})
    second = written(ingest_record(copied, call(copied), services))

    assert second.id != first.id
    assert as_json(second)["payload"]["object"] == LargeValue(second.id, large.sha256, large.size)
    assert list(records.values.values()) == [LARGE, LARGE]


@pytest.mark.parametrize(
    ("count", "size", "error"),
    [(MAX_BORROWED + 1, 200_000, InvalidArgument), (5, 10_000_000, TooLarge)],
    ids=["values", "bytes"],
)
def test_what_a_request_takes_of_other_records_is_bounded(
    services: Services, records: TableRecords, count: int, size: int, error: type[DomainError]
) -> None:
    content = json.dumps("x" * size).encode()
    asked = observation(object=put(services, content))
    ingest(asked, call(asked), services)
    (large,) = records.values
    blob = {"$blob": {**large.as_json()["$blob"], "url": records.link(large)}}
    constraints = [{"type": "t", "key": str(n), "value": blob} for n in range(count)]

    state = working_state(active_constraints=constraints)

    with refused(records, error):
        ingest(state, call(state), services)


@pytest.mark.parametrize("principal", [BETA, OWNER], ids=["may not see it", "it is not there"])
def test_a_value_that_the_caller_may_not_see_or_that_is_not_there_is_not_found(
    services: Services, records: TableRecords, principal: Principal
) -> None:
    asked = observation(object=put(services, LARGE, ALPHA), scope="project:alpha")
    record = written(ingest(asked, call(asked, ALPHA), services))
    sha256 = HASH if principal is OWNER else hashlib.sha256(LARGE).hexdigest()
    url = f"https://bucket/blobs/{record.id}/{sha256}"
    blob = {"$blob": {"sha256": sha256, "size": len(LARGE), "url": url}}
    copied = validate(IngestRecord, {"record": fact_of(blob) | {"scope": "project:beta"}})

    with refused(records, NotFound, NO_VALUE):
        ingest_record(copied, call(copied, principal), services)


def fact_of(value: Any) -> dict[str, Any]:
    """A full record of a fact with that object."""
    return {
        "type": "semantic",
        "sensitivity": "low",
        "payload": {
            "kind": "semantic",
            "subject": "s",
            "predicate": "p",
            "object": value,
            "validity": {"mode": "global"},
        },
    }


def test_a_claim_marks_the_upload_as_the_records(services: Services) -> None:
    claim = put(services, b"1")

    record = written(ingest(asked := observation(object=claim), call(asked), services))

    upload = services.uploads.find(claim["$upload"])
    assert upload is not None
    assert upload.claimed_by == record.id


def test_another_record_cannot_take_the_same_upload(
    services: Services, records: TableRecords
) -> None:
    claim = put(services, b"1")
    ingest(asked := observation(object=claim), call(asked), services)

    with refused(records, FailedPrecondition, "went into another record"):
        ingest(asked, call(asked), services)


def test_a_repeat_is_recognised_before_its_upload_is_looked_at(
    services: Services, clock: FakeClock
) -> None:
    asked = observation(object=put(services, LARGE))
    first = written(ingest(asked, call(asked, key="1"), services))
    clock.advance(days=2)  # the upload has expired

    again = written(ingest(asked, call(asked, key="1"), services), replayed=True)

    assert again.id == first.id


def test_the_same_key_with_another_upload_is_another_request(
    services: Services, records: TableRecords
) -> None:
    first, second = (observation(object=put(services, b"1")) for _ in range(2))
    ingest(first, call(first, key="1"), services)

    with refused(records, AlreadyExists, REUSED):
        ingest(second, call(second, key="1"), services)


def test_an_upload_is_read_once_however_many_places_it_goes_into(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = put(services, b"1")
    reads: list[str] = []
    get = FakeBlobs.get

    def noted(self: FakeBlobs, name: str) -> bytes | None:
        reads.append(name)
        return get(self, name)

    monkeypatch.setattr(FakeBlobs, "get", noted)
    constraints = [{"type": "t", "key": str(n), "value": claim} for n in range(MAX_CLAIMS)]

    ingest(asked := working_state(active_constraints=constraints), call(asked), services)

    assert [claim["$upload"] in each for each in reads] == [True]


def test_constraints_of_an_upload_cannot_claim_uploads(
    services: Services, records: TableRecords
) -> None:
    inner = put(services, b"1")
    content = json.dumps([{"type": "t", "key": "k", "value": inner}]).encode()
    asked = working_state(active_constraints=put(services, content))

    with refused(records, InvalidArgument, "cannot claim uploads"):
        ingest(asked, call(asked), services)


def test_the_bucket_being_busy_makes_a_link_of_a_value(
    services: Services, records: TableRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(_self: FakeBlobs, _name: str) -> bytes:
        raise Unavailable("the blob store did not answer")

    body = body_of([text_of(1, "a")], records)
    monkeypatch.setattr(FakeBlobs, "get", busy)

    assert "$blob" in inline_large_values(body, services)["results"][0]["object"]


def test_an_upload_may_stand_in_two_places_of_one_request(services: Services) -> None:
    claim = put(services, b'{"a": 1}')

    asked = tool_output(args=claim, result=claim)
    payload = written(ingest(asked, call(asked), services)).payload

    assert isinstance(payload, EpisodicPayload)
    assert payload.tool_graph[0].args == payload.tool_graph[0].result == {"a": 1}


@pytest.mark.parametrize("principal", [ALPHA, BETA], ids=["alpha", "beta"])
def test_only_who_opened_an_upload_may_claim_it(
    services: Services, records: TableRecords, principal: Principal
) -> None:
    claim = put(services, b"1", OWNER)

    with refused(records, NotFound, NO_UPLOAD):
        ingest(asked := observation(object=claim), call(asked, principal), services)


def test_an_upload_expires_after_a_day(
    services: Services, records: TableRecords, clock: FakeClock
) -> None:
    claim = put(services, b"1")
    clock.advance(hours=24, seconds=1)

    with refused(records, NotFound, NO_UPLOAD):
        ingest(asked := observation(object=claim), call(asked), services)


def test_an_upload_that_was_never_opened_is_not_found(
    services: Services, records: TableRecords
) -> None:
    with refused(records, NotFound, NO_UPLOAD):
        ingest(asked := observation(object={"$upload": "none"}), call(asked), services)


def test_a_claim_before_the_value_is_there_says_so(
    services: Services, records: TableRecords
) -> None:
    claim = {"$upload": opened(services).upload.id}

    with refused(records, FailedPrecondition, "nothing was uploaded yet"):
        ingest(asked := observation(object=claim), call(asked), services)


@pytest.mark.parametrize("content", [b"12", b"2"], ids=["size", "digest"])
def test_what_was_declared_must_be_what_is_there(
    services: Services, records: TableRecords, content: bytes
) -> None:
    claim = put(services, b"1")
    put_upload(claim["$upload"], content, services)

    with refused(records, InvalidArgument, "not of the declared size and SHA-256"):
        ingest(asked := observation(object=claim), call(asked), services)


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
    services: Services, records: TableRecords, content: bytes, words: str
) -> None:
    claim = put(services, content)

    with refused(records, InvalidArgument, words):
        ingest(asked := observation(object=claim), call(asked), services)


@pytest.mark.parametrize(
    ("field", "content", "error"),
    [
        ("args", b"[]", "does not hold a JSON object"),
        ("active_constraints", b"{}", "invalid active_constraints JSON"),
        ("active_constraints", b'[{"type": 5}]', "invalid active_constraints JSON"),
    ],
)
def test_an_upload_must_fit_its_field(
    services: Services, records: TableRecords, field: str, content: bytes, error: str
) -> None:
    make = tool_output if field == "args" else working_state
    asked = make(**{field: put(services, content)})

    with refused(records, InvalidArgument, error):
        ingest(asked, call(asked), services)


def test_a_request_claims_no_more_uploads_than_a_transaction_has_room_for(
    services: Services, records: TableRecords
) -> None:
    constraints = [
        {"type": "t", "key": str(n), "value": put(services, b"1")} for n in range(MAX_CLAIMS + 1)
    ]
    asked = working_state(active_constraints=constraints)

    with refused(records, InvalidArgument, "4 uploads at most"):
        ingest(asked, call(asked), services)


# --- replies -------------------------------------------------------------------------------------


def body_of(values: list[bytes], records: TableRecords) -> dict[str, Any]:
    """The body of a reply with these large values of a record."""
    larges = [LargeValue("r", hashlib.sha256(value).hexdigest(), len(value)) for value in values]
    for large, value in zip(larges, values, strict=True):
        records.keep_value(large, value)
    return {"results": [{"object": large} for large in larges]}


def text_of(megabytes: float, letter: str) -> bytes:
    """A JSON string of that size."""
    return json.dumps(letter * int(megabytes * 1_000_000)).encode()


def test_values_stand_in_place_while_the_reply_has_room(
    services: Services, records: TableRecords
) -> None:
    values = [text_of(3, "a"), text_of(1, "b"), text_of(2.5, "c")]

    body = inline_large_values(body_of(values, records), services)

    places = [entry["object"] for entry in body["results"]]
    assert places[1:] == ["b" * 1_000_000, "c" * 2_500_000]
    assert places[0] == {
        "$blob": {
            "sha256": hashlib.sha256(values[0]).hexdigest(),
            "size": len(values[0]),
            "url": places[0]["$blob"]["url"],
        }
    }


def test_what_escaping_makes_longer_counts_as_long(
    services: Services, records: TableRecords
) -> None:
    body = inline_large_values(body_of([text_of(2, '"')], records), services)

    assert "$blob" in body["results"][0]["object"]


def test_a_reply_that_is_too_large_without_any_value_is_refused(
    services: Services, records: TableRecords
) -> None:
    body = body_of([text_of(1, "a")], records) | {"rest": "x" * 7_000_000}

    with pytest.raises(TooLarge):
        inline_large_values(body, services)


def test_what_was_just_written_is_not_read_again(services: Services, records: TableRecords) -> None:
    body = body_of([text_of(1, "a")], records)
    known = dict(records.values)
    for each in known:
        records.blobs.erase(blob_name(each.record_id, each.sha256))

    assert inline_large_values(body, services, known)["results"][0]["object"] == "a" * 1_000_000


def test_a_value_that_came_in_the_request_is_large_from_128_kib_on(
    services: Services, records: TableRecords
) -> None:
    below, above = "x" * (LARGE_VALUE_BYTES - 3), "x" * (LARGE_VALUE_BYTES - 2)

    for value in (below, above):
        asked = observation(object=value)
        ingest(asked, call(asked), services)

    assert list(records.values.values()) == [json.dumps(above).encode()]
