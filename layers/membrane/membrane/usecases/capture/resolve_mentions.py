"""Resolve the names read by a model in a capture to entities, known or created.

A known entity never changes: the aliases and the kind proposed by a model stay with the capture.
"""

from collections.abc import Collection, Mapping, Sequence

from membrane.domain.access.principals import INTERPRETER
from membrane.domain.capture.acceptance import kept_words
from membrane.domain.capture.linking import resolved_mention
from membrane.domain.capture.made_records import entity_id_for
from membrane.domain.capture.proposals import ProposedMention
from membrane.domain.capture.reading import terms_of
from membrane.domain.entities.merging import entity_of
from membrane.domain.language.names import STOPWORDS, term_of
from membrane.domain.records.interpretation import Mention
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.draft_capture import EntityMaker, make_entities
from membrane.usecases.capture.interpreting_call import (
    NamedEntities,
    entities_by_name,
    interpreting_call,
    load_standing,
)
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.records import IdTaken, LostRace
from membrane.usecases.ports.world import World
from membrane.usecases.records.creating import first_version

MAX_CREATED = 12
"""Entities that one interpretation creates, all in one transaction."""

LEAST_CONFIDENCE = 0.5
"""A name proposed with less confidence creates no entity, and stays unresolved."""

LEAST_NAME_CHARACTERS = 2
"""A shorter name creates no entity."""


def resolve_mentions(
    proposed: Sequence[ProposedMention], held: StoredRecord, world: World
) -> Sequence[Mention]:
    """The mentions, with the offered entity of the proposal, else the entity that bears the name.

    Created entities have the scope and the sensitivity of the capture. A repeat finds the
    entities of an earlier try by their names. Entities are created only while the capture stands.
    Raises CaptureGoneError; Aborted.
    """
    taken = set[str]()
    return until_won(lambda: _resolve(proposed, held, taken, world), world)


def _resolve(
    proposed: Sequence[ProposedMention], held: StoredRecord, taken: set[str], world: World
) -> Sequence[Mention]:
    """The mentions from the names and records as stored now.

    `taken` gets the ids of entities that an earlier try created, and that no longer bear the name.
    """
    unknown = [each for each in proposed if not each.entity_id]
    terms = [term for each in unknown for term in terms_of(_mention(each))]
    found = entities_by_name(terms, held, world)
    call, now = interpreting_call(held), world.now()
    maker = EntityMaker(held.record, INTERPRETER, now, call, world)
    creating = _mentions_to_create(unknown, found, held, taken)
    new, names = make_entities(creating, found.entities, found.names, maker)
    if new:
        unkeyed = call._replace(fingerprint=b"")
        first, *others = [first_version(each, now, unkeyed)[0] for each in new.values()]
        capture = load_standing(held, world)
        try:
            world.records.create(first, also=others, names=names, targets=[capture])
        except IdTaken as error:
            taken.add(error.record_id)
            raise LostRace from error
    known = {term: each.record for term, each in found.entities.items()}
    return [_resolved_mention(each, {**known, **new}) for each in proposed]


def _mentions_to_create(
    unknown: Sequence[ProposedMention],
    found: NamedEntities,
    held: StoredRecord,
    taken: Collection[str],
) -> Sequence[Mention]:
    """The mentions that may create an entity, at most MAX_CREATED."""
    terms: dict[str, Mention] = {}
    for each in unknown:
        term = term_of(each.surface)
        is_known = any(name in found.entities for name in terms_of(_mention(each)))
        is_new = not is_known and term not in terms
        is_free = entity_id_for(held.id, term) not in taken
        if is_new and is_free and _may_create(each) and len(terms) < MAX_CREATED:
            terms[term] = _mention(each).model_copy(update={"aliases": ()})
    return [*terms.values()]


def _may_create(proposed: ProposedMention) -> bool:
    """Whether the name may become an entity: likely, and more than a stop word."""
    term = term_of(proposed.surface)
    is_name = len(term) >= LEAST_NAME_CHARACTERS and term not in STOPWORDS
    return is_name and proposed.confidence >= LEAST_CONFIDENCE


def _resolved_mention(proposed: ProposedMention, entities: Mapping[str, MemoryRecord]) -> Mention:
    mention = _mention(proposed)
    if proposed.entity_id:
        return mention.model_copy(update={"canonical_entity_id": proposed.entity_id})
    found = (entities.get(term) for term in terms_of(mention))
    entity = next((each for each in found if each is not None), None)
    if entity is None:
        return mention
    resolved = resolved_mention(mention, entity.id, entity_of(entity).primary_type)
    return resolved.model_copy(update={"confidence": proposed.confidence})


def _mention(proposed: ProposedMention) -> Mention:
    return Mention(
        surface=proposed.surface,
        entity_kind=proposed.entity_kind,
        confidence=proposed.confidence,
        aliases=proposed.aliases,
        words=kept_words(proposed.words),
    )
