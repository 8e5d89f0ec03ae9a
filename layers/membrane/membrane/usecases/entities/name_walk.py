"""Walk through the stored names of entities: scope by scope, in the order of the names."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.domain.entities.canonical import terms_of_entity
from membrane.domain.entities.merging import absorbed_ids
from membrane.domain.language.names import first_word_of
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.names import Buckets, NamePlace

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.indexes.names import DynamoNames


Named = tuple[str, str, str]
"""A scope, a term and the id of the entity that may bear the term; sorted as listed."""


@dataclass(frozen=True, slots=True)
class NameWalk:
    """The names that begin with a prefix, in some scopes, up to a sensitivity."""

    prefix: str
    """In normal form; empty = all names."""
    scopes: Sequence[str]
    ceiling: Sensitivity
    stored: "DynamoNames"

    def names(self, after: Named | None) -> Iterator[Named]:
        """The names behind a name, read lazily."""
        for scope in sorted(self.scopes):
            if after is None or scope > after[0]:
                yield from self._names_of(scope)
            elif scope == after[0]:
                yield from self._names_of(scope, after)

    def ids_up_to(
        self,
        last: Named | None,
        entities: Iterable[StoredRecord],
        lenders: Mapping[str, StoredRecord],
    ) -> frozenset[str]:
        """Ids of the entities whose names the walk has passed already, up to the last name.

        `lenders` are the absorbed entities, by id, that lend names to the entities.
        """
        if last is None:
            return frozenset()
        names = [
            (NamePlace(each.scope, first_word_of(term)), term, ids, each.id)
            for each in entities
            if each.scope == last[0]
            for term, ids in _holders_of_terms(each, lenders).items()
            if term.startswith(self.prefix) and term <= last[1]
        ]
        places = [*dict.fromkeys(place for place, _, _, _ in names)]
        stored = self.stored.buckets(places, consistent=False) if places else {}
        return frozenset(
            entity_id
            for place, term, ids, entity_id in names
            for found in self._names_in(stored.get(place, {}), place.scope)
            if found[1] == term and found <= last and found[2] in ids
        )

    def _names_of(self, scope: str, after: Named | None = None) -> Iterator[Named]:
        """The names of a scope, behind a name of the scope."""
        if after is not None:
            begun = NamePlace(scope, first_word_of(after[1]))
            names = self._names_in(self.stored.buckets([begun]).get(begun, {}), scope)
            yield from (each for each in names if each > after)
        word = first_word_of(self.prefix)
        if word == self.prefix:
            behind = "" if after is None else first_word_of(after[1])
            for _, buckets in self.stored.beginning_with(scope, word, behind):
                yield from self._names_in(buckets, scope)
        elif after is None:  # the prefix has the whole first word
            place = NamePlace(scope, word)
            yield from self._names_in(self.stored.buckets([place]).get(place, {}), scope)

    def _names_in(self, buckets: Buckets, scope: str) -> Sequence[Named]:
        return sorted(
            (scope, term, entity_id)
            for level, bucket in buckets.items()
            if level.level <= self.ceiling.level
            for term, entity_id in bucket.entity_ids.items()
            if term.startswith(self.prefix)
        )


def _holders_of_terms(
    entity: StoredRecord, lenders: Mapping[str, StoredRecord]
) -> Mapping[str, Collection[str]]:
    """By term, the ids under which the term may be stored for the entity."""
    payload = entity.record.payload
    if not isinstance(payload, EntityPayload):
        return {}
    absorbed = absorbed_ids(payload)
    holders: dict[str, list[str]] = {}
    for lender in (lenders[each] for each in absorbed if each in lenders):
        for term in _terms_of(lender) if lender.scope == entity.scope else ():
            holders.setdefault(term, []).append(lender.id)
    return holders | {term: [entity.id, *absorbed] for term in terms_of_entity(payload)}


def _terms_of(stored: StoredRecord) -> tuple[str, ...]:
    payload = stored.record.payload
    return terms_of_entity(payload) if isinstance(payload, EntityPayload) else ()
