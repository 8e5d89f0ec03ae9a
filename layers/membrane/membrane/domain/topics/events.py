"""The audit trail of a topic: the operations, the actors and the reasons, as a hash chain.

The chain covers detail and reason by their salted hash. `membrane.domain.language.json_text`
explains the chain.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from membrane.domain.language import json_text

POINTERS = frozenset({"topic_id", "child_topic_id", "parent_topic_id"})
"""The keys of a detail that survive the erasure of an event's text: ids that locate fields."""

ERASED = "erased"
"""The key that marks a detail as erased."""


class EventKind(StrEnum):
    """The operation on a topic, shown in the `topic_history` of a reply."""

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
    """The title of an erased topic was withdrawn; the detail names the remaining fields."""
    DELETED = "deleted"
    RESTORED = "restored"
    ERASED = "erased"


@dataclass(frozen=True, slots=True)
class TopicEvent:
    """One event; `ts` is RFC 3339, in UTC."""

    kind: EventKind
    ts: str
    detail: json_text.JsonObject
    principal: str
    """The authenticated principal, or one of SERVICE_ACTORS for work of the service itself."""
    why: str
    previous_hash: str
    hash: str
    salt: str
    text_hash: str = ""
    """The hash of detail and reason, set in place of both when the text is erased."""


def first_broken(topic_id: str, trail: Iterable[TopicEvent], written: int) -> int | None:
    """See `first_broken_link`."""
    return json_text.first_broken_link(
        trail, lambda event: _expected_hash(topic_id, event), written=written
    )


def _expected_hash(topic_id: str, event: TopicEvent) -> str | None:
    """The hash computed from the parts of an event; None for a text that was put in again."""
    if event.text_hash and (event.why or event.salt or ERASED not in event.detail):
        return None
    text_hash = event.text_hash or json_text.text_hash_of(event.salt, event.detail, event.why)
    return json_text.hash_of(
        topic_id, event.previous_hash, event.kind, event.ts, event.principal, text_hash
    )


def topics_named(events: Iterable[TopicEvent]) -> frozenset[str]:
    """The ids of topics that the events point to; the erasure of texts leaves these ids."""
    return frozenset(
        str(each.detail[name]) for each in events for name in POINTERS & each.detail.keys()
    )


def without_text(event: TopicEvent) -> TopicEvent:
    """The event with the hash of its text in place of the text; the chain still verifies."""
    if event.text_hash:
        return event
    kept = {name: event.detail[name] for name in sorted(POINTERS & event.detail.keys())}
    text_hash = json_text.text_hash_of(event.salt, event.detail, event.why)
    detail = {ERASED: True, **kept}
    return replace(event, detail=detail, why="", salt="", text_hash=text_hash)


# --- events for a reader who may not see every topic ----------------------------------------------

BESIDE: Mapping[str, tuple[str, ...]] = {
    "to_topic_id": ("kind",),
    "ref_topic_id": (),
    "former_topic_id": (),
    "child_topic_id": ("relationship_kind",),
    "parent_topic_id": ("relationship_kind",),
    "topic_id": ("fields", "agreement", "similarity"),
}
"""By key of a detail that holds the id of a topic: the keys of details about the same topic."""

EDGES, REFS = "edges", "refs"
"""The keys of the links in one event. Every link is a detail of its own."""

EVIDENCE = "evidence"
"""The key of the record on which an event is based."""

LINKS = (EventKind.EDGE_ADDED, EventKind.EDGE_REMOVED, EventKind.REF)
"""Kinds of events that only report links to other topics."""


def named_in(detail: json_text.JsonObject) -> Iterator[str]:
    yield from (detail[key] for key in BESIDE if isinstance(detail.get(key), str))
    for link in (*detail.get(EDGES, ()), *detail.get(REFS, ())):
        yield from named_in(link)


def seen_event(
    event: TopicEvent, seen: Collection[str], records: Collection[str]
) -> TopicEvent | None:
    """The event for a reader who sees the topics and records; None for an event left empty.

    A reader learns of a topic only if the topic is visible to the reader. A link to a hidden topic
    leaves no event for the reader. In any other event, the id of a hidden topic is null, and
    details about the hidden topic are left out.
    """
    if event.kind in LINKS:
        links = _seen_links(event.detail, seen)
        return None if links is None else replace(event, detail=links)
    detail = _seen_detail(event.detail, seen)
    if detail.get(EVIDENCE) not in (None, *records):
        del detail[EVIDENCE]
    return replace(event, detail=detail)


def _seen_links(detail: json_text.JsonObject, seen: Collection[str]) -> json_text.JsonObject | None:
    """The links to visible topics, without their count; None without a visible link."""
    several = [key for key in (EDGES, REFS) if key in detail]
    if not several:
        return _seen_link(detail, seen)
    shown = {
        key: [link for each in detail[key] if (link := _seen_link(each, seen)) is not None]
        for key in several
    }
    return shown if any(shown.values()) else None


def _seen_link(link: json_text.JsonObject, seen: Collection[str]) -> json_text.JsonObject | None:
    """The link if its end is visible. The end of a cleared reference is the former end."""
    ends = (link.get(key) for key in ("to_topic_id", "ref_topic_id", "former_topic_id"))
    end = next(filter(None, ends), None)
    return _seen_detail(link, seen) if end is None or end in seen else None


def _seen_detail(detail: json_text.JsonObject, seen: Collection[str]) -> json_text.JsonObject:
    hidden = [key for key in BESIDE if isinstance(detail.get(key), str) and detail[key] not in seen]
    left_out = {each for key in hidden for each in BESIDE[key]}
    shown = {name: each for name, each in detail.items() if name not in left_out}
    if "former_topic_id" in hidden:
        return {name: each for name, each in shown.items() if name != "former_topic_id"}
    return shown | dict.fromkeys(hidden)
