"""Web pages of the origins in CorsOrigins may call the API, and no other page."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from membrane_local.dev_options import DevOptions
from membrane_local.http_messages import Request
from tests.worlds.api import Api, api_over

PAGE, FOREIGN = "https://app.example.com", "https://evil.example"
PREFLIGHT = {"access-control-request-method": "POST"}
HELLO = b'{"messages": [{"role": "user", "content": "Hello"}]}'
MESSAGE = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture(scope="module")
def open_to_pages() -> Iterator[Api]:
    origins = {"CorsOrigins": f"http://localhost:3000,{PAGE}", "ChatModel": "scripted"}
    with api_over(DevOptions(parameters=origins)) as made:
        yield made


def test_a_preflight_needs_no_key_and_names_what_the_page_may_send(open_to_pages: Api) -> None:
    reply = open_to_pages.call(
        "OPTIONS", "/v1/records", key="", headers={"origin": PAGE, **PREFLIGHT}
    )

    allowed = {name: value for name, value in reply.headers.items() if "-allow-" in name}
    assert reply.status == 204
    assert allowed["access-control-allow-origin"] == PAGE
    assert "POST" in allowed["access-control-allow-methods"].split(",")
    assert {"authorization", "content-type", "idempotency-key"} <= set(
        allowed["access-control-allow-headers"].split(",")
    )


def test_a_page_may_read_replies_and_refusals_but_needs_a_key_as_any_caller(
    open_to_pages: Api,
) -> None:
    answered = open_to_pages.get("/v1/records", headers={"origin": PAGE})
    refused = open_to_pages.get("/v1/records", key="", headers={"origin": PAGE})

    assert (answered.status, refused.status) == (200, 401)
    for reply in (answered, refused):
        assert reply.headers["access-control-allow-origin"] == PAGE
        assert "retry-after" in reply.headers["access-control-expose-headers"]


def test_a_page_may_read_the_steps_of_a_conversation(open_to_pages: Api) -> None:
    sent: list[Any] = []
    headers = {"origin": PAGE, "authorization": f"Bearer {open_to_pages.secret}"}
    request = Request("POST", "/v1/chat/stream", "", headers, HELLO)

    open_to_pages.application.answer(replace(request, emit=sent.append))

    (reply,) = sent
    assert reply.headers["access-control-allow-origin"] == PAGE


def test_a_page_of_another_origin_gets_no_header_from_api_and_mcp(open_to_pages: Api) -> None:
    foreign = {"origin": FOREIGN}
    preflight = open_to_pages.call("OPTIONS", "/v1/records", headers={**foreign, **PREFLIGHT})
    answered = open_to_pages.get("/v1/records", headers=foreign)

    for reply in (preflight, answered):
        assert not [name for name in reply.headers if name.startswith("access-control-")]
    assert open_to_pages.post("/mcp", MESSAGE, headers=foreign).status == 403
    assert open_to_pages.post("/mcp", MESSAGE, headers={"origin": PAGE}).status == 200


def test_without_origins_no_page_is_answered_and_a_preflight_is_no_route(api: Api) -> None:
    preflight = api.call("OPTIONS", "/v1/records", headers={"origin": PAGE, **PREFLIGHT})
    answered = api.get("/v1/records", headers={"origin": PAGE})

    assert preflight.status == 404
    assert "access-control-allow-origin" not in answered.headers
    assert api.post("/mcp", MESSAGE, headers={"origin": PAGE}).status == 403
