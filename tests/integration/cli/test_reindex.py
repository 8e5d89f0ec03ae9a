"""`membrane reindex` against the local stack and a deployed function."""

import io
import json
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber
from rich.console import Console

from membrane_cli.jobs import INDEX_FUNCTION, REINDEX_S, reindex_all
from membrane_cli.stacks import Ask, DeployedStack, deployed_function, invoke, local_function
from membrane_local.storage.stores import TABLE
from tests.fakes.clock import MORNING
from tests.worlds.api import Api
from tests.worlds.api_client import ApiClient
from tests.worlds.refusals import an_error, refuses


@dataclass(slots=True)
class Steps:
    """A place that answers what a test says, and remembers what it was asked."""

    answers: list[dict[str, Any] | Exception]
    asked: list[bool] = field(default_factory=list)

    def __call__(self, event: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(event["membrane-reindex"]["again"])
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def _vectors(api: Api) -> list[Any]:
    """By key, once all that is due has been done."""
    assert api.get("/_dev/queues?wait").status == 200
    found = api.functions.store.dynamodb.scan(TableName=TABLE)["Items"]
    vectors = [item for item in found if item["sk"] == {"S": "vector"}]
    return sorted(vectors, key=lambda item: item["pk"]["S"])


def index_of(api: Api) -> Ask:
    return local_function(ApiClient("", api=api), INDEX_FUNCTION)


def no_pause(_seconds: float) -> None:
    pytest.fail("it does not pass by itself")


def told(*, done: bool, marked: int = 0, lacking: int = 0) -> dict[str, Any]:
    """What a step tells that was ended by time while it marked, or behind a look."""
    looking = "checking" if lacking else "marking"
    return {
        "done": done,
        "stage": "done" if done else looking,
        "after": None,
        "marked": marked,
        "lacking": lacking,
        "embedder": "lexical",
        "started_at": "2026-03-01T09:00:00Z",
        "done_at": "2026-03-01T09:01:00Z" if done else None,
    }


def test_all_records_are_marked_so_that_the_stream_has_them_indexed(api: Api) -> None:
    for number in range(3):
        body = {"source": "ana", "event_kind": "turn", "ref": f"talk:{number}", "summary": "crane"}
        assert api.call("POST", "/v1/ingest/event", body).status == 201
    said = StringIO()

    vectors = _vectors(api)
    for each in vectors:
        key = {name: each[name] for name in ("pk", "sk")}
        api.functions.store.dynamodb.delete_item(TableName=TABLE, Key=key)
    result = reindex_all(index_of(api), Console(file=said), again=False)

    assert (result["done"], result["marked"], result["lacking"]) == (True, 3, 0)
    assert "done: 3 marked, 0 lacking, by all-MiniLM-L6-v2" in said.getvalue()
    assert [each["pk"] for each in _vectors(api)] == [each["pk"] for each in vectors]
    assert len(vectors) == 3


def test_steps_follow_until_all_is_done_and_only_the_first_begins_anew() -> None:
    place = Steps([told(done=False, marked=2), told(done=False, marked=4), told(done=True)])
    said = StringIO()

    reindex_all(place, Console(file=said), again=True, pause=no_pause)

    assert place.asked == [True, False, False]
    assert "marking: 2 marked" in said.getvalue()
    assert "marking: 4 marked" in said.getvalue()


def test_while_vectors_of_another_embedder_are_left_the_index_function_is_waited_for() -> None:
    left = [told(done=False, lacking=count) for count in (900, 900, 20)]
    place, said, pauses = Steps([*left, told(done=True)]), StringIO(), list[float]()

    reindex_all(place, Console(file=said), again=False, pause=pauses.append)

    assert place.asked == [False] * 4
    assert pauses == [1, 2, 4]
    assert "checking: 0 marked, 20 lacking" in said.getvalue()


def test_a_slow_index_function_is_waited_for_as_long_as_it_gets_on() -> None:
    left = [told(done=False, lacking=count) for count in range(1_000, 0, -1)]
    pauses = list[float]()

    result = reindex_all(
        Steps([*left, told(done=True)]), Console(file=StringIO()), again=False, pause=pauses.append
    )

    assert result["done"]
    assert (len(pauses), max(pauses)) == (1_000, 60)


def test_where_the_index_function_does_not_get_on_the_command_gives_up_and_says_so() -> None:
    place, pauses = Steps([told(done=False, lacking=7)] * 30), list[float]()

    with refuses("UNAVAILABLE", match="7 vectors of another embedder are left"):
        reindex_all(place, Console(file=StringIO()), again=False, pause=pauses.append)

    assert 9 * 60 < sum(pauses) < 20 * 60


def test_a_step_that_is_refused_for_a_while_is_tried_again_just_as_it_was() -> None:
    busy = an_error("RESOURCE_EXHAUSTED", "too many requests")
    away = an_error("UNAVAILABLE", "no answer")
    place = Steps([busy, busy, told(done=False), away, told(done=True)])
    said, pauses = StringIO(), list[float]()

    reindex_all(place, Console(file=said), again=True, pause=pauses.append)

    assert place.asked == [True, True, True, False, False]
    assert pauses == [1, 2, 1]
    assert "too many requests; the next try is in 2 s" in said.getvalue()


def test_what_does_not_pass_by_itself_is_told_at_once() -> None:
    place = Steps([an_error("ABORTED", "another one goes on")])

    with refuses("ABORTED"):
        reindex_all(place, Console(file=StringIO()), again=False, pause=no_pause)


def test_ctrl_c_says_that_the_step_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    place = Steps([an_error("UNAVAILABLE", "no answer")])

    with pytest.raises(KeyboardInterrupt):
        reindex_all(place, Console(file=StringIO()), again=False, pause=interrupt)

    assert "goes on in the service; give the command again" in capsys.readouterr().err


def test_a_function_that_fails_tells_why(api: Api) -> None:
    services = api.functions.worlds
    name = api.functions.template.authorizer_id
    api.functions.worlds = {name: services[name]}
    try:
        with refuses():
            index_of(api)({"membrane-reindex": {"again": False}})
    finally:
        api.functions.worlds = services


@dataclass(slots=True)
class Lambda:
    """Lambda's client, as far as a step uses it."""

    payload: Any
    failed: bool = False
    asked: list[Any] = field(default_factory=list)

    def invoke(self, **asked: Any) -> dict[str, Any]:
        self.asked.append(asked)
        reply = {"Payload": io.BytesIO(json.dumps(self.payload).encode())}
        return {**reply, "FunctionError": "Unhandled"} if self.failed else reply


def test_a_deployed_function_is_invoked_and_waited_for() -> None:
    client = Lambda(told(done=True))

    result = invoke(client, "index-1234", {"membrane-reindex": {"again": True}})  # type: ignore[arg-type]  # a LambdaClient

    assert result["done"]
    assert client.asked == [
        {"FunctionName": "index-1234", "Payload": b'{"membrane-reindex":{"again":true}}'}
    ]


def test_a_deployed_function_that_fails_is_told_in_its_words() -> None:
    client = Lambda({"errorType": "Aborted", "errorMessage": "another one goes on"}, failed=True)

    with refuses(match="another one goes on"):
        invoke(client, "index-1234", {"membrane-reindex": {"again": False}})  # type: ignore[arg-type]  # a LambdaClient


def test_an_invocation_that_lambda_does_not_begin_is_refused_for_a_while() -> None:
    client = boto3.client("lambda", region_name="eu-central-1")

    with Stubber(client) as stubber:
        stubber.add_client_error("invoke", "TooManyRequestsException")
        with refuses("UNAVAILABLE"):
            invoke(client, "index-1234", {"membrane-reindex": {"again": False}})


def test_a_step_is_waited_for_longer_than_it_may_take_and_invoked_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    client = boto3.client("cloudformation")
    resource = {
        "LogicalResourceId": "IndexFunction",
        "PhysicalResourceId": "index-1234",
        "ResourceType": "AWS::Lambda::Function",
        "LastUpdatedTimestamp": MORNING,
        "ResourceStatus": "CREATE_COMPLETE",
    }
    with Stubber(client) as listed:
        listed.add_response("list_stack_resources", {"StackResourceSummaries": [resource]})

        index = deployed_function(DeployedStack("memory", client), INDEX_FUNCTION, REINDEX_S)

    lambda_client, name = index.args  # type: ignore[attr-defined]  # a partial call
    config = lambda_client.meta.config
    assert name == "index-1234"

    assert config.read_timeout > 60
    assert config.retries["total_max_attempts"] == 1


def test_a_topic_whose_vector_was_lost_is_found_again_after_a_re_index(api: Api) -> None:
    assert api.post("/v1/topics", {"title": "The crane", "topic_id": "crane"}).status < 300
    (own,) = (key for key in api.stored().values() if key["pk"]["S"].startswith("topic-vector#"))
    key = {name: own[name] for name in ("pk", "sk")}
    api.functions.store.dynamodb.delete_item(TableName=TABLE, Key=key)

    def asked() -> list[str]:
        found = api.post("/v1/query", {"q": "crane"}).body["candidates"]
        return [each["topic_id"] for each in found]

    lost = asked()
    reindex_all(index_of(api), Console(file=StringIO()), again=True)

    assert api.get("/_dev/queues?wait").status == 200
    assert (lost, asked()) == ([], ["crane"])
