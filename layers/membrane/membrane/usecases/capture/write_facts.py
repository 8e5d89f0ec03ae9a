"""Write the facts read by a model in a capture, through the conflict policy."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from membrane.domain.access.principals import INTERPRETER
from membrane.domain.capture.linked_statements import LinkedStatement
from membrane.domain.capture.made_records import (
    DERIVED_FACT,
    Statement,
    fact_record,
    in_words_of,
    reference_to,
)
from membrane.domain.capture.proposals import ProposedFact
from membrane.domain.ingest.builder import Why
from membrane.domain.language.digests import digest
from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.names import term_of
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.interpretation import Mention
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.predicates import DERIVED_SEMANTIC
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.conflicts import capped_policy, is_same
from membrane.usecases.capture.interpreting_call import (
    entities_by_name,
    interpreting_call,
    linkable_to,
    load_standing,
)
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.records import Change
from membrane.usecases.ports.world import World
from membrane.usecases.records.creating import id_for
from membrane.usecases.revision.derived_facts import (
    MAX_CONTESTED_FACTS,
    MAX_FACTS,
    LeftOut,
    leave_out,
    linked_version,
    observe_derived,
)
from membrane.usecases.revision.heads import inline_value
from membrane.usecases.revision.plan_observation import Observation


def write_facts(
    facts: Sequence[ProposedFact],
    mentions: Sequence[Mention],
    held: StoredRecord,
    world: World,
) -> Mapping[str, ProposedFact]:
    """The facts by id, created or reinforced, with the capture as evidence.

    A fact has the scope and sensitivity of the capture and the confidence of the model, and
    contests other facts at most. A repeat writes nothing again. Facts that the store refuses and
    facts beyond MAX_FACTS are left out and counted. The transaction of a fact links the capture to
    the fact. Raises CaptureGoneError; AlreadyExists; ScopeFenced; Aborted.
    """
    writing = _Writing(held, _entities(facts, mentions, held, world), world)
    known = _known_facts(held, world)
    written = dict[str, ProposedFact]()
    for each in facts[:MAX_FACTS]:
        record_id = writing.known_id(each, known) or writing.write(each)
        if record_id is not None:
            written.setdefault(record_id, each)
    if len(facts) > MAX_FACTS:
        leave_out(LeftOut.TOO_MANY, world, len(facts) - MAX_FACTS)
    return written


class _Writing(NamedTuple):
    """The capture, and the entities that the facts may name, by term."""

    held: StoredRecord
    entities: Mapping[str, StoredRecord]
    world: World

    def known_id(self, fact: ProposedFact, known: Sequence[StoredRecord]) -> str | None:
        """The id of the fact in `known` with the same statement; None without such a fact."""
        linked = self._linked_statement(fact)
        wordings = (linked.canonical(), linked.stated)
        for each in known:
            payload = each.record.payload
            if (
                isinstance(payload, SemanticPayload)
                and payload.predicate == fact.predicate
                and payload.subject in {wording.subject for wording in wordings}
                and any(
                    is_same(inline_value(payload.object, self.world), wording.object)
                    for wording in wordings
                )
            ):
                return each.id
        return None

    def write(self, fact: ProposedFact) -> str | None:
        """The id of the fact; None for a fact left out, or deleted since an earlier try."""
        linked = self._linked_statement(fact)
        stated = linked.canonical()
        call = self._call_for(stated)
        record_id = id_for(call, self.world)
        making = call.making(record_id, self.world.now(), self.world)
        relations = tuple(linked.relations(making.timestamp))
        record = fact_record(
            stated,
            self.held.record,
            INTERPRETER,
            making,
            self.world.policy,
            relations=relations,
            confidence=fact.confidence,
        )
        stored = {each.id: each for each in self.entities.values()}
        seen = Observation(
            record,
            INTERPRETER,
            capped_policy(self.world.policy.conflict_policy(stated.predicate)),
            making,
            reinforces_same=True,
            evidence=reference_to(self.held.record, making),
            targets=[stored[each] for each in {edge.target_id: None for edge in relations}],
            linked_to=partial(self._capture_linked_to, call),
            most_changed=MAX_CONTESTED_FACTS,
            as_written=in_words_of(record, linked.stated),
        )
        return observe_derived(seen, call, self.world)

    def _capture_linked_to(self, call: Call, fact_id: str) -> Change:
        """The capture as stored now, and the next version with the relation to the fact.

        Raises CaptureGoneError; Aborted.
        """
        before = load_standing(self.held, self.world)
        updated_at = datetime.fromisoformat(before.record.updated_at)
        making = call.making(before.id, max(self.world.now(), updated_at), self.world)
        return before, linked_version(before, [fact_id], Why(INTERPRETER, DERIVED_FACT), making)

    def _call_for(self, stated: Statement) -> Call:
        """The call under the key of the fact: a repeat writes no second fact.

        Scope and sensitivity are part of the key: a capture that was reclassified between two tries
        gets the fact in the new place.
        """
        held, value = self.held, canonical_json(stated.object).decode()
        place = held.scope, held.sensitivity
        key = digest(held.id, *place, stated.subject, stated.predicate, value).hex()
        return interpreting_call(self.held, key=key)

    def _linked_statement(self, fact: ProposedFact) -> LinkedStatement:
        stated = Statement(fact.subject, fact.predicate, fact.object)
        return LinkedStatement(stated, {term: each.record for term, each in self.entities.items()})


def _entities(
    facts: Sequence[ProposedFact],
    mentions: Sequence[Mention],
    held: StoredRecord,
    world: World,
) -> Mapping[str, StoredRecord]:
    """The entities of subjects and objects, by term: of the mention with the name, else by name."""
    terms = [term_of(name) for fact in facts for name in (fact.subject, fact.object)]
    by_name = entities_by_name(terms, held, world).entities
    ids = list(dict.fromkeys(filter(None, (each.canonical_entity_id for each in mentions))))
    loaded = linkable_to(held, world.records.load_each(ids).values()) if ids else {}
    by_mention = {
        term_of(each.surface): entity
        for each in mentions
        if (entity := loaded.get(each.canonical_entity_id)) and entity.type is MemoryType.ENTITY
    }
    return {**by_name, **by_mention}


def _known_facts(held: StoredRecord, world: World) -> Sequence[StoredRecord]:
    """The active facts derived from the capture."""
    ids = [each.target_id for each in held.record.relations if each.predicate == DERIVED_SEMANTIC]
    return [*linkable_to(held, world.records.load_each(ids).values()).values()] if ids else []
