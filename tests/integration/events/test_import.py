"""An object that is put into the local bucket is imported by the function, as in AWS."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any

import pytest

from membrane_local.dev_options import DevOptions
from membrane_local.http_messages import Request
from tests.integration.http.test_routes import EVENT
from tests.worlds.agreed import import_progress, import_work
from tests.worlds.api import Api, Reply, api_over
from tests.worlds.depth import cases

NAME = "all.ndjson"
PATH = f"/_dev/imports/{NAME}"

EVENTS, REPEATED = cases((200, 50), (40, 20))
"""Lines of an import."""


@pytest.fixture(scope="module")
def memory_stack() -> Iterator[Api]:
    """A stack in memory, with the objects in memory, too."""
    with api_over(DevOptions()) as found:
        yield found


@pytest.fixture(params=["folder", "memory"])
def stack(request: pytest.FixtureRequest) -> Api:
    """An empty stack over each kind of bucket."""
    if request.param == "memory":
        in_memory: Api = request.getfixturevalue("memory_stack")
        in_memory.application.reset()
        return in_memory
    api: Api = request.getfixturevalue("api")
    return api


def text(*lines: Any) -> bytes:
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def event(number: int) -> dict[str, Any]:
    return {"rpc": "IngestEvent", **EVENT, "ref": f"evt-{number}"}


def put(api: Api, content: bytes, path: str = PATH, key: str | None = None) -> Reply:
    """Put the object; the reply comes when its import has ended."""
    headers = {"host": "127.0.0.1", "authorization": f"Bearer {key or api.secret}"}
    request = Request("PUT", path, "wait", headers, b"", BytesIO(content))
    response = api.application.answer(request)
    return Reply(response.status, response.headers, json.loads(response.body))


def records(api: Api) -> list[str]:
    return [name for name, item in api.stored().items() if "rank_pk" in item]


def test_an_object_that_is_put_is_imported(stack: Api) -> None:
    target = {
        "id": "e-1",
        "type": "episodic",
        "sensitivity": "low",
        "payload": {
            "kind": "episodic",
            "timeline": [{"t": "2026-01-01T00:00:00Z", "event_kind": "build", "ref": "1"}],
        },
    }
    outcome = {"source": "judge", "target_record_id": "e-1", "outcome_status": "success"}
    lines = [
        {"rpc": "IngestRecord", "record": target},
        *map(event, range(EVENTS)),
        {"rpc": "IngestOutcome", **outcome},
        {"rpc": "IngestEvent"},
    ]

    reply = put(stack, text(*lines))

    result = stack.get(PATH).body
    assert (reply.status, result["status"]) == (202, "done")
    assert (result["lines"], result["created"], result["refused"]) == (EVENTS + 3, EVENTS + 2, 1)
    assert result["refusals"][0]["line"] == EVENTS + 3
    assert len(records(stack)) == EVENTS + 1
    assert stack.get("/v1/records/e-1").record["payload"]["outcome"] == "success"


def test_the_same_object_put_again_changes_nothing(stack: Api) -> None:
    put(stack, text(*map(event, range(REPEATED))))
    before = stack.stored()

    put(stack, text(*map(event, range(REPEATED))))

    result = stack.get(PATH).body
    assert (result["created"], result["replayed"]) == (0, REPEATED)
    assert stack.stored() == before


def test_two_runs_at_once_make_every_record_once(
    stack: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, window = cases((600, 500), (60, 25))
    monkeypatch.setattr(import_work, "WINDOW_LINES", window)
    key, imports = f"imports/{NAME}", stack.functions.store.imports
    imports.receive(key, BytesIO(text(*map(event, range(lines)))))
    found = imports.find(key)
    assert found is not None
    told = {"key": key, "etag": found.etag, "sequencer": "1"}
    happened = {"time": "2026-01-01T00:00:00Z", "detail": {"object": told}}

    with ThreadPoolExecutor(2) as runs:
        replies = list(runs.map(stack.invoke, ["ImportLinesFunction"] * 2, [happened] * 2))

    result = stack.get(PATH).body
    assert sorted(reply["status"] for reply in replies) in (
        ["done", "superseded"],
        ["done", "done"],
    )
    assert result["created"] + result["replayed"] == len(records(stack)) == lines


def test_a_line_that_meets_a_damaged_record_stops_no_other_and_can_be_made_up_for(
    api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    target = api.post("/v1/ingest/event", {**EVENT, "scope": "events"}).record["id"]
    own = api.stored()[f"record#{target} record"]
    table = api.functions.store.dynamodb
    table.put_item(TableName="membrane", Item={**own, "document": {"S": "{"}})
    outcome = {"source": "judge", "target_record_id": target, "outcome_status": "success"}
    content = text(event(1), {"rpc": "IngestOutcome", **outcome}, event(2))

    put(api, content)

    result = api.get(PATH).body
    (refusal,) = result["refusals"]
    assert (result["status"], result["created"]) == ("done", 2)
    assert (refusal["line"], refusal["code"]) == (2, "INTERNAL")
    assert "document is not JSON" in capsys.readouterr().err
    table.put_item(TableName="membrane", Item=own)
    put(api, content)
    result = api.get(PATH).body
    assert (result["created"], result["replayed"], result["refused"]) == (1, 2, 0)


def test_an_import_that_fails_is_retried_and_then_set_aside_and_can_be_made_up_for(
    api: Api,
) -> None:
    """Another object takes the name of the result, for a while."""
    imports = api.functions.store.imports
    imports.keep(f"import-results/{NAME}.json/other", b"")
    content = text(event(1), event(2))

    put(api, content)
    advance(api, seconds=100)
    advance(api, seconds=200)

    (letter,) = api.get("/_dev/queues/UndeliveredEvents?wait").body["messages"]
    given_up = json.loads(letter["body"])
    assert given_up["requestContext"]["approximateInvokeCount"] == 3
    assert records(api) == []
    api.functions.store.empty()
    imports.receive(f"imports/{NAME}", BytesIO(content))
    api.invoke("ImportLinesFunction", given_up["requestPayload"])
    result = api.get(PATH).body
    assert (result["status"], result["created"]) == ("done", 2)
    assert len(records(api)) == 2


def test_a_part_of_the_refusals_is_got_by_its_number(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_progress, "REFUSALS_A_PART", 5)

    put(api, text(*["no request"] * 12))

    parts = [api.get(f"{PATH}?part={part}") for part in ("1", "2", "3", "x")]
    assert [part.status for part in parts] == [200, 200, 404, 404]
    listed = [refusal for part in parts[:2] for refusal in part.body["refusals"]]
    assert [refusal["line"] for refusal in listed] == list(range(1, 11))


def advance(api: Api, seconds: int) -> None:
    """Let time pass and what is due be delivered."""
    assert api.post("/_dev/clock?wait", {"advance_seconds": seconds}).status == 200


@pytest.mark.parametrize("name", ["..", ".hidden", "a%2Fb", "a b", "x" * 151])
def test_a_name_that_could_lead_elsewhere_is_refused(api: Api, name: str) -> None:
    assert put(api, b"", f"/_dev/imports/{name}").status == 400


def test_before_an_import_there_is_no_result(api: Api) -> None:
    assert api.get(PATH).status == 404
    assert api.get(f"{PATH}?part=1").status == 404


def test_only_an_admin_may_put_an_object(api: Api) -> None:
    key = api.key_for(permissions=("ingest", "read", "revise"))

    assert api.send("PUT", PATH, b"", key=key).status == 403
    assert api.send("PUT", PATH, b"", key="").status == 401


def test_a_local_import_acts_as_the_key_that_asked(api: Api) -> None:
    lines = [{**event(1), "scope": "project:acme"}, {**event(2), "user": "ada"}, event(3)]

    put(api, text(*lines))

    assert api.get(PATH).body["refusals"] == []
    listed = api.get("/v1/records").body["records"]
    assert sorted(each.get("scope", "") for each in listed) == ["", "project:acme", "user:ada"]
    assert {each["audit_log"][0]["principal"] for each in listed} == {"local"}


def test_a_local_import_says_what_the_key_lacks(api: Api) -> None:
    put(api, text(event(1)), key=api.key_for(permissions=("admin",)))

    (refusal,) = api.get(PATH).body["refusals"]
    assert refusal["reason"] == "the permission ingest is required"


def test_a_reset_takes_objects_and_results_along(api: Api) -> None:
    put(api, text(event(1)))

    api.application.reset()

    assert api.get(PATH).status == 404


def test_half_a_character_loses_its_line_alone(api: Api) -> None:
    put(api, text(event(1), {**event(2), "content": {"secret": "\ud83c"}}, event(3)))

    found = api.get(PATH).body

    assert (found["created"], found["refused"]) == (2, 1)
    assert "secret" not in json.dumps(found)
