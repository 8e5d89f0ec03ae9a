"""Suggest entities that may be the same thing as a given entity."""

from typing import TYPE_CHECKING

from membrane.domain.access.requests import TrustInput
from membrane.domain.entities.merging import entity_of
from membrane.domain.entities.names import is_of_type, listed_entity
from membrane.domain.entities.requests import MAX_ENTITIES, USUAL_ENTITIES, ListEntities
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import StoredRecord
from membrane.domain.search.questions import question_of
from membrane.domain.search.relevance import likeness
from membrane.domain.search.searchable import searchable
from membrane.usecases.entities.read_entity import load_entity
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.search import Search
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.entities.replies import EntityList, SimilarEntity

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
