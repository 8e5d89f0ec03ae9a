"""Hide topics from a reader in audit trails and revisions that name them.

A reader learns of a topic only if the topic is visible to the reader. A link to a hidden topic
leaves no event for the reader. In any other event, the id of a hidden topic is null, and details
about the hidden topic are left out.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from membrane.domain.language.json_text import JsonObject
from membrane.domain.topics.events import EventKind, TopicEvent
from membrane.domain.topics.revisions import LINKS_TOPIC, Revision

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


def named_in(detail: JsonObject) -> Iterator[str]:
    yield from (detail[key] for key in BESIDE if isinstance(detail.get(key), str))
    for link in (*detail.get(EDGES, ()), *detail.get(REFS, ())):
        yield from named_in(link)


def evidence_in(event: TopicEvent) -> str | None:
    return event.detail.get(EVIDENCE)


def seen_event(
    event: TopicEvent, seen: Collection[str], records: Collection[str]
) -> TopicEvent | None:
    """The event for a reader who sees the topics and records; None for an event left empty."""
    if event.kind in LINKS:
        detail = _seen_links(event.detail, seen)
        return None if detail is None else replace(event, detail=detail)
    detail = _seen_detail(event.detail, seen)
    if evidence_in(event) not in (None, *records):
        del detail[EVIDENCE]
    return replace(event, detail=detail)


def _seen_links(detail: JsonObject, seen: Collection[str]) -> JsonObject | None:
    """The links to visible topics, without their count; None without a visible link."""
    several = [key for key in (EDGES, REFS) if key in detail]
    if not several:
        return _seen_link(detail, seen)
    shown = {
        key: [link for each in detail[key] if (link := _seen_link(each, seen)) is not None]
        for key in several
    }
    return shown if any(shown.values()) else None


def _seen_link(link: JsonObject, seen: Collection[str]) -> JsonObject | None:
    """The link if its end is visible. The end of a cleared reference is the former end."""
    ends = (link.get(key) for key in ("to_topic_id", "ref_topic_id", "former_topic_id"))
    end = next(filter(None, ends), None)
    return _seen_detail(link, seen) if end is None or end in seen else None


def _seen_detail(detail: JsonObject, seen: Collection[str]) -> JsonObject:
    hidden = [key for key in BESIDE if isinstance(detail.get(key), str) and detail[key] not in seen]
    left_out = {each for key in hidden for each in BESIDE[key]}
    shown = {name: each for name, each in detail.items() if name not in left_out}
    if "former_topic_id" in hidden:
        return {name: each for name, each in shown.items() if name != "former_topic_id"}
    return shown | dict.fromkeys(hidden)


def linked_by(revisions: Iterable[Revision]) -> Iterator[str]:
    for each in revisions:
        if each.operation == LINKS_TOPIC and each.ref_topic_id is not None:
            yield each.ref_topic_id


def seen_revision(revision: Revision, seen: Collection[str]) -> Revision:
    """The revision, without its reason if the reason names a topic not in `seen`."""
    if revision.operation != LINKS_TOPIC or revision.ref_topic_id in seen:
        return revision
    return replace(revision, why_changed=None)
