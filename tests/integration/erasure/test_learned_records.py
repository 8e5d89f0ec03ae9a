"""Erasures of evidence over the local stack: what was learned keeps nothing of the evidence."""

from typing import Any

import pytest

from tests.integration.erasure.test_erasures import certificate, erase
from tests.integration.http.test_learning import SCOPE, release
from tests.worlds.api import Api
from tests.worlds.planted_person import bucket_of, places_with

MARK = "zedekiah"


def skill_of_releases(api: Api) -> dict[str, Any]:
    """The skill of three releases."""
    key = api.key_for(permissions=("ingest", "read", "revise"), scopes=(SCOPE,))
    for version in ("1.2", "1.3", MARK):
        release(api, key, version, tags=[f"tag-{version}"])
    api.get("/_dev/queues?wait")
    done = api.post("/v1/consolidate", {"quiet_minutes": 0, "dry_run": False}, key=key)
    assert done.status == 200, done.body
    listed = api.get(f"/v1/consolidations?scope={SCOPE}", key=key).body["consolidations"]
    (skill,) = [each for each in listed if each["type"] == "competence"]
    return dict(skill)


@pytest.mark.parametrize("is_step", [False, True])
def test_an_erased_trace_or_step_leaves_no_content_in_its_skill(api: Api, *, is_step: bool) -> None:
    skill = skill_of_releases(api)
    traces = [api.get(f"/v1/records/{each['id']}").record for each in skill["evidence"]]
    (marked,) = [each for each in traces if MARK in each["payload"]["thread_id"]]
    steps = [each["ref"] for each in marked["provenance"]["sources"]]
    ids = steps if is_step else [marked["id"], *steps]

    _, entries = certificate(api, str(erase(api, ids=ids)["id"]))

    after = api.get(f"/v1/records/{skill['id']}").record
    assert after["payload"]["performance"]["success_count"] == 2
    assert (skill["id"], "evidence") in {(each["id"], each["kind"]) for each in entries}
    assert places_with(MARK, api, bucket_of(api)) == []


def test_a_skill_goes_with_all_but_one_of_its_traces(api: Api) -> None:
    skill = skill_of_releases(api)
    traces = [each["id"] for each in skill["evidence"]]

    _, entries = certificate(api, str(erase(api, ids=traces[:2])["id"]))

    assert (skill["id"], "rests_on") in {(each["id"], each["ground"]) for each in entries}
    assert api.get(f"/v1/records/{skill['id']}").status == 404
