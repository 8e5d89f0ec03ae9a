"""Threads that live through all that the consolidation does with threads."""

from datetime import timedelta
from typing import Any

from membrane.domain.language.json_text import JsonObject
from membrane.domain.learning.policy import CONSOLIDATE
from tests.worlds.cloud import CONTESTED, LARGE, Cloud
from tests.worlds.every_record import index_waiting
from tests.worlds.every_revision import overtaken, say

SCOPE = "events"
TOOLS = ("run_tests", "build", "deploy")
MAX_ID = 256
"""Characters of the id of a call."""
CALLS = 50
"""Calls of a message."""
DEPLOY = {"name": "deploy", "arguments": "{}"}
MANY = 20
"""Outcomes of a step: more audit entries than an item holds."""
QUIET = timedelta(minutes=31)
"""After so long a thread without an outcome has ended."""


def consolidate_everything(cloud: Cloud) -> None:
    """Threads that an outcome ends, of which a skill comes; then all, a conversation among them."""
    first = release(cloud, "release-0", SCOPE)
    assert consolidate(cloud, first)["traces"] == 1
    fade_otherwise(cloud)
    second = release(cloud, "release-1", SCOPE, MANY)
    cloud.crowd()
    made = [consolidate(cloud, each) for each in (second, {})]
    assert [(each["traces"], each["skills"], each["failed"]) for each in made] == [
        (1, 0, 0),
        (0, 1, 0),
    ]
    third = consolidate(cloud, release(cloud, "release-2", SCOPE, MANY))
    assert (third["traces"], third["grown"], third["failed"]) == (1, 1, 0)
    state_facts(cloud)
    converse(cloud, "talk")
    release(cloud, "unscoped", "")
    cloud.functions.clock.advance(QUIET)
    assert consolidate(cloud, {})["traces"] > 1
    assert consolidate(cloud, {}) == dict.fromkeys(made[0], 0) | {"left": False}
    consolidate_by_request(cloud)


def state_facts(cloud: Cloud) -> None:
    """Tasks whose results state facts against facts that no head knows; another writer is first."""
    for said in ("also", "or so"):
        say(cloud, "parser", SCOPE, said)
    for number in range(2):
        thread = {"scope": SCOPE, "thread_id": f"owner-{number}"}
        stated = {"subject": "parser", "predicate": CONTESTED, "object": LARGE}
        asked = {**thread, "source": "agent", "tool_name": "owners", "status": "success"}
        cloud.http("POST /v1/ingest/tool-output", {**asked, "result": stated})
        assert consolidate(cloud, thread)["traces"] == 1
    with overtaken(cloud, "ConsolidateFunction"):
        done = consolidate(cloud, {})
    assert (done["skills"], done["failed"]) == (1, 0)


def consolidate_by_request(cloud: Cloud) -> None:
    """A thread that a caller consolidates after a look, with a list of all that was made."""
    release(cloud, "asked-for", SCOPE)
    asked: JsonObject = {"scope": SCOPE, "quiet_minutes": 0}
    shown = cloud.http("POST /v1/consolidate", asked)
    cloud.crowd()
    made = cloud.http("POST /v1/consolidate", {**asked, "dry_run": False})
    assert shown["traces"] == made["traces"] != []
    listed = cloud.http("GET /v1/consolidations", query=f"scope={SCOPE}")["consolidations"]
    assert made["traces"][0]["id"] in {each["id"] for each in listed}


def fade_otherwise(cloud: Cloud) -> None:
    """Give the only trace a decay profile of its own, which a skill then changes."""
    (trace_id,) = (
        item["pk"]["S"].removeprefix("record#")
        for item in cloud.items()
        if item.get("awaits") == {"S": "trace"}
    )
    asked = {"decay": {"half_life_seconds": 71}}
    cloud.http("PATCH /v1/records/{id}/lifecycle", asked, trace_id)


def consolidate(cloud: Cloud, thread: JsonObject) -> dict[str, Any]:
    """The reply to the event of a thread, or of the schedule."""
    return dict(cloud.invoke("ConsolidateFunction", {CONSOLIDATE: thread}))


def release(cloud: Cloud, thread_id: str, scope: str, outcomes: int = 1) -> JsonObject:
    """What the index function tells of a thread of a task and three calls with an outcome."""
    thread = {"scope": scope, "thread_id": thread_id}
    step = {"source": "agent", **thread}
    task = {"event_kind": "task", "ref": thread_id, "summary": f"Release the parser {LARGE}"}
    cloud.http("POST /v1/ingest/event", {**step, **task})
    ids = [call_id(cloud, {**step, "tool_name": tool}) for tool in TOOLS]
    outcome = {"source": "agent", "target_record_id": ids[-1], "outcome_status": "success"}
    for number in range(outcomes):
        asked = {**outcome, "idempotency_key": f"{thread_id}-{number}"}
        cloud.http("POST /v1/ingest/outcome", asked)
    index_waiting(cloud, [{"ended_record_id": ids[-1], "scopes": [scope]}])
    function, event = cloud.started.pop()
    assert (function, event) == ("ConsolidateFunction", {CONSOLIDATE: thread})
    return thread


def call_id(cloud: Cloud, call: JsonObject) -> str:
    """The id of the record of a call."""
    asked = {**call, "args": {"suite": LARGE}, "result": {"of": call["tool_name"]}}
    return str(cloud.http("POST /v1/ingest/tool-output", asked)["record"]["id"])


def converse(cloud: Cloud, thread_id: str) -> None:
    """A conversation of so many calls that the trace lies in the bucket."""
    ids = [LARGE[start : start + MAX_ID] for start in range(0, len(LARGE), MAX_ID)]
    messages: list[JsonObject] = [{"role": "user", "content": "Deploy the parser"}]
    for start in range(0, len(ids), CALLS):
        calls = [{"id": each, "function": DEPLOY} for each in ids[start : start + CALLS]]
        messages.append({"role": "assistant", "tool_calls": calls})
    cloud.http("POST /v1/messages", {"thread_id": thread_id, "messages": messages, "scope": SCOPE})
