"""What makes a record outrank or outlast others takes the permission `revise`, on every route."""

from typing import Any

import pytest

from tests.integration.http.test_routes import SKILL
from tests.worlds.api import Api

PRIVILEGED: dict[str, dict[str, Any]] = {
    "salience": {"salience": 1.01},
    "lifecycle.pinned": {"lifecycle": {"pinned": True}},
    "lifecycle.deletion_policy": {"lifecycle": {"deletion_policy": "never"}},
    "lifecycle.decay.reinforcement_gain": {"lifecycle": {"decay": {"reinforcement_gain": 1.5}}},
    "lifecycle.decay.min_salience": {"lifecycle": {"decay": {"min_salience": 1e100}}},
}
REPORTER = ("ingest", "read")


@pytest.mark.parametrize("field", PRIVILEGED)
def test_a_full_record_with_a_privileged_field_needs_revise(api: Api, field: str) -> None:
    record = {**SKILL, **PRIVILEGED[field]}
    reporter = api.key_for(permissions=REPORTER)
    reviser = api.key_for(permissions=(*REPORTER, "revise"))
    before = api.stored()

    alone = api.post("/v1/records", record, key=reporter)
    item = {"rpc": "IngestRecord", "record": record}
    batch = api.post("/v1/ingest/batch", {"items": [item]}, key=reporter).body["results"]

    for status, error in ((alone.status, alone.body), (batch[0]["status"], batch[0]["error"])):
        assert (status, error["code"]) == (403, "PERMISSION_DENIED")
        assert error["detail"].startswith(field)
    assert api.stored() == before
    assert api.post("/v1/records", record, key=reviser).status == 201


def test_an_ordinary_record_needs_ingest_alone(api: Api) -> None:
    decay = {"reinforcement_gain": 1.0, "min_salience": 1.0, "half_life_seconds": 60}
    lifecycle = {"pinned": False, "deletion_policy": "manual_only", "decay": decay}
    record = {**SKILL, "salience": 1.0, "lifecycle": lifecycle}

    reply = api.post("/v1/records", record, key=api.key_for(permissions=("ingest",)))

    assert reply.status == 201, reply.body


@pytest.mark.parametrize("path", ["/v1/topics", "/v1/ingest"])
def test_a_topic_of_more_than_ordinary_salience_needs_revise(api: Api, path: str) -> None:
    told = {"title": "svc", "salience": 2.0}
    before = api.stored()

    refused = api.post(path, told, key=api.key_for(permissions=REPORTER))

    assert (refused.status, refused.body["code"]) == (403, "PERMISSION_DENIED")
    assert refused.body["detail"].startswith("salience above 1")
    assert api.stored() == before
    for salience, permissions in ((1.0, REPORTER), (2.0, (*REPORTER, "revise"))):
        key = api.key_for(permissions=permissions)
        assert api.post(path, {**told, "salience": salience}, key=key).status == 200
