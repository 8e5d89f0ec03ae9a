"""Topics in the shape of replies: by id, in a graph, and in the answer to a query.

The callers fill in histories, and cut nodes and candidates, as far as a reply has room.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import from_epoch_seconds, rfc3339
from membrane.domain.language.values import Room, reply_bytes
from membrane.domain.topics import nesting
from membrane.domain.topics.events import TopicEvent
from membrane.domain.topics.salience import Access, salience_of
from membrane.domain.topics.topic import Field, FieldType, Link, Revision, Topic, TopicStatus

if TYPE_CHECKING:
    from membrane.domain.topics.replies import reading
    from membrane.domain.topics.replies.reading import (
        BundledField,
        FieldSummary,
        ShownRevision,
        TopicBundle,
        TopicEdge,
        TopicField,
        TopicHead,
        TopicNode,
        TopicRevision,
    )

Element = TypeVar("Element")

Shown = Field | nesting.Container

Slot = tuple[Field, "TopicField"]
"""A field, and the shape of the field in a reply, to which a history is added."""

FAILED_SALIENCE = 0.0
"""A field of MemState's replies, which MemState never sets to any other value."""

LABEL_CHARACTERS = 80

SUMMARY_CHARACTERS = 1_000
"""The length to which a summary is cut if a reply is full."""

LEAST_BYTES = 12 * 1024
"""No node without fields, and no candidate without fields and neighbours, is larger, if the summary
is cut."""


# --- a topic by its id ---------------------------------------------------------------------------


def whole_topic(topic: Topic, access: Access, now_s: float) -> "TopicHead":
    """A topic without fields and audit trail."""
    parts = salience_of(topic, access, now_s)
    return {
        "id": topic.id,
        "title": topic.title,
        "summary": topic.summary,
        "topic_kind": topic.kind,
        "salience": parts.total,
        "failed_salience": FAILED_SALIENCE,
        "salience_parts": asdict(parts),
        "archived": topic.status is TopicStatus.ARCHIVED,
        "status": topic.status,
        "scope": topic.scope,
        "sensitivity": topic.sensitivity,
        "absorbed": list(topic.absorbed),
        "created_at": topic.created_at,
        "updated_at": topic.updated_at,
        "access_trail": [
            {
                "at": rfc3339(from_epoch_seconds(read.at_s)),
                "principal": read.principal,
                "fields": list(read.fields),
            }
            for read in access.trail
        ],
    }


def whole_field(field: Field, salience: float, ref_topic_id: str | None) -> "TopicField":
    """A field without history; `ref_topic_id` is the visible end of the reference."""
    return {
        "field_type": field.type,
        "ref_topic_id": ref_topic_id,
        "history": [],
        "salience": salience,
        "history_length": field.history_length,
        "detached": field.is_detached,
    }


def field_or_group(
    topic: Topic, name: str, shape_of: "Callable[[str, Field], TopicField]"
) -> "tuple[TopicField, Sequence[Slot]] | None":
    """The shape of the field or group of that name, and the fields in the shape; None without one.

    `shape_of` makes the shape of a field of a whole name. A group is one field, whose value holds
    the shapes of the inner fields.
    """
    field = topic.fields.get(name)
    if field is not None and field.deleted_at is None:
        shape = shape_of(name, field)
        return shape, [(field, shape)]
    group = nesting.shown_groups(topic).get(name)
    if group is None:
        return None
    slots = {
        inner: (each, shape_of(nesting.whole_name(name, inner), each))
        for inner, each in nesting.inner_fields(topic, name).items()
    }
    value = {nesting.NESTED: True, "fields": {inner: shape for inner, (_, shape) in slots.items()}}
    container: TopicField = {
        "field_type": FieldType.JSON,
        "ref_topic_id": None,
        "history": [{**entry(group.made), "value": value}],
        "history_length": 1,
    }
    return container, [*slots.values()]


def entry(revision: Revision) -> "TopicRevision":
    return {
        **bundled_revision(revision),
        "operation": revision.operation,
        "recorded_at": revision.recorded_at,
        "principal": revision.principal,
        "evidence": revision.evidence,
    }


def event(logged: TopicEvent) -> "reading.TopicEvent":
    return {
        "ts": logged.ts,
        "kind": logged.kind,
        "detail": logged.detail,
        "principal": logged.principal,
        "why": logged.why,
    }


# --- a topic in the answer to a query ------------------------------------------------------------


def wanted_fields(topic: Topic, names: Sequence[str]) -> Mapping[str, Shown]:
    """The named fields and groups, detached ones included; without names the working set."""
    if not names:
        return nesting.shown_fields(topic, detached=False)
    there = {**topic.living_fields, **nesting.shown_fields(topic, detached=True)}
    return {name: there[name] for name in dict.fromkeys(names) if name in there}


def leaves(shown: Mapping[str, Shown]) -> Iterator[tuple[str, Field]]:
    """The fields by whole name, with groups replaced by their fields."""
    for name, each in shown.items():
        if isinstance(each, Field):
            yield name, each
        else:
            yield from (
                (nesting.whole_name(name, inner), one) for inner, one in each.fields.items()
            )


def bundled_revision(revision: Revision) -> "ShownRevision":
    return {
        "id": revision.id,
        "value": revision.value,
        "valid_from": revision.valid_from,
        "provenance": revision.provenance,
        "why_changed": revision.why_changed,
        "impact_expected": revision.impact_expected,
    }


def bundled_fields(
    shown: Mapping[str, Shown], inside: Callable[[str, Field], JsonObject], *, is_brief: bool
) -> "list[BundledField]":
    """The fields for a reply; a field without a value is left out.

    `inside` makes the shape of a field of the whole name in a group, with the history; `is_brief`
    is whether a field outside of groups has the current value alone.
    """
    found: list[BundledField] = []
    for name, each in shown.items():
        shape = inside(name, each) if isinstance(each, Field) else _group(name, each, inside)
        if shape["history"]:
            found.append(
                {
                    "name": name,
                    "field_type": shape["field_type"],
                    "ref_topic_id": shape["ref_topic_id"],
                    "current": shape["history"][0],
                    "history": [] if is_brief else shape["history"],
                }
            )
    return found


def cut_candidates(candidates: "Sequence[TopicBundle]", room: Room) -> "list[TopicBundle]":
    """All candidates, with the room divided evenly; `fields_cut` marks a candidate cut short."""
    heads = fit_each(candidates, room, _heads_of)
    every = [each["fields"] for each in candidates]
    sizes = [reply_bytes(fields) for fields in every]
    waiting = sorted(range(len(every)), key=sizes.__getitem__)
    for done, position in enumerate(waiting):
        share = Room(room.left // (len(waiting) - done))
        room.left -= share.left
        fitting = [each for each in every[position] if share.takes(each)]
        room.left += share.left
        heads[position]["fields"] = fitting
        if len(fitting) < len(every[position]):
            heads[position]["fields_cut"] = True
    return heads


def fit_each(
    elements: Sequence[Element], room: Room, forms_of: Callable[[Element], Iterator[Element]]
) -> list[Element]:
    """Of every element the first form that fits, else the last; LEAST_BYTES is kept for later ones.

    `forms_of` makes the forms of an element, the largest first.
    """
    room.left -= LEAST_BYTES * len(elements)
    found: list[Element] = []
    for element in elements:
        room.left += LEAST_BYTES
        form = element
        for form in forms_of(element):
            if room.takes(form):
                break
        found.append(form)
    return found


def _heads_of(candidate: "TopicBundle") -> "Iterator[TopicBundle]":
    """The candidate without fields; and with a cut summary, without neighbours."""
    whole: TopicBundle = {**candidate, "fields": []}
    yield whole
    summary = candidate["summary"]
    yield {
        **whole,
        "summary": summary and summary[:SUMMARY_CHARACTERS],
        "neighbors": [],
        "neighbors_truncated": bool(candidate["neighbors"]) or candidate["neighbors_truncated"],
    }


def _group(
    name: str, group: nesting.Container, inside: Callable[[str, Field], JsonObject]
) -> JsonObject:
    """A group as a container, whose history has one revision; none without values."""
    inner = {
        own: inside(nesting.whole_name(name, own), each)
        for own, each in group.fields.items()
        if each.current is not None
    }
    value = {nesting.NESTED: True, "fields": inner}
    history = [{**bundled_revision(group.group.made), "value": value}] if inner else []
    return {"field_type": FieldType.JSON, "ref_topic_id": None, "history": history}


# --- a topic in a graph --------------------------------------------------------------------------


def node(topic: Topic, salience: float, community: int, ends: Mapping[str, str]) -> "TopicNode":
    """A topic with its fields, without detached ones; `ends` as for `topic.reference_links`."""
    return {
        "id": topic.id,
        "label": (topic.title or topic.id)[:LABEL_CHARACTERS],
        "title": topic.title,
        "summary": topic.summary,
        "topic_kind": topic.kind,
        "archived": topic.status is TopicStatus.ARCHIVED,
        "salience": salience,
        "scope": topic.scope,
        "sensitivity": topic.sensitivity,
        "fields": list(_summaries(topic, ends)),
        "community": community,
    }


def forms_of_node(whole: "TopicNode") -> "Iterator[TopicNode]":
    """The node; without values; and without fields, with a cut summary."""
    yield whole
    yield {**whole, "fields": [_without_value(each) for each in whole["fields"]], "is_cut": True}
    yield {**whole, "summary": whole["summary"][:SUMMARY_CHARACTERS], "fields": [], "is_cut": True}


def number_communities(nodes: Sequence[Any], edges: Iterable[Any]) -> None:
    """Give the nodes that the edges connect one number: from 0, in the order of the first nodes.

    Edges from or to another node connect nothing. No number is longer than the node's position.
    """
    members = {each["id"]: [each["id"]] for each in nodes}
    for edge in edges:
        one, other = members.get(edge["from"]), members.get(edge["to"])
        if one is not None and other is not None and one is not other:
            small, large = sorted((one, other), key=len)
            large += small
            members |= dict.fromkeys(small, large)
    numbers: dict[int, int] = {}
    for each in nodes:
        each["community"] = numbers.setdefault(id(members[each["id"]]), len(numbers))


def link(shown: Link) -> "TopicEdge":
    return {
        "from": shown.from_id,
        "to": shown.to_id,
        "kind": shown.kind,
        "edge_type": shown.type,
    }


def _summaries(topic: Topic, ends: Mapping[str, str]) -> "Iterator[FieldSummary]":
    for name, field in nesting.shown_fields(topic, detached=False).items():
        if isinstance(field, Field):
            yield {**_summary(name, field), "ref_topic_id": ends.get(field.ref_topic_id or "")}
        else:
            yield {
                "name": name,
                "field_type": FieldType.JSON,
                # a value would only repeat `nested_fields`
                "current_value": {nesting.NESTED: True},
                "history_len": 1,
                "ref_topic_id": None,
                "nested_fields": [_summary(inner, each) for inner, each in field.fields.items()],
            }


def _summary(name: str, field: Field) -> "FieldSummary":
    return {
        "name": name,
        "field_type": field.type,
        "current_value": None if field.current is None else field.current.value,
        "history_len": field.history_length,
    }


def _without_value(summary: "FieldSummary") -> "FieldSummary":
    empty: FieldSummary = {**summary, "current_value": None}
    if "nested_fields" in summary:
        empty["nested_fields"] = [_without_value(each) for each in summary["nested_fields"]]
    return empty
