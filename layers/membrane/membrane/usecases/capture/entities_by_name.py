"""The known entities behind the names in a capture."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from membrane.domain.language.names import first_word_of
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.names.known_entities import NamesInView, entities_of, names_in_view
from membrane.usecases.ports.world import World


class NamedEntities(NamedTuple):
    """The entities by term, and the names as read."""

    entities: Mapping[str, StoredRecord]
    names: NamesInView


def entities_by_name(terms: Iterable[str], capture: StoredRecord, world: World) -> NamedEntities:
    """The entities that a capture means by the terms; two requests.

    An empty term names nothing, and is no key of the table.
    Known are entities in the scope of the capture or unscoped, up to the sensitivity of the
    capture.
    """
    wanted = dict.fromkeys(filter(None, terms))
    words = map(first_word_of, wanted)
    names = names_in_view(words, capture.scope, capture.sensitivity, world)
    return NamedEntities(entities_among(wanted, names, world), names)


def entities_among(
    terms: Iterable[str], names: NamesInView, world: World
) -> Mapping[str, StoredRecord]:
    """The entities by term, among `names`; one request."""
    candidates = {term: names.candidates(term) for term in terms}
    ids = list(dict.fromkeys(each for found in candidates.values() for each in found))
    loaded = world.records.load_each(ids) if ids else {}
    return entities_of(candidates, names.scope, names.ceiling, world, loaded)
