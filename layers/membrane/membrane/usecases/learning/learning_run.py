"""The state of a run that learns from the traces of a scope."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from membrane.domain.learning.counted_traces import ended_at, evidence_in
from membrane.domain.learning.skills import Evidence
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.learning.find_matches import Known
from membrane.usecases.learning.write_stated_facts import write_stated_facts
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.world import World

MAX_TOGETHER = 20
"""Traces counted in a transaction: a trace takes up to four of the hundred writes."""


@dataclass(slots=True)
class Learning:
    """The state of a run over the traces of a scope."""

    known: Known
    world: World
    crosses_scopes: bool = False
    skills: list[str] = field(default_factory=list)
    plans: list[str] = field(default_factory=list)
    grown: list[str] = field(default_factory=list)
    uses: dict[str, list[str]] = field(default_factory=dict)
    """By skill, the traces to count in the skill."""
    unlearned: dict[str, StoredRecord] = field(default_factory=dict)
    """By id, the traces without a skill, candidates for founding a skill of the scope."""
    left_over: dict[str, StoredRecord] = field(default_factory=dict)
    """By id, traces of several scopes, candidates for founding a skill across scopes."""
    unlike: list[str] = field(default_factory=list)
    """The traces of the round without a skill."""
    kept_back: set[str] = field(default_factory=set)
    """The traces of the round that are like a skill dismissed in the scope."""
    unmatched: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    failed: list[Exception] = field(default_factory=list)

    def state_facts(self, traces: Sequence[StoredRecord]) -> Sequence[StoredRecord]:
        """Write the facts stated by the traces; return the traces as stored afterwards.

        The facts of a scope come from the traces of the scope alone.
        """
        facts = [
            fact
            for of_scope in _by_scope(traces)
            for fact in write_stated_facts(of_scope, self.world)
        ]
        if not facts:
            return traces
        self.facts.extend(facts)
        ids = [each.id for each in traces]
        self.known.forget(ids)
        held = self.known.load(ids)
        if len(held) < len(ids):
            raise LostRace
        return [held[each] for each in ids]


def _by_scope(traces: Iterable[StoredRecord]) -> Iterable[Sequence[StoredRecord]]:
    found = dict[str, list[StoredRecord]]()
    for each in traces:
        found.setdefault(each.scope, []).append(each)
    return found.values()


def evidence_of_trace(trace: StoredRecord) -> Evidence:
    evidence = evidence_in(trace, trace.scope)
    if evidence is None:
        raise TypeError("only traces are evidence of skills")
    return evidence


def by_end(trace: StoredRecord) -> tuple[str, str]:
    """A sort key: the end of the trace, then the id."""
    payload = trace.record.payload
    end = ended_at(payload) if isinstance(payload, EpisodicPayload) else trace.record.created_at
    return end.removesuffix("Z"), trace.id
