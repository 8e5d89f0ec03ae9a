"""Entities in the client: lists that go on by themselves, and records too large for a page."""

import json
from typing import Any

from membrane_client.core.protocol import Reply, Request
from tests.builders.filled_stores import RECORD, an_api, played

LINK = {"id": "r1", "type": "semantic", "size": 6_000_000, "link": "/v1/records/r1"}


def reply(body: Any) -> Reply:
    return Reply(200, {}, json.dumps(body).encode())


def test_a_fact_too_large_for_the_page_is_read_by_its_link() -> None:
    page = {"entity": RECORD, "facts": [{"roles": ["subject"], "record": LINK}]}

    steps = an_api().read_entity("bob")
    requests, read = played(steps, reply(page), reply({"record": RECORD}))

    assert read.facts[0].record.raw == RECORD
    followed = requests[1]
    assert isinstance(followed, Request)
    assert followed.url.endswith("/v1/records/r1")


def test_a_mention_too_large_for_the_page_is_read_by_its_link() -> None:
    mention = {"predicates": ["mentions_entity"], "created_at": "2026-01-01T00:00:00Z"}
    page = {"mentions": [{**mention, "record": LINK}]}

    steps = an_api().list_mentions("bob")
    _, read = played(steps, reply(page), reply({"record": RECORD}))

    assert read.mentions[0].record.raw == RECORD
