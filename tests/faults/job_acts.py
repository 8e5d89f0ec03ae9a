"""Acts of background work, and of the routes that start and follow background work."""

import json
from datetime import timedelta
from typing import Any

from tests.faults.asking import FADED, TIMES, asks, invoke, messages, same, works
from tests.faults.harness import Act
from tests.faults.record_acts import CAPTURED, fact, long_told, observation, observed
from tests.faults.topic_acts import DOCUMENT, document, twins, two_topics
from tests.faults.world import Stage
from tests.worlds import every_revision
from tests.worlds.cloud import BODIES, LARGE, REPLACED
from tests.worlds.every_archive import remove_derived
from tests.worlds.every_record import index_waiting

AGAIN = "the queue delivers the message again"
LEASE = timedelta(hours=1)
ENTITY_KIND = r'\\"entity_kind\\":\\"other\\",'
STEPWISE = "the job goes on item by item"
SCOPE = "events"


def call(stage: Stage, thread: str, tool: str) -> str:
    body = {"source": "agent", "scope": SCOPE, "thread_id": thread, "tool_name": tool}
    asked = {**body, "args": {"suite": "unit"}, "result": {"of": tool}}
    return str(stage.cloud.http("POST /v1/ingest/tool-output", asked)["record"]["id"])


def release(stage: Stage, thread: str = "release") -> dict[str, str]:
    """A thread of a task and three calls with an outcome."""
    task = {"event_kind": "task", "ref": thread, "summary": "Release the parser"}
    body = {"source": "agent", "scope": SCOPE, "thread_id": thread, **task}
    stage.cloud.http("POST /v1/ingest/event", body)
    *_, last = [call(stage, thread, each) for each in ("run_tests", "build", "deploy")]
    outcome = {"source": "agent", "target_record_id": last, "outcome_status": "success"}
    stage.cloud.http("POST /v1/ingest/outcome", {**outcome, "idempotency_key": thread})
    return {"scope": SCOPE, "thread_id": thread}


def releases(stage: Stage) -> None:
    """Two threads of the same steps, of which a skill may come."""
    for each in ("one", "two"):
        release(stage, each)
    stage.cloud.functions.clock.advance(timedelta(hours=1))


def traced(stage: Stage) -> None:
    """The traces of two threads, of which the next run makes a skill."""
    for each in ("one", "two"):
        thread = every_revision.release(stage.cloud, each, SCOPE)
        invoke(stage, "ConsolidateFunction", {"membrane-consolidate": thread})


def consolidated(stage: Stage) -> None:
    """A skill."""
    traced(stage)
    invoke(stage, "ConsolidateFunction", CONSOLIDATE)


CONSOLIDATE: dict[str, Any] = {"membrane-consolidate": {}}
TEXT = f"# The engine\n\nWords.\n\n## Care\n\nOil it.\n\n## Whole\n\n{LARGE[:9_000]}"


def studying(stage: Stage) -> Any:
    """The event of the state machine that leads a study."""
    stage.cloud.http("POST /v1/studies", {"document": TEXT, "title": "The engine"})
    _, event = stage.cloud.started.pop()
    return event


def studied(stage: Stage) -> str:
    """The id of the document."""
    return str(invoke_study(stage)["document_id"])


def study_id(stage: Stage) -> str:
    return str(studying(stage)["study"]["id"])


def study(stage: Stage, event: Any) -> Any:
    """Run the job to its end; resume a job that failed."""
    reply = invoke(stage, "StudyFunction", event)
    job_id = event["study"]["id"]
    if stage.cloud.http("GET /v1/studies/{id}", record_id=job_id)["state"] != "failed":
        return reply
    stage.cloud.http("POST /v1/studies/{id}/resume", {}, job_id)
    _, again = stage.cloud.started.pop()
    return invoke(stage, "StudyFunction", again)


def failed_study(stage: Stage) -> str:
    event = studying(stage)
    stage.cloud.invoke("StudyFunction", {**event, "failure": {"Error": "States.Timeout"}})
    return str(event["study"]["id"])


def invoke_study(stage: Stage) -> dict[str, Any]:
    event = studying(stage)
    invoke(stage, "StudyFunction", event)
    job = stage.cloud.http("GET /v1/studies/{id}", record_id=event["study"]["id"])
    return dict(job)


def removing(stage: Stage, document_id: str = "") -> Any:
    """The event that takes the document, or a new one, back."""
    removal = {"document_id": document_id or studied(stage), "dry_run": False}
    stage.cloud.http("POST /v1/studies/remove", removal)
    _, event = stage.cloud.started.pop()
    return event


def peopled(stage: Stage) -> dict[str, Any]:
    """A scope with a record, a topic and two documents; the request that erases the scope."""
    scope = "user:leaving"
    long = observation(REPLACED, LARGE, scope=scope)
    stage.cloud.http("POST /v1/ingest/observation", long)
    topic = {"topic_id": "left", "title": "left", "summary": LARGE, "scope": scope}
    stage.cloud.http("POST /v1/topics", topic)
    stage.cloud.http(f"PUT {DOCUMENT}", {"value": LARGE, "scope": scope}, "left/behind")
    stage.cloud.http(f"POST {DOCUMENT}", {"items": ["one"], "scope": scope}, "left/list/items")
    for record_id, place in (("inside", scope), ("outside", "")):
        asked = fact("user", "has", record_id, id=record_id, scope=place)
        stage.cloud.http("POST /v1/records", {"record": asked})
    observed()(stage)
    return {"scope": scope, "dry_run": False, "reason": "asked for"}


def erasing(stage: Stage) -> str:
    """The id of an erasure that was asked for."""
    started = stage.cloud.http("POST /v1/erasures", peopled(stage))
    stage.cloud.functions.clock.advance(timedelta(hours=1))
    return str(started["id"])


def erasing_what_returns(stage: Stage) -> tuple[str, dict[str, Any]]:
    """An erasure that was asked for, and the file of an export of the scope."""
    empty = stage.save()
    request = peopled(stage)
    stage.cloud.http("POST /v1/exports", {"scope": request["scope"]})
    _, event = stage.cloud.started.pop()
    invoke(stage, "ExportFunction", event)
    export_id = event["membrane-export"]["id"]
    parts = sorted(name for name in stage.blobs.blobs if export_id in name)
    content = b"".join(stage.blobs.blobs[name] for name in parts)
    stage.restore(empty)
    started = stage.cloud.http("POST /v1/erasures", request)
    return str(started["id"]), put(stage, "restores/left.ndjson", content)


def erasing_what_waits(stage: Stage) -> tuple[str, dict[str, Any]]:
    """An erasure that was asked for, and the message of a topic in the scope."""
    return erasing(stage), messages({"topic_id": "left", "scopes": ["user:leaving"]})


def erasing_what_is_read(stage: Stage) -> tuple[str, dict[str, Any]]:
    """An erasure that was asked for, and the message of a capture that waits for the model."""
    event = captured(stage, scope="user:leaving")
    return erasing(stage), event


def erasing_what_ended(stage: Stage) -> tuple[str, dict[str, Any]]:
    """An erasure that was asked for, and the event of the consolidation of a thread."""
    thread = every_revision.release(stage.cloud, "late", "user:leaving")
    return erasing(stage), {"membrane-consolidate": thread}


def erased(stage: Stage) -> str:
    found = erasing(stage)
    invoke(stage, "EraseFunction", {"membrane-erase": {"id": found}})
    return found


def exporting(stage: Stage) -> Any:
    """The event of an export that was asked for."""
    long_told(stage), two_topics(stage), document(stage)
    stage.cloud.http("POST /v1/exports", {})
    _, event = stage.cloud.started.pop()
    return event


def exported(stage: Stage) -> str:
    event = exporting(stage)
    invoke(stage, "ExportFunction", event)
    return str(event["membrane-export"]["id"])


def put(stage: Stage, key: str, content: bytes) -> dict[str, Any]:
    """The event of a file in the bucket."""
    sequencer = stage.imports.put(key, content)
    found = stage.imports.find(key)
    assert found is not None
    detail = {"key": key, "etag": found.etag, "sequencer": sequencer}
    return {"time": "2026-03-01T09:00:00Z", "detail": {"object": detail}}


def importing(stage: Stage) -> dict[str, Any]:
    lines = [
        {"rpc": "IngestObservation", **observation(REPLACED, subject="file")},
        {"rpc": "IngestRecord", "record": fact("file", "has", LARGE, id="imported")},
        {"rpc": "CaptureMemory", **CAPTURED},
    ]
    return put(stage, "imports/all.ndjson", "\n".join(map(json.dumps, lines)).encode())


def restoring(stage: Stage) -> dict[str, Any]:
    """The file of an export, whose records and topics are gone."""
    empty = stage.save()
    export_id = exported(stage)
    parts = sorted(name for name in stage.blobs.blobs if export_id in name)
    content = b"".join(stage.blobs.blobs[name] for name in parts)
    stage.restore(empty)
    return put(stage, "restores/all.ndjson", content)


def faded(stage: Stage) -> None:
    """A record that has faded, and another that was deleted long ago."""
    fading = observation(REPLACED, LARGE, lifecycle={"decay": {"half_life_seconds": 75}})
    stage.cloud.http("POST /v1/ingest/observation", fading)
    gone = observed(said="ale")(stage)
    stage.cloud.http("DELETE /v1/records/{id}", record_id=gone)
    stage.cloud.functions.clock.advance(timedelta(days=40))


def orphaned(stage: Stage) -> None:
    """A blob that no item names."""
    long_told(stage)
    stage.blobs.write(f"blobs/gone/{'0' * 64}", b"lost")
    stage.cloud.functions.clock.advance(timedelta(days=3))


def waiting(stage: Stage) -> dict[str, Any]:
    """Messages of records and topics that wait for an index."""
    record_id, topic_id = observed()(stage), two_topics(stage)
    return messages(
        {"record_id": record_id, "scopes": [""]},
        {"topic_id": topic_id, "scopes": [""]},
    )


def streamed(stage: Stage) -> dict[str, Any]:
    """The changes of the table's stream."""
    release(stage), two_topics(stage)
    return {"Records": stage.changes()}


def captured(stage: Stage, **fields: Any) -> dict[str, Any]:
    """The message of a capture that waits for the model."""
    content = {"ref": "note:1", "text": "Ana owns billing"}
    asked = {"source": "agent", "source_kind": "event", "content": content, **fields}
    record = stage.cloud.http("POST /v1/capture", asked)["primary_record"]["id"]
    index_waiting(stage.cloud, [{"created_record_id": record, "scopes": [""]}])
    (body,) = [body for queue, body, _ in stage.cloud.sent if queue == "InterpretQueue"]
    return messages(json.loads(body))


def read_topics(stage: Stage) -> dict[str, Any]:
    """The message of topics that were read."""
    twins(stage)
    stage.cloud.sent.clear()
    stage.cloud.http("POST /v1/query", {"q": "twin"})
    return messages(*(json.loads(body) for _, body, _ in stage.cloud.sent))


def anchored(stage: Stage) -> None:
    long_told(stage), two_topics(stage)
    stage.cloud.invoke("AnchorFunction", {})
    stage.cloud.functions.clock.advance(timedelta(hours=1))
    observed(REPLACED)(stage)


def damaged(stage: Stage) -> None:
    """A state with an edge, a vector and a name to repair."""
    anchored(stage)
    stage.cloud.functions.clock.advance(timedelta(hours=1))
    remove_derived(stage.cloud)


def queued(stage: Stage) -> str:
    """The id of an event that came by the queue."""
    invoke(stage, "IngestEventFunction", messages(INGESTS["Event"]))
    (found,) = stage.cloud.http("GET /v1/records", query="scope=events")["records"]
    return str(found["id"])


INGESTS = {
    "Event": {"source": "a", **BODIES["event"]},
    "ToolOutput": {"source": "a", **BODIES["tool-output"]},
    "Observation": observation(REPLACED),
    "Messages": {"session": "1", "messages": [{"role": "user", "content": LARGE}]},
    "WorkingState": {"source": "a", **BODIES["working-state"]},
}

JOBS: tuple[Act, ...] = (
    asks(
        "POST /v1/consolidate",
        {"scope": SCOPE, "dry_run": False},
        prepare=releases,
        parts=STEPWISE,
        answers="a repeat finds what is left",
    ),
    asks("GET /v1/consolidations", query=f"scope={SCOPE}", prepare=consolidated),
    works("ConsolidateFunction", CONSOLIDATE, prepare=releases, parts=STEPWISE),
    works(
        "ConsolidateFunction",
        CONSOLIDATE,
        about="of traces",
        prepare=traced,
        parts=STEPWISE,
        forgoes={"overtaken": "two runs link the trace to facts and to the skill in either order"},
    ),
    works(
        "ConsolidateFunction",
        lambda thread: {"membrane-consolidate": thread},
        about="of a thread",
        prepare=release,
        parts=STEPWISE,
    ),
    asks("POST /v1/studies", {"document": TEXT, "title": "The engine"}),
    asks("GET /v1/studies/{id}", None, same, prepare=study_id),
    asks("POST /v1/studies/{id}/cancel", {}, same, prepare=study_id),
    asks(
        "POST /v1/studies/{id}/resume",
        {},
        same,
        prepare=failed_study,
        repeats="a resume replaces the present execution",
        lost="the execution of the next attempt takes the place",
    ),
    asks(
        "POST /v1/studies/remove", lambda of: {"document_id": of, "dry_run": False}, prepare=studied
    ),
    Act(
        "StudyFunction",
        studying,
        study,
        parts=STEPWISE,
        answers="a resumed job counts its tries",
        forgoes={"unheard": "a tool tells the model of a silent store, and the model goes on"},
    ),
    works("StudyFunction", same, about="that takes back", prepare=removing, parts=STEPWISE),
    asks("GET /v1/tools"),
    asks(
        "POST /v1/tools/{name}",
        {"arguments": {"subject": "user", "predicate": REPLACED, "object": "ale"}},
        name="remember",
        prepare=observed(REPLACED),
        forgoes={"disowned": "a tool that is called without a key may observe twice"},
    ),
    asks(
        "POST /v1/chat",
        {
            "messages": [{"role": "user", "content": '/remember {"text": "a note"}'}],
            "profile": "agent",
            "intent_override": "both",
            "study_ingest": False,
        },
        gives_up="a conversation ends with what was done when the store is silent",
    ),
    asks("POST /v1/erasures", same, prepare=peopled),
    asks("GET /v1/erasures/{id}", None, same, prepare=erased),
    asks("GET /v1/erasures/{id}/certificate", None, same, prepare=erased),
    works(
        "EraseFunction", lambda of: {"membrane-erase": {"id": of}}, prepare=erasing, parts=STEPWISE
    ),
    works(
        "EraseFunction",
        {"membrane-erase": {}},
        about="by schedule",
        prepare=erasing,
        parts=STEPWISE,
        patience=LEASE,
        unlike=TIMES,
    ),
    asks("POST /v1/exports", {}, prepare=observed()),
    asks("GET /v1/exports/{id}", None, same, prepare=exported),
    asks("GET /v1/exports", prepare=exported),
    works("ExportFunction", same, prepare=exporting, parts=STEPWISE),
    works("ImportLinesFunction", same, prepare=importing, parts=STEPWISE),
    works("RestoreFunction", same, prepare=restoring, parts=STEPWISE),
    works(
        "DecayFunction",
        {},
        prepare=faded,
        parts=STEPWISE,
        gives_up="a record that meets a conflict waits for the next sweep",
    ),
    works("CollectBlobsFunction", {}, prepare=orphaned, parts=STEPWISE),
    works(
        "IndexFunction",
        same,
        prepare=waiting,
        parts=STEPWISE,
        refusable=AGAIN,
    ),
    works(
        "IndexFunction",
        same,
        about="of the stream",
        prepare=streamed,
        parts=STEPWISE,
        refusable=AGAIN,
    ),
    works(
        "IndexFunction",
        {"membrane-reindex": {"again": True}},
        about="anew",
        prepare=waiting,
        parts=STEPWISE,
        refusable=AGAIN,
    ),
    works(
        "InterpretFunction",
        same,
        prepare=captured,
        parts=STEPWISE,
        patience=LEASE,
        unlike={**TIMES, ENTITY_KIND: "an entity that the first run made is known to the second"},
    ),
    works(
        "ReasonFunction",
        {"membrane-reason": {}},
        prepare=twins,
        parts=STEPWISE,
        gives_up="a scope that cannot be read waits for the next run",
        patience=LEASE,
        unlike={**TIMES, **FADED},
    ),
    works("ReasonFunction", same, about="of reads", prepare=read_topics, parts=STEPWISE),
    works("AnchorFunction", {}, prepare=anchored, parts=STEPWISE),
    works(
        "VerifyFunction",
        {"membrane-verify": {"after": None, "repair": True}},
        about="that repairs",
        prepare=damaged,
        parts=STEPWISE,
    ),
    *(
        works(f"Ingest{name}Function", messages(body), about="of a queue")
        for name, body in INGESTS.items()
    ),
    works(
        "IngestOutcomeFunction",
        lambda of: messages(
            {"source": "judge", "target_record_id": of, "outcome_status": "success"}
        ),
        about="of a queue",
        prepare=queued,
    ),
    works("CaptureFunction", messages(CAPTURED), about="of a queue"),
)
