"""The entities behind names, as far as a writer of a scope and sensitivity may see entities."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from membrane.domain.entities.known_names import KnownNames
from membrane.domain.entities.names import is_entity_named
from membrane.domain.language.names import first_word_of
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.records import Buckets, NameBucket, NameChange, NamePlace
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import newest_known, with_successors

UNSCOPED = ""

FEW_WORDS = 8
"""Words to read by key; with more words, the names of the whole scope are read in order."""


@dataclass(frozen=True, slots=True)
class NamesInView:
    """The stored names of some first words, in a scope and unscoped, up to a sensitivity."""

    scope: str
    ceiling: Sensitivity
    stored: Mapping[NamePlace, Buckets]

    def candidates(self, term: str) -> list[str]:
        """Ids of entities that may bear the term: scoped first, the lowest level first."""
        word = first_word_of(term)
        return [
            bucket.entity_ids[term]
            for scope in scopes_in_view(self.scope)
            for bucket in self._in_view(NamePlace(scope, word))
            if term in bucket.entity_ids
        ]

    @property
    def by_word(self) -> KnownNames:
        """The id of a likely entity for each term, by first word and term."""
        found: dict[str, dict[str, str]] = {}
        for place in self.stored:
            for bucket in self._in_view(place):
                for term, entity_id in bucket.entity_ids.items():
                    found.setdefault(first_word_of(term), {}).setdefault(term, entity_id)
        return found

    def change_for(
        self,
        place: NamePlace,
        level: Sensitivity,
        names: Mapping[str, str],
        begun: Mapping[NamePlace, NameChange],
    ) -> NameChange | None:
        """The change that adds names to a place, after earlier changes; None without room."""
        before = self.stored.get(place, {}).get(level) or NameBucket(place, level)
        there = begun[place].entity_ids if place in begun else before.entity_ids
        change = NameChange(before, {**there, **names})
        return change if change.fits else None

    def _in_view(self, place: NamePlace) -> Iterator[NameBucket]:
        buckets = self.stored.get(place, {})
        levels = (each for each in Sensitivity if each.level <= self.ceiling.level)
        return (buckets[each] for each in levels if each in buckets)


def names_in_view(
    words: Iterable[str], scope: str, ceiling: Sensitivity, world: World
) -> NamesInView:
    """The names that begin with the words, strongly consistent.

    Up to FEW_WORDS words take one request, more words one or two a scope: a read of a word without
    names costs as much as a read of many stored names.
    """
    distinct, scopes = dict.fromkeys(words), scopes_in_view(scope)
    if len(distinct) > FEW_WORDS:
        read = (world.names.buckets_of_words(each, distinct) for each in scopes)
        stored = dict(chain.from_iterable(each.items() for each in read))
    else:
        places = [NamePlace(each, word) for word in distinct for each in scopes]
        stored = dict(world.names.buckets(places) if places else {})
    return NamesInView(scope, ceiling, stored)


def entities_of(
    candidates: Mapping[str, Sequence[str]],
    scope: str,
    ceiling: Sensitivity,
    world: World,
    loaded: Mapping[str, AnyRecord],
) -> Mapping[str, StoredRecord]:
    """The active entity of each term, among candidates that bear the term.

    `loaded` has the records of the candidates. An entity that was replaced or absorbed leads to
    the successor; one request for each step to successors.
    """
    bearers = {
        term: [each for each in ids if _bears(loaded.get(each), term)]
        for term, ids in candidates.items()
    }
    ids = chain.from_iterable(bearers.values())
    known = with_successors(ids, world.records.load_each, loaded)
    found: dict[str, StoredRecord] = {}
    for term, several in bearers.items():
        for entity in (newest_known(known[each], known) for each in several):
            if entity is not None and _is_in_view(entity, scope, ceiling):
                found.setdefault(term, entity)
    return found


def _bears(held: AnyRecord | None, term: str) -> bool:
    return isinstance(held, StoredRecord) and is_entity_named(held.record.payload, term)


def _is_in_view(entity: StoredRecord, scope: str, ceiling: Sensitivity) -> bool:
    is_near = entity.scope in scopes_in_view(scope) and entity.sensitivity.level <= ceiling.level
    return is_near and isinstance(entity.record.payload, EntityPayload)


def scopes_in_view(scope: str) -> tuple[str, ...]:
    """The scope itself, then the unscoped part of memory."""
    return (scope, UNSCOPED) if scope else (UNSCOPED,)
