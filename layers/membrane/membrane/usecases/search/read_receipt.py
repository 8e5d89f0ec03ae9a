"""Read the receipt of an answer, as the principal of the retrieval or as administrator."""

from typing import TYPE_CHECKING

from membrane.domain.access.principals import Principal
from membrane.domain.language.errors import NotFound
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.search.answer_receipts import NO_RECEIPT, AnswerReceipt, ExplainedCandidate
from membrane.domain.search.requests import ReadReceipt
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.search import replies


def read_receipt(request: ReadReceipt, call: Call, world: World) -> "replies.AnswerReceipt":
    """The receipt; with the number of hidden candidates for an administrator of all scopes.

    Raises NotFound if the receipt is missing, expired, or of a different principal.
    """
    found = world.receipts.find(request.id) if RECORD_ID.fullmatch(request.id) else None
    if found is None:
        raise NotFound(NO_RECEIPT)
    if _administers(call.principal, found):
        return {**_body(found), "hidden": found.hidden}
    if found.identity != call.principal.identity:
        raise NotFound(NO_RECEIPT)
    return _body(found)


def _administers(principal: Principal, receipt: AnswerReceipt) -> bool:
    """Whether the principal is `admin` over every scope, up to the receipt's sensitivity."""
    asked = Sensitivity(receipt.trust["max_sensitivity"])
    return principal.is_admin_of_all and asked.level <= principal.ceiling.level


def _body(receipt: AnswerReceipt) -> "replies.AnswerReceipt":
    return {
        "id": receipt.id,
        "principal": receipt.principal,
        "asked_at": receipt.asked_at,
        "query": receipt.query,
        "trust": receipt.trust,
        "returned": receipt.returned,
        "considered": receipt.considered,
        "candidates": [_candidate(each) for each in receipt.explained],
        "left_out": receipt.left_out,
        "withheld": receipt.withheld,
    }


def _candidate(explained: ExplainedCandidate) -> "replies.ExplainedCandidate":
    return {
        "id": explained.record_id,
        "score": explained.score,
        "parts": dict(explained.parts),
        "handed_out": explained.handed_out,
    }
