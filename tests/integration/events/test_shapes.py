"""Events that no function takes: refused as a whole, or message by message."""

import json
from typing import Any

import pytest

from membrane_local.functions import FunctionError
from tests.worlds.api import Api

CONSOLIDATE, REASON = "membrane-consolidate", "membrane-reason"
REFUSED: dict[str, list[Any]] = {
    "ConsolidateFunction": [
        {},
        {"detail-type": "Scheduled Event"},
        {CONSOLIDATE: None},
        {CONSOLIDATE: {"scope": "team"}},
        {CONSOLIDATE: {"scope": "team", "thread_id": 1}},
        {CONSOLIDATE: {"hop": "1"}},
        {CONSOLIDATE: {"scope": "team", "thread_id": "t-1", "quiet": 0}},
    ],
    "IndexFunction": [
        {},
        {"Records": []},
        {"Records": [{"eventSource": "aws:s3"}]},
        {"membrane-reindex": {"all": True}},
    ],
    "ReasonFunction": [{}, {REASON: 1}, {REASON: {"more": 1}}, {"Records": []}, [], "x"],
    "StudyFunction": [
        {},
        {"study": {}},
        {"study": {"id": "study-1"}},
        {"study": {"id": "study-1", "attempt": "1"}},
        {"study": {"id": 1, "attempt": 1}},
    ],
    "ImportLinesFunction": [
        {"time": "2026-01-01T00:00:00Z"},
        {"time": "2026-01-01T00:00:00Z", "detail": {}},
        {"time": "2026-01-01T00:00:00Z", "detail": {"object": {"key": "imports/a"}}},
        *(
            {"time": time, "detail": {"object": {"key": key, "etag": "e", "sequencer": "1"}}}
            for time, key in (
                *((each, "imports/a") for each in (None, 1, "", "yesterday", "2026-01-01")),
                ("2026-01-01T00:00:00Z", "blobs/a/b"),
            )
        ),
    ],
}


@pytest.mark.parametrize("function", REFUSED)
def test_an_event_of_another_shape_is_refused_and_changes_nothing(api: Api, function: str) -> None:
    before = api.stored()

    for event in REFUSED[function]:
        with pytest.raises(FunctionError, match=r"not an event of|the event's time"):
            api.invoke(function, event)
    assert api.stored() == before


MESSAGES: dict[str, list[Any]] = {
    "ReasonFunction": [
        "{",
        "[]",
        {},
        {"scope": 1},
        {"scope": "", "more": 1},
        {"scope": "", "pass": 1},
        {"reinforce": 1},
        {"reinforce": {"topics": "x"}},
    ],
    "IndexFunction": ["{}", "{", {"record_id": 1, "scopes": []}],
}


@pytest.mark.parametrize("function", MESSAGES)
def test_a_bad_message_fails_alone(api: Api, function: str) -> None:
    good = [{"scope": "team"}] if function == "ReasonFunction" else []
    bodies = [*MESSAGES[function], *good]
    records = [
        {
            "eventSource": "aws:sqs",
            "messageId": f"m-{number}",
            "receiptHandle": f"r-{number}",
            "attributes": {"ApproximateReceiveCount": "5"},
            "body": body if isinstance(body, str) else json.dumps(body),
        }
        for number, body in enumerate(bodies)
    ]

    failed = api.invoke(function, {"Records": records})["batchItemFailures"]

    named = [each["itemIdentifier"] for each in failed]
    assert named == [f"m-{number}" for number in range(len(MESSAGES[function]))]
