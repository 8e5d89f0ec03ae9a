"""What was learned in a store, and what must hold of every state of it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from membrane.domain.access.principals import CONSOLIDATION
from membrane.domain.records.evidence import DERIVED_COMPETENCE
from membrane.domain.records.learning_mark import Stage, is_step, is_trace
from membrane.domain.records.payloads import CompetencePayload
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.wiring.world import World
from tests.worlds.captures import alive


@dataclass(frozen=True, slots=True)
class LearnedState:
    """The living evidence of a store by what it waits for, and the skills."""

    waiting_steps: frozenset[str] = frozenset()
    waiting_traces: frozenset[str] = frozenset()
    traces: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The steps of each trace."""
    skills: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """The successes and failures of each skill in use."""


def stored(record_id: str, services: World) -> StoredRecord:
    """The record as stored now; fails without one."""
    held = services.records.load(record_id)
    assert isinstance(held, StoredRecord)
    return held


def learned_in(held: Mapping[str, AnyRecord]) -> LearnedState:
    """The state; fails where evidence is counted twice, or counted and still waiting."""
    living = alive(held)
    steps = [each for each in living if is_step(each.record.payload)]
    traces = [each for each in living if is_trace(each.record.payload)]
    for step in steps:
        assert (step.learning.awaits is Stage.STEP) != bool(step.learning.trace_id), step.id
    parts = {each.id: _sources(each) for each in traces}
    used = Counter(step for found in parts.values() for step in found)
    assert set(used.values()) <= {1}, "a step is part of two traces"
    for step in steps:
        if step.learning.trace_id in parts:
            assert step.id in parts[step.learning.trace_id]
    skills = [each for each in living if isinstance(each.record.payload, CompetencePayload)]
    in_use = [
        each
        for each in skills
        if not is_retracted(each.record.payload)
        and each.record.provenance.created_by == CONSOLIDATION
    ]
    for each in in_use:
        _require_counted_once(each, traces)
    return LearnedState(
        waiting_steps=_of(steps, Stage.STEP),
        waiting_traces=_of(traces, Stage.TRACE),
        traces=parts,
        skills={each.id: _figures(each) for each in in_use},
    )


def _require_counted_once(skill: StoredRecord, traces: list[StoredRecord]) -> None:
    sources = [source.ref for source in skill.record.provenance.sources]
    assert len(set(sources)) == len(sources), "a trace is counted twice"
    assert sum(_figures(skill)) == len(sources)
    for each in traces:
        targets = [
            relation.target_id
            for relation in each.record.relations
            if relation.predicate == DERIVED_COMPETENCE
        ]
        assert len(targets) <= 1, "a trace is counted in two skills"
        assert (skill.id in targets) == (each.id in sources), each.id
        if targets:
            assert each.learning.awaits is None


def _figures(skill: StoredRecord) -> tuple[int, int]:
    payload = skill.record.payload
    assert isinstance(payload, CompetencePayload)
    assert payload.performance is not None
    return payload.performance.success_count, payload.performance.failure_count


def _sources(trace: StoredRecord) -> frozenset[str]:
    return frozenset(source.ref for source in trace.record.provenance.sources)


def _of(held: list[StoredRecord], stage: Stage) -> frozenset[str]:
    return frozenset(each.id for each in held if each.learning.awaits is stage)
