"""Apply an observation to a new or an existing topic; known values are not written again."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import is_before
from membrane.domain.language.values import LargeValue
from membrane.domain.revision.conflicts import is_same
from membrane.domain.salience.function import Anchor
from membrane.domain.topics import appending, versions
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.form import lean_value
from membrane.domain.topics.placing.observations import EdgeWrite, Observation, Placement
from membrane.domain.topics.topic import Edge, Field, Line, Revision, Topic, fits, type_of

MAX_NAMED = 100
"""The most fields or edges that one audit event names."""


PastRevisions = Mapping[str, Revision | None]
"""For each back-dated field, the revision that was current at the time of the write."""


class FieldDecision(StrEnum):
    """Whether a field is new, gets a new version, or has the value already."""

    NEW = "new"
    VERSION = "version"
    UNCHANGED = "unchanged"
    """The field has the value already: no revision is made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedObservation:
    """The change to write. Without a change, `after` is `before`."""

    before: Topic | None
    after: Topic
    decisions: Mapping[str, FieldDecision]
    version_ids: Mapping[str, str]
    revisions: tuple[tuple[Line, Revision], ...]
    edges: tuple[Edge, ...]
    values: Mapping[LargeValue, bytes]

    @property
    def written_fields(self) -> frozenset[str]:
        unchanged = FieldDecision.UNCHANGED
        return frozenset(name for name, each in self.decisions.items() if each is not unchanged)

    @property
    def changes(self) -> bool:
        return self.after is not self.before


def place_in_new_topic(
    unborn: Topic, observation: Observation, context: versions.ChangeContext
) -> PlacedObservation:
    edges = _edges(unborn, observation.edges, {}, context)
    drafts = [versions.created_event(unborn), *_event_drafts(unborn, {}, observation.writes, edges)]
    return _place(None, unborn, observation.writes, context, edges=edges, drafts=drafts)


def place_in_topic(
    topic: Topic,
    observation: Observation,
    existing: Mapping[EdgeWrite, Edge],
    context: versions.ChangeContext,
    *,
    skip_repeats: bool,
    past: PastRevisions,
) -> PlacedObservation:
    """The topic with the observation applied; `existing` are its edges, removed edges included.

    With `skip_repeats`, a value that the field has already makes no revision: only reasons go to
    the audit trail. `past` has, for back-dated writes, the revision current at the time. An
    archived topic is revived. Raises InvalidArgument as `append_writes` does.
    """
    for write in observation.writes:
        appending.require_writable(topic, write, context)
    known = _known_values(topic, observation.writes, past) if skip_repeats else {}
    repeated = [each for each in observation.writes if each.name in known]
    writes = [each for each in observation.writes if each.name not in known]
    if observation.retypes:
        writes = [_with_type(topic, each) for each in writes]
    active, back = versions.revive(topic, context)
    meta = _meta(topic, observation, context)
    edges = _edges(topic, observation.edges, existing, context)
    drafts = [
        *_event_drafts(topic, meta, writes, edges),
        *_repetition_drafts(repeated),
        *back,
    ]
    return _place(topic, active, writes, context, edges=edges, drafts=drafts, known=known, **meta)


def _place(
    before: Topic | None,
    active: Topic,
    writes: Sequence[appending.FieldWrite],
    context: versions.ChangeContext,
    *,
    edges: tuple[Edge, ...],
    drafts: Sequence[versions.EventDraft],
    known: Mapping[str, str] = MappingProxyType({}),
    **meta: Any,
) -> PlacedObservation:
    added = appending.append_writes(active, writes, context)
    after = active
    if drafts:
        after = versions.next_version(active, *drafts, context=context, **meta, fields=added.fields)
    decisions = dict.fromkeys(known, FieldDecision.UNCHANGED)
    for write in writes:
        is_new = not appending.is_alive(active.fields.get(write.name))
        decisions[write.name] = FieldDecision.NEW if is_new else FieldDecision.VERSION
    return PlacedObservation(
        before=before,
        after=after,
        decisions=decisions,
        version_ids={**known, **dict(added.version_ids)},
        revisions=added.revisions,
        edges=edges,
        values=added.values,
    )


# --- changed attributes, audit events, edges ------------------------------------------------------


def _meta(
    topic: Topic, observation: Observation, context: versions.ChangeContext
) -> dict[str, Any]:
    """The attributes that change. The usual salience is ignored: some clients send it always."""
    attributes: dict[str, Any] = {}
    if observation.title.strip():
        attributes["title"] = observation.title
    if observation.summary is not None:
        attributes["summary"] = observation.summary
    if observation.kind is not None:
        attributes["kind"] = observation.kind
    if observation.salience not in (None, versions.USUAL_SALIENCE):
        attributes["base"] = Anchor(observation.salience, context.now_s, topic.base.born_s)
    if (
        observation.sensitivity is not None
        and observation.sensitivity.level > topic.sensitivity.level
    ):
        attributes["sensitivity"] = observation.sensitivity
    return {name: each for name, each in attributes.items() if each != getattr(topic, name)}


def _event_drafts(
    topic: Topic,
    meta: Mapping[str, Any],
    writes: Sequence[appending.FieldWrite],
    edges: Sequence[Edge],
) -> Iterator[versions.EventDraft]:
    if meta:
        yield versions.meta_event(meta)
    if writes:
        why = writes[0].why_changed or "" if len(writes) == 1 else ""
        yield versions.EventDraft(
            EventKind.FIELDS, _naming("fields", [each.name for each in writes]), why
        )
    refs = [
        versions.reference_detail(topic, each.name, each.ref)
        for each in writes
        if not isinstance(each.ref, appending.Unchanged)
        and changes_reference(topic.fields.get(each.name), each)
    ]
    if refs:
        yield versions.EventDraft(EventKind.REF, _naming("refs", refs))
    if edges:
        links = [{"to_topic_id": each.to_id, "kind": each.kind} for each in edges]
        yield versions.EventDraft(EventKind.EDGE_ADDED, _naming("edges", links))


def _repetition_drafts(repeated: Sequence[appending.FieldWrite]) -> Iterator[versions.EventDraft]:
    for write in repeated:
        impact = write.impact_expected
        beside = {"impact_expected": impact} if impact else {}
        if beside or write.why_changed:
            detail = {"fields": [write.name], "unchanged": True, **beside}
            yield versions.EventDraft(EventKind.FIELDS, detail, write.why_changed or "")


def _naming(what: str, several: Sequence[Any]) -> JsonObject:
    named = {what: list(several[:MAX_NAMED])}
    return {**named, "count": len(several)} if len(several) > MAX_NAMED else named


def _edges(
    topic: Topic,
    edges: Sequence[EdgeWrite],
    existing: Mapping[EdgeWrite, Edge],
    context: versions.ChangeContext,
) -> tuple[Edge, ...]:
    made = (
        versions.new_edge(existing.get((to_id, kind)), topic.id, to_id, kind, context)
        for to_id, kind in dict.fromkeys(edges)
    )
    return tuple(edge for edge in made if edge is not None)


def markers(observation: Observation, placed: PlacedObservation, placement: Placement) -> list[str]:
    """The applied changes in the words of the API, in the order of the observation."""
    word = "version" if placement is Placement.VERSION_FIELD else "field"
    applied = [f"created_topic:{placed.after.id}"] if placed.before is None else []
    for write in observation.writes:
        unchanged = placed.decisions[write.name] is FieldDecision.UNCHANGED
        applied.append(f"{'unchanged' if unchanged else word}:{write.name}")
    return [*applied, *(f"edge:{to_id}" for to_id, _ in observation.edges)]


def _known_values(
    topic: Topic, writes: Sequence[appending.FieldWrite], past: PastRevisions
) -> Mapping[str, str]:
    """By name, the id of the past revision with the written value, unless written twice."""
    times = Counter(write.name for write in writes)
    known: dict[str, str] = {}
    for write in writes:
        field = topic.fields.get(write.name)
        current = None if field is None else past.get(write.name, field.current)
        if times[write.name] == 1 and current and _is_repeated(field, current, write, topic.id):
            known[write.name] = current.id
    return known


def _with_type(topic: Topic, write: appending.FieldWrite) -> appending.FieldWrite:
    """The write; with the type of the value if no type is given and that of the field is unfit."""
    if write.field_type or fits(
        write.value, appending.type_for(topic.fields.get(write.name), write)
    ):
        return write
    return replace(write, field_type=type_of(write.value))


def back_dated_writes(topic: Topic, writes: Sequence[appending.FieldWrite]) -> Mapping[str, str]:
    """By name, the `valid_from` of writes that predate the current value."""
    return {
        write.name: write.valid_from
        for write in writes
        if write.valid_from is not None
        and (field := topic.fields.get(write.name)) is not None
        and field.current is not None
        and is_before(write.valid_from, field.current.valid_from)
    }


def changes_reference(field: Field | None, write: appending.FieldWrite) -> bool:
    known = field.ref_topic_id if field is not None and appending.is_alive(field) else None
    return not isinstance(write.ref, appending.Unchanged) and write.ref != known


def _is_repeated(
    field: Field | None, current: Revision, write: appending.FieldWrite, topic_id: str
) -> bool:
    if not appending.is_alive(field) or changes_reference(field, write):
        return False
    if write.field_type not in (None, current.field_type):
        return False
    if write.valid_from is not None and is_before(write.valid_from, current.valid_from):
        return False
    value, _ = lean_value(write.value, topic_id)
    return _is_same(current.value, value)


def _is_same(known: Any, value: Any) -> bool:
    if isinstance(known, LargeValue) and isinstance(value, LargeValue):
        return known.sha256 == value.sha256
    return not isinstance(known, LargeValue) and is_same(known, value)
