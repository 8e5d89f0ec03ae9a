"""What the bench sends to revise facts, and to see what became of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tests.bench.workload import SCOPE, TEXT_CHARACTERS, Sent, report
from tests.builders.stored_records import noise


def fact(number: int, about: int | None = None, under: str | None = None) -> Sent:
    """An observation of what no other number is about, unless it says so; with its policy."""
    sent = report("IngestObservation", number)
    predicate = f"likes-{number if about is None else about}"
    policy = {} if under is None else {"on_conflict": under}
    return replace(sent, body={**(sent.body or {}), "predicate": predicate, **policy})


def supersede(record_id: str, number: int) -> Sent:
    """A new fact in place of the old one."""
    return _revision("supersede", record_id, number, new_record=_new_fact(number))


def fork(record_id: str, number: int) -> Sent:
    """A variant beside it."""
    return _revision("fork", record_id, number, forked_record=_new_fact(number))


def merge(record_ids: Sequence[str], number: int) -> Sent:
    """One new fact in place of several."""
    body = {"ids": list(record_ids), "merged_record": _new_fact(number), **_WHY}
    return Sent("POST /v1/records/merge", body, f"key-{number}")


def retract(record_id: str, number: int) -> Sent:
    """It was wrong."""
    return _revision("retract", record_id, number)


def contest(record_id: str, number: int) -> Sent:
    """It may be wrong."""
    return _revision("contest", record_id, number)


def resolve(record_id: str, number: int) -> Sent:
    """It is right after all."""
    return _revision("resolve", record_id, number, resolution="keep")


def reclassify(record_id: str, number: int) -> Sent:
    """It is more sensitive than was thought."""
    body = {"sensitivity": "medium", **_WHY}
    return Sent("PATCH /v1/records/{id}", body, f"key-{number}", record_id)


def versions(record_id: str) -> Sent:
    """What it was before."""
    return Sent("GET /v1/records/{id}/versions", None, record_id=record_id)


def metrics() -> Sent:
    """What there is in the scope."""
    return Sent("GET /v1/metrics", None, query=f"scope={SCOPE}")


_WHY: Mapping[str, Any] = {"actor": "agent", "rationale": "asked by its owner"}


def _new_fact(number: int) -> Mapping[str, Any]:
    return {
        "type": "semantic",
        "sensitivity": "low",
        "tags": ["one", "two"],
        "payload": {
            "kind": "semantic",
            "subject": "user",
            "predicate": f"likes-{number}",
            "object": noise(TEXT_CHARACTERS, number),
            "validity": {"mode": "global"},
            "evidence": [
                {
                    "source_type": "observation",
                    "source_id": "agent",
                    "timestamp": "2026-03-01T09:00:00Z",
                }
            ],
        },
    }


def _revision(verb: str, record_id: str, number: int, **fields: Any) -> Sent:
    body = {**fields, **_WHY}
    return Sent(f"POST /v1/records/{{id}}/{verb}", body, f"key-{number}", record_id)
