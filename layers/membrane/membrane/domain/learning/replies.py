"""Replies about what was made of evidence."""

from typing_extensions import TypedDict

from membrane.domain.language.fields import Count, Fraction, Timestamp
from membrane.domain.language.replies import PageReply
from membrane.domain.language.vocabulary import MemoryType, OutcomeStatus


class MadeTrace(TypedDict):
    """A trace: the steps of a thread in order."""

    id: str
    """The id of the trace."""
    thread_id: str
    """The thread of the steps."""
    steps: Count
    """The number of records that the trace was made of."""
    outcome: OutcomeStatus | None
    """How the thread ended; null without an outcome."""
    why: str
    """The newest reason in the audit trail of the trace."""


class MadeSkill(TypedDict):
    """A skill, with the traces that the skill was learned from."""

    id: str
    """The id of the skill."""
    name: str
    """The name of the skill."""
    traces: list[str]
    """The ids of the traces, the oldest first; at most 100."""
    successes: Count
    """The successful uses."""
    failures: Count
    """The failed uses."""
    success_rate: Fraction
    """The expected share of successful uses, from 0 to 1."""
    why: str
    """The newest reason in the audit trail of the skill."""


class MadePlan(TypedDict):
    """A plan, with the traces that the plan was learned from."""

    id: str
    """The id of the plan."""
    name: str
    """The purpose of the plan, or its `plan_id`."""
    steps: Count
    """The number of operations."""
    traces: list[str]
    """The ids of the traces, the oldest first; at most 100."""
    why: str
    """The newest reason in the audit trail of the plan."""


class ConsolidationReply(TypedDict):
    """What a consolidation has made or, in a dry run, would make."""

    dry_run: bool
    """Whether nothing was written."""
    scope: str
    """The scope of the evidence; empty for the unscoped evidence."""
    is_left: bool
    """Whether time was up before the end; a further call does the rest."""
    traces: list[MadeTrace]
    """The new traces."""
    skills: list[MadeSkill]
    """The new skills."""
    plans: list[MadePlan]
    """The new plans."""
    grown: list[MadeSkill]
    """The known skills that gained evidence."""
    unmatched: list[MadeTrace]
    """The traces that are like no other trace and no skill so far."""
    failed: Count
    """Threads that could not be consolidated; the next run tries again."""


class EvidenceReply(TypedDict):
    """A piece of evidence."""

    id: str
    """The id of the record."""
    outcome: OutcomeStatus | None
    """The outcome of the record; null without an outcome, and for a record that the key does not
    show in full."""


class Consolidation(TypedDict):
    """A record that was made of evidence."""

    id: str
    """The id of the record."""
    type: MemoryType
    """`episodic` for a trace, `competence` for a skill, `plan_graph` for a plan."""
    name: str
    """The thread of a trace, the name of a skill, the purpose of a plan."""
    scope: str
    """The scope; empty for an unscoped record."""
    outcome: OutcomeStatus | None
    """How the thread of a trace ended; null without an outcome, and for skills and plans."""
    created_at: Timestamp
    """When the record was made."""
    updated_at: Timestamp
    """When the record was last changed, such as by further evidence."""
    evidence: list[EvidenceReply]
    """The newest records that the record was made of, the oldest of these first; at most 20."""
    evidence_count: Count
    """The number of all records that the record was made of, up to 100."""
    reasons: list[str]
    """Why the record is as it is: the newest reasons in the audit trail, the oldest first; at most
    5."""


class ConsolidationList(PageReply):
    """A page of records that were made of evidence, the newest first."""

    consolidations: list[Consolidation]
    """The records, the newest first. Retracted records are left out."""
