"""Reading topics by id, their list, their graph, the action log, and the system context."""

from typing import Annotated

from pydantic import Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.fields import Part, Scope
from membrane.domain.language.requests import OPTIONAL, OptionalTimestamp
from membrane.domain.tokens.fields import Cursor, Limit

# Defaults that are models are made by factories: an instance would build its model at import.

MAX_DEPTH = 3
MAX_NODES = 200
USUAL_NODES = 50


class ReadTopic(Part):
    """One topic with the histories of its fields, as they are or as they were."""

    id: str
    trust: TrustInput = Field(default_factory=TrustInput)
    as_of: OptionalTimestamp = None


class ReadField(Part):
    """One field of a topic, by its whole name; `archived` also reads what left the table."""

    id: str
    name: str
    trust: TrustInput = Field(default_factory=TrustInput)
    with_history: bool = True
    archived: bool = False
    as_of: OptionalTimestamp = None


class ListTopics(Part):
    """The topics of a scope, or of all, by the salience that they were given; as ListRecords."""

    scope: Annotated[Scope | None, OPTIONAL] = None
    include_archived: bool = False
    limit: Limit = 0
    """0 = as many as one call reads."""
    cursor: Annotated[Cursor | None, OPTIONAL] = None


class ReadGraph(Part):
    """The topics of a scope, or of all, with what links them; or those around one topic.

    `depth` is how many links away they may be; it says nothing without a `topic_id`.
    """

    scope: Annotated[Scope | None, OPTIONAL] = None
    topic_id: Annotated[str | None, OPTIONAL] = None
    depth: Annotated[int, Field(ge=1, le=MAX_DEPTH)] = 1
    limit: Annotated[int, Field(ge=1, le=MAX_NODES)] = USUAL_NODES
    """Of topics."""
    cursor: Annotated[Cursor | None, OPTIONAL] = None


class ReadActions(Part):
    """What was done with the topics of a scope, the newest first."""

    scope: Annotated[Scope | None, OPTIONAL] = None
    limit: Limit = 0
    """0 = as many as one call reads."""
    cursor: Annotated[Cursor | None, OPTIONAL] = None


class ReadSystemContext(Part):
    """What agents are told of their role and surroundings."""
