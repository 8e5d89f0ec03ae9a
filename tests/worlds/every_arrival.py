"""Everything that brings records: uploads claimed by every route, files imported to the end."""

import json
from io import BytesIO
from typing import Any

from tests.worlds.agreed import IMPORTS
from tests.worlds.cloud import BODIES, LARGE, Cloud

SAID: dict[str, Any] = {
    "rpc": "IngestMessages",
    "session": "2",
    "messages": [{"role": "user", "content": LARGE}, {"role": "assistant", "content": "Yes"}],
}


def claim_everywhere(cloud: Cloud) -> None:
    """Put an upload in every place that takes one."""
    bodies = {
        "tool-output": {"tool_name": "cat", "result": cloud.upload("result")},
        "observation": {"subject": "user", "predicate": "has", "object": cloud.upload("object")},
        "working-state": {
            "thread_id": "2",
            "state": "planning",
            "active_constraints": cloud.upload([{"type": "budget"}]),
        },
    }
    for kind, body in bodies.items():
        cloud.http(f"POST /v1/ingest/{kind}", {"source": "agent", **body})
    fact: dict[str, Any] = {
        "id": "claims",
        "type": "semantic",
        "sensitivity": "low",
        "payload": {
            "kind": "semantic",
            "subject": "user",
            "predicate": "has",
            "object": cloud.upload("record"),
            "validity": {"mode": "global"},
        },
    }
    cloud.http("POST /v1/records", {"record": fact})
    many = {
        "items": [
            {
                "rpc": "IngestRecord",
                "record": fact
                | {
                    "id": "batched",
                    "payload": {**fact["payload"], "object": cloud.upload("batch" + LARGE)},
                    "relations": [{"predicate": "about", "target_id": "claims"}],
                    "lifecycle": {"decay": {"half_life_seconds": 79}},
                },
            },
            *(
                {
                    "rpc": "IngestOutcome",
                    "source": str(n),
                    "target_record_id": cloud.report("event"),
                    "outcome_status": "success",
                }
                for n in range(20)
            ),
            SAID,
        ]
    }
    cloud.crowd()
    results = cloud.http("POST /v1/ingest/batch", many)["results"]
    assert {entry["status"] for entry in results} == {200, 201}


def ask_for_profiles(cloud: Cloud) -> None:
    """Reports of every type, each with a decay profile that the settings do not imply."""
    for kind, body in BODIES.items():
        cloud.crowd()
        asked = {"source": "agent", "lifecycle": {"decay": {"half_life_seconds": 71}}}
        cloud.http(f"POST /v1/ingest/{kind}", {**body, **asked})
    conversation = {name: value for name, value in SAID.items() if name != "rpc"}
    cloud.crowd()
    cloud.http(
        "POST /v1/messages", {**conversation, "lifecycle": {"decay": {"max_age_seconds": 9}}}
    )


def import_everything(cloud: Cloud) -> None:
    """Import lines that do all that a line can do."""
    lines = [
        {
            "rpc": "IngestRecord",
            "record": {
                "id": "imported",
                "type": "episodic",
                "sensitivity": "low",
                "payload": {
                    "kind": "episodic",
                    "timeline": [
                        {
                            "t": "2026-01-01T00:00:00Z",
                            "event_kind": "build",
                            "ref": "1",
                            "summary": LARGE,
                        }
                    ],
                },
            },
        }
    ]
    lines += [
        {
            "rpc": "IngestOutcome",
            "source": str(n),
            "target_record_id": "imported",
            "outcome_status": "success",
        }
        for n in range(20)
    ]
    lines += [
        {
            "rpc": "IngestRecord",
            "record": {
                "type": "competence",
                "sensitivity": "low",
                "lifecycle": {"decay": {"half_life_seconds": 78}},
                "relations": [{"predicate": "about", "target_id": "imported"}],
                "payload": {
                    "kind": "competence",
                    "skill_name": "deploy",
                    "triggers": [],
                    "recipe": [],
                },
            },
        }
    ]
    lines += [
        {
            "rpc": "IngestObservation",
            "source": "file",
            "subject": "user",
            "predicate": "has",
            "object": cloud.upload("of a key, which a line cannot claim"),
        },
        SAID,
    ]
    cloud.crowd()
    reply = import_lines(cloud, "all", lines)
    assert (reply["created"], reply["refused"]) == (len(lines) - 1, 1)


def import_lines(cloud: Cloud, name: str, lines: list[Any]) -> Any:
    """What the import of a file of these lines comes to."""
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    cloud.store.imports.receive(f"{IMPORTS}{name}.ndjson", BytesIO(content))
    found = cloud.store.imports.find(f"{IMPORTS}{name}.ndjson")
    assert found is not None
    put = {"key": found.key, "etag": found.etag, "sequencer": "1"}
    happened = {"time": "2026-01-01T00:00:00Z", "detail": {"object": put}}
    return cloud.invoke("ImportLinesFunction", happened)
