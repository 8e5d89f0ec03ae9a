"""Entities, as lists and pages show entities. Written by `make openapi`."""

from collections.abc import Sequence
from datetime import datetime

from membrane_client.pages import Page
from membrane_client.value import Value
from membrane_client.values.records import MemoryRecord


class ListedEntity(Value):
    id: str  # The id of the entity
    name: str  # The canonical name
    type: str  # The primary type; empty where unknown
    aliases: Sequence[str]  # The further names
    scope: str  # The scope; empty for an unscoped entity
    similarity: float | None  # How much names and descriptions have in common, from 0 to 1


class ListedTopic(Value):
    id: str  # The id of the topic
    title: str  # The title, which is a name of the entity
    entity_id: str  # The id of the entity


class EntityList(Page[ListedEntity], of="entities"):
    topics: Sequence[ListedTopic]
    entities: Sequence[ListedEntity]  # The entities: by name, or the most similar first


class EntityFact(Value):
    roles: Sequence[str]  # `subject`, `object` or both: the places of the entity in the fact
    record: MemoryRecord  # The fact


class TopicOfEntity(Value):
    id: str  # The id of the topic
    title: str  # The title, which is a name of the entity


class EntityPage(Page[EntityFact], of="facts"):
    entity: MemoryRecord  # The entity
    facts: Sequence[EntityFact]
    topics: Sequence[TopicOfEntity]


class EntityMention(Value):
    predicates: Sequence[str]  # How the record refers to the entity, such as `mentions_entity`
    created_at: datetime  # When the record was made
    record: MemoryRecord  # The record


class MentionList(Page[EntityMention], of="mentions"):
    mentions: Sequence[EntityMention]
