"""Time to live in the local stack: by its own clock, and told as the service's doing."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from membrane_local.dev_options import DevOptions
from membrane_local.events.expiry import SERVICE
from membrane_local.events.patterns import supported_pattern
from membrane_local.functions import Functions
from membrane_local.storage.stores import TABLE
from tests.worlds.api import Api, api_over

NOON_S = 1_893_499_200
"""2030-01-01T12:00:00Z."""

NOON = "2030-01-01T12:00:00Z"


@pytest.fixture
def api(stack: Api) -> Iterator[Api]:
    stack.application.reset()
    stand_at_noon(stack)
    (pump,) = stack.application.deliveries.pumps
    source = pump.source
    yield stack
    pump.source, pump.functions = source, stack.functions


def stand_at_noon(api: Api) -> None:
    api.call("POST", "/_dev/clock", {"frozen": True})
    api.call("POST", "/_dev/clock?wait", {"set": NOON})


def advance(api: Api, seconds: float) -> None:
    assert api.call("POST", "/_dev/clock?wait", {"advance_seconds": seconds}).status == 200


def put(api: Api, name: str, expires_at: Any = None, **attributes: Any) -> None:
    """Put an item, and let the stack take notice."""
    item: dict[str, Any] = {**key(name), **attributes}
    if expires_at is not None:
        item["expires_at"] = expires_at
    api.functions.store.dynamodb.put_item(TableName=TABLE, Item=item)
    assert api.application.deliveries.agenda.wait_until_idle(25)


def key(name: str) -> dict[str, Any]:
    return {"pk": {"S": name}, "sk": {"S": "expiring"}}


def at(seconds: float) -> dict[str, str]:
    """So many seconds behind noon."""
    return {"N": str(NOON_S + seconds)}


def held(api: Api) -> set[str]:
    """The names of the items that are there."""
    pages = api.functions.store.dynamodb.get_paginator("scan").paginate(TableName=TABLE)
    items = [item for page in pages for item in page["Items"]]
    return {item["pk"]["S"] for item in items if item["sk"] == key("")["sk"]}


@dataclass
class Listener(Functions):
    """Functions that keep what they are invoked with."""

    def invoke(self, logical_id: str, event: Any, *_request: Any, **_more: Any) -> Any:  # noqa: ARG002 - the base's
        self.records.extend(event["Records"])

    records: list[Any] = field(default_factory=list)


def handed_on(api: Api, pattern: Any = None) -> list[Any]:
    """The records of expiring items that the stream's function gets from now on."""
    (pump,) = api.application.deliveries.pumps
    of_these = {"dynamodb": {"Keys": {"sk": {"S": ["expiring"]}}}, **(pattern or {})}
    functions = api.functions
    listener = Listener(functions.template, functions.store, functions.clock)
    pump.source = replace(pump.source, patterns=(supported_pattern(of_these),))
    pump.functions = listener
    return listener.records


def test_an_item_goes_at_its_instant_and_not_before(api: Api) -> None:
    put(api, "short", at(60))
    put(api, "long", at(3600))
    put(api, "for ever")

    advance(api, 59)
    before = held(api)
    advance(api, 1)
    after = held(api)
    advance(api, 86_400)

    assert before == {"short", "long", "for ever"}
    assert after == {"long", "for ever"}
    assert held(api) == {"for ever"}


def test_its_removal_is_told_as_the_services_with_what_the_item_was(api: Api) -> None:
    records = handed_on(api)
    put(api, "short", at(60), note={"S": "kept"})

    advance(api, 60)

    put_record, removal = records
    assert "userIdentity" not in put_record
    assert removal["eventName"] == "REMOVE"
    assert removal["userIdentity"] == SERVICE
    assert removal["dynamodb"]["OldImage"] == {
        **key("short"),
        "expires_at": at(60),
        "note": {"S": "kept"},
    }


def test_a_filter_can_ask_for_what_has_expired_alone(api: Api) -> None:
    records = handed_on(
        api,
        {
            "eventName": ["REMOVE"],
            "userIdentity": {"type": ["Service"], "principalId": ["dynamodb.amazonaws.com"]},
        },
    )
    put(api, "deleted", at(60))
    put(api, "expired", at(60))

    api.functions.store.dynamodb.delete_item(TableName=TABLE, Key=key("deleted"))
    advance(api, 60)

    assert [each["dynamodb"]["Keys"] for each in records] == [key("expired")]


def test_an_item_stays_for_the_time_that_was_last_put_and_what_is_no_number_for_ever(
    api: Api,
) -> None:
    put(api, "renewed", at(60))
    put(api, "renewed", at(120))
    put(api, "kept", at(60))
    put(api, "kept")
    put(api, "a text", {"S": "1"})
    put(api, "late", at(-1))
    at_once = held(api)

    advance(api, 60)
    before = held(api)
    advance(api, 86_400)

    assert at_once == before == {"renewed", "kept", "a text"}
    assert held(api) == {"kept", "a text"}


def test_a_renewal_that_nobody_has_read_yet_wins_over_the_instant_that_was_seen(api: Api) -> None:
    put(api, "renewed", at(60))
    api.call("POST", "/_dev/stream", {"paused": True})
    put(api, "renewed", at(120))

    advance(api, 60)
    while_paused = held(api)
    api.call("POST", "/_dev/stream?wait", {"paused": False})
    advance(api, 60)

    assert while_paused == {"renewed"}
    assert held(api) == set()


def test_a_lag_keeps_an_item_for_so_long_after_its_instant(tmp_path: Path) -> None:
    with api_over(DevOptions(store=str(tmp_path / "memory.db"), ttl_lag_s=3_600)) as api:
        stand_at_noon(api)
        put(api, "short", at(60))

        advance(api, 3_659)
        before = held(api)
        advance(api, 1)

        assert before == {"short"}
        assert held(api) == set()


def test_a_reset_forgets_what_was_to_expire(api: Api) -> None:
    put(api, "short", at(60))
    api.application.reset()
    records = handed_on(api)
    put(api, "short")

    advance(api, 3600)

    assert held(api) == {"short"}
    assert [each["eventName"] for each in records] == ["INSERT"]


def test_a_stack_over_a_file_expires_what_an_earlier_one_left(tmp_path: Path) -> None:
    options = DevOptions(store=str(tmp_path / "memory.db"))
    with api_over(options) as api:
        stand_at_noon(api)
        put(api, "short", at(60))
        now_s = api.functions.clock.now().timestamp()

    with api_over(options) as api:
        stand_at_noon(api)
        before = held(api)
        advance(api, 60)
        after = held(api)

    assert now_s == NOON_S
    assert (before, after) == ({"short"}, set())


def test_who_removed_an_item_is_known_also_to_the_stack_after_a_crash(tmp_path: Path) -> None:
    options = DevOptions(store=str(tmp_path / "memory.db"))
    with api_over(options) as api:
        stand_at_noon(api)
        put(api, "short", at(60))
        api.call("POST", "/_dev/stream", {"paused": True})
        advance(api, 60)
        assert held(api) == set()

    with api_over(options) as api:
        (pump,) = api.application.deliveries.pumps
        assert api.application.deliveries.agenda.wait_until_idle(25)
        expiry = api.application.deliveries.expiry

    assert expiry is not None
    assert pump.expiry is expiry
    assert expiry.removed == {}
    assert json.loads((tmp_path / "memory.db.blobs" / "expired").read_text()) == {}
