"""A scope with everything that a scope can have, erased; then a subject, single ids, a topic."""

import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from io import BytesIO
from typing import Any

from membrane.adapters.aws_lambda.events.jobs import ERASE
from membrane.adapters.dynamodb.erasure.erasure_store import ITEMS
from membrane.adapters.dynamodb.jobs import DynamoJobs
from membrane.domain.erasure.targets import Kind
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.imports.progress import result_name
from membrane.usecases.study.work import keep_study
from membrane_local.storage.stores import TABLE
from tests.builders.studies import study_job
from tests.worlds.cloud import LARGE, Cloud
from tests.worlds.every_archive import export
from tests.worlds.every_document import DOCUMENT, LARGER, leave_documents
from tests.worlds.every_record import add_entity, index_waiting, leave_a_change_open

LEAVING = "user:leaving"
"""The scope that is erased."""


def erase_everything(cloud: Cloud) -> None:
    """Erase all that a scope has; erase what names a subject; and erase single ids."""
    settle(cloud)
    settle_elsewhere(cloud)
    items = cloud.store.dynamodb.scan(TableName=TABLE, Select="COUNT")["Count"]
    assert items <= ITEMS, "a walk of two pages may meet an item when its record is gone"
    listed = erase(cloud, {"scope": LEAVING}, scopes=(LEAVING,))
    assert listed["state"] == "listed"
    done = erase(cloud, {"scope": LEAVING, "dry_run": False, "reason": "asked for"})
    assert done["state"] == "done"
    assert {each["kind"] for each in done["removed"]} == set(Kind)
    assert not cloud.http("GET /v1/records", query=f"scope={LEAVING}")["records"]
    erase_a_subject(cloud)
    erase_a_topic(cloud)
    erase_an_entity(cloud)
    erase_ids(cloud)


def erase(cloud: Cloud, request: JsonObject, *, scopes: Sequence[str] = ("*",)) -> JsonObject:
    """The job of an erasure at its end; the request is made twice, and the job goes on hourly."""
    started = cloud.http("POST /v1/erasures", request, scopes=scopes)
    assert cloud.http("POST /v1/erasures", request, scopes=scopes)["id"] == started["id"]
    cloud.functions.clock.advance(timedelta(hours=1))
    cloud.invoke("EraseFunction", {ERASE: {}})
    assert [event for _, event in cloud.started[-3:]] == [{ERASE: {"id": started["id"]}}] * 3
    cloud.invoke("EraseFunction", cloud.started[-1][1])
    job: JsonObject = cloud.http("GET /v1/erasures/{id}", record_id=started["id"], scopes=scopes)
    if not job["dry_run"]:
        route = "GET /v1/erasures/{id}/certificate"
        assert cloud.http(route, record_id=started["id"])["certificate"]["unreadable"] == 0
    return job


def settle(cloud: Cloud) -> None:
    """Records and topics of every kind in the scope, and others that rest on them."""
    records = settle_records(cloud)
    topics = settle_topics(cloud)
    waiting = [
        *({"record_id": each, "scopes": [LEAVING]} for each in records),
        *({"topic_id": each, "scopes": [LEAVING]} for each in topics),
    ]
    index_waiting(cloud, waiting)
    cloud.http("POST /v1/reason", {"scope": LEAVING, "dry_run": False})
    task = {"task_descriptor": "what does she like", "trust": {"scopes": [LEAVING]}}
    assert cloud.http("POST /v1/retrieve", task)["records"]


def settle_elsewhere(cloud: Cloud) -> None:
    """A dead letter, an export, a study, documents, and files of an import and a restore."""
    letters = [json.dumps({"scope": LEAVING})]

    def remove(is_wanted: Callable[[str], bool]) -> list[str]:
        removed = [each for each in letters if is_wanted(each)]
        letters[:] = [each for each in letters if each not in removed]
        return ["message"] * len(removed)

    cloud.functions.remove_where = remove
    line = {"rpc": "IngestEvent", "source": "a", "event_kind": "e", "ref": "1", "scope": LEAVING}
    imports = cloud.store.imports
    imports.receive("imports/left.ndjson", BytesIO(json.dumps(line).encode()))
    imports.keep(result_name("imports/left.ndjson"), b"{}")
    content = export(cloud, {"scope": LEAVING})
    imports.receive("restores/left.ndjson", BytesIO(content))
    imports.keep(result_name("restores/left.ndjson"), b"{}")
    cloud.functions.clock.advance(timedelta(days=2))  # nobody reads the files any longer
    leave_a_study(cloud)
    leave_documents(cloud, LEAVING)


def leave_a_study(cloud: Cloud) -> None:
    """A study in the scope, with the text of the document and the plan."""
    now = cloud.functions.clock.now
    job = study_job("left", now(), scope=LEAVING, document="left")
    keep_study(job, None, DynamoJobs(cloud.store.dynamodb, TABLE, now))
    for name in job.objects:
        cloud.store.blobs.write(name, b"left behind")


def settle_records(cloud: Cloud) -> list[str]:
    """The ids of records in the scope; a record outside of it rests on two of them, and more."""
    here = {"source": "agent", "scope": LEAVING}
    event: dict[str, Any] = {**here, "event_kind": "build", "ref": "1", "summary": LARGE}
    event["lifecycle"] = {"decay": {"half_life_seconds": 73}}
    built = cloud.http("POST /v1/ingest/event", event)["record"]["id"]
    for n in range(20):  # more audit entries than an item holds
        outcome = {"target_record_id": built, "outcome_status": "success"}
        cloud.http(
            "POST /v1/ingest/outcome",
            {"source": "judge", **outcome, "idempotency_key": f"left {n}"},
        )
    output = {**here, "tool_name": "cat", "result": cloud.upload("left behind")}
    claimed = cloud.http("POST /v1/ingest/tool-output", output)["record"]["id"]
    messages = [{"role": "user", "content": LARGE}, {"role": "assistant", "content": "Yes"}]
    said = {"scope": LEAVING, "thread_id": "left", "messages": messages}
    turns = cloud.http("POST /v1/messages", said)["records"]
    fact = {**here, "subject": "she", "predicate": "likes", "object": LARGE}
    liked = cloud.http("POST /v1/ingest/observation", fact)["record"]["id"]
    builds: dict[str, Any] = {
        "type": "semantic",
        "sensitivity": "low",
        "payload": {
            "kind": "semantic",
            "subject": "builds",
            "predicate": "are",
            "object": LARGE,
            "validity": {"mode": "global"},
        },
    }
    add_entity(cloud, "left", LEAVING)
    own = {**builds, "id": "chosen-here", "scope": LEAVING}
    own["relations"] = [{"predicate": "about", "target_id": built}]
    cloud.http("POST /v1/records", {"record": own})
    sources = [{"kind": "event", "ref": each} for each in (built, "a book")]
    cloud.http("POST /v1/records", {"record": {**builds, "provenance": {"sources": sources}}})
    return [built, claimed, liked, own["id"], *(each["id"] for each in turns)]


def settle_topics(cloud: Cloud) -> list[str]:
    """The ids of topics in the scope: one of them large, two of one title, one asked for."""
    for topic_id in ("left", "left-too"):
        topic = {"topic_id": topic_id, "title": "left", "summary": LARGE, "scope": LEAVING}
        cloud.http("POST /v1/topics", topic)
    cloud.http("POST /v1/topics", {"topic_id": "stays", "title": "stays", "summary": "stays"})
    many = [{"name": f"field {n}", "value": n} for n in range(120)]
    whole = {"name": "manual", "value": LARGE + LARGE}
    told = {"title": "left", "scope": LEAVING, "fields": [*many, whole]}
    cloud.http("POST /v1/ingest", told)
    she = {"title": "she", "scope": LEAVING, "fields": [{"name": "likes", "value": "tea"}]}
    asked = cloud.http("POST /v1/ingest", she)
    for n in range(6):
        cloud.http("POST /v1/topics/{id}/fields", {"field_name": "n", "value": n}, "left")
    cloud.http("GET /v1/topics/{id}", record_id="left")
    leave_a_revision_unsettled(cloud, "left-too")
    return ["left", "left-too", asked["topic_id"]]


def leave_a_revision_unsettled(cloud: Cloud, topic_id: str) -> None:
    """As a function leaves the first revision of a change that is killed before the last."""
    token = leave_a_change_open(cloud, topic_id)
    revision: dict[str, Any] = {
        "pk": {"S": f"topic#{topic_id}"},
        "sk": {"S": f"rev#{token}"},
        "mark": {"S": token},
    }
    cloud.store.dynamodb.put_item(TableName=TABLE, Item=revision)


def erase_a_subject(cloud: Cloud) -> None:
    fact = {"source": "agent", "subject": "someone", "predicate": "likes", "object": "tea"}
    cloud.http("POST /v1/ingest/observation", fact)
    cloud.http(f"PUT {DOCUMENT}", {"value": f"someone {LARGER}"}, "left/mention")
    done = erase(cloud, {"subject": "someone", "dry_run": False})
    assert {each["kind"] for each in done["findings"]} == {"record", "document"}
    kept = [each["id"] for each in done["findings"] if each["action"] == "keep"]
    named = erase(cloud, {"ids": kept, "dry_run": False})
    assert [each["action"] for each in named["findings"]] == ["erase"]


def erase_ids(cloud: Cloud) -> None:
    event = {"source": "agent", "event_kind": "build", "ref": "named"}
    record_id = cloud.http("POST /v1/ingest/event", event)["record"]["id"]
    for ids in ([record_id, "stays"], ["near", "far"]):
        done = erase(cloud, {"ids": ids, "dry_run": False})
        assert {each["id"] for each in done["findings"]} >= {*ids}


def erase_an_entity(cloud: Cloud) -> None:
    """An entity that shares a first word with another, and has a name that it bears no longer."""
    gone, _ = add_entity(cloud, "Common Gone"), add_entity(cloud, "Common Kept")
    names = json.dumps({"former": gone}, separators=(",", ":"))
    former: Any = {"pk": {"S": "names#-"}, "sk": {"S": "former"}, "names_low": {"S": names}}
    cloud.store.dynamodb.put_item(TableName=TABLE, Item=former)
    done = erase(cloud, {"ids": [gone], "dry_run": False})
    assert {"entity_names", "record"} <= {each["kind"] for each in done["removed"]}


def erase_a_topic(cloud: Cloud) -> None:
    """By the route of topics: a topic with large fields, reads, edges, an alias, a child."""
    for topic_id in ("gone", "gone-too", "near", "far"):
        title = topic_id.removesuffix("-too")
        cloud.http("POST /v1/topics", {"topic_id": topic_id, "title": title, "summary": LARGE})
    link = {"to_topic_id": "near", "kind": "runs"}
    cloud.http("POST /v1/topics/{id}/relationships", link, "gone")
    for n in range(20):  # more audit events than an item holds
        cloud.http(
            "POST /v1/topics/{id}/fields", {"field_name": "n", "value": f"{n}{LARGE}"}, "gone"
        )
    child = {"field_names": ["n"], "child_title": "gone child", "child_topic_id": "gone-child"}
    cloud.http("POST /v1/topics/{id}/promote-nested", child, "gone")
    cloud.http("GET /v1/topics/{id}", record_id="gone")
    index_waiting(cloud, [{"topic_id": each, "scopes": [""]} for each in ("gone", "gone-too")])
    cloud.http("POST /v1/reason", {"dry_run": False})
    for topic_id in ("gone-child", "gone"):
        cloud.http("DELETE /v1/topics/{id}", record_id=topic_id, query="erase=true")
    assert "gone" not in json.dumps(cloud.http("GET /v1/graph"))
