"""The audit trail of a topic: what was done, by whom and why, as a hash chain.

Detail and reason enter by their salted hash. `membrane.domain.language.hash_chain` explains the
chain.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from membrane.domain.access.trust import SERVICE_ACTORS
from membrane.domain.language.hash_chain import hash_of, last_hash, text_hash_of
from membrane.domain.language.json_text import JsonObject

MAX_RESIDENT_EVENTS = 16
"""That a topic has with it; earlier ones are kept beside it."""

POINTERS = ("topic_id", "child_topic_id", "parent_topic_id")
"""What an event keeps of its detail when its text is erased: ids, by which fields are found."""

ERASED = "erased"
"""The key that says so in such a detail."""


class EventKind(StrEnum):
    """What was done to a topic; `topic_history` shows the word (spec 1.8)."""

    CREATED = "created"
    META = "meta"
    """Title, summary, kind, sensitivity or salience."""
    FIELDS = "fields"
    """Revisions were added; the detail names fields, never values."""
    FIELD_DELETED = "field_deleted"
    REF = "ref"
    EDGE_ADDED = "edge_added"
    EDGE_REMOVED = "edge_removed"
    FIELDS_NESTED = "fields_nested_in_topic"
    FIELDS_UNNESTED = "fields_unnested_from_bundle"
    PROMOTED = "nested_topic_promoted"
    PROMOTED_FROM = "nested_topic_from_parent"
    UNDONE = "nested_topic_undo"
    UNDO_MERGED_BACK = "nested_topic_undo_merge_back"
    MERGED = "merged"
    MERGED_INTO = "merged_into"
    UNMERGED = "unmerged"
    SUMMARISED = "summarised"
    DETACHED = "detached"
    ARCHIVED = "archived"
    REVIVED = "revived"
    WITHDRAWN = "withdrawn"
    """A record does not tell its statement any more; the detail names the fields that are left."""
    DELETED = "deleted"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class TopicEvent:
    """One event; `ts` is RFC 3339, in UTC."""

    kind: EventKind
    ts: str
    detail: JsonObject
    principal: str
    """Who was authenticated; one of SERVICE_ACTORS where the service did it by itself."""
    why: str
    previous_hash: str
    hash: str
    salt: str
    text_hash: str = ""
    """The hash of detail and reason, in place of both, once these were erased."""

    @property
    def is_of_service(self) -> bool:
        """Whether nobody but the service wrote something here; reading alone revives a topic."""
        return self.principal in SERVICE_ACTORS or self.kind is EventKind.REVIVED


def event_after(
    previous: Sequence[TopicEvent],
    *,
    topic_id: str,
    kind: EventKind,
    detail: JsonObject,
    principal: str,
    why: str,
    ts: str,
    salt: str,
) -> TopicEvent:
    """The next event of a topic's trail; `salt` is fresh random hex."""
    previous_hash = last_hash(previous)
    text_hash = text_hash_of(salt, detail, why)
    return TopicEvent(
        kind=kind,
        ts=ts,
        detail=detail,
        principal=principal,
        why=why,
        previous_hash=previous_hash,
        hash=hash_of(topic_id, previous_hash, kind, ts, principal, text_hash),
        salt=salt,
    )


def without_text(event: TopicEvent) -> TopicEvent:
    """The event with the hash of its text in place of the text; the chain still holds."""
    if event.text_hash:
        return event
    kept = {name: event.detail[name] for name in POINTERS if name in event.detail}
    text_hash = text_hash_of(event.salt, event.detail, event.why)
    detail = {ERASED: True, **kept}
    return replace(event, detail=detail, why="", salt="", text_hash=text_hash)
