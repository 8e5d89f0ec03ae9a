"""Acts on records: reports, revisions, lifecycle, reads, entities and uploads."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.faults.asking import ALONE, asks, same
from tests.faults.world import FORKED, Stage
from tests.worlds.cloud import BODIES, CONTESTED, LARGE, REPLACED
from tests.worlds.every_record import add_entity


def fact(subject: str, predicate: str, said: str = "tea", **fields: Any) -> dict[str, Any]:
    """A full record of a fact."""
    evidence = {"source_type": "observation", "source_id": "a", "timestamp": "2026-01-01T00:00:00Z"}
    payload = {
        "kind": "semantic",
        "subject": subject,
        "predicate": predicate,
        "object": said,
        "validity": {"mode": "global"},
        "evidence": [evidence],
    }
    return {"type": "semantic", "sensitivity": "low", "payload": payload, **fields}


def observation(predicate: str = "likes", said: str = "tea", **fields: Any) -> dict[str, Any]:
    said_of = {"subject": "user", "predicate": predicate, "object": said}
    return {"source": "a", **said_of, **fields}


def observed(predicate: str = "likes", said: str = "tea", **fields: Any) -> Callable[[Stage], str]:
    """Prepares a fact; gives the id."""

    def prepare(stage: Stage) -> str:
        reply = stage.cloud.http(
            "POST /v1/ingest/observation", observation(predicate, said, **fields)
        )
        return str(reply["record"]["id"])

    return prepare


def deleted(stage: Stage) -> str:
    found = observed(REPLACED)(stage)
    stage.cloud.http("DELETE /v1/records/{id}", record_id=found)
    return found


def long_told(stage: Stage) -> str:
    """A fact with so many audit entries that the next moves some out of the item."""
    found = observed()(stage)
    for number in range(15):
        body = {"amount": 0, "rationale": f"{number}"}
        stage.cloud.http("POST /v1/records/{id}/penalize", body, found)
    return found


def contested(stage: Stage) -> str:
    first, _ = (observed(CONTESTED, said)(stage) for said in ("tea", "ale"))
    return first


def evented(stage: Stage) -> str:
    return stage.cloud.report("event")


def of_three_months(stage: Stage) -> None:
    for month in range(1, 4):
        ends = {"start": f"2026-0{month}-01T00:00:00Z", "end": f"2026-0{month + 1}-01T00:00:00Z"}
        observed(REPLACED, **ends)(stage)


def three(stage: Stage) -> list[str]:
    return [observed(said=each)(stage) for each in ("tea", "ale", "milk")]


def uploaded(stage: Stage) -> dict[str, str]:
    """A claim of a value that was uploaded."""
    opened = stage.cloud.http("POST /v1/uploads", DECLARED)
    stage.blobs.write(opened["url"].removeprefix("https://bucket/"), CONTENT)
    return {"$upload": opened["upload_id"]}


def retrieved(stage: Stage) -> str:
    """The id of the receipt of an answer."""
    observed()(stage)
    return str(stage.cloud.http("POST /v1/retrieve", {"task_descriptor": "likes"})["receipt_id"])


def credited(stage: Stage) -> tuple[str, str]:
    """An episode, and the receipt of what was read for it."""
    return stage.cloud.report("event"), retrieved(stage)


def entities(stage: Stage) -> list[str]:
    return [add_entity(stage.cloud, name) for name in ("Ada Smith", "Ada Jones")]


def merged(stage: Stage) -> list[str]:
    kept, other = entities(stage)
    stage.cloud.http("POST /v1/entities/{id}/merge", {"entity_ids": [other]}, kept)
    return [kept, other]


def first(given: Any) -> Any:
    return given[0]


def last(given: Any) -> Any:
    return given[-1]


CONTENT = b'"uploaded"'
DECLARED = {"size": len(CONTENT), "sha256": hashlib.sha256(CONTENT).hexdigest()}
CAPTURED = {
    "source": "agent",
    "source_kind": "observation",
    "content": {"subject": "Ada", "predicate": REPLACED, "object": "much", "service": "checkout"},
}

CLAIM = asks(
    "POST /v1/ingest/tool-output",
    lambda of: {"source": "a", "tool_name": "cat", "result": of},
    about="that claims an upload",
    prepare=uploaded,
)
"""The claim of an upload takes the place of a key."""

READS = (
    asks(
        "POST /v1/retrieve",
        {"task_descriptor": "likes"},
        prepare=observed(),
        answers="an answer without a receipt is an answer",
    ),
    asks("POST /v1/retrieve/graph", {"task_descriptor": "likes"}, prepare=observed()),
    asks("GET /v1/records", prepare=observed()),
    *(
        asks(f"GET /v1/records/{{id}}{below}", None, same, prepare=long_told)
        for below in ("", "/versions", "/audit")
    ),
    asks(
        "GET /v1/threads/{thread_id}/state",
        None,
        same,
        prepare=lambda stage: stage.cloud.report("working-state") and "1",
    ),
    asks("GET /v1/receipts/{id}", None, same, prepare=retrieved),
)

RECORDS = (
    *(asks(f"POST /v1/ingest/{kind}", {"source": "a", **body}) for kind, body in BODIES.items()),
    asks(
        "POST /v1/ingest/observation",
        observation(REPLACED, "ale"),
        about="that replaces a fact",
        prepare=observed(REPLACED),
    ),
    asks(
        "POST /v1/ingest/observation",
        observation(CONTESTED, "ale"),
        about="that contests a fact",
        prepare=observed(CONTESTED),
    ),
    asks(
        "POST /v1/ingest/observation",
        observation(FORKED, "ale"),
        about="that forks a fact",
        prepare=observed(FORKED),
    ),
    asks(
        "POST /v1/ingest/observation",
        observation(REPLACED, "ale"),
        about="that replaces three facts",
        prepare=of_three_months,
    ),
    asks(
        "POST /v1/ingest/outcome",
        lambda of: {"source": "judge", "target_record_id": of, "outcome_status": "success"},
        prepare=evented,
    ),
    asks(
        "POST /v1/messages",
        {
            "thread_id": "1",
            "messages": [
                {"role": "user", "content": LARGE},
                {"role": "assistant", "content": "Yes"},
            ],
        },
    ),
    asks(
        "POST /v1/ingest/batch",
        {
            "items": [
                {"rpc": "IngestObservation", **observation(REPLACED, subject=each)}
                for each in ("a", "b")
            ]
        },
        parts=ALONE,
        answers=ALONE,
    ),
    asks("POST /v1/records", {"record": fact("user", "has", LARGE)}),
    asks(
        "POST /v1/records/{id}/supersede",
        {"new_record": fact("user", REPLACED, "ale")},
        same,
        prepare=observed(REPLACED),
    ),
    asks(
        "POST /v1/records/{id}/fork",
        {"forked_record": fact("user", "likes", "ale")},
        same,
        prepare=observed(),
    ),
    asks(
        "POST /v1/records/merge",
        lambda of: {"ids": of, "merged_record": fact("user", "drinks")},
        prepare=three,
    ),
    asks("POST /v1/records/{id}/retract", {}, same, prepare=observed(REPLACED)),
    asks("POST /v1/records/{id}/contest", {"contesting_ref": "a letter"}, same, prepare=observed()),
    asks("POST /v1/records/{id}/resolve", {"resolution": "keep"}, same, prepare=contested),
    asks("PATCH /v1/records/{id}", {"scope": "elsewhere"}, same, prepare=observed(REPLACED)),
    asks("POST /v1/records/{id}/reinforce", {}, same, prepare=observed()),
    asks(
        "POST /v1/records/{id}/penalize",
        {"amount": 0.1, "rationale": LARGE},
        same,
        prepare=long_told,
    ),
    asks("POST /v1/records/{id}/pin", {}, same, prepare=observed()),
    asks("POST /v1/records/{id}/unpin", {}, same, prepare=observed()),
    asks(
        "PATCH /v1/records/{id}/lifecycle",
        {"decay": {"half_life_seconds": 75}},
        same,
        prepare=observed(),
    ),
    asks("DELETE /v1/records/{id}", None, same, prepare=observed(REPLACED, LARGE)),
    asks(
        "DELETE /v1/records/{id}",
        None,
        same,
        about="for good",
        query="erase=true",
        prepare=observed(REPLACED, LARGE),
    ),
    *(
        asks(
            "DELETE /v1/records/{id}",
            None,
            first,
            about=f"of an entity with what it absorbed{about}",
            query=query,
            prepare=merged,
            parts="the absorbing entity goes last",
        )
        for about, query in (("", ""), (" for good", "erase=true"))
    ),
    asks("POST /v1/records/{id}/restore", {}, same, prepare=deleted),
    asks(
        "POST /v1/ingest/outcome",
        lambda of: {
            "source": "judge",
            "target_record_id": of[0],
            "receipt_id": of[1],
            "outcome_status": "success",
        },
        about="that gives credit",
        prepare=credited,
    ),
    CLAIM,
    replace(CLAIM, name=f"{CLAIM.name} without a key", do=CLAIM.bare or CLAIM.do, bare=None),
    asks("POST /v1/uploads", DECLARED),
    asks("POST /v1/capture", CAPTURED),
    asks(
        "POST /v1/capture",
        CAPTURED,
        about="that replaces a fact and names an entity",
        prepare=lambda stage: (observed(REPLACED, subject="Ada")(stage), entities(stage)),
    ),
    asks("POST /v1/decay/preview", {"trust": {"scopes": ["any"]}}, prepare=observed()),
    asks("GET /v1/metrics", prepare=observed()),
    *READS,
    asks(
        "POST /v1/entities/{id}/merge", lambda of: {"entity_ids": of[1:]}, first, prepare=entities
    ),
    asks("POST /v1/entities/{id}/split", lambda of: {"entity_id": of[1]}, first, prepare=merged),
    *(
        asks(f"GET /v1/entities/{{id}}{below}", None, first, prepare=merged)
        for below in ("", "/mentions")
    ),
    asks("GET /v1/entities", query="q=ada", prepare=merged),
)
