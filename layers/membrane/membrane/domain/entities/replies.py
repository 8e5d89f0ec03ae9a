"""Replies about entities."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from membrane.domain.language.fields import Fraction, Timestamp
from membrane.domain.language.json_text import Body
from membrane.domain.language.replies import PageReply, with_shape
from membrane.domain.records.replies import OversizedRecord, RecordJson, RedactedRecord


class ListedEntity(TypedDict):
    """An entity on a list."""

    id: str
    """The id of the entity."""
    name: str
    """The canonical name."""
    type: str
    """The primary type; empty where unknown."""
    aliases: list[str]
    """The further names."""
    scope: str
    """The scope; empty for an unscoped entity."""


class SimilarEntity(ListedEntity):
    """An entity that may be the same thing as the given entity."""

    similarity: Fraction
    """How much names and descriptions have in common, from 0 to 1."""


class TopicOfEntity(TypedDict):
    """A topic that refers to an entity."""

    id: str
    """The id of the topic."""
    title: str
    """The title, which is a name of the entity."""


class ListedTopic(TopicOfEntity):
    """A topic that refers to an entity on the page."""

    entity_id: str
    """The id of the entity."""


class TopicsFound(TypedDict):
    """The topics beside a page of entities."""

    topics: NotRequired[list[ListedTopic]]
    """With `q`, the topics that refer to entities on the page and that the key shows, at most 50;
    absent without such a topic."""


class EntityList(PageReply, TopicsFound):
    """A page of entities."""

    entities: list[ListedEntity | SimilarEntity]
    """The entities: by name, or the most similar first."""


class EntityFact(TypedDict):
    """A fact about an entity."""

    roles: list[str]
    """`subject`, `object` or both: the places of the entity in the fact."""
    record: Annotated[Body, with_shape(RecordJson | OversizedRecord)]
    """The fact."""


class EntityPage(PageReply):
    """What is known of an entity, with a page of facts."""

    entity: RecordJson
    """The entity."""
    facts: list[EntityFact]
    """The facts about the entity that the key shows in full, neither retracted nor outside their
    time: the newest first, at most 50 on a page. With `next_cursor`, older facts may follow, also
    where the page has fewer."""
    topics: list[TopicOfEntity]
    """The topics that refer to the entity and that the key shows, at most 50."""


class EntityMention(TypedDict):
    """A record that mentions an entity."""

    predicates: list[str]
    """How the record refers to the entity, such as `mentions_entity`."""
    created_at: Timestamp
    """When the record was made."""
    record: Annotated[Body, with_shape(RecordJson | RedactedRecord | OversizedRecord)]
    """The record."""


class MentionList(PageReply):
    """A page of the records that mention an entity, the newest first."""

    mentions: list[EntityMention]
    """The records, the newest first: neither retracted nor outside their time."""
