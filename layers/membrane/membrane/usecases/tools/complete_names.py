"""Complete the beginning of a name to the ids of entities or topics."""

from collections.abc import Sequence

from membrane.domain.access.principals import Principal
from membrane.domain.entities.requests import ListEntities
from membrane.domain.language.names import MAX_NAME_CHARACTERS, term_of
from membrane.domain.topics.requests.reading import ListTopics
from membrane.usecases.entities.list_entities import list_entities
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services_tools import ToolServices
from membrane.usecases.topics.reading.list_topics import list_topics

MAX_LISTED = 100
"""Entities, or topics by salience, among which a completion looks."""


def complete_names(
    kind: str, value: str, principal: Principal, services: ToolServices
) -> Sequence[str]:
    """Ids of the entities (`entity`) or topics (`topic`) whose name begins with the value.

    A value that is the beginning of an id of a topic completes, too. Raises the errors of the
    lists.
    """
    call = Call(principal, "completion/complete", None, b"")
    begin = value[:MAX_NAME_CHARACTERS]
    if kind == "entity":
        entities = list_entities(ListEntities(q=begin, limit=MAX_LISTED), call, services).body
        return [each["id"] for each in entities["entities"]]
    topics = list_topics(ListTopics(limit=MAX_LISTED), call, services).body["topics"]
    term = term_of(begin)
    return [
        each["id"]
        for each in topics
        if term_of(each["title"]).startswith(term) or each["id"].startswith(begin)
    ]
