"""Entities, as lists and pages show entities."""

from membrane_client.values.records import MemoryRecord, Page
from membrane_client.values.value import Value, instant, optional_number, part, parts, text, texts


class ListedEntity(Value):
    id = text()
    name = text()
    type = text()
    """Empty where unknown."""
    aliases = texts()
    scope = text()
    """Empty = unscoped."""
    similarity = optional_number()
    """From 0 to 1; None where `similar_to` was not asked for."""


class TopicOfEntity(Value):
    id = text()
    title = text()


class ListedTopic(TopicOfEntity):
    entity_id = text()


class EntityList(Page[ListedEntity]):
    LISTS = "entities"
    entities = parts(ListedEntity)
    topics = parts(ListedTopic)
    """With `q`, the topics that refer to entities on the page."""


class EntityFact(Value):
    roles = texts()
    """`subject`, `object` or both."""
    record = part(MemoryRecord)


class EntityPage(Page[EntityFact]):
    LISTS = "facts"
    entity = part(MemoryRecord)
    facts = parts(EntityFact)
    """The newest first."""
    topics = parts(TopicOfEntity)
    """The topics that refer to the entity."""


class EntityMention(Value):
    predicates = texts()
    created_at = instant()
    record = part(MemoryRecord)


class MentionList(Page[EntityMention]):
    LISTS = "mentions"
    mentions = parts(EntityMention)
    """The newest first."""
