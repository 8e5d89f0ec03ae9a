"""Which writes wake the index function: the stream's filter of the template on real records."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from membrane_local.functions import Functions
from membrane_local.storage.stores import TABLE
from tests.worlds.api import Api

FADED = timedelta(seconds=36_000)
"""After which an event of an hour's half-life was due, and has been swept."""


@dataclass(slots=True)
class Recording(Functions):
    """Functions that note which records of the stream they are handed."""

    handed: list[Any] = field(default_factory=list)

    def invoke(self, logical_id: str, event: Any, *request: Any, **more: Any) -> Any:
        """As usual."""
        self.handed += event["Records"]
        return Functions.invoke(self, logical_id, event, *request, **more)


@dataclass(frozen=True, slots=True)
class Woken:
    """A stack, and what its stream hands to the index function."""

    api: Api
    recording: Recording

    def by(self, method: str, path: str, body: Any = None) -> list[tuple[str, str]]:
        """Of each record that the function gets for this request: what it is, and what became."""
        self.recording.handed.clear()
        reply = self.api.call(method, path, body)
        assert reply.status < 300, reply.body
        return self.told()

    def told(self) -> list[tuple[str, str]]:
        assert self.api.application.deliveries.agenda.wait_until_idle(25)
        return [
            (each["dynamodb"]["Keys"]["sk"]["S"], each["eventName"])
            for each in self.recording.handed
        ]

    def after(self, time: timedelta) -> list[tuple[str, str]]:
        self.recording.handed.clear()
        self.api.call("POST", "/_dev/clock?wait", {"advance_seconds": time.total_seconds()})
        return self.told()

    def event(self, **fields: Any) -> str:
        """The id of a new event, once it is indexed."""
        body = {"source": "ana", "event_kind": "turn", "ref": "talk:1", "summary": "the crane"}
        record_id = str(self.api.call("POST", "/v1/ingest/event", body | fields).record["id"])
        assert self.told() == [("record", "INSERT")]
        self.recording.handed.clear()
        return record_id

    def item(self, record_id: str) -> Any:
        """What stands in the place of the record's vector."""
        key: Any = {"pk": {"S": f"vector#{record_id}"}, "sk": {"S": "vector"}}
        return self.api.functions.store.dynamodb.get_item(TableName=TABLE, Key=key).get("Item")


@pytest.fixture
def woken(stack: Api) -> Iterator[Woken]:
    stack.application.reset()
    (pump,) = stack.application.deliveries.pumps
    usual = stack.functions
    pump.functions = recording = Recording(
        usual.template,
        usual.store,
        usual.clock,
        invoke_later=usual.invoke_later,
        send=usual.send,
    )
    recording.worlds = usual.worlds
    yield Woken(stack, recording)
    pump.functions = usual


FLAGGED = [("record", "MODIFY")]
REMOVED = [("vector", "REMOVE")]


def test_a_new_record_wakes_it_once_and_its_vector_does_not(woken: Woken) -> None:
    record_id = woken.event()

    assert woken.told() == []
    assert "removed" not in woken.item(record_id)


def test_a_touch_of_salience_wakes_nobody_and_letting_a_pinned_record_fade_again_does(
    woken: Woken,
) -> None:
    record = f"/v1/records/{woken.event()}"

    assert woken.by("POST", f"{record}/reinforce") == []
    assert woken.by("POST", f"{record}/penalize", {"amount": 0.1}) == []
    assert woken.by("POST", f"{record}/pin") == []
    assert woken.by("POST", f"{record}/unpin") == FLAGGED


def test_an_outcome_wakes_it_where_it_changes_the_text(woken: Woken) -> None:
    outcome = {"source": "ana", "target_record_id": woken.event(), "outcome_status": "success"}

    assert woken.by("POST", "/v1/ingest/outcome", outcome) == FLAGGED
    assert woken.by("POST", "/v1/ingest/outcome", outcome) == []


def test_every_change_of_a_step_that_waits_for_the_end_of_its_thread_wakes_it(
    woken: Woken,
) -> None:
    step = f"/v1/records/{woken.event(thread_id='thread-1')}"

    assert woken.by("POST", f"{step}/reinforce") == FLAGGED


def test_what_ends_a_record_wakes_nobody_nor_does_the_end_of_its_marker(woken: Woken) -> None:
    record_id = woken.event()

    assert woken.by("DELETE", f"/v1/records/{record_id}") == []
    assert "removed" in woken.item(record_id)
    assert woken.by("POST", f"/v1/records/{record_id}/restore") == FLAGGED
    assert "removed" not in woken.item(record_id)
    assert woken.by("DELETE", f"/v1/records/{record_id}?erase=true") == []
    assert woken.after(timedelta(hours=49)) == []
    assert woken.item(record_id) is None


def test_pruning_wakes_nobody_nor_does_the_end_of_the_vector(woken: Woken) -> None:
    record_id = woken.event()

    pruned = woken.after(FADED)

    assert woken.api.get(f"/v1/records/{record_id}").status == 404
    assert pruned == []
    assert woken.item(record_id) is None
    assert woken.after(timedelta(days=3)) == []


def test_the_vector_of_a_reinforced_record_is_put_again_when_ttl_removes_it(woken: Woken) -> None:
    record_id = woken.event()
    woken.after(timedelta(hours=9))
    assert woken.by("POST", f"/v1/records/{record_id}/reinforce") == []
    before = woken.item(record_id)

    expired = woken.after(timedelta(hours=2))

    after = woken.item(record_id)
    assert expired == REMOVED
    assert int(after["expires_at"]["N"]) > int(before["expires_at"]["N"])
    assert int(after["source_version"]["N"]) == int(before["source_version"]["N"]) + 1


def test_a_topic_wakes_it_when_it_begins_or_ends_and_not_when_it_is_read(woken: Woken) -> None:
    created = woken.by("POST", "/v1/topics", {"title": "The crane"})
    (topic,) = woken.api.get("/v1/topics").body["topics"]
    place = f"/v1/topics/{topic['id']}"

    woken.recording.handed.clear()
    woken.api.get(place)
    read = woken.told()

    assert (created, read) == ([("topic", "INSERT")], [])
    assert woken.by("DELETE", place) == [("topic", "MODIFY")]  # reasoning is to know of it
