"""What the bench sends to change one record, each time under another key."""

from dataclasses import replace
from typing import Any

from tests.bench.workload import Sent

LIFECYCLE = "PATCH /v1/records/{id}/lifecycle"


def reinforce(record_id: str, number: int) -> Sent:
    """It proved useful."""
    return _change("POST /v1/records/{id}/reinforce", record_id, number)


def penalize(record_id: str, number: int) -> Sent:
    """It did harm."""
    return _change("POST /v1/records/{id}/penalize", record_id, number, amount=0.25)


def pin(record_id: str, number: int) -> Sent:
    """It is to stay as salient as it is."""
    return _change("POST /v1/records/{id}/pin", record_id, number)


def unpin(record_id: str, number: int) -> Sent:
    """It is to fade again."""
    return _change("POST /v1/records/{id}/unpin", record_id, number)


def keep(record_id: str, number: int) -> Sent:
    """It is not to be pruned."""
    return _change(LIFECYCLE, record_id, number, deletion_policy="manual_only")


def slow_down(record_id: str, number: int) -> Sent:
    """It is to fade as no other record does."""
    return _change(LIFECYCLE, record_id, number, decay={"half_life_seconds": 123_456})


def delete(record_id: str, number: int) -> Sent:
    """Its end."""
    return _change("DELETE /v1/records/{id}", record_id, number)


def erase(record_id: str, number: int) -> Sent:
    """Its end, of which nobody can bring it back."""
    return replace(delete(record_id, number), query="erase=true")


def restore(record_id: str, number: int) -> Sent:
    """It was deleted and is wanted again."""
    return _change("POST /v1/records/{id}/restore", record_id, number)


def _change(route: str, record_id: str, number: int, **fields: Any) -> Sent:
    body = {"rationale": "asked by its owner", **fields}
    return Sent(route, body, f"key-{number}", record_id)
