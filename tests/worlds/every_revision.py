"""Facts contested by whatever makes a fact active, and revised by every revision."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from membrane.table.items import LostRace
from tests.worlds.cloud import CONTESTED, LARGE, REPLACED, Cloud
from tests.worlds.every_arrival import import_lines


def a_fact(subject: str, **fields: Any) -> dict[str, Any]:
    """A full record with evidence, of what others may contest."""
    evidence = {
        "source_type": "observation",
        "source_id": "agent",
        "timestamp": "2026-01-01T00:00:00Z",
    }
    payload = {
        "kind": "semantic",
        "subject": subject,
        "predicate": CONTESTED,
        "object": LARGE + subject,
        "validity": {"mode": "global"},
        "evidence": [evidence],
        **fields,
    }
    return {"type": "semantic", "sensitivity": "low", "payload": payload}


def say(cloud: Cloud, subject: str, scope: str = "", said: str = LARGE) -> str:
    """The id of a fact that no head knows: nobody looked for conflicts when it was ingested."""
    report = {"source": "agent", "subject": subject, "predicate": CONTESTED, "object": said}
    earlier = replace(cloud, functions=cloud.earlier)
    record = earlier.http("POST /v1/ingest/observation", {**report, "scope": scope})["record"]
    return str(record["id"])


def contest_everywhere(cloud: Cloud) -> None:
    """By whatever makes a fact active, contest two that no head knows."""
    report = {"source": "agent", "predicate": CONTESTED, "object": "other"}
    for subject, scope in (("one", ""), ("two", ""), ("three", ""), ("four", "events")):
        say(cloud, subject, scope)
        say(cloud, subject, scope, "also")
    with overtaken(cloud, "IngestObservationFunction"):
        cloud.http("POST /v1/ingest/observation", {**report, "subject": "one"})
    cloud.http("POST /v1/records", {"record": a_fact("two")})
    item = {"rpc": "IngestObservation", **report, "subject": "three"}
    with overtaken(cloud, "IngestBatchFunction"):
        (result,) = cloud.http("POST /v1/ingest/batch", {"items": [item]})["results"]
    assert result["status"] == 201
    line = {"rpc": "IngestObservation", **report, "subject": "four"}
    with overtaken(cloud, "ImportLinesFunction"):
        assert import_lines(cloud, "contesting", [line])["created"] == 1


def replace_everywhere(cloud: Cloud) -> None:
    """By whatever observes a fact, replace one that somebody else observed."""

    def seen(subject: str, said: str) -> dict[str, str]:
        fact = {"subject": subject, "predicate": REPLACED, "object": said}
        return {"source": "agent", **fact, "scope": "events"}

    for subject in ("ten", "eleven", "twelve"):
        cloud.http("POST /v1/ingest/observation", seen(subject, "much"))
    cloud.http("POST /v1/ingest/observation", seen("ten", "little"))
    item = {"rpc": "IngestObservation", **seen("eleven", "little")}
    (result,) = cloud.http("POST /v1/ingest/batch", {"items": [item]})["results"]
    assert result["status"] == 201
    line = {"rpc": "IngestObservation", **seen("twelve", "little")}
    assert import_lines(cloud, "replacing", [line])["created"] == 1


@dataclass(slots=True)
class Overtaken:
    """A store in which another writer comes first, once."""

    records: Any
    races: int = 1

    def create(self, *new: Any, **beside: Any) -> None:
        """See DynamoRecords."""
        if self.races:
            self.races -= 1
            raise LostRace
        self.records.create(*new, **beside)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.records, name)


@contextmanager
def overtaken(cloud: Cloud, function: str) -> Iterator[None]:
    """Within the block another writer comes before the first record of the function."""
    usual = cloud.functions.worlds
    records: Any = Overtaken(usual[function].records)
    cloud.functions.worlds = {**usual, function: usual[function].but(records=records)}
    try:
        yield
    finally:
        cloud.functions.worlds = usual


def revise_everything(cloud: Cloud, target_id: str) -> None:
    """By every revision; one brings an upload, an edge and a decay profile of its own."""
    rich = {
        **a_fact("five", object=cloud.upload("revision" + LARGE)),
        "relations": [{"predicate": "about", "target_id": target_id}],
        "lifecycle": {"decay": {"half_life_seconds": 74}},
    }
    old, other, doubted, moved = (say(cloud, each) for each in ("five", "six", "seven", "eight"))
    say(cloud, "five", said="also")
    say(cloud, "five", said="or so")
    cloud.crowd()
    new = cloud.http("POST /v1/records/{id}/supersede", {"new_record": rich}, old)["record"]["id"]
    fork = {"forked_record": a_fact("nine")}
    variant = cloud.http("POST /v1/records/{id}/fork", fork, new)["record"]["id"]
    merge = {"ids": [new, variant, other], "merged_record": a_fact("five and six")}
    cloud.http("POST /v1/records/merge", merge)
    cloud.http("POST /v1/records/{id}/contest", {"contesting_ref": target_id}, doubted)
    cloud.http("POST /v1/records/{id}/resolve", {"resolution": "keep"}, doubted)
    cloud.http("PATCH /v1/records/{id}", {"scope": "elsewhere"}, moved)
    cloud.http("POST /v1/records/{id}/retract", {}, moved)
    cloud.http("PATCH /v1/records/{id}", {"retracted": False}, moved)
    versions = cloud.http("GET /v1/records/{id}/versions", record_id=moved)["versions"]
    assert len(versions) == 4
