"""The state of a run that learns from the traces of a scope."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

from membrane.domain.access.principals import CONSOLIDATION
from membrane.domain.capture import made_records
from membrane.domain.ingest.builder import Why
from membrane.domain.language.json_text import canonical_json, digest
from membrane.domain.language.names import fact_words
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import ConflictPolicy
from membrane.domain.learning.facts import OBSERVED_IN, StatedFact, stated_facts
from membrane.domain.learning.learned_records import ended_at, evidence_in
from membrane.domain.learning.skills import Evidence, in_order
from membrane.domain.records.evidence import facts_derived_by
from membrane.domain.records.payloads import EpisodicPayload, SemanticPayload
from membrane.domain.records.stored import StoredRecord, is_alive
from membrane.domain.revision.conflicts import Observation, capped_policy, normal_json
from membrane.table.items import LostRace
from membrane.usecases.learning.find_matches import Known, consolidating_call, making_for
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.records import Change
from membrane.usecases.ports.world import World
from membrane.usecases.revision import derived_facts

STATED = "stated facts"

_Statement = tuple[str, str, bytes]
"""Subject, predicate, and the normal JSON of the object."""


def write_stated_facts(traces: Sequence[StoredRecord], world: World) -> Sequence[str]:
    """The ids of the facts stated by the traces, created or reinforced; the traces are evidence.

    A trace with facts gets a new version: load the traces again. A repeat writes nothing again, nor
    does a fact that a model has read in the trace before. The results of a trace that waits no
    longer were read before, so a fact that has ended since does not return.
    Facts that the store refuses, and more than MAX_FACTS of a trace, are left out and counted.
    Raises ScopeFenced; Aborted; LostRace if a trace is gone.
    """
    evidence = in_order([*filter(None, map(evidence_in, traces))])
    read_before = {each.id for each in traces if each.learning.awaits is None}
    stated: dict[str, dict[_Statement, StatedFact]] = {each.record_id: {} for each in evidence}
    for fact in stated_facts(evidence, read_before):
        for trace_id in fact.evidence_ids:
            stated[trace_id].setdefault(_statement(fact), fact)
    known = _known_statements(traces, world)
    by_id = {each.id: each for each in traces}
    written = dict[str, None]()
    for trace_id, facts in stated.items():
        if len(facts) > derived_facts.MAX_FACTS:
            derived_facts.leave_out(
                derived_facts.LeftOut.TOO_MANY, world, len(facts) - derived_facts.MAX_FACTS
            )
        allowed = [*facts.items()][: derived_facts.MAX_FACTS]
        new = [fact for statement, fact in allowed if (trace_id, statement) not in known]
        if new:
            written |= dict.fromkeys(_write_facts(new, by_id[trace_id], world))
    return [*written]


def _known_statements(
    traces: Sequence[StoredRecord], world: World
) -> AbstractSet[tuple[str, _Statement]]:
    """Statements of facts, also deleted, by id of their trace. A BatchGetItem, or none."""
    fact_ids = {each.id: facts_derived_by(each.record.relations) for each in traces}
    wanted = list(dict.fromkeys(chain.from_iterable(fact_ids.values())))
    found = world.records.load_each(wanted) if wanted else {}
    facts = {
        each.id: each.record.payload for each in found.values() if isinstance(each, StoredRecord)
    }
    return {
        (trace_id, _statement(fact))
        for trace_id, ids in fact_ids.items()
        for fact in map(facts.get, ids)
        if isinstance(fact, SemanticPayload) and not isinstance(fact.object, LargeValue)
    }


def _statement(fact: StatedFact | SemanticPayload) -> _Statement:
    return *fact_words(fact.subject, fact.predicate), normal_json(fact.object)


def _write_facts(facts: Sequence[StatedFact], trace: StoredRecord, world: World) -> Sequence[str]:
    """The ids of the facts: written in a transaction, or alone where that cannot be."""
    observed = [_observation_of(each, trace, world) for each in facts]
    link_alone = partial(_trace_linked_to, trace, world)
    ids: Sequence[str | None] = [None] * len(facts)
    try:
        link = partial(_linked_version, trace, world=world)
        ids = derived_facts.observe_together(observed, link, world)
    except LostRace:
        pass  # alone, each fact waits for the turn at the head, and a written fact is found
    found = [
        written or derived_facts.observe_derived(*each, world, linked_to=link_alone)
        for each, written in zip(observed, ids, strict=True)
    ]
    return [*filter(None, found)]


def _observation_of(
    fact: StatedFact, trace: StoredRecord, world: World
) -> tuple[Observation, Call]:
    call = _call_for(fact, trace)
    seen = made_records.derived_fact(
        made_records.Statement(fact.subject, fact.predicate, fact.object),
        {},
        trace.record,
        CONSOLIDATION,
        call.making(call.new_id(world), world.now(), world),
        confidence=made_records.FACT_CONFIDENCE,
        on_conflict=_conflict_policy(fact, world),
        most_changed=derived_facts.MAX_CONTESTED_FACTS,
    )
    return seen, call


def _conflict_policy(fact: StatedFact, world: World) -> ConflictPolicy:
    """Events of a kind contradict nothing under any policy for all predicates."""
    if fact.predicate == OBSERVED_IN:
        return ConflictPolicy.KEEP
    return capped_policy(world.policy.conflict_policy(fact.predicate))


def _trace_linked_to(trace: StoredRecord, world: World, fact_id: str) -> Change:
    """The trace and its version with the relation. Raises LostRace for a moved trace."""
    before = world.records.load(trace.id)
    place = trace.scope, trace.sensitivity
    if not is_alive(before) or (before.scope, before.sensitivity) != place:
        raise LostRace
    return _linked_version(before, [fact_id], world)


def _linked_version(trace: StoredRecord, fact_ids: Sequence[str], world: World) -> Change:
    making, why = making_for(trace.id, world), Why(CONSOLIDATION, STATED)
    return trace, derived_facts.linked_version(trace, fact_ids, why, making)


def _call_for(fact: StatedFact, trace: StoredRecord) -> Call:
    """The call under the key of the trace and the fact: a repeat writes no second fact."""
    value = canonical_json(fact.object).decode()
    key = digest(trace.id, trace.sensitivity, fact.subject, fact.predicate, value).hex()
    call = consolidating_call(trace.scope, trace.sensitivity)
    return call._replace(key=key, fingerprint=bytes(32))


MAX_TOGETHER = 20
"""Traces counted in a transaction: a trace takes up to four of the hundred writes."""


@dataclass(slots=True)
class Consolidated:
    """The result of a run."""

    traces: list[str] = field(default_factory=list)
    """New traces."""
    skills: list[str] = field(default_factory=list)
    """New skills."""
    plans: list[str] = field(default_factory=list)
    """New plans."""
    grown: list[str] = field(default_factory=list)
    """Skills with further evidence."""
    unmatched: list[str] = field(default_factory=list)
    """Traces without a match."""
    facts: list[str] = field(default_factory=list)
    """Facts stated by traces, created or reinforced."""
    failed: list[Exception] = field(default_factory=list)
    """Failures of single threads and groups; the next run tries again."""
    is_left: bool = False
    """Whether time was up before the end."""


@dataclass(slots=True)
class Learning:
    """The state of a run over the traces of a scope."""

    known: Known
    world: World
    done: Consolidated
    """Gains what the run makes."""
    crosses_scopes: bool = False
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
        self.done.facts.extend(facts)
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
