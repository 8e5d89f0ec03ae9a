"""What was made of evidence, as replies show it."""

from membrane_client.values.records import Page
from membrane_client.values.value import (
    Value,
    count,
    flag,
    instant,
    number,
    optional_word,
    parts,
    text,
    texts,
    word,
)
from membrane_client.values.words import MemoryType, OutcomeStatus


class MadeTrace(Value):
    id = text()
    thread_id = text()
    steps = count()
    outcome = optional_word(OutcomeStatus)
    """None without an outcome."""
    why = text()


class MadeSkill(Value):
    id = text()
    name = text()
    traces = texts()
    """Ids, the oldest first."""
    successes = count()
    failures = count()
    success_rate = number()
    """The expected share of successful uses, from 0 to 1."""
    why = text()


class MadePlan(Value):
    id = text()
    name = text()
    steps = count()
    traces = texts()
    why = text()


class ConsolidationResult(Value):
    dry_run = flag()
    """Whether nothing was written."""
    scope = text()
    is_left = flag()
    """Whether time was up before the end."""
    traces = parts(MadeTrace)
    skills = parts(MadeSkill)
    plans = parts(MadePlan)
    grown = parts(MadeSkill)
    """Known skills that gained evidence."""
    unmatched = parts(MadeTrace)
    """Traces that are like no other trace and no skill so far."""
    failed = count()


class Evidence(Value):
    id = text()
    outcome = optional_word(OutcomeStatus)


class Consolidation(Value):
    id = text()
    type = word(MemoryType)
    """episodic for a trace, competence for a skill, plan_graph for a plan."""
    name = text()
    scope = text()
    """Empty = unscoped."""
    outcome = optional_word(OutcomeStatus)
    created_at = instant()
    updated_at = instant()
    evidence = parts(Evidence)
    """The newest, the oldest of these first."""
    evidence_count = count()
    reasons = texts()
    """The newest reasons in the audit trail, the oldest first."""


class ConsolidationList(Page[Consolidation]):
    LISTS = "consolidations"
    consolidations = parts(Consolidation)
    """The newest first."""
