"""Draft a capture: the linked evidence, new entities, the fact, and changes of known records."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from membrane.domain.capture import made_records
from membrane.domain.capture.reading import read_capture, terms_of
from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.entities.looks import is_bare_number
from membrane.domain.entities.merging import entity_of
from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import FailedPrecondition, TooLarge
from membrane.domain.language.names import first_word_of, term_of
from membrane.domain.records.evidence import DERIVED_SEMANTIC
from membrane.domain.records.interpretation import Interpretation, Mention, RelationCandidate
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.sizes import Upload
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.resolve_reading import Resolution, resolve_reading
from membrane.usecases.known_entities import NamesInView
from membrane.usecases.lifecycle.change_fading import used_again
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.records import NO_ROOM, Change, Head, NameChange, NamePlace
from membrane.usecases.ports.world import World
from membrane.usecases.revision.facts import plan_whole

MAX_NEW_ALIASES = 4
"""Aliases of all new entities of a capture: an alias takes an action of the transaction."""


def make_entities(
    mentions: Iterable[Mention],
    known: Collection[str],
    names: NamesInView,
    *,
    primary: MemoryRecord,
    source: str,
    making_of: Callable[[str], Making],
    world: World,
) -> tuple[Mapping[str, MemoryRecord], Sequence[NameChange]]:
    """New entities, by term, for mentions without a known entity, and the names to write.

    `known` are the terms of known entities. A mention stays without an entity if the names of its
    first word are too many, or if the name is the number of a ticket without a repository. An
    entity gets only aliases that lead to it; after MAX_NEW_ALIASES the further ones are left out.
    """
    changes: dict[NamePlace, NameChange] = {}

    def leads_to(entity_id: str, term: str) -> bool:
        """Whether the term leads to the entity from now on; counts a bucket without room."""
        place = NamePlace(primary.scope, first_word_of(term))
        change = names.change_for(place, primary.sensitivity, {term: entity_id}, changes)
        if change is None:
            world.measure(NO_ROOM, 1, "Count")
            return False
        changes[place] = change
        return True

    new: dict[str, MemoryRecord] = {}
    room = MAX_NEW_ALIASES
    for mention in mentions:
        term, *further = terms_of(mention)
        is_known = any(each in known or each in new for each in (term, *further))
        if is_known or is_bare_number(mention.surface):
            continue
        entity_id = made_records.entity_id_for(primary.id, term)
        if not leads_to(entity_id, term):
            continue
        aliases = [each for each in further[:room] if leads_to(entity_id, each)]
        room -= len(aliases)
        kept = tuple(each for each in mention.aliases if term_of(each) in {term, *aliases})
        named = mention.model_copy(update={"aliases": kept})
        entity = made_records.entity_record(named, primary, source, making_of(entity_id))
        new.update(dict.fromkeys((term, *aliases), entity))
    return new, [*changes.values()]


def entity_named_in(mention: Mention, entities: Mapping[str, MemoryRecord]) -> MemoryRecord | None:
    """The entity that bears the surface, else the entity of the first alias with an entity."""
    found = (entities.get(term) for term in terms_of(mention))
    return next((each for each in found if each is not None), None)


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


def draft_capture(capture: Capture, call: Call, world: World, taken: Collection[str] = ()) -> Draft:
    """The draft from the names and records as stored now, without new records of `taken` ids.

    A mention whose entity cannot be made, and a fact that cannot, leave the capture tentative.
    Raises LostRace.
    """
    reading = read_capture(capture.request, capture.content, capture.context)
    found = resolve_reading(reading, capture.primary, call, world)
    primary = capture.primary
    possible = [each for each in found.mentions if _entity_id(each, primary) not in taken]
    new, names = make_entities(
        possible,
        found.entities,
        found.names,
        primary=primary,
        source=capture.request.source,
        making_of=lambda entity_id: call.making(entity_id, capture.making.now, world),
        world=world,
    )
    entities = {**new, **{term: held.record for term, held in found.entities.items()}}
    interpretation = _interpretation(found, entities)
    made_at = capture.making.timestamp
    relations = made_records.relations_of(interpretation, primary.id, made_at)
    primary = primary.model_copy(
        update={"interpretation": interpretation, "relations": tuple(relations)}
    )
    changed = used_again(found.entities.values(), primary, MENTIONED, call, world)
    targets = [*found.entities.values(), *found.referred.values()]
    created = {each.id: each for each in new.values()}
    distinct = {each.id: each for each in targets}
    draft = Draft(primary, [*created.values()], changed, [*distinct.values()], names)
    stated = made_records.statement_in(capture.request, capture.content)
    if stated is None:
        return draft
    with_fact = _with_fact(draft, stated, entities, capture, call=call, world=world)
    if any(each.id in taken for each in with_fact.created):
        return draft._replace(primary=_without_fact(draft.primary))
    return with_fact


def _entity_id(mention: Mention, primary: MemoryRecord) -> str:
    """The id of the entity that the capture would make for the mention."""
    return made_records.entity_id_for(primary.id, term_of(mention.surface))


def _interpretation(found: Resolution, entities: Mapping[str, MemoryRecord]) -> Interpretation:
    mentions = [
        each
        if (entity := entity_named_in(each, entities)) is None
        else made_records.resolved_mention(each, entity.id, entity_of(entity).primary_type)
        for each in found.mentions
    ]
    references = [
        each
        if (target := found.target_of(each.ref)) is None
        else made_records.resolved_reference(each, *target)
        for each in found.interpretation.reference_candidates
    ]
    update = {"mentions": tuple(mentions), "reference_candidates": tuple(references)}
    return made_records.with_status(found.interpretation.model_copy(update=update))


def _with_fact(
    draft: Draft,
    stated: made_records.Statement,
    entities: Mapping[str, MemoryRecord],
    capture: Capture,
    *,
    call: Call,
    world: World,
) -> Draft:
    """The draft with the fact stated by the content, created or reinforced.

    Only facts up to the sensitivity of the capture count as known, and an equal fact is reinforced
    only if as sensitive as the capture. A fact that the store refuses
    (too many active facts, or a known fact that may not grow) must not cost the evidence: the
    capture is drafted without the fact, and the interpretation stays tentative.
    """
    primary, request = draft.primary, capture.request
    seen = made_records.derived_fact(
        stated,
        entities,
        primary,
        request.source,
        call.making(made_records.fact_id_for(primary.id), capture.making.now, world),
        confidence=made_records.stated_confidence(primary),
        on_conflict=world.policy.conflict_policy(stated.predicate),
        most_changed=MAX_CHANGED_FACTS,
    )
    # nothing above the sensitivity of the capture may decide
    cleared = call._replace(principal=call.principal._replace(ceiling=primary.sensitivity))
    try:
        decided, heads = plan_whole(seen, cleared, world)
    except (FailedPrecondition, TooLarge):
        return draft._replace(primary=_without_fact(primary))
    known = seen.record.id if decided.created is not None else decided.changed[0][1].id
    derived = made_records.relation(DERIVED_SEMANTIC, known, capture.making.timestamp)
    created = draft.created if decided.created is None else [*draft.created, decided.created]
    return draft._replace(
        primary=primary.model_copy(update={"relations": (*primary.relations, derived)}),
        created=created,
        changed=[*draft.changed, *decided.changed],
        heads=heads,
    )


def _without_fact(primary: MemoryRecord) -> MemoryRecord:
    interpretation = primary.interpretation
    if interpretation is None:
        raise TypeError("a drafted capture has an interpretation")
    lacking = (*interpretation.relation_candidates, RelationCandidate(predicate=DERIVED_SEMANTIC))
    lacked = interpretation.model_copy(update={"relation_candidates": lacking})
    return primary.model_copy(update={"interpretation": made_records.with_status(lacked)})
