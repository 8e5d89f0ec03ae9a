"""Read the action log of a scope: what the service did with topics, and why."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Trust
from membrane.domain.language.json_text import Body
from membrane.domain.tokens.cursors import decode, encode, foreign_cursor
from membrane.domain.topics.requests.reading import ReadActions
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.inquiry import binding_of
from membrane.usecases.topics.reading.list_topics import onwards
from membrane.usecases.topics.scope_walk import sound_topics

if TYPE_CHECKING:
    from membrane.domain.topics.replies.editing import ActionList

PAGE = 100

MOST_READ = 1_000
"""Entries that are looked at in one call, whether they may be seen or not."""

Placed = tuple[str, Body]


def read_actions(request: ReadActions, call: Call, services: TopicServices) -> ReplyBody:
    """The newest actions first, of which the principal may see every topic.

    Raises InvalidArgument for a cursor that is not ours.
    """
    trust, binding = call.principal.trust, binding_of(request, call)
    scope = call.principal.scope_for_writing(request.scope)
    before = None if request.cursor is None else _place_in(request.cursor, binding, services)
    if not trust.covers(scope):
        nothing: ActionList = {"scope": scope, "actions": []}
        return ReplyBody(nothing)
    limit = min(request.limit or PAGE, MOST_READ)
    told, last = _take(scope, limit, before, trust, services)
    cursor = None if last is None else encode({"before": last}, binding, services.cursor_key())
    body: ActionList = {"scope": scope, "actions": told, **onwards(cursor)}
    return ReplyBody(body)


def _take(
    scope: str, limit: int, before: str | None, trust: Trust, services: TopicServices
) -> tuple[list[Body], str | None]:
    """So many that may be seen, and behind which place to go on; None at the end.

    It looks for one more, so that the place discloses nothing hidden.
    """
    taken: list[Body] = []
    last, place, read = before, before, 0
    while read < MOST_READ:
        page = services.topics.logged_actions(scope, PAGE, place)
        read += len(page)
        for at, action in _seen(page, trust, services):
            if len(taken) == limit:
                return taken, last
            taken.append(action)
            last = at
        if len(page) < PAGE:
            return taken, None
        place = page[-1][0]
    return taken, place


def _seen(page: Sequence[Placed], trust: Trust, services: TopicServices) -> list[Placed]:
    """The actions of which every topic is there and may be seen now."""
    ids = {topic_id for _, action in page for topic_id in action["topics"]}
    there = sound_topics(sorted(ids), services)
    seen = {each.id for each in there.values() if trust.allows(each.scope, each.sensitivity)}
    return [placed for placed in page if seen.issuperset(placed[1]["topics"])]


def _place_in(cursor: str, binding: bytes, services: TopicServices) -> str:
    match decode(cursor, binding, services.cursor_key()):
        case {"before": str(place)}:
            return place
        case _:
            raise foreign_cursor()
