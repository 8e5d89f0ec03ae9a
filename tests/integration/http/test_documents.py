"""Keyed documents over HTTP: places, versions, rights, lists, batches and searches."""

import hashlib
import json
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest

from tests.integration.http.test_large_values import follow, uploaded
from tests.integration.http.test_openapi import compiled
from tests.worlds.api import Api, Reply

DOCUMENTS = "/v1/documents"
ADA = ("users", "ada", "profile")
VALUE = {"name": "Ada", "languages": ["Go", "Rust"], "score": 3}


def path_of(*segments: str, query: str = "") -> str:
    """The path of a document as a client writes it: each segment encoded, then the URL."""
    place = "/".join(quote(quote(each, safe=""), safe="") for each in segments)
    return f"{DOCUMENTS}/{place}{query}"


def put(api: Api, *segments: str, value: Any = 1, **options: Any) -> Reply:
    """The reply to a put; `asked` has further fields of the request."""
    body = {"value": value, **options.pop("asked", {})}
    return api.call("PUT", path_of(*segments), body, **options)


def get(api: Api, *segments: str, query: str = "", **options: Any) -> Reply:
    return api.get(path_of(*segments, query=query), **options)


def delete(api: Api, *segments: str, query: str = "", **options: Any) -> Reply:
    return api.call("DELETE", path_of(*segments, query=query), options.pop("body", None), **options)


def append(api: Api, *segments: str, items: list[Any], **options: Any) -> Reply:
    return api.post(path_of(*segments, "items"), {"items": items}, **options)


def keys_in(found: Reply) -> list[str]:
    assert found.status == 200, found.body
    return [each["key"] for each in found.body["documents"]]


def fits(name: str, reply: Reply) -> bool:
    """Whether the body is what the OpenAPI document promises."""
    schema = compiled({"$ref": f"#/components/schemas/{name}"})
    return [*schema.iter_errors(reply.body)] == []


def test_a_document_is_put_read_and_deleted(api: Api) -> None:
    written = put(api, *ADA, value=VALUE)
    read = get(api, *ADA)
    deleted = delete(api, *ADA)

    assert (written.status, read.status, deleted.status) == (200, 200, 200)
    assert (written.body["existed"], written.body["version"]) == (False, 1)
    document = read.body["document"]
    assert (document["namespace"], document["key"]) == (["users", "ada"], "profile")
    assert (document["value"], document["version"]) == (VALUE, 1)
    assert written.headers["etag"] == read.headers["etag"] == '"1"'
    assert deleted.body == {"existed": True, "version": 2}
    assert get(api, *ADA).status == 404
    assert delete(api, *ADA).body == {"existed": False}


def test_replies_are_as_the_openapi_document_promises(api: Api) -> None:
    written = put(api, *ADA, value=VALUE, asked={"index": True, "half_life_seconds": 60})
    appended = append(api, *ADA, items=[1, {"two": 2}])
    put(api, *ADA, value={"name": "Ada"}, asked={"operation_id": "second"})

    read = get(api, *ADA, query="?items=2&history=5&verify=true")
    listed = api.get("/v1/namespaces")
    found = api.post(f"{DOCUMENTS}/search", {"limit": 1})
    receipt = api.get("/v1/document-operations?operation_id=second")
    batch = api.post(f"{DOCUMENTS}/batch", {"operations": [{"op": "namespaces"}]})

    assert fits("WrittenDocument", written)
    assert fits("AppendedItems", appended)
    assert fits("DocumentReply", read)
    assert fits("NamespaceList", listed)
    assert fits("FoundDocuments", found)
    assert fits("OperationReceipt", receipt)
    assert fits("BatchedDocuments", batch)
    assert fits("DeletedDocument", delete(api, *ADA))


@pytest.mark.parametrize(
    "label",
    ["50%", "a/b", "a%2Fb", "what?", "#1", "*", "line\nbreak", " ", "日本語", "a+b", "...", "&=;"],
)
def test_a_label_and_a_key_of_any_characters_name_one_document(api: Api, label: str) -> None:
    put(api, "odd", label, label, value=label)
    put(api, "odd", "other", "other", value="other")

    read = get(api, "odd", label, label)
    found = api.post(f"{DOCUMENTS}/search", {"namespace_prefix": ["odd", label]})

    document = read.body["document"]
    assert (document["namespace"], document["key"]) == (["odd", label], label)
    assert document["value"] == label
    assert keys_in(found) == [label]
    listed = api.get(f"/v1/namespaces?prefix=odd&prefix={quote(label, safe='')}")
    assert ["odd", label] in listed.body["namespaces"]


def test_an_ordinary_path_needs_no_second_encoding(api: Api) -> None:
    assert api.call("PUT", f"{DOCUMENTS}/my%20notes/tea%3F", {"value": 1}).status == 200

    assert get(api, "my notes", "tea?").status == 200


def test_a_put_without_a_body_is_400(api: Api) -> None:
    refused = api.call("PUT", f"{DOCUMENTS}/a/tea")

    assert (refused.status, refused.problem["detail"]) == (400, "the request needs a JSON body")


@pytest.mark.parametrize(
    "path", ["tea", "a//tea", "a/tea/", "a/%2E", "a/%2E%2E", "%2500/tea", "a/%25FF"]
)
def test_a_path_that_names_no_document_is_400(api: Api, path: str) -> None:
    reply = api.call("PUT", f"{DOCUMENTS}/{path}", {"value": 1})

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")
    fields = {each["field"].partition(".")[0] for each in reply.body["errors"]}
    assert fields <= {"namespace", "key"}
    assert fields


def test_a_namespace_has_16_labels_of_128_bytes_at_most(api: Api) -> None:
    labels = ["é" * 64] * 16

    assert put(api, *labels, "k" * 512).status == 200
    assert get(api, *labels, "k" * 512).status == 200
    assert put(api, *labels, "one more", "key").status == 400
    assert put(api, "é" * 64 + "x", "key").status == 400
    assert put(api, "a", "k" * 513).status == 400


def test_a_header_lets_a_write_pass_for_one_version_alone(api: Api) -> None:
    first = put(api, *ADA, headers={"if-none-match": "*"})
    again = put(api, *ADA, headers={"if-none-match": "*"})
    stale = put(api, *ADA, headers={"if-match": '"7"'})
    fresh = put(api, *ADA, headers={"if-match": first.headers["etag"]})
    absent = put(api, "users", "bob", headers={"if-match": "*"})
    gone = delete(api, *ADA, headers={"if-match": '"1"'})

    assert (first.status, fresh.status, fresh.headers["etag"]) == (200, 200, '"2"')
    for refused in (again, stale, absent, gone):
        assert refused.status == refused.body["status"] == 412
        assert refused.body["code"] == "FAILED_PRECONDITION"
    assert "version 1" in stale.body["detail"]
    assert put(api, *ADA, headers={"if-match": "*"}).body["version"] == 3
    assert delete(api, *ADA, headers={"if-match": '"3"'}).body["existed"] is True


def test_a_version_in_the_body_is_refused_with_409(api: Api) -> None:
    put(api, *ADA)

    taken = put(api, *ADA, asked={"expected_version": 0})
    stale = delete(api, *ADA, body={"expected_version": 4})
    fresh = put(api, *ADA, asked={"expected_version": 1})

    assert (taken.status, stale.status, fresh.status) == (409, 409, 200)
    assert taken.body["code"] == stale.body["code"] == "FAILED_PRECONDITION"
    assert put(api, *ADA, asked={"expected_version": 2}, headers={"if-match": '"2"'}).status == 400


def test_a_deleted_document_does_not_exist_for_a_condition(api: Api) -> None:
    put(api, *ADA)
    delete(api, *ADA)

    assert put(api, *ADA, headers={"if-match": "*"}).status == 412
    assert put(api, *ADA, headers={"if-none-match": "*"}).body["existed"] is False


def test_a_prefix_ends_at_the_borders_of_labels(api: Api) -> None:
    for namespace in (["users"], ["users", "ann"], ["users", "anna"], ["Users"], ["user"]):
        put(api, *namespace, "/".join(namespace))

    found = api.post(f"{DOCUMENTS}/search", {"namespace_prefix": ["users", "ann"]})
    below = api.post(f"{DOCUMENTS}/search", {"namespace_prefix": ["users"]})
    listed = api.get("/v1/namespaces?prefix=users&prefix=ann")
    wild = api.get("/v1/namespaces?prefix=*&prefix=ann")

    assert keys_in(found) == ["users/ann"]
    assert keys_in(below) == ["users", "users/ann", "users/anna"]
    assert listed.body["namespaces"] == wild.body["namespaces"] == [["users", "ann"]]


def test_namespaces_are_listed_by_suffix_and_cut_to_a_depth_in_pages(api: Api) -> None:
    for namespace in (["a", "x"], ["a", "y", "x"], ["b", "x"], ["b", "y"]):
        put(api, *namespace, "key")

    ends = api.get("/v1/namespaces?suffix=x")
    cut = api.get("/v1/namespaces?max_depth=1")
    first = api.get("/v1/namespaces?limit=3")
    rest = api.get(f"/v1/namespaces?limit=3&cursor={quote(first.body['next_cursor'])}")

    assert ends.body["namespaces"] == [["a", "x"], ["a", "y", "x"], ["b", "x"]]
    assert cut.body["namespaces"] == [["a"], ["b"]]
    assert first.body["namespaces"] == ends.body["namespaces"]
    assert rest.body["namespaces"] == [["b", "y"]]
    assert "next_cursor" not in rest.body


def test_another_actors_value_is_overwritten_and_deleted_with_revise_alone(api: Api) -> None:
    owner = api.key_for(actor_id="owner", permissions=("ingest",))
    writer = api.key_for(actor_id="writer", permissions=("ingest", "read"))
    reviser = api.key_for(actor_id="reviser", permissions=("ingest", "revise"))
    put(api, *ADA, value="first", key=owner)

    refused = [put(api, *ADA, key=writer), delete(api, *ADA, key=writer)]
    kept = get(api, *ADA, key=writer)
    revised = put(api, *ADA, value="second", key=reviser)

    assert [(each.status, each.body["code"]) for each in refused] == [
        (403, "PERMISSION_DENIED")
    ] * 2
    assert kept.body["document"]["value"] == "first"
    assert revised.status == 200
    assert put(api, *ADA, key=owner).status == 403
    assert delete(api, *ADA, key=reviser).body["existed"] is True


def test_erasing_needs_admin(api: Api) -> None:
    key = api.key_for(permissions=("ingest", "read", "revise"))
    put(api, *ADA, value="secret of Ada", key=key)
    put(api, *ADA, value="another secret of Ada", key=key)

    refused = delete(api, *ADA, query="?erase=true", key=key)
    erased = delete(api, *ADA, query="?erase=true")
    shown = get(api, *ADA, query="?history=9&verify=true")

    assert (refused.status, erased.status) == (403, 200)
    assert "secret of Ada" not in json.dumps(shown.body)
    assert shown.body["document"]["verified"] is True
    assert [each["version"] for each in shown.body["document"]["history"]] == [2, 1]


def test_a_document_above_the_ceiling_or_in_another_scope_answers_as_an_absent_one(
    api: Api,
) -> None:
    put(api, *ADA, value="hidden", asked={"sensitivity": "high", "scope": "team"})
    low = api.key_for(scopes=("team",), max_sensitivity="low")
    elsewhere = api.key_for(scopes=("other",))

    for key in (low, elsewhere):
        absent = get(api, "no", "document", key=key)
        hidden = get(api, *ADA, query="?scope=team" if key == low else "", key=key)
        assert (hidden.status, hidden.problem) == (absent.status, absent.problem)
        assert hidden.status == 404
        assert api.post(f"{DOCUMENTS}/search", {}, key=key).body["documents"] == []
        assert api.get("/v1/namespaces", key=key).body["namespaces"] == []
    assert put(api, *ADA, key=low).status == 409
    assert delete(api, *ADA, key=low).body == {"existed": False}
    assert get(api, *ADA, query="?scope=team").body["document"]["value"] == "hidden"
    assert put(api, *ADA, asked={"scope": "team"}, key=elsewhere).status == 403


def test_a_key_with_a_user_prefix_keeps_the_documents_of_its_users_apart(api: Api) -> None:
    key = api.key_for(
        actor_id="acme",
        scopes=("tenant:acme:*",),
        user_prefix="tenant:acme:user:",
        user_required=True,
    )
    for user in ("alice", "bob"):
        assert put(api, *ADA, value=user, asked={"user": user}, key=key).status == 200

    read = get(api, *ADA, query="?user=alice", key=key)
    found = api.post(f"{DOCUMENTS}/search", {"user": "bob"}, key=key)
    operations = [{"op": "get", "namespace": ["users", "ada"], "key": "profile", "user": "bob"}]
    batch = api.post(f"{DOCUMENTS}/batch", {"operations": operations}, key=key)
    gone = delete(api, *ADA, query="?user=bob", key=key)

    assert read.body["document"]["value"] == "alice"
    assert read.body["document"]["scope"] == "tenant:acme:user:alice"
    assert [each["value"] for each in found.body["documents"]] == ["bob"]
    assert batch.body["results"][0]["document"]["value"] == "bob"
    assert (get(api, *ADA, key=key).status, gone.body["existed"]) == (403, True)
    assert get(api, *ADA, query="?user=bob", key=key).status == 404
    assert get(api, *ADA, query="?user=alice", key=key).status == 200


def named(op: str, *segments: str, **more: Any) -> dict[str, Any]:
    """An operation of a batch."""
    *namespace, key = segments
    return {"op": op, "namespace": namespace, "key": key, **more}


def test_a_batch_is_answered_in_order_and_what_is_refused_fails_alone(api: Api) -> None:
    operations = [
        named("put", "notes", "a", value=1),
        named("get", "notes", "a"),
        named("get", "notes", "absent"),
        named("put", "notes", "", value=1),
        named("put", "notes", "a", value=2, expected_version=7),
        named("append", "notes", "a", items=[1, 2]),
        {"op": "search", "namespace_prefix": ["notes"]},
        {"op": "namespaces"},
        named("delete", "notes", "a", items=1),
        named("move", "notes", "a"),
        7,
    ]

    reply = api.post(f"{DOCUMENTS}/batch", {"operations": operations})

    results = reply.body["results"]
    statuses = [200, 200, 404, 400, 409, 200, 200, 200, 200, 400, 400]
    assert [each["status"] for each in results] == statuses
    assert results[1]["document"]["value"] == 1
    assert results[2]["error"]["code"] == "NOT_FOUND"
    assert [each["key"] for each in results[6]["documents"]] == ["a"]
    assert results[7]["namespaces"] == [["notes"]]
    assert [each["value"] for each in results[8]["items"]] == [2]


def test_a_batch_that_is_checked_first_has_no_effect_if_one_operation_is_refused(api: Api) -> None:
    good = named("put", "notes", "a", value=1)
    reader = api.key_for(permissions=("read",))
    deep: Any = 1
    for _ in range(64):
        deep = [deep]

    invalid = [
        api.post(f"{DOCUMENTS}/batch", {"operations": [good, bad], "check_first": True})
        for bad in (
            named("put", "notes", "b"),
            named("move", "notes", "b"),
            named("put", "notes", "b", value=deep),
        )
    ]
    forbidden = api.post(
        f"{DOCUMENTS}/batch",
        {"operations": [named("get", "notes", "a"), good], "check_first": True},
        key=reader,
    )

    for reply in invalid:
        assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")
        assert "operations.1" in reply.body["detail"]
    assert (forbidden.status, forbidden.body["code"]) == (403, "PERMISSION_DENIED")
    assert get(api, "notes", "a").status == 404


def test_a_value_in_a_batch_may_be_as_deep_as_alone(api: Api) -> None:
    deep: Any = 1
    for _ in range(63):
        deep = [deep]

    alone = put(api, "notes", "a", value=deep)
    within, beyond = api.post(
        f"{DOCUMENTS}/batch",
        {"operations": [
            named("put", "notes", "b", value=deep), named("put", "notes", "c", value=[deep])
        ]},
    ).body["results"]  # fmt: skip

    assert (alone.status, within["status"], beyond["status"]) == (200, 200, 400)
    assert put(api, "notes", "c", value=[deep]).status == 400


def test_every_operation_of_a_batch_needs_its_own_permission(api: Api) -> None:
    put(api, "notes", "a")
    key = api.key_for(permissions=("read",))

    reply = api.post(
        f"{DOCUMENTS}/batch",
        {"operations": [named("get", "notes", "a"), named("put", "notes", "b", value=1)]},
        key=key,
    )

    assert [each["status"] for each in reply.body["results"]] == [200, 403]


def test_items_are_appended_read_and_taken_off(api: Api) -> None:
    first = append(api, "chats", "42", items=["one", "two"])
    second = append(api, "chats", "42", items=["three"])
    newest = get(api, "chats", "42", query="?items=2")
    popped = delete(api, "chats", "42", query="?items=2")
    left = get(api, "chats", "42", query="?items=10")
    third = append(api, "chats", "42", items=["four"])

    assert (first.body["end"], second.body["end"], third.body["end"]) == (2, 3, 4)
    assert [each["value"] for each in newest.body["document"]["items"]] == ["two", "three"]
    assert [each["value"] for each in popped.body["items"]] == ["two", "three"]
    assert [each["value"] for each in left.body["document"]["items"]] == ["one"]
    assert "value" not in left.body["document"]
    assert delete(api, "chats", "42").body["existed"] is True
    assert get(api, "chats", "42", query="?items=10").status == 404


def test_an_append_goes_to_the_path_of_items(api: Api) -> None:
    reply = api.post(f"{DOCUMENTS}/chats/42", {"items": [1]})

    assert (reply.status, reply.body["detail"]) == (400, "the path of an append must end in /items")


def test_a_document_is_hidden_from_the_instant_of_its_expiry_and_a_read_may_refresh_it(
    api: Api,
) -> None:
    clock = api.functions.clock
    clock.freeze(frozen=True)
    put(api, "notes", "brief", asked={"ttl_seconds": 60})
    put(api, "notes", "read", asked={"ttl_seconds": 60})

    clock.advance(timedelta(seconds=59))
    assert get(api, "notes", "brief").status == 200
    assert get(api, "notes", "read", query="?refresh=true").status == 200
    clock.advance(timedelta(seconds=1))

    assert get(api, "notes", "brief").status == 404
    assert get(api, "notes", "read").status == 200
    assert keys_in(api.post(f"{DOCUMENTS}/search", {})) == ["read"]
    assert put(api, "notes", "brief").body["existed"] is False


def test_a_reader_refreshes_nothing(api: Api) -> None:
    clock = api.functions.clock
    clock.freeze(frozen=True)
    put(api, *ADA, asked={"ttl_seconds": 60})
    reader = api.key_for(permissions=("read",))

    clock.advance(timedelta(seconds=59))
    assert get(api, *ADA, query="?refresh=true", key=reader).status == 200
    clock.advance(timedelta(seconds=1))

    assert get(api, *ADA).status == 404


def test_a_search_filters_by_fields_of_values_in_pages(api: Api) -> None:
    for number in range(6):
        kind = "note" if number % 2 else "task"
        put(api, "notes", f"{number}", value={"kind": kind, "at": {"day": number}})
    asked = {"filter": {"kind": "note", "at.day": {"$gte": 1, "$lt": 5}}, "limit": 1}

    first = api.post(f"{DOCUMENTS}/search", asked)
    second = api.post(f"{DOCUMENTS}/search", {**asked, "cursor": first.body["next_cursor"]})
    other = {**asked, "filter": {"kind": "task"}, "cursor": first.body["next_cursor"]}

    assert (keys_in(first), keys_in(second)) == (["1"], ["3"])
    assert first.body["examined"] >= 2
    assert api.post(f"{DOCUMENTS}/search", other).status == 400
    assert api.post(f"{DOCUMENTS}/search", {"filter": {"a": {"$near": 1}}}).status == 400


def test_a_search_by_words_finds_what_means_the_same_with_the_encoder(api: Api) -> None:
    texts = {
        "tea": "Ada drinks green tea every morning",
        "tax": "The invoice is due at the end of the quarter",
        "car": "The garage changes the tyres in October",
    }
    for key, text in texts.items():
        put(api, "notes", key, value={"text": text}, asked={"index": ["text"]})
    put(api, "notes", "silent", value={"text": "Ada drinks green tea every morning"})

    found = api.post(f"{DOCUMENTS}/search", {"query": "When does the automobile get new wheels?"})
    worded = api.post(f"{DOCUMENTS}/search", {"query": "green tea", "limit": 1})

    assert keys_in(found)[0] == "car"
    assert keys_in(found)[-1] == "silent"
    scores = [each["score"] for each in found.body["documents"]]
    assert scores[:3] == sorted(scores[:3], reverse=True)
    assert scores[3] is None
    assert keys_in(worded) == ["tea"]


def test_a_large_value_is_uploaded_and_linked_to(api: Api) -> None:
    content = json.dumps({"log": ["line\n"] * 900_000}).encode()

    written = put(api, "logs", "build", value=uploaded(api, content))
    read = get(api, "logs", "build").body["document"]["value"]["$blob"]

    assert written.status == 200
    stored = json.loads(content)
    assert json.loads(follow(api, read["url"]).body) == stored
    assert read["sha256"] == hashlib.sha256(content).hexdigest()


def test_a_value_that_fits_the_reply_stands_in_its_place(api: Api) -> None:
    value = {"text": "x" * 500_000}
    put(api, "logs", "build", value=value)

    read, found = get(api, "logs", "build"), api.post(f"{DOCUMENTS}/search", {})

    assert read.body["document"]["value"] == value
    assert found.body["documents"][0]["value"] == value


def test_a_repeat_under_the_same_key_changes_nothing(api: Api) -> None:
    once = {"idempotency-key": "once"}
    first = put(api, *ADA, value="first", headers=once)
    put(api, *ADA, value="second")

    again = put(api, *ADA, value="first", headers=once)
    other = put(api, *ADA, value="third", headers=once)

    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert (again.status, again.body["version"], again.body["document"]["version"]) == (200, 1, 2)
    assert (other.status, other.body["code"]) == (409, "ALREADY_EXISTS")
    assert get(api, *ADA).body["document"]["value"] == "second"


@pytest.mark.parametrize(
    ("method", "segments", "body"),
    [("POST", ("chats", "42", "items"), {"items": ["one"]}), ("DELETE", ADA, None)],
    ids=["append", "delete"],
)
def test_a_repeated_append_or_deletion_is_recognised(
    api: Api, method: str, segments: tuple[str, ...], body: Any
) -> None:
    put(api, *ADA)
    once = {"idempotency-key": "once"}

    first, again = (api.call(method, path_of(*segments), body, headers=once) for _ in range(2))

    assert (first.status, again.status) == (200, 200)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert {**again.body, "document": None} == {**first.body, "document": None}


def test_the_receipt_of_a_write_is_read_by_its_caller_alone(api: Api) -> None:
    asked = {"operation_id": "import-7"}
    written = put(api, *ADA, asked=asked)
    path = "/v1/document-operations?operation_id="

    receipt = api.get(f"{path}import-7")
    repeat = put(api, *ADA, asked=asked)

    assert written.status == 200
    place = {"namespace": ["users", "ada"], "key": "profile", "version": 1, "existed": False}
    assert {name: receipt.body[name] for name in place} == place
    assert repeat.headers["idempotency-replayed"] == "true"
    assert api.get(f"{path}import-8").status == 404
    assert api.get(f"{path}import-7", key=api.key_for(actor_id="other")).status == 404
    assert api.get("/v1/document-operations").status == 400


def test_the_history_of_a_deleted_document_is_kept_with_a_chain_that_holds(api: Api) -> None:
    for number in range(1, 8):
        put(api, *ADA, value=f"{number}" * 300, asked={"rationale": f"edition {number}"})
    delete(api, *ADA)

    shown = get(api, *ADA, query="?history=100&verify=true").body["document"]

    versions = [each["version"] for each in shown["history"]]
    assert (shown["deleted"], shown["version"], shown["verified"]) == (True, 8, True)
    assert versions == [7, 6, 5, 4, 3, 2, 1]
    assert shown["history"][0]["value"] == "7" * 300
    assert shown["history"][-1]["rationale"] == "edition 1"


def test_a_body_beside_the_path_names_no_place(api: Api) -> None:
    for name, value in (("namespace", ["a"]), ("key", "b")):
        reply = put(api, *ADA, asked={name: value})
        assert (reply.status, reply.body["errors"][0]["field"]) == (400, name)
