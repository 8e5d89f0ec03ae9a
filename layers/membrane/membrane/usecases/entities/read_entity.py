"""Read what is known of an entity."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Gate
from membrane.domain.entities.requests import ReadEntity
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.predicates import OBJECT_ENTITY, SUBJECT_ENTITY
from membrane.domain.records.records import as_json
from membrane.domain.search.filters import Filters
from membrane.usecases.entities.list_mentions import judge_of
from membrane.usecases.entities.loading import load_entity
from membrane.usecases.entities.mentions import AT_ONCE, MOST_READ, edges_to
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.records import Incoming
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.inquiry import Inquiry
from membrane.usecases.search.page import Page

if TYPE_CHECKING:
    from membrane.domain.entities.replies import EntityFact, EntityPage

MAX_FACTS = 50

_ROLES = {SUBJECT_ENTITY: "subject", OBJECT_ENTITY: "object"}


def read_entity(request: ReadEntity, call: Call, services: ReadingServices) -> ReplyBody:
    """The entity, and the newest facts about it that hold now.

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
    page = Page(MAX_FACTS, judge_of(inquiry, services), has_record_before=True)
    facts = list(_facts(edges_to(entity, services), page))
    now_s = epoch_seconds(services.now())
    shown = entity.as_of(now_s, services.policy.custom_curves)
    body: EntityPage = {"entity": as_json(shown), "facts": facts}
    return ReplyBody(body)


def _facts(edges: Iterator[Incoming], page: Page) -> "Iterator[EntityFact]":
    """The facts behind the newest MOST_READ edges, as far as the page has room."""
    about = [each for each in islice(edges, MOST_READ) if each.predicate in _ROLES]
    for start in range(0, len(about), AT_ONCE):
        chunk = about[start : start + AT_ONCE]
        living = page.judge.hydration.living(each.source_id for each in chunk)
        for edge in chunk:
            stored = living.get(edge.source_id)
            candidate = None if stored is None else page.judge.candidate_of(stored)
            if candidate is None:
                continue
            if not page.try_add(candidate):
                return
            yield {"role": _ROLES[edge.predicate], "record": page.records[-1]}
