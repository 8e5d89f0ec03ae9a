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
from membrane.usecases.entities.list_mentions import candidates_of, judge_of
from membrane.usecases.entities.loading import load_entity
from membrane.usecases.entities.mentions import AT_ONCE, MOST_READ, Mentioning, mentions_of
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.inquiry import Inquiry
from membrane.usecases.search.page import Page

if TYPE_CHECKING:
    from membrane.domain.entities.replies import EntityFact, EntityPage, TopicOfEntity

MAX_FACTS = 50

_ROLES = {SUBJECT_ENTITY: "subject", OBJECT_ENTITY: "object"}


def read_entity(request: ReadEntity, call: Call, services: ReadingServices) -> ReplyBody:
    """The entity, the newest facts about the entity that hold now, and the topics of the entity.

    Raises the errors of `load_entity`.
    """
    entity = load_entity(request.id, request.trust, call, services)
    inquiry = Inquiry(
        gate=Gate.of(call.principal.trust, request.trust),
        scopes=(),
        types=(MemoryType.SEMANTIC,),
        filters=Filters(),
        binding=b"",
        limit=MAX_FACTS,
    )
    now_s = epoch_seconds(services.now())
    shown = as_json(entity.as_of(now_s, services.policy.custom_curves))
    page = Page(MAX_FACTS, judge_of(inquiry, services), has_record_before=True)
    topics = _topics(entity, inquiry.gate.asked, services)
    page.room -= reply_bytes(shown) + reply_bytes(topics)
    facts = list(_facts(mentions_of(entity, services), page))
    body: EntityPage = {"entity": shown, "facts": facts, "topics": topics}
    return ReplyBody(body)


def _topics(entity: StoredRecord, trust: Trust, services: ReadingServices) -> "list[TopicOfEntity]":
    found = services.topics_of_entities([entity], trust)
    return [{"id": each.topic_id, "title": each.title} for each in found]


def _facts(mentions: Iterator[Mentioning], page: Page) -> "Iterator[EntityFact]":
    """The facts among the newest MOST_READ mentions, as far as the page has room.

    A redacted fact is left out: a reader would learn the subject or the object.
    """
    for _ in range(0, MOST_READ, AT_ONCE):
        chunk = list(islice(mentions, AT_ONCE))
        facts = [each for each in chunk if _roles_in(each)]
        for mention, candidate in candidates_of(facts, page.judge):
            if candidate is None or candidate.view is not View.FULL:
                continue
            if not page.try_add(candidate):
                return
            yield {"roles": _roles_in(mention), "record": page.records[-1]}
        if len(chunk) < AT_ONCE:
            return


def _roles_in(mention: Mentioning) -> list[str]:
    return [role for predicate, role in _ROLES.items() if predicate in mention.predicates]
