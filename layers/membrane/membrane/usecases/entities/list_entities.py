"""List the entities of scopes by name, and suggest entities that may be the same thing."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, TypeGuard

from membrane.domain.access.requests import TrustInput
from membrane.domain.access.trust import Trust
from membrane.domain.entities.merging import absorbed_ids, entity_of
from membrane.domain.entities.names import (
    is_entity_named,
    is_of_type,
    listed_entity,
    terms_of_entity,
)
from membrane.domain.entities.requests import MAX_ENTITIES, USUAL_ENTITIES, ListEntities
from membrane.domain.language.cursors import decode, foreign_cursor
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.names import first_word_of, term_of
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord, is_alive
from membrane.domain.search.questions import question_of
from membrane.domain.search.relevance import likeness
from membrane.domain.search.requests import ListRecords
from membrane.domain.search.searchable import searchable
from membrane.usecases.entities.read_entity import load_entity
from membrane.usecases.machinery.calls import Call, ReplyBody, cursor_part
from membrane.usecases.ports.records import Buckets, NamePlace
from membrane.usecases.ports.search import Search
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import newest_known, with_successors
from membrane.usecases.search.inquiry import Inquiry, binding_of, cursor_at, inquiry_of_list

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.indexes.names import DynamoNames
    from membrane.domain.entities.replies import EntityList, ListedTopic, SimilarEntity, TopicsFound


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


AT_ONCE = 100
"""The names of a read."""

MOST_READ = 2_000
"""The most names that a call reads, visible or not."""


def list_entities(request: ListEntities, call: Call, world: World) -> ReplyBody:
    """The entities in the order of scope and name, each once; or suggestions for a merge.

    With `q`, also the topics that refer to the entities.

    Raises InvalidArgument for a cursor of a different request, and if the scopes must be named; the
    errors of `similar_entities`.
    """
    if request.similar_to is not None:
        return similar_entities(request.similar_to, request, call, world)
    by_record = ListRecords(scope=request.scope, types=(MemoryType.ENTITY,))
    inquiry = replace(inquiry_of_list(by_record, call, world), binding=binding_of(request, call))
    limit = min(request.limit or USUAL_ENTITIES, MAX_ENTITIES)
    after = None if request.cursor is None else _place_in(request.cursor, inquiry, world)
    ceiling = inquiry.gate.asked.ceiling
    walk = NameWalk(term_of(request.q or ""), inquiry.scopes, ceiling, world.names)
    found, last = _Filling(request, inquiry, walk, world).page(limit, after)
    cursor = cursor_at(last, inquiry.binding, world)
    entities = [listed_entity(each.record, entity_of(each.record)) for each in found]
    topics = _topics(found, inquiry.gate.asked, world) if request.q else {}
    body: EntityList = {"entities": entities, **topics, **cursor_part(cursor)}
    return ReplyBody(body)


def _topics(entities: Sequence[StoredRecord], trust: Trust, world: World) -> "TopicsFound":
    found = world.topics_of_entities(entities, trust)
    topics: list[ListedTopic] = [
        {"id": each.topic_id, "title": each.title, "entity_id": each.entity_id} for each in found
    ]
    return {"topics": topics} if topics else {}


@dataclass(frozen=True, slots=True)
class _Filling:
    """Fills a page with the entities behind names."""

    request: ListEntities
    inquiry: Inquiry
    walk: NameWalk
    world: World

    def page(self, limit: int, after: Named | None) -> tuple[list[StoredRecord], Named | None]:
        """The entities behind a name, and the last name read; None at the end."""
        names, start = self.walk.names(after), after
        listed: dict[str, StoredRecord] = {}
        for _ in range(0, MOST_READ, AT_ONCE):
            chunk = list(islice(names, AT_ONCE))
            ids = (entity_id for _, _, entity_id in chunk)
            known = with_successors(ids, self.world.records.load_own)
            ends = ((each, newest_known(held, known)) for each, held in known.items())
            newest = {each: entity for each, entity in ends if entity is not None}
            earlier = self._ids_listed_before(start, newest.values(), known)
            for name in chunk:
                entity = newest.get(name[2])
                if entity and entity.id not in earlier and self._is_listed(entity, name, known):
                    if len(listed) == limit and entity.id not in listed:
                        return [*listed.values()], after
                    listed.setdefault(entity.id, entity)
                after = name
            if len(chunk) < AT_ONCE:
                return [*listed.values()], None
        return [*listed.values()], after

    def _ids_listed_before(
        self,
        start: Named | None,
        found: Iterable[StoredRecord],
        known: Mapping[str, AnyRecord],
    ) -> frozenset[str]:
        """Ids on earlier pages; one request per 100 absorbed entities that are not `known`."""
        if start is None:
            return frozenset()
        entities = {each.id: each for each in found}.values()
        absorbed = {each for entity in entities for each in _absorbed_ids(entity)}
        absent = sorted(absorbed - known.keys())
        read = self.world.records.load_own(absent) if absent else {}
        lenders = {each: known.get(each) or read.get(each) for each in absorbed}
        in_view = {each: held for each, held in lenders.items() if self._is_in_view(held)}
        return self.walk.ids_up_to(start, entities, in_view)

    def _is_listed(self, entity: StoredRecord, name: Named, known: Mapping[str, AnyRecord]) -> bool:
        """Whether the list has the entity by the name, its own or one that it lends."""
        payload, (scope, term, holder_id) = entity.record.payload, name
        return (
            isinstance(payload, EntityPayload)
            and entity.scope == scope
            and self._is_in_view(entity)
            and (is_entity_named(payload, term) or self._is_lent(entity, known[holder_id], term))
            and is_of_type(payload, self.request.type)
        )

    def _is_lent(self, entity: StoredRecord, holder: AnyRecord, term: str) -> bool:
        return (
            self._is_in_view(holder)
            and holder.scope == entity.scope
            and holder.id in _absorbed_ids(entity)
            and is_entity_named(holder.record.payload, term)
        )

    def _is_in_view(self, held: AnyRecord | None) -> TypeGuard[StoredRecord]:
        return is_alive(held) and self.inquiry.gate.asked.allows(held.scope, held.sensitivity)


def _absorbed_ids(entity: StoredRecord) -> tuple[str, ...]:
    payload = entity.record.payload
    return absorbed_ids(payload) if isinstance(payload, EntityPayload) else ()


def _place_in(cursor: str, inquiry: Inquiry, world: World) -> Named:
    match decode(cursor, inquiry.binding, world.cursor_key()):
        case {"place": [str(scope), str(term), str(entity_id)]}:
            return scope, term, entity_id
        case _:
            raise foreign_cursor()


DIGITS = 4


def similar_entities(entity_id: str, request: ListEntities, call: Call, world: World) -> ReplyBody:
    """The entities of the same scope whose names and descriptions are most alike, in one page.

    Raises the errors of `load_entity`; InvalidArgument together with `q` or a cursor;
    WrongEmbedder.
    """
    if request.q is not None or request.cursor is not None:
        raise InvalidArgument("similar_to does not go with q or cursor").at("similar_to")
    entity = load_entity(entity_id, TrustInput(), call, world)
    similarities = _similarities(entity, call, world)
    held = world.records.load_own([*similarities])
    listed: list[SimilarEntity] = [
        {**listed_entity(each.record, entity_of(each.record)), "similarity": similarities[each.id]}
        for each in held.values()
        if isinstance(each, StoredRecord) and _may_be_same(each, entity, request, call)
    ]
    listed.sort(key=lambda each: (-each["similarity"], each["name"], each["id"]))
    body: EntityList = {"entities": [*listed[: min(request.limit or USUAL_ENTITIES, MAX_ENTITIES)]]}
    return ReplyBody(body)


def _similarities(entity: StoredRecord, call: Call, world: World) -> dict[str, float]:
    """How alike the found entries are, by id: the best of words and meaning."""
    text = searchable(entity.record).text
    question = question_of(text, world.now())
    (dense,) = world.embedder.embed([text])
    ceiling, types = call.principal.trust.ceiling, frozenset({MemoryType.ENTITY})
    search = Search(question, dense, [entity.scope], ceiling, types)
    entries = [
        each
        for each in world.search.search(search).entries
        if each.type is MemoryType.ENTITY and each.record_id != entity.id
    ]
    parts = likeness(question, dense, entries)
    return {
        entry.record_id: round(max(part["lexical"], part["dense"]), DIGITS)
        for entry, part in zip(entries, parts, strict=True)
    }


def _may_be_same(
    other: StoredRecord, entity: StoredRecord, request: ListEntities, call: Call
) -> bool:
    return (
        other.tombstone is None
        and other.type is MemoryType.ENTITY
        and other.scope == entity.scope
        and request.scope in (None, other.scope)
        and call.principal.trust.allows(other.scope, other.sensitivity)
        and not is_retracted(other.record.payload)
        and is_of_type(entity_of(other.record), request.type)
    )
