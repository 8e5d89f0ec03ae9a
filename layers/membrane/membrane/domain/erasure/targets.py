"""The target of an erasure, and what belongs to the target: in the table, and in waiting requests.

is_of       the record, topic or document is in the scope
named       the request names the id
is_about    subject of a fact, name of an entity, title of a topic, or key or label of a document,
            is the subject; in a spelling that the request does not confirm, for a person to decide
rests_on    the record has no evidence beside records that the erasure removes
mentions    the subject occurs in the text; for a person to decide
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.documents.places import Place
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject, digest, parse_json
from membrane.domain.language.names import folded_name
from membrane.domain.records.payloads import EntityPayload, SemanticPayload
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.topics.topic import Topic, TopicStatus


class Ground(StrEnum):
    """Why an erasure finds something."""

    IS_OF = "is_of"
    NAMED = "named"
    IS_ABOUT = "is_about"
    RESTS_ON = "rests_on"
    MENTIONS = "mentions"


class Kind(StrEnum):
    """What an erasure finds."""

    RECORD = "record"
    """A record in any state, with history, audit texts, edges, vector, large values."""
    TOPIC = "topic"
    """A topic in any state, with fields, history, archives, edges, reads, vector, large values."""
    EVIDENCE = "evidence"
    """The references to removed records in a record that has other evidence."""
    HEAD = "head"
    """The name of the active facts of a subject and predicate, or the next turn of a thread."""
    ENTITY_NAMES = "entity_names"
    """The names of entities of a scope that begin with one word."""
    VECTOR = "vector"
    IDEMPOTENCY_KEY = "idempotency_key"
    """The proof that a caller's idempotency key was used for a record."""
    TOPIC_REPLY = "topic_reply"
    """The stored reply to a request for topics under an idempotency key."""
    ANSWER_RECEIPT = "answer_receipt"
    """The question and the scores of a retrieval."""
    UPLOAD = "upload"
    DEAD_LETTER = "dead_letter"
    """A message that no function could process."""
    IMPORT_FILE = "import_file"
    """A file with a line of the target, with the result of the import."""
    EXPORT = "export"
    """An export that may hold the target, with the parts of the file."""
    RESTORE_FILE = "restore_file"
    """The file of such an export under restore, with the result of the restore."""
    STUDY = "study"
    """A study of a document, with the document's text."""
    DOCUMENT = "document"
    """A keyed document with values, history and list; or an item beside, or a write's receipt."""
    SCOPE_STATE = "scope_state"
    """What is kept of a scope: names in registries, decay profiles, system context, action log."""


class Action(StrEnum):
    """What an erasure does with a finding."""

    ERASE = "erase"
    """Remove the content; the audit trail stays without texts."""
    REMOVE = "remove"
    """Remove the item."""
    REWRITE = "rewrite"
    """Remove the references to what was erased, or the names."""
    KEEP = "keep"
    """Nothing: a person decides, or the key has no right to the scope."""


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

    def ground_of_topic(self, topic: Topic) -> Ground | None:
        """The scope, the id, or the ground in title, summary and present fields of a topic."""
        ground = self.ground_of_record(topic.id, topic.scope)
        is_erased = topic.status is TopicStatus.ERASED
        if ground is not None or is_erased or not self.searches(topic.scope):
            return ground
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
        """Whether a text of the value has the subject as whole words, in any spelling."""
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

    def ground_to_keep(self, names: Iterable[str]) -> Ground:
        """IS_ABOUT for a name that is the subject in an unconfirmed spelling, else MENTIONS."""
        return Ground.IS_ABOUT if self.spellings_among(names) else Ground.MENTIONS

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


_NAMES_OF_SUBJECTS = ("subject", "canonical_name", "title")
_NAMES_OF_IDS = ("id", "target_record_id", "topic_id")


@dataclass(frozen=True, slots=True)
class Recognition:
    """Recognises the target in requests of the event sources."""

    target: Target
    sources: tuple[Principal, ...]
    """The principals of the event sources: a request without a scope is of their first scope."""

    def is_named_in(self, body: str) -> bool:
        """Whether the JSON of a message or a line names the target; False for any other text."""
        value = _json_in(body)
        match self.target.kind:
            case TargetKind.SCOPE:
                return value is not None and self._is_of_scope(value)
            case TargetKind.SUBJECT:
                return any(map(self.target.is_confirmed, _members_in(value, _NAMES_OF_SUBJECTS)))
            case TargetKind.IDS:
                return any(text in self.target.ids for text in _members_in(value, _NAMES_OF_IDS))

    def _is_of_scope(self, value: Any) -> bool:
        scopes = {*_members_in(value, ("scope",))}
        users = {*_members_in(value, ("user",))}
        if not scopes and not users:
            return self.target.scope in map(_usual_scope, self.sources)
        prefixes = {each.user_prefix for each in self.sources if each.user_prefix}
        of_users = {prefix + user for prefix in prefixes for user in users}
        return self.target.scope in scopes | of_users


def _usual_scope(principal: Principal) -> str:
    try:
        return principal.scope_for_writing(None)
    except InvalidArgument:
        return ""


def _members_in(value: Any, names: Collection[str]) -> Iterator[str]:
    """The texts of members with the names, at any depth, and in JSON inside a text."""
    match value:
        case str() if value[:1] in ("{", "["):
            yield from _members_in(_json_in(value), names)
        case list():
            for each in value:
                yield from _members_in(each, names)
        case dict():
            for name, each in value.items():
                if name in names and isinstance(each, str) and each:
                    yield each
                yield from _members_in(each, names)
        case _:
            pass


def _json_in(text: str) -> Any:
    try:
        return parse_json(text)
    except InvalidArgument:
        return None
