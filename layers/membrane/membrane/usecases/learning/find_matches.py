"""Find the skill of a trace, or the traces alike."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from membrane.domain.access.principals import CONSOLIDATION, Principal, Source
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import Aborted, ScopeFenced
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.learning.skills import best_match
from membrane.domain.records.evidence import skills_derived_by
from membrane.domain.records.learning_mark import is_trace
from membrane.domain.records.payloads import CompetencePayload, EpisodicPayload
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import DELETED, AnyRecord, StoredRecord
from membrane.domain.revision.changes import has_lost_evidence
from membrane.usecases.machinery.calls import TRANSIENT, Call, load_undamaged, making_by
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World

CONSOLIDATE = "Consolidate"
"""The operation in reports of failures."""

_PERMISSIONS = frozenset((Permission.INGEST, Permission.READ, Permission.REVISE))


Result = TypeVar("Result")


def consolidating_call(scope: str, ceiling: Sensitivity) -> Call:
    """A call by a principal limited to the scope and the sensitivity of the evidence."""
    scopes = (scope or ALL_SCOPES,)
    principal = Principal(CONSOLIDATION, _PERMISSIONS, scopes, ceiling, Source.SERVICE)
    return Call(principal, CONSOLIDATE, None, fingerprint=b"")


def making_for(record_id: str, world: World) -> Making:
    """The context of a write by the consolidation."""
    return making_by(CONSOLIDATION, record_id, world)


def result_alone(
    work: Callable[[], Result], world: World, failed: list[Exception]
) -> Result | None:
    """The result; None for a failure, which joins `failed`: the evidence waits for a later run.

    A failure is reported, except where other writers came first or the scope is being erased.
    Raises TRANSIENT errors.
    """
    try:
        return work()
    except TRANSIENT:
        raise
    except (Aborted, ScopeFenced) as error:
        failed.append(error)
    except Exception as error:  # noqa: BLE001 - one failure must not keep back the other work
        world.report(CONSOLIDATE, FAULT, error)
        failed.append(error)
    return None


MAX_CANDIDATES = 30
"""Skills and traces read under a digest."""


@dataclass(slots=True)
class Known:
    """The skills and traces read by a run, and the digests looked up."""

    world: World
    held: dict[str, AnyRecord] = field(default_factory=dict)
    asked: dict[bytes, Sequence[str]] = field(default_factory=dict)
    offered: dict[bytes, list[str]] = field(default_factory=dict)
    """By digest, the ids of the run itself; the index may lag."""

    def offer(self, held: StoredRecord) -> None:
        """Let the later traces of the run find the record."""
        for lookup in held.learning.lookups:
            self.offered.setdefault(lookup, []).append(held.id)

    def forget(self, record_ids: Sequence[str]) -> None:
        """Read the records again at the next need."""
        for each in record_ids:
            self.held.pop(each, None)

    def load(self, record_ids: Sequence[str]) -> Mapping[str, StoredRecord]:
        """The records with content, read once. A damaged record is reported and left out."""
        lacking = [each for each in dict.fromkeys(record_ids) if each not in self.held]
        if lacking:
            records = self.world.records
            found, damaged = load_undamaged(lacking, records.load_each)
            self.held |= found
            for error in damaged.values():
                self.world.report(CONSOLIDATE, FAULT, error)
        held = {each: self.held[each] for each in record_ids if each in self.held}
        return {each: kept for each, kept in held.items() if isinstance(kept, StoredRecord)}

    def candidates(self, trace: StoredRecord) -> Sequence[StoredRecord]:
        """Skills and traces like the trace. A Query a new digest, and two BatchGetItems at most."""
        return [
            each
            for each in self._alike(trace, trace.learning.lookups_within)
            if each.scope == trace.scope and not each.learning.is_across
        ]

    def candidates_across(self, trace: StoredRecord) -> Sequence[StoredRecord]:
        """Unscoped skills made across scopes, and traces of any scope.

        A trace comes after the comparison with its own scope, unless a skill dismissed there keeps
        the trace back. Requests as for `candidates`.
        """
        return [
            each
            for each in self._alike(trace, trace.learning.lookups_across)
            if _takes_part_across(each)
        ]

    def _alike(self, trace: StoredRecord, lookups: Sequence[bytes]) -> Sequence[StoredRecord]:
        """Skills and traces under the digests, and the skills of the traces."""
        found = dict(self.load(list(self._ids_under(lookups))))
        found |= self.load([each for held in found.values() for each in skills_of(held)])
        return [each for each in found.values() if each.id != trace.id]

    def unlearned_among(self, candidates: Iterable[StoredRecord]) -> list[StoredRecord]:
        """The living traces with an outcome and no skill, or with an ended one."""
        living = [each for each in candidates if _may_be_learned_from(each)]
        self.load([skill_id for each in living for skill_id in skills_of(each)])
        return [
            each
            for each in living
            if all(_ended_for_lack_of_evidence(self.held.get(skill)) for skill in skills_of(each))
        ]

    def _ids_under(self, lookups: Iterable[bytes]) -> Mapping[str, None]:
        found = dict[str, None]()
        for lookup in lookups:
            if lookup not in self.asked:
                self.asked[lookup] = self.world.learning.alike(lookup, MAX_CANDIDATES)
            found |= dict.fromkeys((*self.asked[lookup], *self.offered.get(lookup, ())))
        return found


def skill_of(trace: StoredRecord, candidates: Sequence[StoredRecord]) -> StoredRecord | None:
    """The skill that the trace is most like, of those in use first; None without one.

    A skill that a caller has dismissed is the answer if no other fits. A trace is a use of a skill
    of its own sensitivity alone: a skill below would have to rise with the trace, and readers of
    the trace may not see a skill above.
    """
    payload = trace.record.payload
    if not isinstance(payload, EpisodicPayload):
        return None
    fitting = [each for each in candidates if each.sensitivity is trace.sensitivity]
    for is_eligible in (is_in_use, is_dismissed):
        skills = [each for each in fitting if is_eligible(each)]
        found = [(each, _skill_in(each)) for each in skills]
        payloads = [(each, skill) for each, skill in found if skill is not None]
        best = best_match([skill for _, skill in payloads], payload)
        if best is not None:
            return payloads[best][0]
    return None


def skills_of(trace: StoredRecord) -> list[str]:
    """The ids of the skills in which the trace was counted."""
    return [*skills_derived_by(trace.record.relations)]


def _ended_for_lack_of_evidence(skill: AnyRecord | None) -> bool:
    if skill is None or (isinstance(skill, StoredRecord) and is_in_use(skill)):
        return False
    return has_lost_evidence(skill)


def _skill_in(held: StoredRecord) -> CompetencePayload | None:
    payload = held.record.payload
    return payload if isinstance(payload, CompetencePayload) else None


def is_in_use(held: StoredRecord) -> bool:
    return held.tombstone is None and not is_retracted(held.record.payload)


def is_dismissed(held: StoredRecord) -> bool:
    """Whether a caller has deleted or retracted the record, which must not come back by itself."""
    tombstone = held.tombstone
    if tombstone is not None:
        return tombstone.reason == DELETED
    return is_retracted(held.record.payload) and not has_lost_evidence(held)


def _takes_part_across(held: StoredRecord) -> bool:
    """Whether the record has digests across, which the index may show for longer."""
    mark = held.learning
    if mark.is_across:
        return not held.scope
    return bool(mark.lookups_across) and mark.awaits is None


def _may_be_learned_from(held: StoredRecord) -> bool:
    payload = held.record.payload
    if held.tombstone is not None or not isinstance(payload, EpisodicPayload):
        return False
    return payload.outcome is not None and is_trace(payload)
