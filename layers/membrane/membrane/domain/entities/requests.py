"""Requests that list, read, merge and split entities."""

from typing import Annotated

from pydantic import Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.cursors import Cursor
from membrane.domain.language.fields import LIST, MAX_ID_CHARACTERS, Limit, Part, RecordId, Scope
from membrane.domain.language.names import MAX_NAME_CHARACTERS
from membrane.domain.language.requests import OPTIONAL, FromPath, FromQuery
from membrane.domain.lifecycle.requests import RecordChange

MAX_ABSORBED = 10
"""Entities absorbed by a single call: every entity takes several actions of the transaction."""

USUAL_ENTITIES = 50
"""Entities on a page without a limit."""

MAX_ENTITIES = 200
"""The most entities, or mentions, on a page."""

_NamePart = Annotated[str, Field(max_length=MAX_NAME_CHARACTERS)]


class ListEntities(Part):
    """List entities by name, or the entities most like a given entity."""

    q: FromQuery[Annotated[_NamePart | None, OPTIONAL]] = None
    """Beginning of the canonical name, of an alias or of an identifier, at most 256 characters;
    case and white space make no difference. Absent or empty: all names."""
    type: FromQuery[Annotated[_NamePart | None, OPTIONAL]] = None
    """Type of the entities, such as `Person`; case makes no difference. Absent or empty: all."""
    scope: FromQuery[Annotated[Scope | None, OPTIONAL]] = None
    """Scope of the entities, without unscoped entities. Absent or empty: all scopes of the key, and
    unscoped entities."""
    similar_to: FromQuery[Annotated[RecordId | None, OPTIONAL]] = None
    """Id of an entity: list the entities of the same scope that may be the same thing, the most
    similar first, as suggestions for a merge: a single page. Not together with `q`. Absent or
    empty: by name."""
    limit: FromQuery[Limit] = 0
    """Entities on the page, 0 to 10,000; 0 = 50, and more than 200 give 200."""
    cursor: FromQuery[Annotated[Cursor | None, OPTIONAL]] = None
    """The `next_cursor` of the previous page. Absent or empty: the first page."""


class ReadEntity(Part):
    """Read what is known of an entity: the record, and the facts about it."""

    id: FromPath[str]
    """Id of the entity. The id of a merged entity leads to the absorbing entity."""
    trust: FromQuery[TrustInput] = Field(default_factory=TrustInput)
    """Narrows the trust of the key."""
    cursor: FromQuery[Annotated[Cursor | None, OPTIONAL]] = None
    """The `next_cursor` of the previous page of facts. Absent or empty: the newest facts."""


class ListMentions(Part):
    """List the records that mention an entity, the newest first."""

    id: FromPath[str]
    """Id of the entity. The id of a merged entity leads to the absorbing entity."""
    trust: FromQuery[TrustInput] = Field(default_factory=TrustInput)
    """Narrows the trust of the key."""
    limit: FromQuery[Limit] = 0
    """Records on the page, 0 to 10,000; 0 = 50, and more than 200 give 200."""
    cursor: FromQuery[Annotated[Cursor | None, OPTIONAL]] = None
    """The `next_cursor` of the previous page. Absent or empty: the first page."""


_EntityId = Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARACTERS)]


class MergeEntities(RecordChange):
    """Make several entities one: the given entity absorbs entities of the same scope.

    Names and edges of the absorbed entities lead to the entity from then on. `SplitEntity` undoes
    the merge.
    """

    entity_ids: Annotated[tuple[_EntityId, ...], LIST, Field(min_length=1, max_length=MAX_ABSORBED)]
    """Ids of the entities to absorb, 1 to 10. Repeats count once."""


class SplitEntity(RecordChange):
    """Undo the merge of an entity: the absorbed entity stands by itself again."""

    entity_id: _EntityId
    """Id of the absorbed entity."""
