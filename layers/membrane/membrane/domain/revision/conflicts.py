"""What becomes of an observed fact and of the active facts in conflict with the observation.

Facts conflict that have the same scope, subject, predicate and conditions, and overlapping windows.
`names.fact_words` compares subjects and predicates; `domain/records/standing.py` compares windows.
A rival is a conflicting active fact that the caller may see; `usecases/revision/heads.py` finds
them.

    policy    a rival has the same      otherwise
              object and covers the
              observed window
    keep      created beside all, or    created beside all
              reinforced (see below)
    replace   rival reinforced,         created in place of every rival
              supersedes other rivals
    fork      rival reinforced          created as a fork of the oldest rival
    contest   rival reinforced          created; contests the others: uncontested, then newest

Under `keep` a fact that is reported twice stands twice, unless the observation reinforces equal
facts (`reinforces_same`): then the rival is reinforced and supersedes no other rival.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from membrane.domain.ingest.builder import CREATED_BY, Making, Why
from membrane.domain.language.json_text import canonical_json, digest
from membrane.domain.language.names import fact_words
from membrane.domain.language.vocabulary import ConflictPolicy, MemoryType, Sensitivity
from membrane.domain.lifecycle.changes import reinforced_version
from membrane.domain.records.evidence import with_evidence
from membrane.domain.records.payloads import ProvenanceRef, SemanticPayload
from membrane.domain.records.records import DERIVED_FROM, SUPERSEDES, MemoryRecord
from membrane.domain.records.standing import is_contested, window_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision import changes

AGAIN = "observed again"
OTHERWISE = "observed otherwise"
CROWDED = "many stood where one may"

VersionPair = tuple[StoredRecord, StoredRecord]
"""A record as read, and its next version."""

MakingOf = Callable[[StoredRecord], Making]
"""The context for a change of a stored record."""

Shown = Callable[[StoredRecord], StoredRecord]
"""Returns a stored record with the audit entries that a reply shows."""


class Observation(NamedTuple):
    """A fact on its way into the store, and the policy for the facts that it contradicts."""

    record: MemoryRecord
    source: str
    on_conflict: ConflictPolicy
    making: Making
    reinforces_same: bool = False
    """Whether an equal active fact is reinforced also under KEEP."""
    evidence: ProvenanceRef | None = None
    """What a known fact gains as evidence by being reinforced; `record` names the evidence too.

    With evidence, an equal fact of a lower sensitivity is no rival, and stays as it is.
    """
    most_changed: int = changes.MAX_SOURCES
    """The most rivals that the write replaces or contests. Of more, the oldest are thinned out
    first; a contest leaves out those that are contested already, the oldest first."""
    as_written: MemoryRecord | None = None
    """The fact of `record` under the words for which `record` has canonical names.

    An observation states a fact in words as written, so known facts are sought under both.
    """

    @property
    def wordings(self) -> Sequence[MemoryRecord]:
        return (self.record,) if self.as_written is None else (self.record, self.as_written)

    def is_evidence_for(self, known: StoredRecord) -> bool:
        """Whether the observation may reinforce an equal known fact.

        A reader of the known fact would otherwise learn of evidence above the reader's ceiling.
        """
        return self.evidence is None or known.sensitivity is self.record.sensitivity


class Decision(NamedTuple):
    """What to write for an observed fact, all in one transaction."""

    created: MemoryRecord | None = None
    """The new fact, complete; None if the first fact of `changed` is reinforced."""
    changed: Sequence[VersionPair] = ()
    crowds: Sequence[Sequence[StoredRecord]] = ()
    """More rivals than one write may replace: write nothing yet, but let the newest of each crowd
    supersede the others (`thinned_versions`), then read and decide again."""


def decide(
    seen: Observation,
    rivals: Sequence[StoredRecord],
    equal_ids: Collection[str],
    making_of: MakingOf,
    shown: Shown,
    *,
    has_room: bool = True,
) -> Decision:
    """The decision for an observed fact; `rivals` are sorted by age, oldest first.

    `equal_ids` are the rivals with the observed object. A head without room for all active facts
    gains no fact before the rivals are thinned out.
    """
    known = _widest_known(seen, [each for each in rivals if each.id in equal_ids])
    replaced = list[StoredRecord]()
    if seen.on_conflict is ConflictPolicy.REPLACE:
        replaced = [each for each in rivals if _is_replaced(each, known, equal_ids)]
        is_crowded = len(replaced) > (seen.most_changed if has_room else 1)
        if is_crowded and (crowds := _crowds_of(replaced)):
            return Decision(crowds=crowds)
    if known is not None and (seen.on_conflict is not ConflictPolicy.KEEP or seen.reinforces_same):
        return _reinforcing(seen, shown(known), replaced, making_of)
    match seen.on_conflict:
        case ConflictPolicy.REPLACE if rivals:
            return _created_in_place_of(replaced, seen, making_of)
        case ConflictPolicy.FORK if rivals:
            return _created_as_fork_of(rivals[0], seen, making_of)
        case ConflictPolicy.CONTEST:
            others = [each for each in rivals if each.id not in equal_ids]
            others.sort(key=lambda each: (not is_contested(each.record.payload), _age(each)))
            chosen = sorted(others[-seen.most_changed :], key=_age)
            return _created_against(chosen, seen, making_of)
        case _:
            return Decision(seen.record)


def _is_replaced(
    rival: StoredRecord, known: StoredRecord | None, equal_ids: Collection[str]
) -> bool:
    """Whether the observed fact, or the known fact that it reinforces, replaces the rival.

    A rival with the same object stays for the time that the reinforced fact does not cover.
    """
    if known is None or rival.id == known.id:
        return known is None
    return rival.id not in equal_ids or _covers(known, rival)


def _crowds_of(rivals: Sequence[StoredRecord]) -> Sequence[Sequence[StoredRecord]]:
    """The rivals of each sensitivity with more than one, oldest first."""
    crowds: dict[Sensitivity, list[StoredRecord]] = {}
    for each in sorted(rivals, key=_age):
        crowds.setdefault(each.sensitivity, []).append(each)
    return [crowd for crowd in crowds.values() if len(crowd) > 1]


def thinned_versions(
    seen: Observation, crowd: Sequence[StoredRecord], making_of: MakingOf
) -> Sequence[VersionPair]:
    """The changes with which the newest of a crowd supersedes the others; its own comes first."""
    *older, newest = crowd
    return _changes_superseding(newest, newest, older, Why(seen.source, CROWDED), making_of)


def _widest_known(seen: Observation, equal: Sequence[StoredRecord]) -> StoredRecord | None:
    """The equal rival whose window covers the observed one, the widest, then the first."""
    widest: StoredRecord | None = None
    for each in equal:
        is_wider = widest is None or (_covers(each, widest) and not _covers(widest, each))
        if is_wider and covers(fact_of(each.record), fact_of(seen.record)):
            widest = each
    return widest


def _covers(one: StoredRecord, other: StoredRecord) -> bool:
    return covers(fact_of(one.record), fact_of(other.record))


def _age(stored: StoredRecord) -> tuple[float, str]:
    return stored.born_s, stored.id


def _reinforcing(
    seen: Observation,
    known: StoredRecord,
    replaced: Sequence[StoredRecord],
    making_of: MakingOf,
) -> Decision:
    """The known fact, reinforced, supersedes the others.

    It gains the evidence, and the relations that it lacks: the entity of a subject or object may be
    younger than the known fact.
    """
    record = known.record if seen.evidence is None else with_evidence(known.record, seen.evidence)
    there = {(each.predicate, each.target_id) for each in record.relations}
    gained = [
        each for each in seen.record.relations if (each.predicate, each.target_id) not in there
    ]
    record = record.model_copy(update={"relations": (*record.relations, *gained)})
    why = Why(seen.source, AGAIN)
    stronger = reinforced_version(known, why, making_of(known), record=record)
    return Decision(None, _changes_superseding(known, stronger, replaced, why, making_of))


def _created_in_place_of(
    replaced: Sequence[StoredRecord], seen: Observation, making_of: MakingOf
) -> Decision:
    made = changes.successor(*_shown_from(replaced, seen))
    for each in replaced[1:]:
        made = changes.with_relation(made, SUPERSEDES, each.id, seen.making)
    why = Why(seen.source, OTHERWISE)
    return Decision(made, [_superseded_by(each, made, why, making_of) for each in replaced])


def _created_as_fork_of(source: StoredRecord, seen: Observation, making_of: MakingOf) -> Decision:
    record, _, shown, making = _shown_from([source], seen)
    why = shown.after(f"forked from {source.id}")
    made = changes.linked_record(record, DERIVED_FROM, [source.id], why, making)
    why, is_named = Why(seen.source, OTHERWISE), _may_name(source.record, made)
    after = changes.forked_version(source, made.id, why, making_of(source), is_named=is_named)
    return Decision(made, [(source, after)])


def _created_against(
    rivals: Sequence[StoredRecord], seen: Observation, making_of: MakingOf
) -> Decision:
    by, changed = seen.record, list[VersionPair]()
    for each in rivals:
        change = f"contested by {by.id}" if _may_name(each.record, by) else "contested"
        why = Why(seen.source, OTHERWISE).after(change)
        changed.append((each, changes.contested_version(each, by.id, why, making_of(each))))
    return Decision(by, changed)


def _shown_from(
    sources: Sequence[StoredRecord], seen: Observation
) -> tuple[MemoryRecord, StoredRecord, Why, Making]:
    """The arguments for a record made from the first source.

    The record is at least as sensitive as each source, because a successor shows its sources.
    """
    record = seen.record
    sensitivity = changes.sensitivity_among(sources, record.sensitivity)
    why = Why(CREATED_BY, record.audit_log[0].rationale)
    return record.model_copy(update={"sensitivity": sensitivity}), sources[0], why, seen.making


def _changes_superseding(
    before: StoredRecord,
    after: StoredRecord,
    older: Sequence[StoredRecord],
    why: Why,
    making_of: MakingOf,
) -> Sequence[VersionPair]:
    """The changes with which a stored record supersedes older records; its own comes first."""
    making = making_of(before)
    for each in older:
        is_named = _may_name(before.record, each.record)
        after = changes.superseding_version(after, each.id, why, making, is_named=is_named)
    return [
        (before, after),
        *(_superseded_by(each, before.record, why, making_of) for each in older),
    ]


def _superseded_by(
    rival: StoredRecord, by: MemoryRecord, why: Why, making_of: MakingOf
) -> VersionPair:
    is_named = _may_name(rival.record, by)
    return rival, changes.superseded_version(rival, by.id, why, making_of(rival), is_named=is_named)


def _may_name(record: MemoryRecord, other: MemoryRecord) -> bool:
    """Whether every reader of the record's audit is cleared for `other` too."""
    return other.sensitivity.level <= record.sensitivity.level


def head_key_of(scope: str, payload: SemanticPayload, conditions: Any) -> bytes:
    """The key of the fact's head; `conditions` are the payload's, loaded if large."""
    words = fact_words(payload.subject, payload.predicate)
    return digest(scope, MemoryType.SEMANTIC, *words, normal_json(conditions).decode())


def is_same(one: Any, other: Any) -> bool:
    """Whether two objects are the same JSON value; 1.0 and 1 are the same."""
    return normal_json(one) == normal_json(other)


def normal_json(value: Any) -> bytes:
    """The canonical JSON of the value; 1.0 and 1 give the same."""
    return canonical_json(_normal(value))


def _normal(value: Any) -> Any:
    """The value with whole numbers as integers: 1.0 and 1e0 become 1, and -0.0 becomes 0."""
    match value:
        case dict():
            return {name: _normal(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_normal(inner) for inner in value]
        case float() if value.is_integer():
            return int(value)
        case _:
            return value


def covers(one: SemanticPayload, other: SemanticPayload) -> bool:
    """Whether the window of `one` contains the window of `other`."""
    return window_of(one.validity).covers(window_of(other.validity))


def capped_policy(policy: ConflictPolicy) -> ConflictPolicy:
    """The policy for a fact that a model derived: such a fact contests other facts at most.

    A model never silently replaces, or varies, what a person or an agent said.
    """
    return ConflictPolicy.KEEP if policy is ConflictPolicy.KEEP else ConflictPolicy.CONTEST


def fact_of(record: MemoryRecord) -> SemanticPayload:
    if not isinstance(record.payload, SemanticPayload):
        raise TypeError("only facts conflict")
    return record.payload
