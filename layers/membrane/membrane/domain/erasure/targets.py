"""The target of an erasure, and the records, topics and documents that belong to the target.

is_of       the record, topic or document is in the scope
named       the request names the id
is_about    subject of a fact, name of an entity, title of a topic, or key or label of a document,
            is the subject; in a spelling that the request does not confirm, for a person to decide
rests_on    the record has no evidence beside records that the erasure removes
mentions    the subject occurs in the text; for a person to decide
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from membrane.domain.documents.places import Place
from membrane.domain.language.json_text import JsonObject, digest
from membrane.domain.language.names import folded_name
from membrane.domain.records.payloads import EntityPayload, SemanticPayload
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.topics.topic import Topic


class Ground(StrEnum):
    """Why an erasure finds something."""

    IS_OF = "is_of"
    NAMED = "named"
    IS_ABOUT = "is_about"
    RESTS_ON = "rests_on"
    MENTIONS = "mentions"


class TargetKind(StrEnum):
    """What a request names to be erased."""

    SCOPE = "scope"
    """Also of a request that names a user: the user's scope."""
    SUBJECT = "subject"
    IDS = "ids"


DOCUMENT_ID = "doc."
"""Begins the id by which an erasure names a keyed document; the id of the place follows."""


def document_id(place: Place) -> str:
    return f"{DOCUMENT_ID}{place.id}"


@dataclass(frozen=True, slots=True)
class Target:
    """What an erasure removes: a scope, a subject within one scope or all, or single ids."""

    kind: TargetKind
    scope: str = ""
    """The scope; for a subject, the only scope to search, or empty."""
    subject: str = ""
    ids: frozenset[str] = frozenset()
    """Ids of records, topics and documents."""
    spellings: frozenset[str] = frozenset()
    """Further spellings of the subject that the request confirms."""

    def ground_of_record(self, record_id: str, scope: str) -> Ground | None:
        """The ground that needs no content: the scope or the id of a record or topic."""
        if self.kind is TargetKind.SCOPE and scope == self.scope:
            return Ground.IS_OF
        if self.kind is TargetKind.IDS and record_id in self.ids:
            return Ground.NAMED
        return None

    def ground_in_record(self, record: MemoryRecord) -> Ground | None:
        """The ground in the content of a live record: about the subject, or a mention."""
        if not self.searches(record.scope):
            return None
        if any(map(self.is_confirmed, names_of(record))):
            return Ground.IS_ABOUT
        return Ground.MENTIONS if self.is_mentioned_in(as_json(record)) else None

    def ground_in_topic(self, topic: Topic) -> Ground | None:
        """The ground in the title, the summary and the present fields of a topic."""
        if not self.searches(topic.scope):
            return None
        if self.is_confirmed(topic.title):
            return Ground.IS_ABOUT
        shown = {
            name: None if field.current is None else field.current.value
            for name, field in topic.fields.items()
        }
        is_mentioned = self.is_mentioned_in([topic.title, topic.summary, shown])
        return Ground.MENTIONS if is_mentioned else None

    def ground_of_place(self, place: Place) -> Ground | None:
        """The ground to erase a keyed document: the scope, the id, a label or the key."""
        ground = self.ground_of_record(document_id(place), place.scope)
        if ground is not None or not self.searches(place.scope):
            return ground
        is_about = any(map(self.is_confirmed, (*place.namespace, place.key)))
        return Ground.IS_ABOUT if is_about else None

    def is_mentioned_in(self, value: Any) -> bool:
        """Whether the subject occurs in a text of the value as whole words, in any spelling.

        Values in the bucket are not searched.
        """
        if self.kind is not TargetKind.SUBJECT:
            return False
        wanted = folded_name(self.subject)
        return any(_has_words(folded_name(text), wanted) for text in _texts_in(value))

    def is_confirmed(self, name: str) -> bool:
        """Whether the name is the subject in a spelling that the request names."""
        return self.kind is TargetKind.SUBJECT and name in (self.subject, *self.spellings)

    def spellings_among(self, names: Iterable[str]) -> frozenset[str]:
        """The names that are the subject in any spelling."""
        if self.kind is not TargetKind.SUBJECT:
            return frozenset()
        wanted = folded_name(self.subject)
        return frozenset(each for each in names if folded_name(each) == wanted)

    def sha256(self, salt: str) -> str:
        """The digest that stands for the target once the erasure is done, in hex."""
        words = (self.subject, *sorted(self.spellings), *sorted(self.ids))
        return digest(salt, self.kind, self.scope, *words).hex()

    def as_json(self) -> JsonObject:
        kept = {
            "kind": self.kind,
            "scope": self.scope,
            "subject": self.subject,
            "ids": sorted(self.ids),
        }
        return {**kept, "spellings": sorted(self.spellings)} if self.spellings else kept

    @classmethod
    def of_json(cls, kept: JsonObject) -> "Target":
        ids, spellings = frozenset(kept["ids"]), frozenset(kept.get("spellings", ()))
        return cls(TargetKind(kept["kind"]), kept["scope"], kept["subject"], ids, spellings)

    def searches(self, scope: str) -> bool:
        return self.kind is TargetKind.SUBJECT and self.scope in ("", scope)


def names_of(record: MemoryRecord) -> tuple[str, ...]:
    """The names by which a record may be about a subject."""
    match record.payload:
        case SemanticPayload(subject=subject):
            return (subject,)
        case EntityPayload(canonical_name=name, aliases=aliases):
            return (name, *(alias.value for alias in aliases))
        case _:
            return ()


def _has_words(text: str, wanted: str) -> bool:
    """Whether `wanted` occurs in the text, with no letter or digit right before or after."""
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (text[max(0, start - 1) : start].isalnum() or text[end : end + 1].isalnum()):
            return True
        start = text.find(wanted, start + 1)
    return False


def _texts_in(value: Any) -> Iterator[str]:
    """Every text of a JSON value, names of members included."""
    match value:
        case str():
            yield value
        case list() | tuple():
            for each in value:
                yield from _texts_in(each)
        case dict():
            for name, each in value.items():
                yield name
                yield from _texts_in(each)
        case _:
            pass
