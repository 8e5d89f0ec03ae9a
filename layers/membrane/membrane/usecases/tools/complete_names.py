"""Complete the beginning of a name to the ids of entities or topics."""

from collections.abc import Sequence
from typing import NamedTuple

from membrane.domain.access.principals import Principal
from membrane.domain.entities.requests import ListEntities
from membrane.domain.language.names import MAX_NAME_CHARACTERS, term_of
from membrane.domain.topics.requests.reading import ListTopics
from membrane.usecases.entities.list_entities import list_entities
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.topics.reading.list_topics import list_topics

MAX_LISTED = 100
"""The most ids of a completion, and the topics by salience among which a completion looks."""


class Completed(NamedTuple):
    ids: Sequence[str]
    has_more: bool
    """Whether further entities or topics may begin with the text."""


def complete_entities(text: str, principal: Principal, world: World) -> Completed:
    """Ids of the entities whose name begins with the text; raises the errors of the list."""
    request = ListEntities(q=text[:MAX_NAME_CHARACTERS], limit=MAX_LISTED)
    page = list_entities(request, _call(principal), world).body
    return Completed([each["id"] for each in page["entities"]], "next_cursor" in page)


def complete_topics(text: str, principal: Principal, world: World) -> Completed:
    """Ids of the topics whose title or id begins with the text; raises the errors of the list."""
    page = list_topics(ListTopics(limit=MAX_LISTED), _call(principal), world).body
    begin = text[:MAX_NAME_CHARACTERS]
    term = term_of(begin)
    ids = [
        each["id"]
        for each in page["topics"]
        if term_of(each["title"]).startswith(term) or each["id"].startswith(begin)
    ]
    return Completed(ids, "next_cursor" in page)


def _call(principal: Principal) -> Call:
    return Call(principal, "completion/complete", None, b"")
