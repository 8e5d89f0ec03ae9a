"""Facts contested and revised by every revision, and threads consolidated."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from tests.worlds.agreed import CONSOLIDATE, LostRace
from tests.worlds.cloud import CONTESTED, LARGE, REPLACED, Cloud
from tests.worlds.every_arrival import import_lines
from tests.worlds.every_record import index_waiting


def a_fact(subject: str, **fields: Any) -> dict[str, Any]:
    """A full record with evidence, of what others may contest."""
    evidence = {
        "source_type": "observation",
        "source_id": "agent",
        "timestamp": "2026-01-01T00:00:00Z",
    }
    payload = {
        "kind": "semantic",
        "subject": subject,
        "predicate": CONTESTED,
        "object": LARGE + subject,
        "validity": {"mode": "global"},
        "evidence": [evidence],
        **fields,
    }
    return {"type": "semantic", "sensitivity": "low", "payload": payload}


def say(cloud: Cloud, subject: str, scope: str = "", said: str = LARGE) -> str:
    """The id of a fact that no head knows: nobody looked for conflicts when it was ingested."""
    report = {"source": "agent", "subject": subject, "predicate": CONTESTED, "object": said}
    earlier = replace(cloud, functions=cloud.earlier)
    record = earlier.http("POST /v1/ingest/observation", {**report, "scope": scope})["record"]
    return str(record["id"])


def contest_everywhere(cloud: Cloud) -> None:
    """By whatever makes a fact active, contest two that no head knows."""
    report = {"source": "agent", "predicate": CONTESTED, "object": "other"}
    for subject, scope in (("one", ""), ("two", ""), ("three", ""), ("four", "events")):
        say(cloud, subject, scope)
        say(cloud, subject, scope, "also")
    with overtaken(cloud, "IngestObservationFunction"):
        cloud.http("POST /v1/ingest/observation", {**report, "subject": "one"})
    cloud.http("POST /v1/records", {"record": a_fact("two")})
    item = {"rpc": "IngestObservation", **report, "subject": "three"}
    with overtaken(cloud, "IngestBatchFunction"):
        (result,) = cloud.http("POST /v1/ingest/batch", {"items": [item]})["results"]
    assert result["status"] == 201
    line = {"rpc": "IngestObservation", **report, "subject": "four"}
    with overtaken(cloud, "ImportLinesFunction"):
        assert import_lines(cloud, "contesting", [line])["created"] == 1


def replace_everywhere(cloud: Cloud) -> None:
    """By whatever observes a fact, replace one that somebody else observed."""

    def seen(subject: str, said: str) -> dict[str, str]:
        fact = {"subject": subject, "predicate": REPLACED, "object": said}
        return {"source": "agent", **fact, "scope": "events"}

    for subject in ("ten", "eleven", "twelve"):
        cloud.http("POST /v1/ingest/observation", seen(subject, "much"))
    cloud.http("POST /v1/ingest/observation", seen("ten", "little"))
    item = {"rpc": "IngestObservation", **seen("eleven", "little")}
    (result,) = cloud.http("POST /v1/ingest/batch", {"items": [item]})["results"]
    assert result["status"] == 201
    line = {"rpc": "IngestObservation", **seen("twelve", "little")}
    assert import_lines(cloud, "replacing", [line])["created"] == 1


@dataclass(slots=True)
class Overtaken:
    """A store in which another writer comes first, once."""

    records: Any
    races: int = 1

    def create(self, *new: Any, **beside: Any) -> None:
        """See DynamoRecords."""
        if self.races:
            self.races -= 1
            raise LostRace
        self.records.create(*new, **beside)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.records, name)


@contextmanager
def overtaken(cloud: Cloud, function: str) -> Iterator[None]:
    """Within the block another writer comes before the first record of the function."""
    usual = cloud.functions.worlds
    records: Any = Overtaken(usual[function].records)
    cloud.functions.worlds = {**usual, function: usual[function].but(records=records)}
    try:
        yield
    finally:
        cloud.functions.worlds = usual


def revise_everything(cloud: Cloud, target_id: str) -> None:
    """By every revision; one brings an upload, an edge and a decay profile of its own."""
    rich = {
        **a_fact("five", object=cloud.upload("revision" + LARGE)),
        "relations": [{"predicate": "about", "target_id": target_id}],
        "lifecycle": {"decay": {"half_life_seconds": 74}},
    }
    old, other, doubted, moved = (say(cloud, each) for each in ("five", "six", "seven", "eight"))
    say(cloud, "five", said="also")
    say(cloud, "five", said="or so")
    cloud.crowd()
    new = cloud.http("POST /v1/records/{id}/supersede", {"new_record": rich}, old)["record"]["id"]
    fork = {"forked_record": a_fact("nine")}
    variant = cloud.http("POST /v1/records/{id}/fork", fork, new)["record"]["id"]
    merge = {"ids": [new, variant, other], "merged_record": a_fact("five and six")}
    cloud.http("POST /v1/records/merge", merge)
    cloud.http("POST /v1/records/{id}/contest", {"contesting_ref": target_id}, doubted)
    cloud.http("POST /v1/records/{id}/resolve", {"resolution": "keep"}, doubted)
    cloud.http("PATCH /v1/records/{id}", {"scope": "elsewhere"}, moved)
    cloud.http("POST /v1/records/{id}/retract", {}, moved)
    cloud.http("PATCH /v1/records/{id}", {"retracted": False}, moved)
    versions = cloud.http("GET /v1/records/{id}/versions", record_id=moved)["versions"]
    assert len(versions) == 4


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
    asked: dict[str, Any] = {"scope": SCOPE, "quiet_minutes": 0}
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


def consolidate(cloud: Cloud, thread: dict[str, Any]) -> dict[str, Any]:
    """The reply to the event of a thread, or of the schedule."""
    return dict(cloud.invoke("ConsolidateFunction", {CONSOLIDATE: thread}))


def release(cloud: Cloud, thread_id: str, scope: str, outcomes: int = 1) -> dict[str, Any]:
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


def call_id(cloud: Cloud, call: dict[str, Any]) -> str:
    """The id of the record of a call."""
    asked = {**call, "args": {"suite": LARGE}, "result": {"of": call["tool_name"]}}
    return str(cloud.http("POST /v1/ingest/tool-output", asked)["record"]["id"])


def converse(cloud: Cloud, thread_id: str) -> None:
    """A conversation of so many calls that the trace lies in the bucket."""
    ids = [LARGE[start : start + MAX_ID] for start in range(0, len(LARGE), MAX_ID)]
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Deploy the parser"}]
    for start in range(0, len(ids), CALLS):
        calls = [{"id": each, "function": DEPLOY} for each in ids[start : start + CALLS]]
        messages.append({"role": "assistant", "tool_calls": calls})
    cloud.http("POST /v1/messages", {"thread_id": thread_id, "messages": messages, "scope": SCOPE})
