"""Callers before whom others come every time: 16 tries, then a refusal that changes nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.integration.http.test_revisions import a_fact
from tests.worlds.api import Api, Reply
from tests.worlds.faults import hooks

TRIES = 16
WRITES = ("PutItem", "UpdateItem", "TransactWriteItems")
FACT = {"source": "a", "subject": "Ada", "predicate": "likes", "object": "tea"}


@pytest.fixture
def pauses(api: Api) -> Iterator[list[int]]:
    """The lost races before each pause, which takes no time; nothing is indexed meanwhile."""
    assert api.post("/_dev/stream", {"paused": True}).status == 200
    found: list[int] = []
    api.serve(back_off=found.append)
    yield found
    assert api.post("/_dev/stream", {"paused": False}).status == 200


@contextmanager
def rivalled(api: Api, rival: Callable[[], Reply], times: int) -> Iterator[None]:
    """Let the rival come before each of so many writes."""
    events = hooks(api.functions.store.dynamodb)
    coming = iter(range(times))
    under_way: list[object] = []

    def before_call(**_: object) -> None:
        if under_way or next(coming, None) is None:
            return
        under_way.append(rival)
        assert rival().status in (200, 201)
        under_way.clear()

    for each in WRITES:
        events.register(f"before-call.dynamodb.{each}", before_call)
    try:
        yield
    finally:
        for each in WRITES:
            events.unregister(f"before-call.dynamodb.{each}", before_call)


def observed(api: Api) -> str:
    return str(api.post("/v1/ingest/observation", FACT).record["id"])


def spoken(api: Api) -> Reply:
    message = {"role": "user", "content": "hello"}
    return api.post("/v1/messages", {"session": "s", "messages": [message]})


def entries(api: Api, record_id: str) -> list[str]:
    trail = api.get(f"/v1/records/{record_id}/audit?verify=true").body
    assert trail["verified"] is True
    return [each["action"] for each in trail["audit_log"]]


def change(api: Api, record_id: str, how: str) -> Reply:
    headers = {"idempotency-key": "once"}
    path = f"/v1/records/{record_id}"
    match how:
        case "delete":
            return api.call("DELETE", path, {"rationale": "old"}, headers=headers)
        case "penalize":
            return api.post(f"{path}/penalize", {"amount": 0.1}, headers=headers)
        case "supersede":
            return api.post(f"{path}/supersede", {"new_record": a_fact()}, headers=headers)
        case _:
            return api.post(f"{path}/{how}", {"rationale": "why"}, headers=headers)


@pytest.mark.parametrize("how", ["penalize", "pin", "retract", "supersede", "delete"])
def test_who_loses_every_race_changes_nothing_and_may_ask_again(
    api: Api, pauses: list[int], how: str
) -> None:
    found = observed(api)

    def rival() -> Reply:
        return api.post(f"/v1/records/{found}/reinforce", {"rationale": "used"})

    with rivalled(api, rival, TRIES):
        lost = change(api, found, how)
    left = entries(api, found)
    records = api.get("/v1/records?type=semantic").body["records"]
    with rivalled(api, rival, TRIES - 1):
        won = change(api, found, how)

    assert (lost.status, lost.body["code"]) == (409, "ABORTED")
    assert lost.body["detail"] == "other writers came first every time; nothing was changed"
    assert left == ["create", *["reinforce"] * TRIES]
    assert [each["id"] for each in records] == [found]
    assert won.status < 300, won.body
    assert pauses == [*range(TRIES - 1)] * 2
    assert len(entries(api, found)) == 1 + 2 * TRIES


def test_a_conversation_whose_turns_are_taken_every_time_is_not_there(
    api: Api, pauses: list[int]
) -> None:
    with rivalled(api, lambda: spoken(api), TRIES):
        lost = spoken(api)

    assert (lost.status, lost.body["code"]) == (409, "ABORTED")
    assert pauses == [*range(TRIES - 1)]
    assert spoken(api).body["first_turn"] == TRIES + 1
