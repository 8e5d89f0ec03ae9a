"""Topics that live through all that the functions can do with topics, and all else besides."""

import json
from datetime import timedelta
from typing import Any

from membrane_local.storage.stores import TABLE
from tests.worlds.agreed import MAX_MARKED, queues, rfc3339
from tests.worlds.cloud import BODIES, LARGE, Cloud
from tests.worlds.every_agent import agents_everywhere
from tests.worlds.every_archive import (
    anchor_everything,
    anchor_often,
    export_everything,
    restore_everything,
    verify_everything,
)
from tests.worlds.every_arrival import (
    ask_for_profiles,
    claim_everywhere,
    import_everything,
)
from tests.worlds.every_capture import capture_everywhere
from tests.worlds.every_chat import talk_of_everything
from tests.worlds.every_credit import credit_everywhere
from tests.worlds.every_document import keep_documents
from tests.worlds.every_entity import entities_everywhere, read_entities
from tests.worlds.every_erasure import erase_everything
from tests.worlds.every_record import (
    change_everything,
    count_everything,
    index_anew,
    index_everything,
    index_waiting,
    leave_a_change_open,
    leave_blob,
    retrieve_everything,
    sweep_everything,
)
from tests.worlds.every_revision import (
    consolidate_everything,
    contest_everywhere,
    replace_everywhere,
    revise_everything,
)
from tests.worlds.every_study import study_everything

TOPICS = ("service", "team", "twin", "twin-too")


def write_topics(cloud: Cloud) -> None:
    """By every route that writes; some histories leave the table, some changes are long."""
    for topic_id in TOPICS:
        title = topic_id.removesuffix("-too")
        cloud.http("POST /v1/topics", {"topic_id": topic_id, "title": title, "summary": LARGE})
    many = [{"name": f"field {n}", "value": n} for n in range(120)]
    whole = {"name": "manual", "value": LARGE + LARGE}
    ends = [{"to_topic_id": "team", "kind": "owned_by"}]
    told = {"title": "service", "fields": [*many, whole], "edges": ends, "suggest_similar": True}
    assert cloud.http("POST /v1/ingest", told) == cloud.http("POST /v1/ingest", told)
    for n in range(6):
        cloud.http("POST /v1/topics/{id}/fields", {"field_name": "n", "value": n}, "service")
    named = {"name": "n"}
    link = {"to_topic_id": "team", "kind": "runs"}
    cloud.http(
        "PUT /v1/topics/{id}/fields/{name}/ref", {"ref_topic_id": "team"}, "service", **named
    )
    cloud.http("POST /v1/topics/{id}/relationships", link, "service")
    cloud.http("PATCH /v1/topics/{id}", {"summary": "changed"}, "team")
    cloud.http(
        "POST /v1/topics/{id}/nest-fields", {"field_names": ["n"], "nest_key": "g"}, "service"
    )
    cloud.http("POST /v1/topics/{id}/unnest-fields", {"nest_key": "g"}, "service")
    child = {"field_names": ["n"], "child_title": "child", "child_topic_id": "child"}
    cloud.http("POST /v1/topics/{id}/promote-nested", child, "service")
    cloud.http("POST /v1/topics/{id}/undo-nested", {"child_topic_id": "child"}, "service")
    end = "to_topic_id=team&kind=owned_by"
    cloud.http("DELETE /v1/topics/{id}/relationships", record_id="service", query=end)
    cloud.http("DELETE /v1/topics/{id}/fields/{name}", record_id="service", name="field 1")
    cloud.http("DELETE /v1/topics/{id}", record_id="team")
    cloud.http("POST /v1/topics/{id}/restore", {}, "team")
    for topic_id in ("topic-of-bob", "other-topic-of-bob"):
        cloud.http("POST /v1/topics", {"topic_id": topic_id, "title": "Bob"})
    bobs = {"topic_id": "topic-of-bobs", "title": "Bobs", "scope": "elsewhere"}
    cloud.http("POST /v1/topics", bobs)
    context = {"system_role": "helper", "runtime_context": "laptop"}
    cloud.http("PUT /v1/system-context", context)


def read_topics(cloud: Cloud) -> None:
    """By every route that reads, and by queries; of a topic that was just changed at length."""
    many = [{"name": f"field {n}", "value": -n} for n in range(2, 120)]
    told = {"placement": "extend_topic", "topic_id": "service", "fields": many}
    cloud.http("POST /v1/ingest", told)
    cloud.http("GET /v1/topics/{id}", record_id="service")
    bob = cloud.http("GET /v1/topics/{id}", record_id="topic-of-bob")["entity_id"]
    of_bob = cloud.http("GET /v1/entities/{id}", record_id=bob)["topics"]
    assert {each["id"] for each in of_bob} == {"topic-of-bob", "other-topic-of-bob"}
    of_bobs = cloud.http("GET /v1/entities", query="q=bobs&scope=elsewhere")["topics"]
    assert [each["id"] for each in of_bobs] == ["topic-of-bobs"]
    every = cloud.http(
        "GET /v1/topics/{id}/fields/{name}", record_id="service", name="n", query="archived=true"
    )
    assert len(every["history"]) == 6
    key_of_cursors = {"pk": {"S": "cursors"}, "sk": {"S": "key"}}
    cloud.store.dynamodb.delete_item(TableName=TABLE, Key=key_of_cursors)
    page = cloud.http("GET /v1/topics", query="limit=1")
    cloud.http("GET /v1/topics", query=f"limit=1&cursor={page['next_cursor']}")
    assert cloud.http("GET /v1/graph")["nodes"]
    assert cloud.http("GET /v1/system-context")["configured"]
    now = rfc3339(cloud.functions.clock.now())
    for each in ({"q": ""}, {"q": "the service", "explain": True}, {"q": "twin", "as_of": now}):
        assert cloud.http("POST /v1/query", each)["candidates"]
    found = cloud.http("POST /v1/query", {"q": "n", "topic_ids": ["service"]})
    assert [each["topic_id"] for each in found["candidates"]] == ["service"]
    (of_bob,) = cloud.http("POST /v1/query", {"q": "Bob", "topic_ids": ["topic-of-bob"]})[
        "candidates"
    ]
    assert of_bob["entity_id"]


def index_topics(cloud: Cloud) -> None:
    """By a message for each topic, and for more topics than a scope notes one by one."""
    many = [{"name": f"field {n}", "value": n} for n in range(120)]
    fields = [*many, {"name": "likes", "value": "long changes"}]
    cloud.http("POST /v1/ingest", {"title": "user", "fields": fields, "scope": ""})
    gone = [f"gone-{number}" for number in range(MAX_MARKED + 1)]
    index_waiting(cloud, [{"topic_id": each, "scopes": [""]} for each in (*TOPICS, *gone)])


def reason_about_topics(cloud: Cloud) -> None:
    """Because somebody asks, because messages say so, and because time has passed."""
    assert cloud.http("POST /v1/reason", {"dry_run": True})["planned"] > 0
    messages = [
        {"messageId": str(number), "eventSource": "aws:sqs", "body": body}
        for number, (queue, body, _) in enumerate(cloud.sent)
        if queue != "InterpretQueue"
    ]
    assert cloud.invoke("ReasonFunction", {"Records": messages}) == {"batchItemFailures": []}
    cloud.http("POST /v1/topics/{id}/unmerge", {}, "twin-too")
    cloud.http("POST /v1/topics", {"topic_id": "team-too", "title": "team", "summary": LARGE})
    index_waiting(cloud, [{"topic_id": "team-too", "scopes": [""]}])
    assert cloud.http("POST /v1/reason", {"dry_run": False})["planned"] > 0
    leave_a_change_open(cloud)
    assert cloud.http("GET /v1/reason/actions")["actions"]
    for _ in range(2):
        cloud.functions.clock.advance(timedelta(days=400))
        cloud.invoke("ReasonFunction", {queues.RUN: {}})
    assert cloud.http("GET /v1/topics/{id}", record_id="service")["archived"]
    cloud.http("DELETE /v1/topics/{id}", record_id="team", query="erase=true")
    told = json.dumps(cloud.http("GET /v1/topics"))
    assert "team" not in told


def live_through_everything(cloud: Cloud) -> None:
    """Make every function do all that it can do."""
    for function, event in (
        ("HealthFunction", {}),
        ("AuthorizerFunction", {"identitySource": ["Bearer nobody's"]}),
    ):
        cloud.invoke(function, event)
    erase_everything(cloud)
    for kind in BODIES:
        assert cloud.report(kind) == cloud.report(kind)
    for _ in range(2):
        messages = [{"role": "user", "content": LARGE}, {"role": "assistant", "content": "Yes"}]
        cloud.http("POST /v1/messages", {"thread_id": "1", "messages": messages})
    event_id = cloud.report("event")
    for n in range(20):  # more audit entries than an item holds
        outcome = {"target_record_id": event_id, "outcome_status": "success"}
        cloud.http(
            "POST /v1/ingest/outcome",
            {"source": "judge", **outcome, "idempotency_key": str(n)},
        )
    fact: dict[str, Any] = {
        "id": "chosen",
        "type": "semantic",
        "sensitivity": "low",
        "lifecycle": {"decay": {"half_life_seconds": 77}},
        "relations": [{"predicate": "about", "target_id": event_id}],
        "payload": {
            "kind": "semantic",
            "subject": "user",
            "predicate": "likes",
            "object": LARGE,
            "validity": {"mode": "global"},
        },
    }
    cloud.http("POST /v1/records", {"record": fact})
    cloud.http("GET /v1/records/{id}", record_id="chosen")
    cloud.http("GET /v1/records/{id}/audit", record_id="chosen")
    assert cloud.http("POST /v1/decay/preview", {"trust": {"scopes": ["any"]}})["candidates"]
    anchor_often(cloud)
    entities_everywhere(cloud)
    index_everything(cloud)
    retrieve_everything(cloud)
    read_entities(cloud)
    count_everything(cloud)
    cloud.http("DELETE /v1/records/{id}", record_id="chosen")
    (gone,) = cloud.http("GET /v1/records", query="state=deleted")["records"]
    assert gone["id"] == "chosen"
    agents_everywhere(cloud)
    talk_of_everything(cloud)
    contest_everywhere(cloud)
    replace_everywhere(cloud)
    revise_everything(cloud, event_id)
    capture_everywhere(cloud, event_id)
    change_everything(cloud, event_id)
    claim_everywhere(cloud)
    keep_documents(cloud)
    ask_for_profiles(cloud)
    import_everything(cloud)
    consolidate_everything(cloud)
    credit_everywhere(cloud)
    write_topics(cloud)
    index_topics(cloud)
    index_anew(cloud)
    read_topics(cloud)
    reason_about_topics(cloud)
    anchor_everything(cloud, event_id)
    verify_everything(cloud)
    leave_blob(cloud, "erased")
    content = export_everything(cloud)
    cloud.functions.clock.advance(timedelta(days=2))  # the blobs of older versions are orphans now
    assert cloud.invoke("CollectBlobsFunction", {})["removed"] > 0
    sweep_everything(cloud, event_id)
    restore_everything(cloud, content)
    study_everything(cloud)
