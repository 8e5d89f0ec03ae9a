"""Make the entities that a capture is the first to name, and the names to write along."""

from collections.abc import Collection, Iterable, Mapping, Sequence
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
from membrane.usecases.ports.services import Services

MAX_ALIASES = 4
"""Aliases of all new entities of a capture: an alias takes an action of the transaction."""


def new_entities(
    mentions: Iterable[Mention],
    known: Collection[str],
    names: NamesInView,
    *,
    primary: MemoryRecord,
    source: str,
    now: datetime,
    call: Call,
    services: Services,
) -> tuple[Mapping[str, MemoryRecord], Sequence[NameChange]]:
    """New entities, by term, for mentions without a known entity, and the names to write.

    `known` are the terms of known entities. A mention stays without an entity if the names of its
    first word are too many, or if the name is the number of a ticket without a repository. An
    entity gets only aliases that lead to it; after MAX_ALIASES the further ones are left out.
    Names for which a bucket has no room are counted.
    """
    new: dict[str, MemoryRecord] = {}
    added: dict[NamePlace, NameChange] = {}
    aliases = 0

    def claim(term: str, entity_id: str) -> bool:
        place = NamePlace(primary.scope, first_word_of(term))
        change = names.change_for(place, primary.sensitivity, {term: entity_id}, added)
        if change is None:
            services.measure(NO_ROOM, 1, "Count")
            return False
        added[place] = change
        return True

    for mention in mentions:
        term, *further = terms_of(mention)
        is_known = any(each in known or each in new for each in (term, *further))
        if is_known or is_bare_number(mention.surface):
            continue
        entity_id = entity_id_for(primary.id, term)
        if not claim(term, entity_id):
            continue
        claimed = [each for each in further[: MAX_ALIASES - aliases] if claim(each, entity_id)]
        aliases += len(claimed)
        kept = tuple(each for each in mention.aliases if term_of(each) in {term, *claimed})
        named = mention.model_copy(update={"aliases": kept})
        making = call.making(entity_id, now, services)
        entity = entity_record(named, primary, source, making, services.policy)
        new.update(dict.fromkeys((term, *claimed), entity))
    return new, [*added.values()]
