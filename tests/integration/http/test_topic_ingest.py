"""Telling of topics over HTTP: where it goes is found, at once or for many at the same time."""

from typing import Any

from tests.worlds.api import Api
from tests.worlds.threads import at_once

MANY = 150
"""More than one transaction takes."""


def field(name: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "value": value, **more}


def told(api: Api, key: str | None = None, **body: Any) -> dict[str, Any]:
    """The reply to what is taken."""
    headers = {} if key is None else {"idempotency-key": key}
    reply = api.call("POST", "/v1/ingest", body, headers=headers)
    assert reply.status == 200, reply.body
    return dict(reply.body)


def shown(api: Api, topic_id: str) -> dict[str, Any]:
    reply = api.get(f"/v1/topics/{topic_id}")
    assert reply.status == 200, reply.body
    return dict(reply.body)


def test_many_who_tell_the_same_at_once_make_one_topic(api: Api) -> None:
    body = {"title": "Ada", "fields": [field("city", "Paris")]}

    replies = at_once([lambda: api.post("/v1/ingest", body)] * 16)

    assert [each.status for each in replies] == [200] * 16
    [made] = {each.body["topic_id"] for each in replies}
    assert [each["value"] for each in shown(api, made)["fields"]["city"]["history"]] == ["Paris"]


def test_one_request_that_is_sent_many_times_is_done_once(api: Api) -> None:
    body = {"placement": "new_topic", "fields": [field("a", 1)], "idempotency_key": "once"}

    replies = at_once([lambda: api.post("/v1/ingest", body)] * 16)

    assert [each.status for each in replies] == [200] * 16
    assert all(each.body == replies[0].body for each in replies)
    assert len(shown(api, replies[0].body["topic_id"])["fields"]["a"]["history"]) == 1
    assert api.post("/v1/ingest", body).headers["idempotency-replayed"] == "true"
    assert api.post("/v1/ingest", {**body, "title": "Ada"}).status == 409


def test_a_request_with_more_than_a_transaction_takes_is_whole(api: Api) -> None:
    friends = [told(api, placement="new_topic")["topic_id"] for _ in range(3)]
    edges = [
        {"to_topic_id": friend, "kind": f"kind {number}"}
        for number in range(MANY // 3)
        for friend in friends
    ]
    fields = [field(f"fact {number}", number) for number in range(MANY)]

    made = told(api, title="Ada", fields=fields, edges=edges)
    again = told(api, title="Ada", fields=fields, edges=edges)

    assert len(made["applied"]) == 1 + 2 * MANY
    assert again["placement"]["fields"] == {each["name"]: "unchanged" for each in fields}
    assert len(shown(api, made["topic_id"])["fields"]) == MANY


def test_a_call_that_changes_nothing_is_remembered_too(api: Api) -> None:
    made = told(api, title="Ada", fields=[field("city", "Paris")])["topic_id"]

    first = told(api, key="k", title="Ada", fields=[field("city", "Paris")])
    told(api, topic_id=made, fields=[field("city", "Rome")])
    again = told(api, key="k", title="Ada", fields=[field("city", "Paris")])

    assert first["applied"] == ["unchanged:city"]
    assert again == first
    history = shown(api, made)["fields"]["city"]["history"]
    assert [each["value"] for each in history] == ["Rome", "Paris"]


def test_a_body_as_large_as_there_may_be_is_taken_with_all_its_values(api: Api) -> None:
    text = "x" * 5_500_000

    made = told(api, placement="new_topic", fields=[field("log", text), field("__proto__", {})])

    fields = shown(api, made["topic_id"])["fields"]
    assert fields["log"]["history"][0]["value"] == text
    assert fields["__proto__"]["history"][0]["value"] == {}


def test_what_is_like_a_topic_is_suggested(api: Api) -> None:
    meant = told(api, title="Billing service", fields=[field("runs_on", "virtual machines")])
    told(api, title="Office plants", fields=[field("watered_by", "Ada")])
    assert api.get("/_dev/queues?wait").status == 200

    made = told(api, placement="new_topic", title="Billing", suggest_similar=True)

    assert made["similar_topic_ids"][0] == meant["topic_id"]
