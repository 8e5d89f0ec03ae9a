"""Answers, graphs, lists and receipts. Written by `make openapi`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from membrane_client.value import Found, Page, Text, Value
from membrane_client.values import words
from membrane_client.values.records import GraphEdge, Memory, MemoryRecord, RemovedRecord


class ReceiptTrust(Value):
    max_sensitivity: words.Sensitivity | str  # The highest sensitivity
    scopes: Sequence[str] | None  # The scopes; null for every scope


class ReceiptCandidate(Value):
    id: str  # The id of the record
    score: float  # The score of the record
    parts: Mapping[str, float]  # The weighted parts of the score, by name; parts of 0 are left out
    handed_out: bool  # Whether the page had the record


class AnswerReceipt(Value):
    id: str  # The id of the receipt
    principal: str  # Who asked
    asked_at: datetime  # When the retrieval ran
    query: Mapping[str, Any]  # The request; long texts are cut
    trust: ReceiptTrust  # The trust of key and request together
    returned: int  # The number of records on the page
    considered: int  # The number of candidates, explained or not
    candidates: Sequence[ReceiptCandidate]
    left_out: int  # The number of candidates below the score floor
    withheld: int
    hidden: int | None  # The number of candidates beyond the rights of the key


class RecordList(Page[MemoryRecord], of="records"):
    records: Sequence[MemoryRecord]  # The records: whole, or brief with the view `brief`

    @property
    def memories(self) -> Sequence[Memory]:
        """The records in brief, where `view='brief'` was asked for."""
        return [Memory(each) for each in self.raw["records"]]

    @property
    def removed_records(self) -> Sequence[RemovedRecord]:
        """The removed records, where the state `deleted` or `pruned` was asked for."""
        return [RemovedRecord(each) for each in self.raw["records"]]


class Prompt(Text):
    text: str  # A heading, then a line for each memory, the best first
    ids: Sequence[str]  # The ids of the memories in the text, in order
    tokens: int  # The tokens of the text, an estimate on the high side


class SelectorParts(Value):
    applicability: float  # How well the skill or plan fits the task
    success: float  # The success rate that the record of uses proves
    recency: float  # The recency of the last use, halved every 30 days


class TrackRecord(Value):
    successes: float  # Successful uses; of a plan, the executions without the share that failed
    failures: float  # Failed uses
    last_used_at: datetime | None  # The last use or, where unknown, the last reinforcement


class SelectionReason(Value):
    id: str  # The id of the skill or plan
    parts: SelectorParts  # The parts of the score
    trigger: str  # The signal of the trigger, or the intent of the plan, that the task met best
    track_record: TrackRecord  # The uses that `success` and `recency` rest on


class OtherChoice(Value):
    id: str  # The id of the candidate
    gap: float  # How far the score is below the score of the first
    behind_in: str  # The part in which the candidate loses most to the first
    successes: int | None
    failures: int | None
    parts: Mapping[str, float]


class Selection(Value):
    selected: Sequence[str]  # The ids of the skills and plans, the best first
    confidence: float  # How far the best stands out, from 0 to 1
    needs_more: bool  # Whether the confidence is too low for a choice
    scores: Mapping[str, float]  # The score of each skill and plan, by id
    why: str = ""
    as_good: Sequence[str]  # The ids of further candidates within 0.02 of the first score
    reasons: Sequence[SelectionReason]  # The reasons for the best 10 scores, the best first
    otherwise: Sequence[OtherChoice]


class Answer(Found[MemoryRecord], of="records"):
    records: Sequence[MemoryRecord]  # The records, the best first
    prompt: Prompt | None  # The memories as one text; absent unless the view is `prompt`
    scores: Mapping[str, float]
    selection: Selection | None  # The choice among skills and plans; absent without candidates
    receipt_id: str | None  # The receipt explains the answer for 7 days

    @property
    def memories(self) -> Sequence[Memory]:
        """The records in brief, where `view='brief'` was asked for."""
        return [Memory(each) for each in self.raw["records"]]


class PathStep(Value):
    from_id: str  # The id of the record at the near end of the edge
    predicate: str  # The predicate of the edge, as seen from the near end


class GraphNode(Value):
    record: MemoryRecord  # The record
    root: bool  # Whether the record is a root
    hop: int  # The number of edges between the node and its root; 0 for a root
    score: float | None  # How well the record answers the task
    path: Sequence[PathStep]  # The edges from the root to the node, in order; empty for a root


class Graph(Page[GraphNode], of="nodes"):
    nodes: Sequence[GraphNode]  # The nodes on the page, by worth
    edges: Sequence[GraphEdge]
    root_ids: Sequence[str]  # The ids of the roots on the page, in the order of the nodes
    selection: Selection | None

    @property
    def records(self) -> Sequence[MemoryRecord]:
        """The records of the nodes."""
        return [each.record for each in self.nodes]


class ThreadState(Value):
    next_cursor: str | None  # Where the next page begins; absent on the last page
    record: MemoryRecord  # The latest state; redacted on a later page without room for the content
    earlier: Sequence[MemoryRecord]  # The earlier states, the newest first
