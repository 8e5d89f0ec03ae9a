"""Make the entities that a capture is the first to name, and the names to write along."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from membrane.domain.capture.made_records import entity_id_for, entity_record
from membrane.domain.capture.reading import terms_of
from membrane.domain.entities.looks import is_bare_number
from membrane.domain.language.names import first_word_of, term_of
from membrane.domain.records.interpretation import Mention
from membrane.domain.records.records import MemoryRecord
from membrane.usecases.machinery.calls import Call
from membrane.usecases.names.known_entities import NamesInView
from membrane.usecases.ports.names import NO_ROOM, NameChange, NamePlace
from membrane.usecases.ports.world import World

MAX_NEW_ALIASES = 4
"""Aliases of all new entities of a capture: an alias takes an action of the transaction."""


@dataclass(frozen=True, slots=True)
class EntityMaker:
    """The capture that is the first to name entities, and who makes the entities when."""

    primary: MemoryRecord
    source: str
    now: datetime
    call: Call
    world: World

    def entity_of(self, mention: Mention, entity_id: str) -> MemoryRecord:
        making = self.call.making(entity_id, self.now, self.world)
        return entity_record(mention, self.primary, self.source, making, self.world.policy)


@dataclass(frozen=True, slots=True)
class _NameClaims:
    """The names that lead to the entities of a maker."""

    names: NamesInView
    maker: EntityMaker
    changes: dict[NamePlace, NameChange] = field(default_factory=dict)

    def claim(self, term: str, entity_id: str) -> bool:
        """Whether the term leads to the entity from now on; counts a bucket without room."""
        primary = self.maker.primary
        place = NamePlace(primary.scope, first_word_of(term))
        change = self.names.change_for(place, primary.sensitivity, {term: entity_id}, self.changes)
        if change is None:
            self.maker.world.measure(NO_ROOM, 1, "Count")
            return False
        self.changes[place] = change
        return True


def make_entities(
    mentions: Iterable[Mention], known: Collection[str], names: NamesInView, maker: EntityMaker
) -> tuple[Mapping[str, MemoryRecord], Sequence[NameChange]]:
    """New entities, by term, for mentions without a known entity, and the names to write.

    `known` are the terms of known entities. A mention stays without an entity if the names of its
    first word are too many, or if the name is the number of a ticket without a repository. An
    entity gets only aliases that lead to it; after MAX_NEW_ALIASES the further ones are left out.
    """
    claims = _NameClaims(names, maker)
    new: dict[str, MemoryRecord] = {}
    room = MAX_NEW_ALIASES
    for mention in mentions:
        term, *further = terms_of(mention)
        is_known = any(each in known or each in new for each in (term, *further))
        if is_known or is_bare_number(mention.surface):
            continue
        entity_id = entity_id_for(maker.primary.id, term)
        if not claims.claim(term, entity_id):
            continue
        aliases = [each for each in further[:room] if claims.claim(each, entity_id)]
        room -= len(aliases)
        kept = tuple(each for each in mention.aliases if term_of(each) in {term, *aliases})
        entity = maker.entity_of(mention.model_copy(update={"aliases": kept}), entity_id)
        new.update(dict.fromkeys((term, *aliases), entity))
    return new, [*claims.changes.values()]
