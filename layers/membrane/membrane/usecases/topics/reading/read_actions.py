"""Read the action log of a scope: the actions of the service on topics, and the reasons."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Trust
from membrane.domain.language.cursors import decode, encode, foreign_cursor
from membrane.domain.language.json_text import Body
from membrane.domain.topics.requests.reading import ReadActions
from membrane.usecases.machinery.calls import Call, ReplyBody, cursor_part
from membrane.usecases.ports.world import World
from membrane.usecases.search.inquiry import binding_of
from membrane.usecases.topics.loading import load_sound_topics

if TYPE_CHECKING:
    from membrane.domain.topics.replies.editing import ActionList

PAGE = 100
"""Entries in a page of the log, and the default limit of a reply."""

MOST_READ = 1_000
"""The most entries to examine in a call, visible or not."""

LoggedAction = tuple[str, Body]


def read_actions(request: ReadActions, call: Call, world: World) -> ReplyBody:
    """The visible actions, newest first. Raises InvalidArgument for a foreign cursor."""
    trust, binding = call.principal.trust, binding_of(request, call)
    scope = call.principal.scope_for_writing(request.scope)
    before = None if request.cursor is None else _place_in(request.cursor, binding, world)
    if not trust.covers(scope):
        nothing: ActionList = {"scope": scope, "actions": []}
        return ReplyBody(nothing)
    limit = min(request.limit or PAGE, MOST_READ)
    actions, last = _take(scope, limit, before, trust, world)
    cursor = None if last is None else encode({"before": last}, binding, world.cursor_key())
    body: ActionList = {"scope": scope, "actions": actions, **cursor_part(cursor)}
    return ReplyBody(body)


def _take(
    scope: str, limit: int, before: str | None, trust: Trust, world: World
) -> tuple[list[Body], str | None]:
    """Up to `limit` visible actions, and the place behind the last; None at the end.

    The search looks for an additional action, so that the place discloses nothing hidden.
    """
    taken: list[Body] = []
    last, place, read = before, before, 0
    while read < MOST_READ:
        page = world.topics.logged_actions(scope, PAGE, place)
        read += len(page)
        for at, action in _visible_actions(page, trust, world):
            if len(taken) == limit:
                return taken, last
            taken.append(action)
            last = at
        if len(page) < PAGE:
            return taken, None
        place = page[-1][0]
    return taken, place


def _visible_actions(
    page: Sequence[LoggedAction], trust: Trust, world: World
) -> list[LoggedAction]:
    """The actions on topics that all exist and are visible now."""
    ids = {topic_id for _, action in page for topic_id in action["topics"]}
    there = load_sound_topics(sorted(ids), world)
    seen = {each.id for each in there.values() if trust.allows(each.scope, each.sensitivity)}
    return [logged for logged in page if seen.issuperset(logged[1]["topics"])]


def _place_in(cursor: str, binding: bytes, world: World) -> str:
    match decode(cursor, binding, world.cursor_key()):
        case {"before": str(place)}:
            return place
        case _:
            raise foreign_cursor()
