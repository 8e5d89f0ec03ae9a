"""Read what is known of an entity."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Gate, Trust, View
from membrane.domain.entities.requests import ReadEntity
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.predicates import OBJECT_ENTITY, SUBJECT_ENTITY
from membrane.domain.records.records import as_json
from membrane.domain.records.sizes import reply_bytes
from membrane.domain.records.stored import StoredRecord
from membrane.domain.search.filters import Filters
from membrane.domain.search.requests import FULL
from membrane.usecases.entities.list_mentions import (
    Mentioning,
    Place,
    candidates_of,
    cursor_at,
    judge_of,
    load_entity,
    mentions_of,
    place_in,
)
from membrane.usecases.machinery.calls import Call, ReplyBody, cursor_part
from membrane.usecases.ports.world import World
from membrane.usecases.search.inquiry import Inquiry, binding_of
from membrane.usecases.search.judging import Judge, Page

if TYPE_CHECKING:
    from membrane.domain.entities.replies import EntityPage, TopicOfEntity

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
    page = Page(MAX_FACTS, judge_of(inquiry, world))
    topics = _topics(entity, inquiry.gate.asked, world)
    page.room -= reply_bytes(shown) + reply_bytes(topics)
    after = None if request.cursor is None else place_in(request.cursor, inquiry, world)
    facts, further = _fill(page, mentions_of(entity, world, after))
    cursor = cursor_at(further, inquiry, world)
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
