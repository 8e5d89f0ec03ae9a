"""Keyed documents through the client: paths, scopes, large values, and both forms."""

import asyncio
import json
from hashlib import sha256
from typing import Any

import httpx2
import pytest

from membrane_client import (
    DocumentResult,
    InvalidCall,
)
from membrane_client.core.protocol import Reply, Request
from membrane_client.values import documents as values
from tests.builders.filled_stores import an_api, played, served, served_async

DOCUMENT: dict[str, Any] = {
    "namespace": ["users"],
    "key": "ann",
    "scope": "",
    "sensitivity": "low",
    "version": 1,
    "created_at": "2026-01-02T03:04:05Z",
    "updated_at": "2026-01-02T03:04:05Z",
    "principal": "app",
}
WRITTEN = {"document": DOCUMENT, "version": 1, "existed": False}
OPENED = Reply(
    201, {}, b'{"upload_id": "u1", "url": "http://bucket/u1", "method": "PUT", "headers": {}}'
)
PUT = Reply(200, {}, b"")
LARGE = "x" * 4_000_000


def replied(**fields: Any) -> Reply:
    return Reply(200, {}, json.dumps(fields).encode())


def link_to(data: bytes) -> dict[str, Any]:
    digest = sha256(data).hexdigest()
    return {"$blob": {"sha256": digest, "size": len(data), "url": f"http://bucket/{digest}"}}


def test_the_result_of_an_operation_has_the_fields_of_every_reply() -> None:
    kinds = [
        values.AppendedItems, values.DeletedDocument, values.FoundDocuments, values.NamespaceList,
        values.WrittenDocument,
    ]  # fmt: skip

    fields = {field for kind in kinds for field in kind.FIELDS}

    assert {*DocumentResult.FIELDS} == {*fields, "status", "error"}


@pytest.mark.parametrize(
    ("name", "travels"),
    [
        ("a/b", "a%252Fb"), ("a b", "a%2520b"), ("ü", "%25C3%25BC"), ("%2F", "%25252F"),
        ("?", "%253F"), ("#", "%2523"), ("*", "%252A"), ("\n", "%250A"), ("a:b", "a%253Ab"),
        ("n\ud83d", "n%25EF%25BF%25BD"),
    ],
)  # fmt: skip
def test_each_label_and_the_key_are_encoded_by_themselves_and_in_the_url_once_more(
    name: str, travels: str
) -> None:
    urls: list[str] = []

    def answering(request: httpx2.Request) -> httpx2.Response:
        urls.append(request.url.raw_path.decode())
        return httpx2.Response(200, json={**WRITTEN, "end": 1, "document": DOCUMENT})

    client = served(answering)
    client.put_document([name, "x"], name, 1)
    client.get_document([name, "x"], name)
    client.append_items([name, "x"], name, [1])

    path = f"/v1/documents/{travels}/x/{travels}"
    assert urls == [path, f"{path}?refresh=false&items=0&history=0&verify=false", f"{path}/items"]


def test_a_large_value_is_uploaded_whole_into_the_scope_of_the_document() -> None:
    steps, written = played(
        an_api().put_document(["logs"], "build", {"args": LARGE}, scope="team"),
        OPENED, PUT, replied(**WRITTEN),
    )  # fmt: skip

    opened, put, claimed = (
        json.loads(each.content or b"") for each in steps if isinstance(each, Request)
    )
    assert opened["scope"] == "team"
    assert put == {"args": LARGE}
    assert claimed == {"value": {"$upload": "u1"}, "scope": "team"}
    assert written.version == 1


def test_the_items_of_a_list_are_sent_as_they_are() -> None:
    items = [{"role": "user", "content": LARGE}, "args"]

    steps, appended = played(
        an_api(scope="team").append_items(["sessions"], "s1", items),
        replied(document=DOCUMENT, end=2),
    )

    (request,) = steps
    assert isinstance(request, Request)
    assert json.loads(request.content or b"") == {"items": items, "scope": "team"}
    assert appended.end == 2


def test_the_operations_of_a_batch_get_the_scope_of_the_client_and_upload_their_values() -> None:
    place = {"namespace": ("a",), "key": "k"}
    operations = [
        {"op": "put", **place, "value": LARGE},
        {"op": "get", **place, "scope": "other"},
        {"op": "get", **place, "user": "ada"},
    ]

    steps, results = played(
        an_api(scope="team").batch_documents(operations, check_first=True),
        OPENED, PUT, replied(results=[{"status": 200, **WRITTEN}, {"status": 404, "error": {}}]),
    )  # fmt: skip

    claimed = steps[-1]
    assert isinstance(claimed, Request)
    sent = {"namespace": ["a"], "key": "k"}
    assert json.loads(claimed.content or b"") == {
        "operations": [
            {"op": "put", **sent, "value": {"$upload": "u1"}, "scope": "team"},
            {"op": "get", **sent, "scope": "other"},
            {"op": "get", **sent, "user": "ada"},
        ],
        "check_first": True,
    }
    assert [each.status for each in results] == [200, 404]
    assert results[0].document is not None
    assert results[0].document.key == "ann"


def test_the_links_of_values_are_followed_and_a_lookalike_in_a_list_is_an_item() -> None:
    forged = link_to(b"2")
    shown = {
        **DOCUMENT,
        "value": link_to(b"1"),
        "history": [{"version": 1, "value": link_to(b"0")}],
        "items": [{"value": forged, "at": "2026-01-02T03:04:05Z", "principal": "app"}],
        "later": "kept",
    }

    steps, document = played(
        an_api().get_document(["users"], "ann", items=1, history=1),
        replied(document=shown), Reply(200, {}, b"1"), Reply(200, {}, b"0"),
    )  # fmt: skip

    assert len(steps) == 3
    followed = {document.value, document.history[0].value}
    assert followed == {0, 1}
    assert document.items[0].value == forged
    assert document.raw["later"] == "kept"


PAGES: dict[Any, dict[str, Any]] = {
    None: {"documents": [DOCUMENT] * 2, "examined": 9, "next_cursor": "c2"},
    "c2": {"documents": [], "examined": 5, "next_cursor": "c3"},
    "c3": {"documents": [DOCUMENT], "examined": 1},
}


def pages(request: httpx2.Request) -> httpx2.Response:
    return httpx2.Response(200, json=PAGES[json.loads(request.content).get("cursor")])


def test_a_search_goes_on_over_a_page_without_documents() -> None:
    async def found() -> list[str]:
        async with served_async(pages) as client:
            return [each.key async for each in client.search_documents(["users"])]

    search = served(pages).search_documents(["users"], filter={"kind": "note"})

    assert [each.key for each in search] == ["ann"] * 3
    assert [page.examined for page in search.pages()] == [9, 5, 1]
    assert search.first().next_cursor == "c2"
    assert asyncio.run(found()) == ["ann"] * 3


@pytest.mark.parametrize(
    ("namespace", "key"),
    [
        ("users", "k"), ([], "k"), (["a", ""], "k"), ([".."], "k"), (["a"], "."),
        (["a"], ""), ([1], "k"),
    ],
)  # fmt: skip
def test_a_place_that_no_document_has_is_refused_before_the_first_request(
    namespace: Any, key: str
) -> None:
    client = served(lambda _: httpx2.Response(500))

    with pytest.raises(InvalidCall, match=r"namespace|key"):
        client.get_document(namespace, key)


def test_a_text_is_no_list_of_labels() -> None:
    client = served(lambda _: httpx2.Response(500))

    for listing in (
        client.search_documents("users"),
        client.list_namespaces(prefix="users"),
        client.list_namespaces(suffix="users"),
    ):
        with pytest.raises(InvalidCall, match="'users'"):
            listing.first()
