"""Read an entity with all that is known, and list the records that mention an entity."""

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import groupby, islice
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.access.requests import TrustInput
from membrane.domain.access.trust import Gate, Trust, View
from membrane.domain.entities.merging import absorbed_ids, entity_of
from membrane.domain.entities.requests import MAX_ENTITIES, USUAL_ENTITIES, ListMentions, ReadEntity
from membrane.domain.language.errors import NotFound
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import reply_bytes
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.records.evidence import OBJECT_ENTITY, SUBJECT_ENTITY, TO_ENTITIES
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.records import as_json
from membrane.domain.records.standing import is_retracted, successor_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.search.filters import Filters
from membrane.domain.search.requests import FULL
from membrane.usecases.machinery.calls import Call, ReplyBody, cursor_part
from membrane.usecases.machinery.visibility import load_alive, require_trust
from membrane.usecases.ports.records import Incoming
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import MAX_SUCCESSORS
from membrane.usecases.search.inquiry import Inquiry, binding_of, cursor_at, place_in
from membrane.usecases.search.judging import Candidate, Judge, Page, judge_now

if TYPE_CHECKING:
    from membrane.domain.entities.replies import EntityPage, MentionList, TopicOfEntity


NO_ENTITY = "entity not found"


def load_entity(entity_id: str, trust: TrustInput, call: Call, world: World) -> StoredRecord:
    """The entity, or the entity that absorbed or replaced the entity of the id.

    Raises NotFound for an absent or hidden entity and for a record of another type, and
    PermissionDenied if the trust of the request excludes the entity.
    """
    for _ in range(1 + MAX_SUCCESSORS):
        held = load_alive(entity_id, call.principal, world, missing=NO_ENTITY)
        if not isinstance(held.record.payload, EntityPayload):
            raise NotFound(NO_ENTITY)
        successor_id = successor_of(held.record.payload)
        if successor_id is None or not is_retracted(held.record.payload):
            require_trust(held, call.principal, trust)
            return held
        entity_id = successor_id
    raise NotFound(NO_ENTITY)


MENTIONS_AT_ONCE = 50
"""The records of a read."""

MOST_READ = 2_000
"""The most records with edges to the entity that a call reads, visible or not."""

Place = tuple[float, str]
"""The negated creation time of the source in seconds since 1970, and the source's id."""


class Mentioning(NamedTuple):
    """A record with edges to an entity."""

    place: Place
    predicates: tuple[str, ...]
    """Distinct, sorted, of relations to entities alone; may be empty."""
    origins: frozenset[tuple[str, Sensitivity]]
    """Scope and sensitivity of the record, as the edges have them."""

    @property
    def source_id(self) -> str:
        return self.place[1]


def mentions_of(
    entity: StoredRecord, world: World, after: Place | None = None
) -> Iterator[Mentioning]:
    """Each record with edges to the entity or to an entity once absorbed, the newest first."""
    before = None if after is None else (-after[0], after[1])
    ids = (entity.id, *absorbed_ids(entity_of(entity.record)))
    several = (world.records.incoming(each, before=before) for each in ids)
    for place, edges in groupby(merge(*several, key=_place_of), key=_place_of):
        if after is None or place > after:
            together = list(edges)
            named = {each.predicate for each in together} & TO_ENTITIES
            origins = frozenset((each.scope, each.sensitivity) for each in together)
            yield Mentioning(place, tuple(sorted(named)), origins)


def _place_of(edge: Incoming) -> Place:
    return (-edge.born_s, edge.source_id)


def list_mentions(request: ListMentions, call: Call, world: World) -> ReplyBody:
    """The records that mention the entity and that the trust of the request shows, each once.

    Retracted records and facts outside their time are left out. A record one level above the trust
    is shown redacted. Raises the errors of `load_entity`, and InvalidArgument for a cursor of a
    different request.
    """
    entity = load_entity(request.id, request.trust, call, world)
    gate = Gate.of(call.principal.trust, request.trust)
    inquiry = Inquiry(
        gate=gate,
        scopes=(),
        types=tuple(MemoryType),
        filters=Filters(),
        binding=binding_of(request, call),
        limit=min(request.limit or USUAL_ENTITIES, MAX_ENTITIES),
    )
    after = place_in(request.cursor, inquiry.binding, world)
    page = Page(inquiry.limit, judge_now(inquiry, world))
    listed, further = _fill_mentions(page, mentions_of(entity, world, after), after)
    cursor = cursor_at(further, inquiry.binding, world)
    body: MentionList = {
        "mentions": [
            {
                "predicates": [*mention.predicates],
                "created_at": candidate.stored.record.created_at,
                "record": record,
            }
            for (mention, candidate), record in zip(listed, page.records, strict=True)
        ],
        **cursor_part(cursor),
    }
    return ReplyBody(body)


def _fill_mentions(
    page: Page, mentions: Iterator[Mentioning], after: Place | None
) -> tuple[list[tuple[Mentioning, Candidate]], Place | None]:
    """Fill the page; the listed mentions, and the place behind the last read, None at the end."""
    listed: list[tuple[Mentioning, Candidate]] = []
    for _ in range(0, MOST_READ, MENTIONS_AT_ONCE):
        chunk = list(islice(mentions, MENTIONS_AT_ONCE))
        for mention, candidate in candidates_of(chunk, page.judge):
            if candidate is not None and not page.try_add(candidate):
                return listed, after
            if candidate is not None:
                listed.append((mention, candidate))
            after = mention.place
        if len(chunk) < MENTIONS_AT_ONCE:
            return listed, None
    return listed, after


def candidates_of(
    chunk: Sequence[Mentioning], judge: Judge
) -> Iterator[tuple[Mentioning, Candidate | None]]:
    """Each mention with its visible record, if any; one request."""
    living = judge.hydration.living(each.source_id for each in chunk if each.predicates)
    for mention in chunk:
        stored = living.get(mention.source_id)
        yield mention, None if stored is None else judge.candidate_of(stored)


MAX_FACTS = 50
"""Facts on a page."""

AT_ONCE = 100
"""The records with edges to the entity of a read: one request for edges, and one for the facts."""

MAX_EXAMINED_MENTIONS = 5_000
"""The most records with edges to the entity that a call examines in search of facts."""

_ROLES = {SUBJECT_ENTITY: "subject", OBJECT_ENTITY: "object"}


def read_entity(request: ReadEntity, call: Call, world: World, view: str = FULL) -> ReplyBody:
    """The entity, a page of the facts about the entity that hold now, and the topics.

    `view` is the form of the facts: FULL or BRIEF. Raises the errors of `load_entity`, and
    InvalidArgument for a cursor of a different request.
    """
    entity = load_entity(request.id, request.trust, call, world)
    inquiry = Inquiry(
        gate=Gate.of(call.principal.trust, request.trust),
        scopes=(),
        types=(MemoryType.SEMANTIC,),
        filters=Filters(),
        binding=binding_of(request, call),
        limit=MAX_FACTS,
        view=view,
    )
    now_s = epoch_seconds(world.now())
    shown = as_json(entity.as_of(now_s, world.policy.custom_curves))
    page = Page(MAX_FACTS, judge_now(inquiry, world))
    topics = _topics(entity, inquiry.gate.asked, world)
    page.room -= reply_bytes(shown) + reply_bytes(topics)
    after = place_in(request.cursor, inquiry.binding, world)
    facts, further = _fill(page, mentions_of(entity, world, after))
    cursor = cursor_at(further, inquiry.binding, world)
    body: EntityPage = {
        "entity": shown,
        "facts": [
            {"roles": _roles_in(mention), "record": record}
            for mention, record in zip(facts, page.records, strict=True)
        ],
        "topics": topics,
        **cursor_part(cursor),
    }
    return ReplyBody(body)


def _topics(entity: StoredRecord, trust: Trust, world: World) -> "list[TopicOfEntity]":
    found = world.topics_of_entities([entity], trust)
    return [{"id": each.topic_id, "title": each.title} for each in found]


def _fill(page: Page, mentions: Iterator[Mentioning]) -> tuple[list[Mentioning], Place | None]:
    """Fill the page with facts; the mentions of the facts, and the last place, None at the end.

    Records that the edges show hidden, or to be no facts, are not read. A redacted fact is left
    out: a reader would learn the subject or the object.
    """
    facts, last = list[Mentioning](), None
    for _ in range(0, MAX_EXAMINED_MENTIONS, AT_ONCE):
        chunk = list(islice(mentions, AT_ONCE))
        likely = [each for each in chunk if _roles_in(each) and _is_shown(each, page.judge)]
        for mention, candidate in candidates_of(likely, page.judge):
            if candidate is not None and candidate.view is View.FULL:
                if not page.try_add(candidate):
                    return facts, last
                facts.append(mention)
            last = mention.place
        if len(chunk) < AT_ONCE:
            return facts, None
        last = chunk[-1].place
    return facts, last


def _is_shown(mention: Mentioning, judge: Judge) -> bool:
    """Whether an edge lets the reader see the record in full; the record itself decides later."""
    gate = judge.inquiry.gate
    return any(gate.view(*each) is View.FULL for each in mention.origins)


def _roles_in(mention: Mentioning) -> list[str]:
    return [role for predicate, role in _ROLES.items() if predicate in mention.predicates]
