"""`membrane verify` against the local stack."""

import json
from dataclasses import dataclass
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from membrane_cli.jobs import verify_stack
from membrane_local.storage.stores import TABLE
from tests.worlds.api import Api
from tests.worlds.refusals import an_error
from tests.worlds.verified_stacks import anchored, verified


def remembered(api: Api, ref: str) -> str:
    """The id of a new record."""
    body = {"source": "ana", "event_kind": "turn", "ref": ref, "summary": "crane"}
    reply = api.call("POST", "/v1/ingest/event", body)
    assert reply.status == 201
    return str(reply.body["record"]["id"])


def test_a_stack_without_edits_verifies_clean(api: Api) -> None:
    for number in range(3):
        remembered(api, f"talk:{number}")

    assert anchored(api)["leaves"] == 3
    assert verified(api) == (0, "")


def test_an_edit_and_a_removal_are_shown_with_id_and_meaning(api: Api) -> None:
    edited, removed = remembered(api, "talk:1"), remembered(api, "talk:2")
    instant = anchored(api)["instant"]
    table = api.functions.store.dynamodb
    key = {"pk": {"S": f"record#{edited}"}, "sk": {"S": "record"}}
    table.update_item(
        TableName=TABLE,
        Key=key,
        UpdateExpression="SET conf = :other",
        ExpressionAttributeValues={":other": {"N": "0.123"}},
    )
    table.delete_item(
        TableName=TABLE, Key={"pk": {"S": f"record#{removed}"}, "sk": {"S": "record"}}
    )

    code, said = verified(api)

    assert code == 1
    first, second = said.splitlines()
    meaning = "the content changed without an audit entry since an anchor"
    assert first == f"changed {edited}: {meaning} (the anchor of {instant})"
    assert second.startswith("gone ")


def test_a_lost_vector_is_found_once_indexing_must_be_over_and_repaired(api: Api) -> None:
    fact = {"source": "ana", "subject": "lamp", "predicate": "is", "object": "new"}
    reply = api.call("POST", "/v1/ingest/observation", fact)
    record_id = str(reply.body["record"]["id"])
    assert api.get("/_dev/queues?wait").status == 200
    key = {"pk": {"S": f"vector#{record_id}"}, "sk": {"S": "vector"}}
    api.functions.store.dynamodb.delete_item(TableName=TABLE, Key=key)
    assert verified(api) == (0, "")

    api.call("POST", "/_dev/clock", {"advance_seconds": 7200})

    line = f"vector_missing {record_id}: a searchable record has no vector"
    assert verified(api) == (1, f"{line}\n")
    assert verified(api, repair=True) == (1, f"{line}; repaired\n")
    assert api.get("/_dev/queues?wait").status == 200
    assert verified(api) == (0, "")


def test_findings_are_printed_as_json(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    record_id = remembered(api, "talk:1")
    anchored(api)
    item = {"pk": {"S": f"record#{record_id}"}, "sk": {"S": "record"}, "hello": {"S": "world"}}
    api.functions.store.dynamodb.put_item(TableName=TABLE, Item=item)
    capsys.readouterr()

    code, _ = verified(api, as_json=True)

    (line,) = capsys.readouterr().out.splitlines()
    found = json.loads(line)
    assert code == 1
    assert (found["kind"], found["id"]) == ("unreadable", record_id)


@dataclass(slots=True)
class Busy:
    """A place that is busy at the first request."""

    left: int = 1

    def __call__(self, _event: dict[str, Any]) -> dict[str, Any]:
        if self.left:
            self.left -= 1
            raise an_error("UNAVAILABLE", "busy")
        return {"findings": [], "seen": "", "anchors": [], "next": None, "left_out": 0}


def test_a_passing_failure_is_waited_for() -> None:
    pauses = list[float]()

    code = verify_stack(
        Busy(),
        Console(file=StringIO()),
        Console(file=StringIO()),
        as_json=False,
        pause=pauses.append,
    )

    assert (code, pauses) == (0, [1])
