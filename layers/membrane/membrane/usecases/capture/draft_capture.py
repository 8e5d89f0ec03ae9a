"""Draft a capture: the linked evidence, new entities, the fact, and changes of known records."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from membrane.domain.capture.linked_statements import LinkedStatement
from membrane.domain.capture.linking import (
    relation,
    relations_of,
    resolved_mention,
    resolved_reference,
    with_status,
)
from membrane.domain.capture.made_records import (
    entity_id_for,
    fact_id_for,
    fact_record,
    in_words_of,
    reference_to,
    stated_confidence,
    statement_in,
)
from membrane.domain.capture.reading import read_capture, terms_of
from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.entities.merging import entity_of
from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import FailedPrecondition, TooLarge
from membrane.domain.language.names import term_of
from membrane.domain.records.interpretation import Interpretation, Mention, RelationCandidate
from membrane.domain.records.predicates import DERIVED_SEMANTIC
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.domain.records.uploads import Upload
from membrane.usecases.capture.new_entities import EntityMaker, make_entities
from membrane.usecases.capture.resolve_reading import Resolution, resolve_reading
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.names import NameChange
from membrane.usecases.ports.records import Change, Head
from membrane.usecases.ports.world import World
from membrane.usecases.records.used_again import used_again
from membrane.usecases.revision.plan_observation import Observation, plan_observation

MENTIONED = "mentioned in a capture"

MAX_CHANGED_FACTS = 4
"""Known facts changed by the derived fact in the transaction of the capture."""


class Capture(NamedTuple):
    """A capture after all checks."""

    request: CaptureMemory
    content: Any
    context: Any
    primary: MemoryRecord
    """The evidence, not yet interpreted."""
    making: Making
    uploads: Sequence[Upload] = ()


class Draft(NamedTuple):
    """All that the transaction of a capture writes."""

    primary: MemoryRecord
    created: Sequence[MemoryRecord]
    """Entities in the order of the mentions, then the fact."""
    changed: Sequence[Change] = ()
    targets: Sequence[StoredRecord] = ()
    names: Sequence[NameChange] = ()
    heads: Sequence[Head] = ()


class _Linked(NamedTuple):
    """The known and the new entities, by term."""

    known: Mapping[str, StoredRecord]
    new: Mapping[str, MemoryRecord]

    def entity(self, term: str) -> MemoryRecord | None:
        return self.known[term].record if term in self.known else self.new.get(term)

    def entity_of(self, mention: Mention) -> MemoryRecord | None:
        """The entity that bears the surface, else the entity of the first alias with an entity."""
        found = (self.entity(term) for term in terms_of(mention))
        return next((each for each in found if each is not None), None)

    @property
    def entities(self) -> Mapping[str, MemoryRecord]:
        return {**self.new, **{term: held.record for term, held in self.known.items()}}


def draft_capture(capture: Capture, call: Call, world: World, taken: Collection[str] = ()) -> Draft:
    """The draft from the names and records as stored now, without new records of `taken` ids.

    A mention whose entity cannot be made, and a fact that cannot, leave the capture tentative.
    Raises LostRace.
    """
    reading = read_capture(capture.request, capture.content, capture.context)
    found = resolve_reading(reading, capture.primary, call, world)
    primary = capture.primary
    maker = EntityMaker(primary, capture.request.source, capture.making.now, call, world)
    possible = [each for each in found.mentions if _entity_id(each, primary) not in taken]
    new, names = make_entities(possible, found.entities, found.names, maker)
    linked = _Linked(found.entities, new)
    interpretation = _interpretation(found, linked)
    made_at = capture.making.timestamp
    relations = relations_of(interpretation, primary.id, made_at)
    primary = primary.model_copy(
        update={"interpretation": interpretation, "relations": tuple(relations)}
    )
    changed = used_again(found.entities.values(), primary, MENTIONED, call, world)
    targets = [*found.entities.values(), *found.referred.values()]
    created = {each.id: each for each in new.values()}
    draft = Draft(primary, [*created.values()], changed, _distinct(targets), names)
    stated = statement_in(capture.request, capture.content)
    if stated is None:
        return draft
    linked_fact = LinkedStatement(stated, linked.entities)
    with_fact = _with_fact(draft, linked_fact, capture, call, world)
    if any(each.id in taken for each in with_fact.created):
        return draft._replace(primary=_without_fact(draft.primary))
    return with_fact


def _entity_id(mention: Mention, primary: MemoryRecord) -> str:
    """The id of the entity that the capture would make for the mention."""
    return entity_id_for(primary.id, term_of(mention.surface))


def _interpretation(found: Resolution, linked: _Linked) -> Interpretation:
    mentions = [
        each
        if (entity := linked.entity_of(each)) is None
        else resolved_mention(each, entity.id, entity_of(entity).primary_type)
        for each in found.mentions
    ]
    references = [
        each if (target := found.target_of(each.ref)) is None else resolved_reference(each, *target)
        for each in found.interpretation.reference_candidates
    ]
    update = {"mentions": tuple(mentions), "reference_candidates": tuple(references)}
    return with_status(found.interpretation.model_copy(update=update))


def _with_fact(
    draft: Draft, stated: LinkedStatement, capture: Capture, call: Call, world: World
) -> Draft:
    """The draft with the fact stated by the content, created or reinforced.

    Only facts up to the sensitivity of the capture count as known, and an equal fact is reinforced
    only if as sensitive as the capture. A fact that the store refuses
    (too many active facts, or a known fact that may not grow) must not cost the evidence: the
    capture is drafted without the fact, and the interpretation stays tentative.
    """
    primary, request = draft.primary, capture.request
    making = call.making(fact_id_for(primary.id), capture.making.now, world)
    fact = fact_record(
        stated.canonical(),
        primary,
        request.source,
        making,
        world.policy,
        relations=tuple(stated.relations(making.timestamp)),
        confidence=stated_confidence(primary),
    )
    seen = Observation(
        fact,
        request.source,
        world.policy.conflict_policy(stated.stated.predicate),
        making,
        reinforces_same=True,
        evidence=reference_to(primary, making),
        most_changed=MAX_CHANGED_FACTS,
        as_written=in_words_of(fact, stated.stated),
    )
    # nothing above the sensitivity of the capture may decide
    cleared = call._replace(principal=call.principal._replace(ceiling=primary.sensitivity))
    try:
        plan = plan_observation(seen, cleared, world)
    except (FailedPrecondition, TooLarge):
        return draft._replace(primary=_without_fact(primary))
    known = fact.id if plan.created is not None else plan.changed[0][1].id
    derived = relation(DERIVED_SEMANTIC, known, making.timestamp)
    created = draft.created if plan.created is None else [*draft.created, plan.created]
    return draft._replace(
        primary=primary.model_copy(update={"relations": (*primary.relations, derived)}),
        created=created,
        changed=[*draft.changed, *plan.changed],
        heads=plan.heads,
    )


def _without_fact(primary: MemoryRecord) -> MemoryRecord:
    """The capture with an unresolved relation to the fact."""
    interpretation = primary.interpretation
    if interpretation is None:
        raise TypeError("a drafted capture has an interpretation")
    lacking = (*interpretation.relation_candidates, RelationCandidate(predicate=DERIVED_SEMANTIC))
    lacked = interpretation.model_copy(update={"relation_candidates": lacking})
    return primary.model_copy(update={"interpretation": with_status(lacked)})


def _distinct(records: Iterable[StoredRecord]) -> list[StoredRecord]:
    return [*{each.id: each for each in records}.values()]
