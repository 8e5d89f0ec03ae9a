"""Read the receipt of an answer: its own asker may, and `admin`."""

from membrane.domain.language.errors import NotFound
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import Permission
from membrane.domain.search.answer_receipts import AnswerReceipt, Explained
from membrane.domain.search.requests import ReadReceipt
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services_search import ReadingServices


def read_receipt(request: ReadReceipt, call: Call, services: ReadingServices) -> JsonObject:
    """The receipt as a reply has it; what the asker's key may not see is counted for `admin` alone.

    Raises NotFound where it is absent, past its time, or another principal's.
    """
    is_admin = Permission.ADMIN in call.principal.permissions
    found = services.receipts.find(request.id) if RECORD_ID.fullmatch(request.id) else None
    if found is None or not (is_admin or found.principal == call.principal.actor_id):
        raise NotFound("receipt not found")
    told = _told(found)
    return {**told, "hidden": found.hidden} if is_admin else told


def _told(receipt: AnswerReceipt) -> JsonObject:
    return {
        "id": receipt.id,
        "principal": receipt.principal,
        "asked_at": receipt.asked_at,
        "query": receipt.query,
        "trust": receipt.trust,
        "returned": receipt.returned,
        "considered": receipt.considered,
        "candidates": [_candidate(each) for each in receipt.explained],
        "withheld": receipt.withheld,
    }


def _candidate(explained: Explained) -> JsonObject:
    return {
        "id": explained.record_id,
        "score": explained.score,
        "parts": dict(explained.parts),
    }
