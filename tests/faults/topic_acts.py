"""Acts on topics and on keyed documents."""

from datetime import timedelta

from tests.faults.asking import ALONE, FADED, TIMES, asks, same
from tests.faults.world import Stage
from tests.worlds.cloud import LARGE
from tests.worlds.every_record import index_waiting

FOLLOWS = "the list of actions is written after the changes"
DOCUMENT = "/v1/documents/{path+}"


def topic(stage: Stage) -> str:
    stage.cloud.http(
        "POST /v1/topics", {"topic_id": "service", "title": "service", "summary": LARGE}
    )
    for number in range(3):
        stage.cloud.http(
            "POST /v1/topics/{id}/fields", {"field_name": "n", "value": number}, "service"
        )
    return "service"


def two_topics(stage: Stage) -> str:
    stage.cloud.http("POST /v1/topics", {"topic_id": "team", "title": "team"})
    found = topic(stage)
    link = {"to_topic_id": "team", "kind": "owned_by"}
    stage.cloud.http("POST /v1/topics/{id}/relationships", link, found)
    return found


def nested(stage: Stage) -> str:
    found = topic(stage)
    stage.cloud.http(
        "POST /v1/topics/{id}/nest-fields", {"field_names": ["n"], "nest_key": "g"}, found
    )
    return found


def promoted(stage: Stage) -> str:
    found = topic(stage)
    child = {"field_names": ["n"], "child_title": "child", "child_topic_id": "child"}
    stage.cloud.http("POST /v1/topics/{id}/promote-nested", child, found)
    return found


def deleted_topic(stage: Stage) -> str:
    found = two_topics(stage)
    stage.cloud.http("DELETE /v1/topics/{id}", record_id=found)
    return found


def twins(stage: Stage) -> None:
    """Two topics of one title, both indexed."""
    for topic_id in ("twin", "twin-too"):
        stage.cloud.http(
            "POST /v1/topics", {"topic_id": topic_id, "title": "twin", "summary": LARGE}
        )
    index_waiting(
        stage.cloud, [{"topic_id": each, "scopes": [""]} for each in ("twin", "twin-too")]
    )


def merged_topics(stage: Stage) -> None:
    twins(stage)
    stage.cloud.http("POST /v1/reason", {"dry_run": False})


MANY = [{"name": f"field {n}", "value": n} for n in range(120)]

TOPICS = (
    asks(
        "POST /v1/ingest",
        {
            "title": "service",
            "fields": [{"name": "n", "value": 1}],
            "edges": [{"to_topic_id": "team", "kind": "owned_by"}],
        },
        prepare=two_topics,
    ),
    asks(
        "POST /v1/ingest",
        {"placement": "extend_topic", "topic_id": "service", "fields": MANY},
        about="at length",
        prepare=topic,
    ),
    asks("POST /v1/topics", {"title": "service", "summary": LARGE}),
    asks("PATCH /v1/topics/{id}", {"summary": "changed"}, same, prepare=topic),
    asks("DELETE /v1/topics/{id}", None, same, prepare=two_topics),
    asks(
        "DELETE /v1/topics/{id}",
        None,
        same,
        about="for good",
        query="erase=true",
        prepare=two_topics,
    ),
    asks("POST /v1/topics/{id}/restore", {}, same, prepare=deleted_topic),
    asks(
        "POST /v1/topics/{id}/relationships",
        {"to_topic_id": "team", "kind": "runs"},
        same,
        prepare=two_topics,
    ),
    asks(
        "DELETE /v1/topics/{id}/relationships",
        None,
        same,
        query="to_topic_id=team&kind=owned_by",
        prepare=two_topics,
    ),
    asks("POST /v1/topics/{id}/fields", {"field_name": "n", "value": 9}, same, prepare=topic),
    asks("DELETE /v1/topics/{id}/fields/{name}", None, same, name="n", prepare=topic),
    asks(
        "PUT /v1/topics/{id}/fields/{name}/ref",
        {"ref_topic_id": "team"},
        same,
        name="n",
        prepare=two_topics,
    ),
    asks(
        "POST /v1/topics/{id}/nest-fields",
        {"field_names": ["n"], "nest_key": "g"},
        same,
        prepare=topic,
    ),
    asks("POST /v1/topics/{id}/unnest-fields", {"nest_key": "g"}, same, prepare=nested),
    asks(
        "POST /v1/topics/{id}/promote-nested",
        {"field_names": ["n"], "child_title": "child", "child_topic_id": "child"},
        same,
        prepare=topic,
    ),
    asks("POST /v1/topics/{id}/undo-nested", {"child_topic_id": "child"}, same, prepare=promoted),
    asks("PUT /v1/system-context", {"system_role": "helper", "runtime_context": "laptop"}),
    asks(
        "POST /v1/topics/{id}/unmerge",
        {},
        "twin-too",
        prepare=merged_topics,
        parts=FOLLOWS,
    ),
    asks(
        "POST /v1/reason",
        {"dry_run": False},
        prepare=twins,
        parts="a pass changes topic by topic",
        answers="a repeat plans what is left",
        patience=timedelta(seconds=1),
        unlike={**TIMES, **FADED},
    ),
    asks("GET /v1/reason/actions", prepare=merged_topics),
    asks("GET /v1/topics/{id}", None, same, prepare=topic),
    asks("GET /v1/topics/{id}/fields/{name}", None, same, name="n", prepare=topic),
    *(
        asks(f"GET /v1/{each}", prepare=two_topics)
        for each in ("topics", "graph", "system-context")
    ),
    asks("POST /v1/query", {"q": "service"}, prepare=topic),
)

# --- keyed documents ---

ADA, LOG = "users/ada/profile", "chats/42"


def document(stage: Stage) -> str:
    """Four versions, some of which are outside of the item."""
    for number in range(4):
        value = {"text": f"{number}{LARGE if number == 1 else ''}"}
        stage.cloud.http(f"PUT {DOCUMENT}", {"value": value}, ADA)
    return ADA


def log(stage: Stage) -> str:
    for each in ("one", "two"):
        stage.cloud.http(f"POST {DOCUMENT}", {"items": [each]}, f"{LOG}/items")
    return LOG


def receipt(stage: Stage) -> None:
    stage.cloud.http(f"PUT {DOCUMENT}", {"value": 5, "operation_id": "five"}, ADA)


KEYED = {"disowned": "items that are added or taken off without a key may be so twice"}

DOCUMENTS = (
    asks(
        f"PUT {DOCUMENT}",
        {"value": LARGE, "operation_id": "five"},
        same,
        prepare=document,
    ),
    asks(f"POST {DOCUMENT}", {"items": ["three"]}, f"{LOG}/items", prepare=log, forgoes={**KEYED}),
    asks(f"DELETE {DOCUMENT}", None, same, prepare=document),
    asks(f"DELETE {DOCUMENT}", None, same, about="for good", query="erase=true", prepare=document),
    asks(
        f"DELETE {DOCUMENT}",
        None,
        same,
        about="of an item",
        query="items=1",
        prepare=log,
        forgoes={**KEYED},
    ),
    asks(
        "POST /v1/documents/batch",
        {
            "operations": [
                {
                    "op": "put",
                    "namespace": ["users"],
                    "key": each,
                    "value": each,
                    "operation_id": each,
                }
                for each in "ab"
            ]
        },
        parts=ALONE,
        answers=ALONE,
    ),
    asks(f"GET {DOCUMENT}", None, same, query="history=9&verify=true", prepare=document),
    asks("POST /v1/documents/search", {"limit": 9}, prepare=document),
    asks("GET /v1/namespaces", prepare=document),
    asks("GET /v1/document-operations", query="operation_id=five", prepare=receipt),
)
