"""List the entities of scopes by name."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from membrane.domain.entities.canonical import is_entity_named
from membrane.domain.entities.listing import is_of_type, listed_entity
from membrane.domain.entities.merging import entity_of
from membrane.domain.entities.requests import MAX_ENTITIES, USUAL_ENTITIES, ListEntities
from membrane.domain.language.names import first_word_of, term_of
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.stored import StoredRecord
from membrane.domain.search.requests import ListRecords
from membrane.domain.tokens.cursors import decode, encode, foreign_cursor
from membrane.usecases.entities.known_entities import newest_entity
from membrane.usecases.entities.similar_entities import similar_entities
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody, cursor_part
from membrane.usecases.ports.names import Buckets, NamePlace
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.inquiry import Inquiry, binding_of, inquiry_of_list

if TYPE_CHECKING:
    from membrane.domain.entities.replies import EntityList, ListedEntity

AT_ONCE = 100
"""The names of a read."""

MOST_READ = 2_000
"""The most names that a call reads, visible or not."""

Named = tuple[str, str, str]
"""A scope, a term and the id of the entity that may bear the term; sorted as listed."""

Place = tuple[str, str]
"""The scope and the term behind which a page begins."""


def list_entities(request: ListEntities, call: Call, services: ReadingServices) -> ReplyBody:
    """The entities in the order of scope and name, each once a page; or suggestions for a merge.

    Raises InvalidArgument for a cursor of a different request, and if the scopes must be named; the
    errors of `similar_entities`.
    """
    if request.similar_to is not None:
        return similar_entities(request.similar_to, request, call, services)
    by_record = ListRecords(scope=request.scope, types=(MemoryType.ENTITY,))
    inquiry = replace(inquiry_of_list(by_record, call, services), binding=binding_of(request, call))
    limit = min(request.limit or USUAL_ENTITIES, MAX_ENTITIES)
    after = None if request.cursor is None else _place_in(request.cursor, inquiry, services)
    walk = _Walk(request, inquiry, services)
    entities, last = walk.page(limit, after)
    cursor = None
    if last is not None:
        cursor = encode({"place": list(last)}, inquiry.binding, services.cursor_key())
    body: EntityList = {"entities": entities, **cursor_part(cursor)}
    return ReplyBody(body)


@dataclass(frozen=True, slots=True)
class _Walk:
    """Walks through the names of the scopes."""

    request: ListEntities
    inquiry: Inquiry
    services: ReadingServices

    def page(self, limit: int, after: Place | None) -> "tuple[list[ListedEntity], Place | None]":
        """The entities behind a place, and the place of the last name read; None at the end."""
        names = self._names(after)
        listed: dict[str, ListedEntity] = {}
        for _ in range(0, MOST_READ, AT_ONCE):
            chunk = list(islice(names, AT_ONCE))
            ids = list(dict.fromkeys(entity_id for _, _, entity_id in chunk))
            held = dict(self.services.records.load_own(ids))
            for scope, term, entity_id in chunk:
                found = held.get(entity_id)
                entity = None if found is None else newest_entity(found, held, self.services)
                if entity is not None and self._is_listed(entity, scope, term):
                    if len(listed) == limit and entity.id not in listed:
                        return [*listed.values()], after
                    listed.setdefault(entity.id, _entry_of(entity))
                after = scope, term
            if len(chunk) < AT_ONCE:
                return [*listed.values()], None
        return [*listed.values()], after

    def _is_listed(self, held: StoredRecord, scope: str, term: str) -> bool:
        payload = held.record.payload
        return (
            isinstance(payload, EntityPayload)
            and held.scope == scope
            and self.inquiry.gate.asked.allows(held.scope, held.sensitivity)
            and is_entity_named(payload, term)
            and is_of_type(payload, self.request.type)
        )

    def _names(self, after: Place | None) -> Iterator[Named]:
        for scope in sorted(self.inquiry.scopes):
            if after is None or scope > after[0]:
                yield from self._names_of(scope, None)
            elif scope == after[0]:
                yield from self._names_of(scope, after[1])

    def _names_of(self, scope: str, after: str | None) -> Iterator[Named]:
        """The names of a scope that begin as asked, behind a term."""
        prefix = term_of(self.request.q or "")
        word = first_word_of(prefix)
        names = self.services.names
        if after is not None:
            word_before = NamePlace(scope, first_word_of(after))
            begun = names.buckets([word_before]).get(word_before, {})
            yield from self._terms(begun, scope, prefix, after)
        if word != prefix:  # the whole first word is known
            place = NamePlace(scope, word)
            if after is None:
                yield from self._terms(names.buckets([place]).get(place, {}), scope, prefix)
            return
        behind = "" if after is None else first_word_of(after)
        for _, buckets in names.beginning_with(scope, word, behind):
            yield from self._terms(buckets, scope, prefix)

    def _terms(self, buckets: Buckets, scope: str, prefix: str, after: str = "") -> Iterator[Named]:
        ceiling = self.inquiry.gate.asked.ceiling
        found = {
            (scope, term, entity_id)
            for level, bucket in buckets.items()
            if level.level <= ceiling.level
            for term, entity_id in bucket.entity_ids.items()
            if term.startswith(prefix) and term > after
        }
        yield from sorted(found)


def _entry_of(stored: StoredRecord) -> "ListedEntity":
    return listed_entity(stored.record, entity_of(stored.record))


def _place_in(cursor: str, inquiry: Inquiry, services: ReadingServices) -> Place:
    match decode(cursor, inquiry.binding, services.cursor_key()):
        case {"place": [str(scope), str(term)]}:
            return scope, term
        case _:
            raise foreign_cursor()
