"""List the records that mention an entity, the newest first."""

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Gate
from membrane.domain.entities.requests import MAX_ENTITIES, USUAL_ENTITIES, ListMentions
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.search.filters import Filters
from membrane.domain.tokens.cursors import decode, encode, foreign_cursor
from membrane.usecases.entities.loading import load_entity
from membrane.usecases.entities.mentions import (
    AT_ONCE,
    MOST_READ,
    Mentioning,
    Place,
    mentions_of,
)
from membrane.usecases.machinery.calls import Call, ReplyBody, cursor_part
from membrane.usecases.ports.world import World
from membrane.usecases.search.hydration import Hydration
from membrane.usecases.search.inquiry import Inquiry, binding_of
from membrane.usecases.search.judging import Candidate, Judge
from membrane.usecases.search.page import Page

if TYPE_CHECKING:
    from membrane.domain.entities.replies import MentionList


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
