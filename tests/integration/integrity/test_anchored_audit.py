"""`GET /v1/records/{id}/audit?verify=true` beside the newest anchor."""

import json
from datetime import timedelta
from typing import Any

import pytest

from membrane_local.functions import FunctionError, LocalContext
from membrane_local.storage.stores import TABLE
from tests.worlds.api import Api


def remembered(api: Api, ref: str = "talk:1") -> str:
    """The id of a new record."""
    body = {"source": "ana", "event_kind": "turn", "ref": ref, "summary": "crane"}
    return str(api.call("POST", "/v1/ingest/event", body).body["record"]["id"])


def anchored(api: Api) -> str:
    """The instant of a new anchor."""
    return str(api.call("POST", "/_dev/invoke/AnchorFunction", {}).body["instant"])


def comparison(api: Api, record_id: str) -> Any:
    reply = api.get(f"/v1/records/{record_id}/audit?verify=true")
    assert reply.status == 200
    return reply.body["anchor"]


def test_the_audit_says_nothing_of_anchors_unless_it_is_verified(api: Api) -> None:
    record_id = remembered(api)

    assert "anchor" not in api.get(f"/v1/records/{record_id}/audit").body


def test_without_an_anchor_and_for_a_younger_record_the_anchor_is_null(api: Api) -> None:
    record_id = remembered(api)
    assert comparison(api, record_id) is None

    anchored(api)

    assert comparison(api, remembered(api, "talk:2")) is None


def test_the_trail_of_an_anchored_record_passes_through_its_head(api: Api) -> None:
    record_id = remembered(api)
    instant = anchored(api)
    assert comparison(api, record_id) == {"instant": instant, "entries": 1, "holds": True}

    assert api.call("POST", f"/v1/records/{record_id}/reinforce", {}).status == 200

    assert comparison(api, record_id) == {"instant": instant, "entries": 1, "holds": True}


def test_a_changed_record_does_not_agree_with_its_anchor(api: Api) -> None:
    record_id = remembered(api)
    instant = anchored(api)
    api.functions.store.dynamodb.update_item(
        TableName=TABLE,
        Key={"pk": {"S": f"record#{record_id}"}, "sk": {"S": "record"}},
        UpdateExpression="SET conf = :other",
        ExpressionAttributeValues={":other": {"N": "0.123"}},
    )

    assert comparison(api, record_id) == {"instant": instant, "entries": 1, "holds": False}


def test_leaves_that_do_not_have_the_signed_root_prove_nothing(api: Api) -> None:
    record_id = remembered(api)
    instant = anchored(api)
    for shard in range(256):
        api.functions.store.blobs.write(f"anchors/{instant}/{shard:02x}", b"")

    assert comparison(api, record_id) == {"instant": instant, "holds": False}


def anchors(api: Api) -> list[dict[str, Any]]:
    """The signed anchors of the table, the oldest first."""
    items = [each for place, each in sorted(api.stored().items()) if place.startswith("anchors ")]
    return [json.loads(each["signed"]["S"]) for each in items]


def test_anchors_form_a_chain_and_the_newest_alone_keep_their_leaves(api: Api) -> None:
    api.functions.clock.freeze(frozen=True)
    remembered(api)
    instants = []
    for _ in range(9):
        api.functions.clock.advance(timedelta(days=1))
        instants.append(anchored(api))
        assert anchored(api) == instants[-1], "a second run in the same second"

    found = [each.get("anchor", each) for each in anchors(api)]
    assert [each["instant"] for each in found] == instants
    assert [each.get("previous") for each in found] == [None, *instants[:-1]]
    blobs = api.functions.store.blobs
    with_leaves = [each for each in instants if blobs.get(f"anchors/{each}/roots")]
    assert with_leaves == instants[-7:]


def test_runs_without_time_make_one_anchor_of_all_records(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.functions.clock.freeze(frozen=True)
    ids = [remembered(api, f"talk:{number}") for number in range(3)]
    events: list[Any] = [{}]
    stages: list[str] = []
    runs: set[str] = set()

    def remaining_ms(context: LocalContext) -> int:
        """The time for one step of a run."""
        is_first = context.aws_request_id not in runs
        runs.add(context.aws_request_id)
        return 60_000 if is_first else 0

    monkeypatch.setattr(api.functions, "invoke_later", lambda _, event: events.append(event))
    with monkeypatch.context() as late:
        late.setattr(LocalContext, "get_remaining_time_in_millis", remaining_ms)
        for event in events:
            stages.append(api.invoke("AnchorFunction", event)["stage"])
            api.functions.clock.advance(timedelta(minutes=15))

    assert len(events) > 1
    assert stages[-1] == "done"
    assert "done" not in stages[:-1]
    assert len(anchors(api)) == 1
    assert [comparison(api, each)["holds"] for each in ids] == [True] * 3


def test_a_clock_behind_the_newest_anchor_is_an_error(api: Api) -> None:
    api.functions.clock.freeze(frozen=True)
    remembered(api)
    anchored(api)
    api.functions.clock.advance(timedelta(hours=-1))

    with pytest.raises(FunctionError, match="behind the anchor"):
        api.invoke("AnchorFunction", {})
