"""The id of a request: in the reply's header, in a problem, and in the function's log lines."""

import json
from typing import Any

import pytest

from tests.worlds.api import Api, Reply

REQUEST_ID = "apigw-requestid"


@pytest.fixture
def logging_api(api: Api) -> Api:
    """The stack, whose functions write the log lines that they write in AWS."""
    api.log_as_in_aws()
    return api


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The log lines so far, parsed."""
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def asked_for_absent(api: Api) -> Reply:
    return api.get("/v1/records/absent")


def test_a_refusal_its_header_and_the_log_line_have_one_id(
    logging_api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    reply = asked_for_absent(logging_api)

    (line,) = lines(capsys)
    assert reply.status == 404
    assert reply.headers[REQUEST_ID] == reply.body["request_id"] == line["request_id"]
    assert line["code"] == "NOT_FOUND"
    assert line["function_request_id"] != line["request_id"]
    assert line["elapsed_ms"] >= 0


def test_each_request_has_an_id_of_its_own(api: Api) -> None:
    replies = [asked_for_absent(api) for _ in range(3)]

    assert len({each.headers[REQUEST_ID] for each in replies}) == 3


@pytest.mark.parametrize(("path", "status"), [("/v1/health", 404), ("/health", 200)])
def test_every_reply_of_the_api_has_the_header(api: Api, path: str, status: int) -> None:
    reply = api.get(path, key="")

    assert reply.status == status
    assert len(reply.headers[REQUEST_ID]) == len("JKJaXmPLvHcESHA="), "as long as API Gateway's"


def test_a_refused_item_of_a_batch_names_the_request(api: Api) -> None:
    reply = api.post("/v1/ingest/batch", {"items": [{"rpc": "NoSuch"}]})

    (entry,) = reply.body["results"]
    assert entry["error"]["request_id"] == reply.headers[REQUEST_ID]


def test_the_challenge_of_mcp_names_the_request(api: Api) -> None:
    reply = api.post("/mcp", {}, key="unknown")

    assert reply.status == 401
    assert reply.body["request_id"] == reply.headers[REQUEST_ID]
