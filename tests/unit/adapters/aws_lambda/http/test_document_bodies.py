"""Requests about keyed documents from HTTP: the place in the path, and the version in a header."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.adapters.aws_lambda.http.document_bodies import (
    labels_and_page,
    place_and_body,
    place_and_list_items,
    place_and_query,
    place_body_and_query,
)
from membrane.adapters.aws_lambda.http.gateway import NO_HEADERS, HttpRequest
from membrane.domain.language.errors import InvalidArgument

VALUE = {"value": 1}


def request(
    path: str = "notes/tea",
    body: Any = None,
    query: tuple[tuple[str, str], ...] = (),
    headers: Mapping[str, str] = NO_HEADERS,
) -> HttpRequest:
    """A request as API Gateway passes one on."""
    text = None if body is None else json.dumps(body)
    return HttpRequest(text, {"path": path}, query, headers=headers)


def sent(*segments: str) -> str:
    """The path that reaches the function, after the gateway has decoded the path once."""
    return unquote("/".join(quote(quote(each, safe=""), safe="") for each in segments))


def test_the_last_segment_is_the_key_and_the_others_are_labels() -> None:
    asked = place_and_body(request("users/ada/profile", VALUE))

    assert asked == {"namespace": ["users", "ada"], "key": "profile", "value": 1}


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=2, max_size=5))
def test_every_label_and_key_that_a_client_encodes_arrives(segments: list[str]) -> None:
    asked = place_and_query(request(sent(*segments)))

    assert [*asked["namespace"], asked["key"]] == segments


@pytest.mark.parametrize("path", ["tea", "a//tea", "/tea", "a/", "a/b/", "/"])
def test_a_path_without_a_label_or_with_an_empty_segment_names_namespace_and_key(path: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        place_and_query(request(path))

    assert [each.field for each in refused.value.violations] == ["namespace", "key"]


@pytest.mark.parametrize("segment", ["%FF", "%C3", "%ED%A0%80"])
def test_a_segment_that_is_not_utf_8_is_refused(segment: str) -> None:
    with pytest.raises(InvalidArgument, match="percent-encoded UTF-8"):
        place_and_query(request(f"a/{segment}"))


@pytest.mark.parametrize("name", ["namespace", "key"])
def test_a_body_beside_the_path_names_no_place(name: str) -> None:
    with pytest.raises(InvalidArgument, match="stands in the path") as refused:
        place_and_body(request(body={**VALUE, name: "other"}))

    assert [each.field for each in refused.value.violations] == [name]


def test_a_put_needs_a_body_that_is_an_object() -> None:
    bodies: tuple[Any, ...] = (None, [], "text")
    for body in bodies:
        with pytest.raises(InvalidArgument, match=r"JSON body|JSON object"):
            place_and_body(request(body=body))


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, {}),
        ({"if-match": '"3"'}, {"expected_version": 3}),
        ({"if-match": ' "3" '}, {"expected_version": 3}),
        ({"if-match": "*"}, {"must_exist": True}),
        ({"if-none-match": "*"}, {"expected_version": 0}),
    ],
)
def test_a_header_says_which_version_is_expected(
    headers: dict[str, str], expected: dict[str, Any]
) -> None:
    place = {"namespace": ["notes"], "key": "tea"}

    assert place_and_body(request(body=VALUE, headers=headers)) == {**place, **VALUE, **expected}
    assert place_body_and_query(request(headers=headers)) == {**place, **expected}


@pytest.mark.parametrize(
    "headers",
    [
        {"if-match": "3"},
        {"if-match": ""},
        {"if-match": '"03"'},
        {"if-match": 'W/"3"'},
        {"if-match": '"3", "4"'},
        {"if-match": '"-1"'},
        {"if-match": '"\u0663"'},
        {"if-match": '"99999999999999999"'},
        {"if-none-match": '"3"'},
        {"if-match": "*", "if-none-match": "*"},
    ],
    ids=str,
)
def test_any_other_header_is_refused(headers: dict[str, str]) -> None:
    for assemble in (place_and_body, place_body_and_query):
        with pytest.raises(InvalidArgument, match="If-"):
            assemble(request(body=VALUE, headers=headers))


@pytest.mark.parametrize("said", [{"expected_version": 3}, {"must_exist": True}], ids=str)
def test_the_version_stands_in_the_header_or_in_the_body(said: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match="stands in a header"):
        place_and_body(request(body={**VALUE, **said}, headers={"if-match": '"3"'}))

    assert place_and_body(request(body={**VALUE, **said}))["value"] == 1


def test_an_append_goes_to_the_list_of_the_document() -> None:
    asked = place_and_list_items(request("chats/42/items", {"items": [1]}))

    assert asked == {"namespace": ["chats"], "key": "42", "items": [1]}


@pytest.mark.parametrize("path", ["chats/42", "chats/items", "items", "chats/42/Items"])
def test_an_append_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        place_and_list_items(request(path, {"items": [1]}))

    assert [each.field for each in refused.value.violations] == ["namespace", "key"]


def test_a_list_has_no_version_that_a_header_could_demand() -> None:
    for headers in ({"if-match": '"1"'}, {"if-none-match": "*"}):
        with pytest.raises(InvalidArgument, match="neither"):
            place_and_list_items(request("chats/42/items", {"items": [1]}, headers=headers))


def test_a_read_says_in_the_query_what_to_show() -> None:
    wanted = {"scope": "team", "refresh": True, "verify": True}
    pages = {"items": 5, "items_before": 9, "history": 2, "history_before": 3}
    query = [("scope", "team"), ("refresh", "true"), ("verify", "true")]

    asked = place_and_query(request(query=(*query, *((name, str(pages[name])) for name in pages))))

    assert asked == {"namespace": ["notes"], "key": "tea", **wanted, **pages}


def test_a_deletion_says_in_the_query_what_goes_and_in_the_body_why() -> None:
    body = {"rationale": "closed", "expected_version": 2}

    asked = place_body_and_query(request(body=body, query=(("items", "2"), ("scope", "team"))))

    wanted = {"items": 2, "scope": "team", "rationale": "closed", "expected_version": 2}
    assert asked == {"namespace": ["notes"], "key": "tea", **wanted}
    assert place_body_and_query(request(query=(("erase", "true"),)))["erase"] is True


@pytest.mark.parametrize(
    ("body", "query", "message"),
    [
        ({"erase": True}, (), "goes into the query"),
        ({"items": 1}, (), "goes into the query"),
        ({"scope": "a"}, (("scope", "a"),), "stands in the query"),
        ({}, (("erase", "yes"),), "true or false"),
        ({}, (("items", "two"),), "whole number"),
        ({}, (("items", "1"), ("items", "2")), "once"),
        ({}, (("until", "now"),), "unknown query parameter"),
    ],
)
def test_a_deletion_that_says_a_thing_in_the_wrong_place_is_refused(
    body: dict[str, Any], query: tuple[tuple[str, str], ...], message: str
) -> None:
    with pytest.raises(InvalidArgument, match=message):
        place_body_and_query(request(body=body, query=query))


def test_prefix_and_suffix_are_repeated_once_for_each_label() -> None:
    labels = (("prefix", "users"), ("prefix", "ann,bob"), ("suffix", "*"))

    asked = labels_and_page(request(query=(*labels, ("max_depth", "3"), ("limit", "7"))))

    wanted = {"prefix": ["users", "ann,bob"], "suffix": ["*"], "max_depth": 3, "limit": 7}
    assert asked == wanted
