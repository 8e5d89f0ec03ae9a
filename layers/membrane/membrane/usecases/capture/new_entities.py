"""Make the entities that a capture is the first to name, and the names to write along."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from membrane.domain.capture.made_records import entity_id_for, entity_record
from membrane.domain.capture.reading import terms_of
from membrane.domain.language.names import first_word_of, term_of
from membrane.domain.records.interpretation import Mention
from membrane.domain.records.records import MemoryRecord
from membrane.usecases.entities.known_entities import NamesInView
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.names import NameChange, NamePlace
from membrane.usecases.ports.services import Services


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
    first word are too many.
    """
    new: dict[str, MemoryRecord] = {}
    added: dict[NamePlace, NameChange] = {}
    for mention in mentions:
        term = term_of(mention.surface)
        if any(each in known or each in new for each in terms_of(mention)):
            continue
        entity_id = entity_id_for(primary.id, term)
        place = NamePlace(primary.scope, first_word_of(term))
        change = names.change_for(place, primary.sensitivity, {term: entity_id}, added)
        if change is None:
            continue
        added[place] = change
        making = call.making(entity_id, now, services)
        new[term] = entity_record(mention, primary, source, making, services.policy)
    return new, [*added.values()]
