"""Receipts of retrievals that handed out records."""

from collections.abc import Mapping
from typing import Any

from membrane.domain.search.answer_receipts import AnswerReceipt, ExplainedCandidate
from tests.builders.requests import OWNER
from tests.builders.stored_records import NOW

RECEIPT_ID = "receipt-1"


def answer_receipt(scores: Mapping[str, float], **fields: Any) -> AnswerReceipt:
    """A receipt of the owner; the records with scores were handed out."""
    usual: dict[str, Any] = {
        "id": RECEIPT_ID,
        "principal": OWNER.actor_id,
        "identity": OWNER.identity,
        "asked_at": NOW,
        "query": {},
        "trust": {"max_sensitivity": "hyper", "scopes": None},
        "returned": len(scores),
        "explained": tuple(
            ExplainedCandidate(record_id, score, {}, handed_out=True)
            for record_id, score in scores.items()
        ),
        "considered": len(scores),
        "left_out": 0,
        "withheld": 0,
        "hidden": 0,
    }
    return AnswerReceipt(**{**usual, **fields})
