"""List the records that mention an entity, the newest first."""

import math
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import groupby, islice
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.access.requests import TrustInput
from membrane.domain.access.trust import Gate
from membrane.domain.entities.merging import absorbed_ids, entity_of
from membrane.domain.entities.requests import MAX_ENTITIES, USUAL_ENTITIES, ListMentions
from membrane.domain.language.errors import NotFound
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.predicates import TO_ENTITIES
from membrane.domain.records.states import is_retracted, successor_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.search.filters import Filters
from membrane.domain.tokens.cursors import decode, encode, foreign_cursor
from membrane.usecases.machinery.calls import Call, ReplyBody, cursor_part
from membrane.usecases.machinery.visibility import load_alive, require_trust
from membrane.usecases.ports.records import Incoming
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import MAX_SUCCESSORS
from membrane.usecases.search.inquiry import Inquiry, binding_of
from membrane.usecases.search.judging import Candidate, Hydration, Judge, Page

if TYPE_CHECKING:
    from membrane.domain.entities.replies import MentionList


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


AT_ONCE = 50
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
    after = None if request.cursor is None else place_in(request.cursor, inquiry, world)
    page = Page(inquiry.limit, judge_of(inquiry, world))
    listed, further = _fill(page, mentions_of(entity, world, after), after)
    cursor = cursor_at(further, inquiry, world)
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


def cursor_at(place: Place | None, inquiry: Inquiry, world: World) -> str | None:
    """The cursor of the next page; None at the end."""
    if place is None:
        return None
    return encode({"place": list(place)}, inquiry.binding, world.cursor_key())


def place_in(cursor: str, inquiry: Inquiry, world: World) -> Place:
    """The place in the cursor; raises InvalidArgument for a cursor of a different request."""
    match decode(cursor, inquiry.binding, world.cursor_key()):
        case {"place": [int() | float() as newness, str(source_id)]} if math.isfinite(newness):
            return float(newness), source_id
        case _:
            raise foreign_cursor()


def judge_of(inquiry: Inquiry, world: World) -> Judge:
    now = world.now()
    hydration = Hydration(world.records)
    return Judge(inquiry, world.policy.custom_curves, now, epoch_seconds(now), hydration)


def _fill(
    page: Page, mentions: Iterator[Mentioning], after: Place | None
) -> tuple[list[tuple[Mentioning, Candidate]], Place | None]:
    """Fill the page; the listed mentions, and the place behind the last read, None at the end."""
    listed: list[tuple[Mentioning, Candidate]] = []
    for _ in range(0, MOST_READ, AT_ONCE):
        chunk = list(islice(mentions, AT_ONCE))
        for mention, candidate in candidates_of(chunk, page.judge):
            if candidate is not None and not page.try_add(candidate):
                return listed, after
            if candidate is not None:
                listed.append((mention, candidate))
            after = mention.place
        if len(chunk) < AT_ONCE:
            return listed, None
    return listed, after


def candidates_of(
    chunk: Sequence[Mentioning], judge: Judge
) -> Iterator[tuple[Mentioning, Candidate | None]]:
    """Each mention with the record; None for a record that the reader may not see.

    The records are read in one request.
    """
    living = judge.hydration.living(each.source_id for each in chunk if each.predicates)
    for mention in chunk:
        stored = living.get(mention.source_id)
        yield mention, None if stored is None else judge.candidate_of(stored)
