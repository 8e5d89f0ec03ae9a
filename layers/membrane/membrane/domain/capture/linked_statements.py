"""A stated fact between entities: with canonical names, and with relations to the entities."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from membrane.domain.capture.linking import relation
from membrane.domain.capture.made_records import Statement
from membrane.domain.entities.merging import entity_of
from membrane.domain.language.names import term_of
from membrane.domain.records.predicates import OBJECT_ENTITY, SUBJECT_ENTITY
from membrane.domain.records.records import MemoryRecord, Relation


class LinkedStatement(NamedTuple):
    """A fact as stated, and the entities that subject and object may name."""

    stated: Statement
    entities: Mapping[str, MemoryRecord]
    """The entities by term."""

    @property
    def subject(self) -> MemoryRecord | None:
        return self._entity(self.stated.subject)

    @property
    def object(self) -> MemoryRecord | None:
        return self._entity(self.stated.object)

    def canonical(self) -> Statement:
        """The fact with canonical names, so that facts about one entity meet."""
        subject, value = self.subject, self.object
        named = self.stated
        if subject is not None:
            named = named._replace(subject=entity_of(subject).canonical_name)
        if value is not None:
            named = named._replace(object=entity_of(value).canonical_name)
        return named

    def relations(self, made_at: str) -> Iterator[Relation]:
        """The relations of the fact to the entities of subject and object, where known."""
        ends = ((SUBJECT_ENTITY, self.subject), (OBJECT_ENTITY, self.object))
        for predicate, entity in ends:
            if entity is not None:
                yield relation(predicate, entity.id, made_at)

    def _entity(self, name: Any) -> MemoryRecord | None:
        return self.entities.get(term_of(name)) if isinstance(name, str) else None
