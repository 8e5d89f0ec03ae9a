"""The audit trail of a topic: what was done, by whom and why, as a hash chain.

As a record's (`membrane.domain.records.audit`): free text enters by its salted hash.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from membrane.domain.language.json_text import JsonObject, canonical_json

MAX_RESIDENT_EVENTS = 16
"""That a topic has with it; earlier ones are kept beside it."""


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
    """Another topic was merged into this one."""
    MERGED_INTO = "merged_into"
    UNMERGED = "unmerged"
    SUMMARISED = "summarised"
    DETACHED = "detached"
    ARCHIVED = "archived"
    REVIVED = "revived"
    DELETED = "deleted"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class TopicEvent:
    """One event; `ts` is RFC 3339, in UTC."""

    kind: EventKind
    ts: str
    detail: JsonObject
    principal: str
    """Who was authenticated; `reason` where the service did it by itself."""
    why: str
    previous_hash: str
    hash: str
    salt: str


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
    previous_hash = previous[-1].hash if previous else ""
    text_hash = _text_hash(salt, detail, why)
    return TopicEvent(
        kind=kind,
        ts=ts,
        detail=detail,
        principal=principal,
        why=why,
        previous_hash=previous_hash,
        hash=_event_hash(topic_id, previous_hash, kind, ts, principal, text_hash),
        salt=salt,
    )


def first_broken(topic_id: str, trail: Sequence[TopicEvent]) -> int | None:
    """The position of the first event that does not follow from those before it, or None."""
    expected = ""
    for position, event in enumerate(trail):
        text_hash = _text_hash(event.salt, event.detail, event.why)
        recomputed = _event_hash(
            topic_id, event.previous_hash, event.kind, event.ts, event.principal, text_hash
        )
        if event.previous_hash != expected or event.hash != recomputed:
            return position
        expected = event.hash
    return None


def _text_hash(salt: str, detail: JsonObject, why: str) -> str:
    return hashlib.sha256(salt.encode() + canonical_json([detail, why])).hexdigest()


def _event_hash(*parts: str) -> str:
    return hashlib.sha256(canonical_json(parts)).hexdigest()
