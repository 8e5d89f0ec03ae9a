"""Retrieve the most relevant records for a task or, without a task, the most salient records."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from membrane.domain.language.fields import record_named
from membrane.domain.language.json_text import Body
from membrane.domain.search.requests import ACTIVE, BRIEF, ListRecords, Retrieve
from membrane.domain.search.selection import Selection
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.search.explaining import DIGITS, keep_beside, receipt_of, selection_among
from membrane.usecases.search.inquiry import inquiry_of, inquiry_of_list
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
