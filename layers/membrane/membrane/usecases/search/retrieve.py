"""Retrieve the most relevant records for a task or, without a task, the most salient records."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypeVar

from membrane.domain.access.principals import Principal
from membrane.domain.access.trust import View
from membrane.domain.language.errors import NotFound
from membrane.domain.language.fields import RECORD_ID, record_named
from membrane.domain.language.json_text import Body
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.records import as_json
from membrane.domain.search.answer_receipts import NO_RECEIPT, AnswerReceipt, ExplainedCandidate
from membrane.domain.search.requests import ACTIVE, BRIEF, ListRecords, ReadReceipt, Retrieve
from membrane.domain.search.selection import Selection, selection_of
from membrane.usecases.machinery.calls import Call, threads
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World
from membrane.usecases.search.by_score import ByScore
from membrane.usecases.search.inquiry import Inquiry, inquiry_of, inquiry_of_list
from membrane.usecases.search.judging import Candidate
from membrane.usecases.search.list_by_state import list_by_state
from membrane.usecases.search.paging import FoundPage, read_page

if TYPE_CHECKING:
    from membrane.domain.search import replies


@dataclass(frozen=True, slots=True)
class Answer:
    """A page of records as in a reply, or a prompt instead of records."""

    records: Sequence[Body]
    next_cursor: str | None
    selection: Selection | None = None
    """None without a skill or plan to select."""
    scores: Mapping[str, float] | None = None
    """Scores by record id, from 0 to 1, comparable between calls; None without a task."""
    receipt_id: str | None = None
    prompt: "replies.Prompt | None" = None
    withheld: int = 0
    """Candidates kept back by the narrower trust of the request alone; a lower bound."""

    @property
    def body(self) -> "replies.Answer":
        body: replies.Answer = {}
        if self.prompt is None:
            body["records"] = list(self.records)
        if self.next_cursor is not None:
            body["next_cursor"] = self.next_cursor
        if self.prompt is not None:
            body["prompt"] = self.prompt
        if self.scores is not None:
            body["scores"] = dict(self.scores)
        if self.selection is not None:
            body["selection"] = asdict(self.selection)
        if self.receipt_id is not None:
            body["receipt_id"] = self.receipt_id
        return body


def retrieve(request: Retrieve, call: Call, world: World) -> Answer:
    """The records within the trust of the request, the best first, and a receipt.

    Raises InvalidArgument for a foreign cursor or token and if the scopes must be named, and
    WrongEmbedder if the index has no vectors of the question's embedder.
    """
    begun_s = world.elapsed_s()
    written = [record_named(token) for token in request.consistency_tokens]
    inquiry = inquiry_of(request, call, world)
    found = read_page(inquiry, request.cursor, world, begun_s, written)
    receipt = receipt_of(request, call, inquiry, found, world)
    selection, receipt_id = keep_beside(
        receipt, lambda: selection_among(found.scores, found.page.candidates, world), world
    )
    scores, prompt = _scores(found), found.page.prompt
    return Answer(
        _with_scores(found.page.records, scores) if request.view == BRIEF else found.page.records,
        found.next_cursor,
        selection,
        scores,
        receipt_id,
        None if prompt is None else prompt.as_json(),
        receipt.withheld,
    )


def list_records(request: ListRecords, call: Call, world: World) -> Answer:
    """The records of a scope or of every scope, by salience; raises as `retrieve`.

    Removed and retracted records are listed by the state that the request names.
    """
    begun_s = world.elapsed_s()
    inquiry = inquiry_of_list(request, call, world)
    if request.state != ACTIVE:
        return Answer(*list_by_state(request.state, inquiry, request.cursor, world))
    found = read_page(inquiry, request.cursor, world, begun_s)
    return Answer(found.page.records, found.next_cursor)


def _scores(found: FoundPage) -> Mapping[str, float] | None:
    if found.scores is None:
        return None
    known = found.scores.relevance
    return {each.id: round(each.score, DIGITS) for each in found.page.in_reply if each.id in known}


def _with_scores(records: Sequence[Body], scores: Mapping[str, float] | None) -> Sequence[Body]:
    return [{**each, "score": (scores or {}).get(each["id"])} for each in records]


Read = TypeVar("Read")

MAX_EXPLAINED = 100
MAX_TEXT = 1_000
"""The characters kept of a text in the request."""

DIGITS = 4

_LEFT_OUT = frozenset({"trust", "cursor", "consistency_tokens"})
"""Fields of a request that no receipt has; the receipt has the effective trust instead."""


def receipt_of(
    request: Retrieve, call: Call, inquiry: Inquiry, found: FoundPage, world: World
) -> AnswerReceipt:
    """The receipt of a page; redacted records are counted and not explained."""
    scores, page = found.scores, found.page
    scored = [] if scores is None else scores.scored_candidates
    candidates = {each.id: each for each in (*scored, *page.candidates)}
    full = [each for each in candidates.values() if each.view is View.FULL]
    trust = inquiry.gate.asked
    relevant = set() if scores is None else set(scores.relevance)
    handed_out = {each.id for each in page.in_reply}
    return AnswerReceipt(
        id=world.new_id(),
        principal=call.principal.actor_id,
        identity=call.principal.identity,
        asked_at=rfc3339(world.now()),
        query={
            name: value[:MAX_TEXT] if isinstance(value, str) else value
            for name, value in as_json(request).items()
            if name not in _LEFT_OUT
        },
        trust={"max_sensitivity": trust.ceiling, "scopes": trust.entries},
        returned=len(handed_out),
        explained=tuple(
            _explanation(each, is_handed_out=each.id in handed_out) for each in full[:MAX_EXPLAINED]
        ),
        considered=len(relevant | set(candidates)),
        left_out=0 if scores is None else len(scores.below_floor),
        withheld=len(page.judge.withheld),
        hidden=len(page.judge.hidden),
    )


def keep_beside(
    receipt: AnswerReceipt, read: Callable[[], Read], world: World
) -> tuple[Read, str | None]:
    """Run `read` while the receipt is written; the result, and the id of the receipt.

    The id is None if the write failed or was not confirmed within `receipt_wait_s`, so that no
    reply names a missing receipt. The failure is reported to operators.
    """
    pool = threads(1)
    writing = pool.submit(world.receipts.keep, receipt)
    pool.shutdown(wait=False)
    found = read()
    try:
        writing.result(timeout=world.receipt_wait_s)
    except Exception as fault:  # noqa: BLE001 - the answer stands without its receipt
        world.report("Retrieve", FAULT, fault)
        return found, None
    return found, receipt.id


def _explanation(candidate: Candidate, *, is_handed_out: bool) -> ExplainedCandidate:
    parts = {name: round(value, DIGITS) for name, value in candidate.parts.items() if value}
    return ExplainedCandidate(candidate.id, round(candidate.score, DIGITS), parts, is_handed_out)


def selection_among(
    scores: ByScore | None, shown: Sequence[Candidate], world: World
) -> Selection | None:
    """The selection among the candidates of the task or, without a task, those shown."""
    candidates = shown if scores is None else scores.selectable_candidates()
    full = [each.stored.record for each in candidates if each.view is View.FULL]
    fitting = None if scores is None else {each.id: scores.applicability(each) for each in full}
    return selection_of(full, epoch_seconds(world.now()), fitting)


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
