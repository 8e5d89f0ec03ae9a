"""Acts on states that hold more: long trails, full archives, skills, large values, other pages."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

from tests.builders.stored_records import noise
from tests.faults.asking import FADED, TIMES, asks, invoke, messages, same, works
from tests.faults.harness import Act, killed_before
from tests.faults.job_acts import (
    AGAIN,
    CONSOLIDATE,
    LEASE,
    SCOPE,
    STEPWISE,
    call,
    consolidated,
    put,
)
from tests.faults.record_acts import fact, observation, observed, three
from tests.faults.topic_acts import DOCUMENT, LOG, MANY, document, log, merged_topics, two_topics
from tests.faults.world import Stage, Steps
from tests.worlds import every_revision
from tests.worlds.cloud import CONTESTED, LARGE, REPLACED, key_of
from tests.worlds.every_record import add_entity, index_waiting, record_with_a_past
from tests.worlds.faults import Killed

LATER = "a record that meets a conflict waits for the next sweep"
DAY = timedelta(days=1)


def laden(stage: Stage) -> str:
    """A record with an edge, 16 audit entries, and a document and a rationale in the bucket."""
    record_with_a_past(stage.cloud, "laden", observed()(stage))
    return "laden"


def laden_and(route: str, days: int, *, query: str = "") -> Callable[[Stage], str]:
    """The laden record, so many days after a change."""

    def prepare(stage: Stage) -> str:
        found = laden(stage)
        if route:
            stage.cloud.http(route, None if "DELETE" in route else {}, found, query=query)
        stage.cloud.functions.clock.advance(days * DAY)
        return found

    return prepare


def left_place(stage: Stage) -> Any:
    """A record at the id of a record that was deleted so long ago that the tombstone is over."""
    again = fact("user", "has", relations=[{"predicate": "about", "target_id": observed()(stage)}])
    stage.cloud.http("POST /v1/records", {"record": {**again, "id": "left"}})
    stage.cloud.http("DELETE /v1/records/{id}", record_id="left")
    stage.cloud.functions.clock.advance(450 * DAY)
    return {"record": {**again, "id": "left", "relations": []}}


def retrieved_by_index(stage: Stage) -> tuple[str, str]:
    """An episode, and the receipt of an answer that has indexed facts."""
    ids = three(stage)
    index_waiting(stage.cloud, [{"record_id": each, "scopes": [""]} for each in ids])
    event = stage.cloud.report("event")
    reply = stage.cloud.http("POST /v1/retrieve", {"task_descriptor": "what does the user like"})
    return event, str(reply["receipt_id"])


def superseded(stage: Stage) -> Any:
    """The message of a fact that was indexed and then superseded."""
    old = observed(REPLACED)(stage)
    waiting = [{"record_id": old, "scopes": [""]}]
    index_waiting(stage.cloud, waiting)
    stage.cloud.http(
        "POST /v1/records/{id}/supersede", {"new_record": fact("user", REPLACED, "ale")}, old
    )
    return messages(*waiting)


def expiring(stage: Stage) -> str:
    """A document that is about to expire."""
    asked = {"value": "soon", "ttl_seconds": 9_000}
    stage.cloud.http(f"PUT {DOCUMENT}", asked, "users/ada/session")
    stage.cloud.functions.clock.advance(timedelta(hours=1))
    return "users/ada/session"


LARGER = noise(400_000)
"""A value that lies beside the item of a document."""


def large_document(stage: Stage) -> str:
    for each in (LARGER, f"{LARGER}!"):
        stage.cloud.http(f"PUT {DOCUMENT}", {"value": each}, "users/ada/book")
    return "users/ada/book"


def taken_log(stage: Stage) -> str:
    """A list of which some items were taken off under a key."""
    found = log(stage)
    stage.cloud.ask(f"DELETE {DOCUMENT}", None, found, query="items=1", key=key_of("taken"))
    return found


def archived(stage: Stage) -> dict[str, Any]:
    """The file of an export of all kinds, whose items are gone."""
    empty = stage.save()
    content = archive(stage)
    stage.restore(empty)
    return put(stage, "restores/rich.ndjson", content)


def archived_in_part(stage: Stage) -> dict[str, Any]:
    """The file of an export of all kinds, whose items have changed since or are as they were."""
    content = archive(stage)
    stage.cloud.http("POST /v1/records/{id}/penalize", {"amount": 0.1}, "laden")
    later = [{"role": "user", "content": "c"}]
    stage.cloud.http("POST /v1/messages", {"thread_id": "1", "messages": later})
    return put(stage, "restores/rich.ndjson", content)


def archive(stage: Stage) -> bytes:
    laden(stage), document(stage), taken_log(stage), large_document(stage)
    merged_topics(stage)
    sent = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    stage.cloud.http("POST /v1/messages", {"thread_id": "1", "messages": sent})
    add_entity(stage.cloud, "Ada Smith")
    stage.cloud.ask("POST /v1/ingest/observation", observation("has"), key=key_of("keyed"))
    two_topics(stage)
    gone = observed(said="gone")(stage)
    stage.cloud.http("DELETE /v1/records/{id}", record_id=gone)
    stage.cloud.http("POST /v1/exports", {})
    _, event = stage.cloud.started.pop()
    invoke(stage, "ExportFunction", event)
    export_id = event["membrane-export"]["id"]
    parts = sorted(name for name in stage.blobs.blobs if export_id in name)
    return b"".join(stage.blobs.blobs[name] for name in parts)


def grown(stage: Stage) -> None:
    """Two more threads of the steps of a skill, one of which states facts."""
    consolidated(stage)
    every_revision.release(stage.cloud, "three", SCOPE)
    stated = {"subject": "parser", "predicate": CONTESTED, "object": "quick"}
    for thread in ("four", "five"):
        asked = {"source": "agent", "scope": SCOPE, "thread_id": thread, "status": "success"}
        body = {**asked, "tool_name": "owners", "result": [stated, {**stated, "object": thread}]}
        stage.cloud.http("POST /v1/ingest/tool-output", body)
    call(stage, "four", "build")
    stage.cloud.functions.clock.advance(timedelta(hours=1))


def pages(stage: Stage) -> None:
    three(stage)


# --- captures ---


def capture(content: Any, about: str, **more: Any) -> Act:
    body = {"source": "agent", "source_kind": "observation", "content": content}
    return asks("POST /v1/capture", body, about=about, **more)


STATED = {"ref": "r", "subject": "Orchid", "predicate": REPLACED, "object": "tea"}


def known_fact(stage: Stage) -> None:
    body = {"source": "agent", "source_kind": "observation", "content": STATED}
    stage.cloud.http("POST /v1/capture", {**body, "summary": "earlier"})


def known_names(stage: Stage) -> None:
    """An entity that faded, and a capture with a reference of its own."""
    add_entity(stage.cloud, "Orchid", id="orchid")
    body = {"source": "agent", "source_kind": "event", "content": {"ref": "earlier", "text": "x"}}
    stage.cloud.http("POST /v1/capture", body)
    stage.cloud.functions.clock.advance(20 * DAY)


NAMES = {"ref": "r", "project": "Orchid", "person": "Orion Belt", "text": "`a.b` is slow"}

CAPTURES = (
    capture(NAMES, "of new names"),
    capture(
        {"ref": "r", "text": "Orchid", "refs": ["orchid", "earlier"]},
        "of known names",
        prepare=known_names,
    ),
    capture(STATED, "of a known fact", prepare=known_fact),
    capture({**STATED, "object": "ale"}, "of another fact", prepare=known_fact),
    capture({"ref": "r", "project": "Orchid", "log": LARGER}, "at length"),
)

# --- topics that rest on each other ---

LONG = {"placement": "extend_topic", "topic_id": "service", "fields": MANY}
EDGES = [{"to_topic_id": "team", "kind": "knows"}]
LONG_CHANGE = asks("POST /v1/ingest", {**LONG, "edges": EDGES}, about="at length")


def half_done(left: int) -> Callable[[Stage], Any]:
    """Prepares a change of several transactions whose process ended before the last calls."""

    def prepare(stage: Stage) -> str:
        found, counted = two_topics(stage), Steps()
        before = stage.save()
        stage.run(partial(LONG_CHANGE.do, stage, found), counted)
        stage.restore(before)
        with suppress(Killed):
            stage.run(
                partial(LONG_CHANGE.do, stage, found),
                Steps(counted.taken - left, lambda step: killed_before(step, lambda: None)),
            )
        stage.cloud.functions.clock.advance(DAY)
        return found

    return prepare


def settles(about: str, left: int) -> Act:
    return works(
        "ReasonFunction",
        {"membrane-reason": {}},
        about=about,
        prepare=half_done(left),
        parts=STEPWISE,
        gives_up="a scope that cannot be read waits for the next run",
        patience=LEASE,
        unlike={**TIMES, **FADED},
    )


UNSETTLED = (
    settles("that settles a change", 0),
    settles("that gives a change up", 1),
    *(
        asks(
            "POST /v1/topics/{id}/relationships",
            {"to_topic_id": "team", "kind": "knows"},
            same,
            about=f"that a change holds, {left} before the end",
            prepare=half_done(left),
        )
        for left in (0, 1)
    ),
)

PLANTED = "zq7planted"
"""A text of which an erasure leaves no byte."""


def planted_topic(stage: Stage, topic_id: str, title: str = "", **fields: str) -> str:
    body = {"topic_id": topic_id, "title": title or topic_id, "summary": f"{PLANTED} {LARGE}"}
    stage.cloud.http("POST /v1/topics", body)
    for name, value in fields.items():
        asked = {"field_name": name, "value": value}
        stage.cloud.http("POST /v1/topics/{id}/fields", asked, topic_id)
    return topic_id


def planted(stage: Stage) -> str:
    """A topic with history, edges, a large field and an index entry."""
    stage.cloud.http("POST /v1/topics", {"topic_id": "team", "title": "team"})
    found = planted_topic(stage, "left", note=f"{PLANTED} {LARGE}", city=PLANTED)
    for number in range(8):
        asked = {"field_name": "city", "value": f"{PLANTED} {number}"}
        stage.cloud.http("POST /v1/topics/{id}/fields", asked, found)
    link = {"to_topic_id": "team", "kind": "runs"}
    stage.cloud.http("POST /v1/topics/{id}/relationships", link, found)
    index_waiting(stage.cloud, [{"topic_id": found, "scopes": [""]}])
    return found


def planted_and_deleted(stage: Stage) -> str:
    found = planted(stage)
    stage.cloud.http("DELETE /v1/topics/{id}", record_id=found)
    return found


def planted_alias(stage: Stage) -> str:
    """A topic that another has taken in."""
    planted_topic(stage, "keeper", "one", city="Berlin", street="a", house="b")
    stage.cloud.http("PATCH /v1/topics/{id}", {"summary": "kept"}, "keeper")
    planted_topic(stage, "alias", "one", city=PLANTED)
    waiting = [{"topic_id": each, "scopes": [""]} for each in ("keeper", "alias")]
    index_waiting(stage.cloud, waiting)
    stage.cloud.http("POST /v1/reason", {"dry_run": False})
    return "alias"


def planted_child(stage: Stage) -> str:
    """A topic that took the fields of another."""
    planted_topic(stage, "parent", likes="tea")
    parts = {"field_names": ["likes"], "child_title": PLANTED, "child_topic_id": "child"}
    stage.cloud.http("POST /v1/topics/{id}/promote-nested", parts, "parent")
    asked = {"field_name": "owner", "value": PLANTED}
    stage.cloud.http("POST /v1/topics/{id}/fields", asked, "child")
    stage.cloud.http("PATCH /v1/topics/{id}", {"summary": "plain"}, "parent")
    return "child"


def old_topic(stage: Stage) -> None:
    """A topic with more history than a summary keeps, a year later."""
    planted_topic(stage, "old")
    for number in range(8):
        asked = {"field_name": "n", "value": number}
        stage.cloud.http("POST /v1/topics/{id}/fields", asked, "old")
    stage.cloud.functions.clock.advance(365 * DAY)


def erases_topic(about: str, prepare: Callable[[Stage], str]) -> Act:
    query = "erase=true"
    return asks(
        "DELETE /v1/topics/{id}",
        None,
        same,
        about=about,
        query=query,
        prepare=prepare,
        parts="an erasure goes on item by item",
        erases=PLANTED,
    )


RELATED = (
    erases_topic("of a large topic for good", planted),
    erases_topic("of a deleted topic for good", planted_and_deleted),
    erases_topic("of an alias for good", planted_alias),
    erases_topic("of a child for good", planted_child),
    works(
        "ReasonFunction",
        {"membrane-reason": {}},
        about="that forgets",
        prepare=old_topic,
        parts=STEPWISE,
        gives_up="a scope that cannot be read waits for the next run",
        patience=LEASE,
        unlike={**TIMES, **FADED, "GET /v1/reason/actions.*": "later steps have later times"},
    ),
)

LADEN = (
    *CAPTURES,
    *RELATED,
    *UNSETTLED,
    asks(
        "POST /v1/records",
        lambda of: {
            "record": fact(
                "user", "has", relations=[{"predicate": "about", "target_id": of}], id="pointing"
            )
        },
        about="about another",
        prepare=observed(),
    ),
    asks("POST /v1/records", same, about="at a place that was left", prepare=left_place),
    asks("DELETE /v1/records/{id}", None, same, about="with a past", prepare=laden),
    asks(
        "DELETE /v1/records/{id}",
        None,
        same,
        about="with a past for good",
        query="erase=true",
        prepare=laden,
    ),
    asks(
        "POST /v1/records/{id}/restore",
        {},
        same,
        about="with a past",
        prepare=laden_and("DELETE /v1/records/{id}", 1),
    ),
    asks("GET /v1/records", query="limit=1", about="of several pages", prepare=pages),
    asks(
        "POST /v1/ingest/outcome",
        lambda of: {
            "source": "judge",
            "target_record_id": of[0],
            "receipt_id": of[1],
            "outcome_status": "success",
        },
        about="that credits an answer",
        prepare=retrieved_by_index,
    ),
    asks(f"GET {DOCUMENT}", None, same, about="anew", query="refresh=true", prepare=expiring),
    asks(
        f"PUT {DOCUMENT}", {"value": f"{LARGER}?"}, same, about="at length", prepare=large_document
    ),
    asks(
        f"DELETE {DOCUMENT}",
        None,
        same,
        about="at length for good",
        query="erase=true",
        prepare=large_document,
    ),
    asks(
        f"DELETE {DOCUMENT}",
        None,
        LOG,
        about="of a list for good",
        query="erase=true",
        prepare=taken_log,
    ),
    works(
        "RestoreFunction",
        same,
        about="of all kinds",
        prepare=archived,
        parts=STEPWISE,
        shows="done [35, 33] []",
    ),
    works(
        "RestoreFunction",
        same,
        about="over what there is",
        prepare=archived_in_part,
        parts=STEPWISE,
        is_idle=True,
        shows="'code': 'ALREADY_EXISTS', 'reason': 'record laden exists and differs'}]",
    ),
    works(
        "DecayFunction",
        {},
        about="with a past",
        prepare=laden_and("", 2),
        parts=STEPWISE,
        gives_up=LATER,
    ),
    works(
        "DecayFunction",
        {},
        about="that forgets",
        prepare=laden_and("DELETE /v1/records/{id}", 40),
        parts=STEPWISE,
        gives_up=LATER,
    ),
    works(
        "DecayFunction",
        {},
        about="that discards",
        prepare=laden_and("DELETE /v1/records/{id}", 450),
        parts=STEPWISE,
        gives_up=LATER,
    ),
    works(
        "IndexFunction",
        same,
        about="of a superseded fact",
        prepare=superseded,
        parts=STEPWISE,
        refusable=AGAIN,
    ),
    works("ConsolidateFunction", CONSOLIDATE, about="of a skill", prepare=grown, parts=STEPWISE),
)
