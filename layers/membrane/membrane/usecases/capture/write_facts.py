"""Write what a model reads in a capture: entities for the names, and facts through the policy."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import partial

from membrane.domain.access.principals import INTERPRETER
from membrane.domain.capture import made_records
from membrane.domain.capture.acceptance import kept_words
from membrane.domain.capture.proposals import ProposedFact, ProposedMention
from membrane.domain.capture.reading import terms_of
from membrane.domain.entities.merging import entity_of
from membrane.domain.ingest.builder import Why
from membrane.domain.language.json_text import canonical_json, digest
from membrane.domain.language.names import STOPWORDS, fact_words, term_of
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.evidence import DERIVED_SEMANTIC
from membrane.domain.records.interpretation import Mention
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.conflicts import Observation, capped_policy, is_same
from membrane.table.items import IdTaken, LostRace
from membrane.usecases.capture.draft_capture import entity_named_in, make_entities
from membrane.usecases.capture.interpreting_call import (
    entities_by_name,
    interpreting_call,
    linkable_to,
    load_standing,
)
from membrane.usecases.machinery.calls import Call, until_won
from membrane.usecases.ports.records import Change
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import first_version
from membrane.usecases.revision import derived_facts
from membrane.usecases.revision.heads import inline_value

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
    found, names = entities_by_name(terms, held, world)
    call, now = interpreting_call(held), world.now()
    creating = _mentions_to_create(unknown, found, held, taken)
    new, further_names = make_entities(
        creating,
        found,
        names,
        primary=held.record,
        source=INTERPRETER,
        making_of=lambda entity_id: call.making(entity_id, now, world),
        world=world,
    )
    if new:
        unkeyed = call._replace(fingerprint=b"")
        first, *others = [first_version(each, now, unkeyed)[0] for each in new.values()]
        capture = load_standing(held, world)
        try:
            world.records.create(first, also=others, names=further_names, targets=[capture])
        except IdTaken as error:
            taken.add(error.record_id)
            raise LostRace from error
    known = {term: each.record for term, each in found.items()}
    return [_resolved_mention(each, {**known, **new}) for each in proposed]


def _mentions_to_create(
    unknown: Sequence[ProposedMention],
    found: Collection[str],
    held: StoredRecord,
    taken: Collection[str],
) -> Sequence[Mention]:
    """The mentions that may create an entity, at most MAX_CREATED."""
    terms: dict[str, Mention] = {}
    for each in unknown:
        term = term_of(each.surface)
        is_known = any(name in found for name in terms_of(_mention(each)))
        is_new = not is_known and term not in terms
        is_free = made_records.entity_id_for(held.id, term) not in taken
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
    entity = entity_named_in(mention, entities)
    if entity is None:
        return mention
    resolved = made_records.resolved_mention(mention, entity.id, entity_of(entity).primary_type)
    return resolved.model_copy(update={"confidence": proposed.confidence})


def _mention(proposed: ProposedMention) -> Mention:
    return Mention(
        surface=proposed.surface,
        entity_kind=proposed.entity_kind,
        confidence=proposed.confidence,
        aliases=proposed.aliases,
        words=kept_words(proposed.words),
    )


def write_facts(
    facts: Sequence[ProposedFact], mentions: Sequence[Mention], held: StoredRecord, world: World
) -> Mapping[str, ProposedFact]:
    """The facts by id, created or reinforced, with the capture as evidence.

    A fact has the scope and sensitivity of the capture and the confidence of the model, and
    contests other facts at most. A repeat writes nothing again. Facts that the store refuses and
    facts beyond MAX_FACTS are left out and counted. The transaction of a fact links the capture to
    the fact. Raises CaptureGoneError; AlreadyExists; ScopeFenced; Aborted.
    """
    by_term = _entities(facts, mentions, held, world)
    entities = {term: each.record for term, each in by_term.items()}
    stored = {each.id: each for each in by_term.values()}
    known = _known_facts(held, world)
    written = dict[str, ProposedFact]()
    for each in facts[: derived_facts.MAX_FACTS]:
        stated = made_records.Statement(each.subject, each.predicate, each.object)
        record_id = _known_id(stated, entities, known, world)
        if record_id is None:
            seen, call = _observation_of(stated, each.confidence, entities, held, world)
            targets = [stored[end] for end in {e.target_id: None for e in seen.record.relations}]
            link = partial(_capture_linked_to, held, call, world)
            record_id = derived_facts.observe_derived(
                seen, call, world, linked_to=link, targets=targets
            )
        if record_id is not None:
            written.setdefault(record_id, each)
    if len(facts) > derived_facts.MAX_FACTS:
        derived_facts.leave_out(
            derived_facts.LeftOut.TOO_MANY, world, len(facts) - derived_facts.MAX_FACTS
        )
    return written


def _known_id(
    stated: made_records.Statement,
    entities: Mapping[str, MemoryRecord],
    known: Sequence[StoredRecord],
    world: World,
) -> str | None:
    """The id of the fact in `known` with the same statement; None without such a fact."""
    wordings = (made_records.in_canonical_names(stated, entities), stated)
    words = {fact_words(each.subject, each.predicate) for each in wordings}
    for each in known:
        payload = each.record.payload
        if isinstance(payload, SemanticPayload) and (
            fact_words(payload.subject, payload.predicate) in words
        ):
            value = inline_value(payload.object, world)
            if any(is_same(value, wording.object) for wording in wordings):
                return each.id
    return None


def _observation_of(
    stated: made_records.Statement,
    confidence: float,
    entities: Mapping[str, MemoryRecord],
    held: StoredRecord,
    world: World,
) -> tuple[Observation, Call]:
    """The fact, and the call under the key of the fact: a repeat writes no second fact.

    Scope and sensitivity are part of the key: a capture that was reclassified between two tries
    gets the fact in the new place.
    """
    named = made_records.in_canonical_names(stated, entities)
    value = canonical_json(named.object).decode()
    key = digest(held.id, held.scope, held.sensitivity, named.subject, named.predicate, value).hex()
    call = interpreting_call(held, key=key)
    seen = made_records.derived_fact(
        stated,
        entities,
        held.record,
        INTERPRETER,
        call.making(call.new_id(world), world.now(), world),
        confidence=confidence,
        on_conflict=capped_policy(world.policy.conflict_policy(named.predicate)),
        most_changed=derived_facts.MAX_CONTESTED_FACTS,
    )
    return seen, call


def _capture_linked_to(held: StoredRecord, call: Call, world: World, fact_id: str) -> Change:
    """The capture, and its version with the relation. Raises CaptureGoneError; Aborted."""
    before = load_standing(held, world)
    updated_at = datetime.fromisoformat(before.record.updated_at)
    making = call.making(before.id, max(world.now(), updated_at), world)
    return before, derived_facts.linked_version(
        before, [fact_id], Why(INTERPRETER, made_records.DERIVED_FACT), making
    )


def _entities(
    facts: Sequence[ProposedFact], mentions: Sequence[Mention], held: StoredRecord, world: World
) -> Mapping[str, StoredRecord]:
    terms = [term_of(name) for fact in facts for name in (fact.subject, fact.object)]
    by_name, _ = entities_by_name(terms, held, world)
    ids = list(dict.fromkeys(filter(None, (each.canonical_entity_id for each in mentions))))
    loaded = linkable_to(held, world.records.load_each(ids).values()) if ids else {}
    by_mention = {
        term_of(each.surface): entity
        for each in mentions
        if (entity := loaded.get(each.canonical_entity_id)) and entity.type is MemoryType.ENTITY
    }
    return {**by_name, **by_mention}


def _known_facts(held: StoredRecord, world: World) -> Sequence[StoredRecord]:
    ids = [each.target_id for each in held.record.relations if each.predicate == DERIVED_SEMANTIC]
    return [*linkable_to(held, world.records.load_each(ids).values()).values()] if ids else []
