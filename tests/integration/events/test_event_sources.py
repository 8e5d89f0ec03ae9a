"""The four sources of an ingest function, each as the principal that it is bound to."""

import json
from pathlib import Path
from typing import Any

import pytest

from membrane_local.functions import FunctionError
from membrane_local.storage.stores import TABLE
from tests.builders.requests import QUEUE_IDENTITY, keyed_id
from tests.integration.http.test_routes import EVENT, REPORTS
from tests.worlds.api import Api

EVENTS = Path(__file__).parents[2] / "events"
FUNCTIONS = {
    "IngestEvent": EVENT,
    "IngestToolOutput": REPORTS["tool-output"],
    "IngestObservation": REPORTS["observation"],
    "IngestWorkingState": REPORTS["working-state"],
}

SCOPE_OF_EVENTS = "events"
"""The scope of the principals of bus and queue, by the template's defaults."""


def sample(name: str) -> dict[str, Any]:
    return dict(json.loads((EVENTS / f"{name}.json").read_text()))


def message(body: str, message_id: str) -> dict[str, Any]:
    return {
        **sample("ingest_observation_queue")["Records"][0],
        "body": body,
        "messageId": message_id,
    }


def bus_event(rpc: str, detail: Any) -> dict[str, Any]:
    return {**sample("ingest_event_bus"), "detail-type": rpc, "detail": detail}


@pytest.mark.parametrize("rpc", FUNCTIONS)
def test_a_bus_event_is_the_same_request_as_the_buss_principal(api: Api, rpc: str) -> None:
    record = api.invoke(f"{rpc}Function", bus_event(rpc, FUNCTIONS[rpc]))

    assert record["audit_log"][0]["principal"] == "event-bus"
    assert (record["scope"], record["sensitivity"]) == ("events", "low")


@pytest.mark.parametrize("rpc", FUNCTIONS)
def test_a_message_is_the_same_request_as_the_queues_principal(api: Api, rpc: str) -> None:
    batch = {"Records": [message(json.dumps(FUNCTIONS[rpc]), "m-1")]}

    reply = api.invoke(f"{rpc}Function", batch)

    assert reply == {"batchItemFailures": []}
    (own,) = [item for name, item in api.stored().items() if name.endswith(" record")]
    assert own["scope"] == {"S": "events"}


@pytest.mark.parametrize("rpc", FUNCTIONS)
def test_a_direct_invocation_is_the_request_and_its_reply_the_record(api: Api, rpc: str) -> None:
    record = api.invoke(f"{rpc}Function", FUNCTIONS[rpc])

    assert record["audit_log"][0]["principal"] == "direct"
    assert api.get(f"/v1/records/{record['id']}").record["id"] == record["id"]


def test_an_outcome_comes_by_every_source(api: Api) -> None:
    target = api.invoke("IngestEventFunction", EVENT)["id"]
    outcome = {"source": "judge", "target_record_id": target, "outcome_status": "success"}

    api.invoke("IngestOutcomeFunction", bus_event("IngestOutcome", outcome))
    api.invoke("IngestOutcomeFunction", {"Records": [message(json.dumps(outcome), "m-1")]})
    record = api.invoke("IngestOutcomeFunction", outcome)

    principals = [entry["principal"] for entry in record["audit_log"]]
    assert principals == ["direct", "event-bus", "queue", "direct"]


def test_any_other_bus_event_becomes_an_episode(api: Api) -> None:
    event = sample("ingest_event_failed_build")

    record = api.invoke("IngestEventFunction", event)

    (happened,) = record["payload"]["timeline"]
    assert happened["event_kind"] == "CodeBuild Build State Change"
    assert happened["ref"] == event["id"]
    assert happened["t"] == event["time"]
    assert json.loads(happened["summary"]) == event["detail"]
    assert record["provenance"]["sources"][0]["created_by"] == "aws.codebuild"


def test_a_huge_detail_is_cut_at_the_limit_of_a_text(api: Api) -> None:
    event = {**sample("ingest_event_failed_build"), "detail": {"log": "x" * 200_000}}

    record = api.invoke("IngestEventFunction", event)

    assert len(record["payload"]["timeline"][0]["summary"]) == 100_000


def test_an_event_for_another_rpc_is_refused_and_leaves_nothing(api: Api) -> None:
    before = api.stored()

    with pytest.raises(FunctionError, match="does not take events"):
        api.invoke("IngestObservationFunction", bus_event("IngestEvent", EVENT))

    assert api.stored() == before


@pytest.mark.parametrize("detail", [[], "text", None, {"source": "agent"}, {**EVENT, "x": 1}])
def test_a_bad_detail_fails_so_that_it_reaches_the_dead_letter_queue(api: Api, detail: Any) -> None:
    before = api.stored()

    with pytest.raises(FunctionError):
        api.invoke("IngestEventFunction", bus_event("IngestEvent", detail))

    assert api.stored() == before


@pytest.mark.parametrize("widened", [{"scope": "project:alpha"}, {"sensitivity": "medium"}])
@pytest.mark.parametrize("source", ["bus", "queue", "direct"])
def test_nothing_in_an_event_widens_what_its_source_may_do(
    api: Api, source: str, widened: dict[str, str]
) -> None:
    request = {**EVENT, **widened}
    before = api.stored()

    match source:
        case "bus":
            with pytest.raises(FunctionError):
                api.invoke("IngestEventFunction", bus_event("IngestEvent", request))
        case "queue":
            batch = {"Records": [message(json.dumps(request), "m-1")]}
            failures = api.invoke("IngestEventFunction", batch)["batchItemFailures"]
            assert failures == [{"itemIdentifier": "m-1"}]
        case _:
            with pytest.raises(FunctionError):
                api.invoke("IngestEventFunction", request)

    assert api.stored() == before


FORGED = {
    "principal": {"actor_id": "root", "permissions": ["admin"], "scopes": ["*"]},
    "actor_id": "root",
    "permissions": ["admin"],
    "scopes": ["*"],
    "trust": {"max_sensitivity": "hyper", "scopes": ["*"]},
    "requestContext": {"http": {}, "authorizer": {"lambda": {"actor_id": "root"}}},
}


@pytest.mark.parametrize("rpc", FUNCTIONS)
@pytest.mark.parametrize("name", FORGED)
def test_a_request_cannot_say_as_whom_it_acts(api: Api, rpc: str, name: str) -> None:
    request = {**FUNCTIONS[rpc], name: FORGED[name]}
    before = api.stored()

    with pytest.raises(FunctionError):
        api.invoke(f"{rpc}Function", bus_event(rpc, request))
    batch = {"Records": [message(json.dumps(request), "m-1")]}
    reply = api.invoke(f"{rpc}Function", batch)

    assert reply == {"batchItemFailures": [{"itemIdentifier": "m-1"}]}
    assert api.stored() == before


def test_what_surrounds_a_request_does_not_say_so_either(api: Api) -> None:
    forged = {**bus_event("IngestEvent", EVENT), "account": "root", **FORGED}
    del forged["requestContext"]
    attributed = {
        **message(json.dumps(EVENT), "m-1"),
        "attributes": {"SenderId": "root"},
        "messageAttributes": {"principal": {"stringValue": "root", "dataType": "String"}},
    }

    record = api.invoke("IngestEventFunction", forged)
    api.invoke("IngestEventFunction", {"Records": [attributed]})

    assert record["audit_log"][0]["principal"] == "event-bus"
    own = keyed_id(QUEUE_IDENTITY, "IngestEvent", "m-1")
    assert api.get(f"/v1/records/{own}").record["audit_log"][0]["principal"] == "queue"


@pytest.mark.parametrize("beyond", [{"scope": "project:alpha"}, {"sensitivity": "medium"}])
def test_an_outcome_reaches_nothing_that_its_source_may_not_see(
    api: Api, beyond: dict[str, str]
) -> None:
    target = api.post("/v1/ingest/event", {**EVENT, "scope": "events", **beyond}).record["id"]
    outcome = {"source": "judge", "target_record_id": target, "outcome_status": "success"}
    before = api.stored()

    with pytest.raises(FunctionError, match="record not found"):
        api.invoke("IngestOutcomeFunction", bus_event("IngestOutcome", outcome))
    reply = api.invoke("IngestOutcomeFunction", {"Records": [message(json.dumps(outcome), "m-1")]})

    assert reply == {"batchItemFailures": [{"itemIdentifier": "m-1"}]}
    assert api.stored() == before


def test_the_same_key_from_another_source_is_another_request(api: Api) -> None:
    keyed = {**EVENT, "idempotency_key": "shared"}
    own = api.post("/v1/ingest/event", {**keyed, "scope": "events"}).record["id"]

    from_bus = api.invoke("IngestEventFunction", bus_event("IngestEvent", keyed))["id"]
    api.invoke("IngestEventFunction", {"Records": [message(json.dumps(keyed), "m-1")]})

    from_queue = keyed_id(QUEUE_IDENTITY, "IngestEvent", "shared")
    assert api.get(f"/v1/records/{from_queue}").status == 200
    assert len({own, from_bus, from_queue}) == 3


def test_a_bad_message_fails_alone(api: Api) -> None:
    bodies = [
        '{"source": "a", "event_kind": "b", "ref": "c"}',
        "not JSON",
        "{}",
        "[1]",
        '{"a":1e999}',
    ]
    batch = {"Records": [message(body, f"m-{index}") for index, body in enumerate(bodies)]}

    reply = api.invoke("IngestEventFunction", batch)

    failed = [failure["itemIdentifier"] for failure in reply["batchItemFailures"]]
    assert failed == ["m-1", "m-2", "m-3", "m-4"]
    assert sum(name.endswith(" record") for name in api.stored()) == 1


def test_a_message_that_meets_a_damaged_record_fails_alone(
    api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    target = api.invoke("IngestEventFunction", EVENT)["id"]
    own = api.stored()[f"record#{target} record"]
    damaged = {**own, "document": {"S": "{"}}
    api.functions.store.dynamodb.put_item(TableName="membrane", Item=damaged)
    outcome = {"source": "judge", "target_record_id": target, "outcome_status": "success"}
    good = api.invoke("IngestEventFunction", {**EVENT, "ref": "evt-2"})["id"]
    batch = {
        "Records": [
            message(json.dumps(outcome), "m-1"),
            message(json.dumps({**outcome, "target_record_id": good}), "m-2"),
        ]
    }

    reply = api.invoke("IngestOutcomeFunction", batch)

    assert reply == {"batchItemFailures": [{"itemIdentifier": "m-1"}]}
    assert "document is not JSON" in capsys.readouterr().err


def test_a_message_that_comes_twice_makes_one_record(api: Api) -> None:
    batch = {"Records": [message(json.dumps(EVENT), "m-1")]}
    api.invoke("IngestEventFunction", batch)
    before = api.stored()

    reply = api.invoke("IngestEventFunction", batch)

    assert reply == {"batchItemFailures": []}
    assert api.stored() == before


def test_a_requests_own_key_wins_over_the_sources(api: Api) -> None:
    keyed = {**EVENT, "idempotency_key": "mine"}
    first = api.invoke("IngestEventFunction", {**bus_event("IngestEvent", keyed), "id": "e-1"})

    again = api.invoke("IngestEventFunction", {**bus_event("IngestEvent", keyed), "id": "e-2"})

    assert again["id"] == first["id"]


def put_fence(api: Api) -> None:
    """Let the scope of events be under erasure."""
    job = {"pk": {"S": "erasure#erasure-1"}, "sk": {"S": "job"}, "due_pk": {"S": "open"}}
    item: Any = job | {"due_sk": {"N": "1"}}
    api.functions.store.dynamodb.put_item(TableName=TABLE, Item=item)
    api.functions.fences.put(SCOPE_OF_EVENTS, "erasure-1")


@pytest.mark.parametrize(
    ("event", "reply"),
    [
        (bus_event("IngestEvent", EVENT), {}),
        ({"Records": [message(json.dumps(EVENT), "m-1")]}, {"batchItemFailures": []}),
    ],
    ids=["bus", "queue"],
)
def test_an_event_for_a_scope_under_erasure_is_dropped_and_not_delivered_again(
    api: Api, event: dict[str, Any], reply: dict[str, Any]
) -> None:
    put_fence(api)

    answered = api.invoke("IngestEventFunction", event)

    assert answered == reply
    assert not any(name.endswith(" record") for name in api.stored())


def test_a_direct_caller_is_told_that_the_scope_is_being_erased(api: Api) -> None:
    put_fence(api)

    with pytest.raises(FunctionError, match="being erased") as refused:
        api.invoke("IngestEventFunction", EVENT)

    assert refused.value.error_type == "ScopeFenced"


def test_a_request_for_a_scope_under_erasure_is_refused_until_the_fence_is_gone(api: Api) -> None:
    request = {**EVENT, "scope": SCOPE_OF_EVENTS}
    put_fence(api)
    refused = api.post("/v1/ingest/event", request)
    elsewhere = api.post("/v1/ingest/event", {**EVENT, "scope": "elsewhere"})

    api.functions.fences.remove("erasure-1")
    later = api.post("/v1/ingest/event", request)

    assert (refused.status, refused.body["code"]) == (409, "FAILED_PRECONDITION")
    assert refused.body["title"] == "The scope is being erased"
    assert (elsewhere.status, later.status) == (201, 201)


@pytest.mark.parametrize(
    "event",
    [bus_event("IngestEvent", EVENT), {"Records": [message(json.dumps(EVENT), "m-1")]}, EVENT],
    ids=["bus", "queue", "direct"],
)
def test_a_closed_source_is_refused(api: Api, event: dict[str, Any]) -> None:
    sources = api.functions.worlds["IngestEventFunction"].sources
    api.serve("IngestEventFunction", sources=type(sources)())
    before = api.stored()

    with pytest.raises(FunctionError, match="is closed in this deployment"):
        api.invoke("IngestEventFunction", event)

    assert api.stored() == before
