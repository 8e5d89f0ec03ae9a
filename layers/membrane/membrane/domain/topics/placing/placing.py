"""What becomes of a topic when something is told of it: all of it, or nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.values import LargeValue
from membrane.domain.salience.function import Anchor
from membrane.domain.topics.appending import (
    FieldWrite,
    Unchanged,
    appended,
    is_alive,
    require_writable,
)
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.making import (
    USUAL_SALIENCE,
    Circumstances,
    Happening,
    creation,
    next_version,
    renewed,
    revived,
)
from membrane.domain.topics.placing.observations import EdgeWrite, Observation, Placement
from membrane.domain.topics.placing.sifting import (
    Sifted,
    Then,
    changes_reference,
    retyped,
    sifted,
)
from membrane.domain.topics.relations import referring, related
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.topic import Edge, Line, Topic

MAX_NAMED = 100
"""Fields or edges that one audit event names."""


class FieldDecision(StrEnum):
    NEW = "new"
    VERSION = "version"
    UNCHANGED = "unchanged"
    """It said what is known: there is no revision of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """What is to be written. Where nothing is, `after` is `before`."""

    before: Topic | None
    after: Topic
    decisions: Mapping[str, FieldDecision]
    version_ids: Mapping[str, str]
    revisions: tuple[tuple[Line, Revision], ...]
    edges: tuple[Edge, ...]
    values: Mapping[LargeValue, bytes]

    @property
    def written(self) -> frozenset[str]:
        unchanged = FieldDecision.UNCHANGED
        return frozenset(name for name, each in self.decisions.items() if each is not unchanged)

    @property
    def changes(self) -> bool:
        return self.after is not self.before


def begun(unborn: Topic, told: Observation, during: Circumstances) -> Placed:
    edges = _edges(unborn, told.edges, {}, during)
    happenings = [creation(unborn), *_happenings(unborn, {}, told.writes, edges)]
    return _placed(None, unborn, told.writes, during, edges=edges, happenings=happenings)


def extended(
    topic: Topic,
    told: Observation,
    there: Mapping[EdgeWrite, Edge],
    during: Circumstances,
    *,
    sifting: bool,
    then: Then,
) -> Placed:
    """The topic with what is told of it; `there` has its edges, removed ones too.

    With `sifting`, a value that the field has already makes no revision: only evidence and reasons
    are noted. `then` has the revisions of back-dated fields. An archived topic is revived.
    Raises InvalidArgument as `appended` does.
    """
    for write in told.writes:
        require_writable(topic, write, during)
    parts = sifted(topic, told.writes, then) if sifting else Sifted(told.writes)
    writes = retyped(topic, parts.new) if told.retypes else parts.new
    active, back = revived(topic, during)
    meta = _meta(topic, told, during)
    edges = _edges(topic, told.edges, there, during)
    happenings = [
        *_happenings(topic, meta, writes, edges),
        *_repetitions(parts.repeated),
        *back,
    ]
    return _placed(
        topic, active, writes, during, edges=edges, happenings=happenings, known=parts.known, **meta
    )


def _placed(
    before: Topic | None,
    active: Topic,
    writes: Sequence[FieldWrite],
    during: Circumstances,
    *,
    edges: tuple[Edge, ...],
    happenings: Sequence[Happening],
    known: Mapping[str, str] = MappingProxyType({}),
    **meta: Any,
) -> Placed:
    added = appended(active, writes, during)
    after = active
    if happenings:
        after = next_version(active, *happenings, during=during, **meta, fields=added.fields)
    decisions = dict.fromkeys(known, FieldDecision.UNCHANGED)
    for write in writes:
        is_new = not is_alive(active.fields.get(write.name))
        decisions[write.name] = FieldDecision.NEW if is_new else FieldDecision.VERSION
    return Placed(
        before=before,
        after=after,
        decisions=decisions,
        version_ids={**known, **dict(added.version_ids)},
        revisions=added.revisions,
        edges=edges,
        values=added.values,
    )


# --- what it is, and what happened ---------------------------------------------------------------


def _meta(topic: Topic, told: Observation, during: Circumstances) -> dict[str, Any]:
    """The attributes that change; the usual salience, which some clients always send, does not."""
    told_of: dict[str, Any] = {}
    if told.title.strip():
        told_of["title"] = told.title
    if told.summary is not None:
        told_of["summary"] = told.summary
    if told.kind is not None:
        told_of["kind"] = told.kind
    if told.salience not in (None, USUAL_SALIENCE):
        told_of["base"] = Anchor(told.salience, during.now_s, topic.base.born_s)
    if told.sensitivity is not None and told.sensitivity.level > topic.sensitivity.level:
        told_of["sensitivity"] = told.sensitivity
    return {name: each for name, each in told_of.items() if each != getattr(topic, name)}


def _happenings(
    topic: Topic,
    meta: Mapping[str, Any],
    writes: Sequence[FieldWrite],
    edges: Sequence[Edge],
) -> Iterator[Happening]:
    if meta:
        yield renewed(meta)
    if writes:
        why = writes[0].why_changed or "" if len(writes) == 1 else ""
        yield Happening(EventKind.FIELDS, _naming("fields", [each.name for each in writes]), why)
    refs = [
        referring(topic, each.name, each.ref)
        for each in writes
        if not isinstance(each.ref, Unchanged)
        and changes_reference(topic.fields.get(each.name), each)
    ]
    if refs:
        yield Happening(EventKind.REF, _naming("refs", refs))
    if edges:
        links = [{"to_topic_id": each.to_id, "kind": each.kind} for each in edges]
        yield Happening(EventKind.EDGE_ADDED, _naming("edges", links))


def _repetitions(repeated: Sequence[FieldWrite]) -> Iterator[Happening]:
    for write in repeated:
        told = {"evidence": write.evidence, "impact_expected": write.impact_expected}
        beside = {name: each for name, each in told.items() if each}
        if beside or write.why_changed:
            detail = {"fields": [write.name], "unchanged": True, **beside}
            yield Happening(EventKind.FIELDS, detail, write.why_changed or "")


def _naming(what: str, several: Sequence[Any]) -> JsonObject:
    named = {what: list(several[:MAX_NAMED])}
    return {**named, "count": len(several)} if len(several) > MAX_NAMED else named


def _edges(
    topic: Topic,
    edges: Sequence[EdgeWrite],
    there: Mapping[EdgeWrite, Edge],
    during: Circumstances,
) -> tuple[Edge, ...]:
    made = (
        related(there.get((to_id, kind)), topic.id, to_id, kind, during)
        for to_id, kind in dict.fromkeys(edges)
    )
    return tuple(edge for edge in made if edge is not None)


def markers(told: Observation, placed: Placed, placement: Placement) -> list[str]:
    """What was applied, in the words of spec 2.2, in the order in which it was told."""
    word = "version" if placement is Placement.VERSION_FIELD else "field"
    applied = [f"created_topic:{placed.after.id}"] if placed.before is None else []
    for write in told.writes:
        unchanged = placed.decisions[write.name] is FieldDecision.UNCHANGED
        applied.append(f"{'unchanged' if unchanged else word}:{write.name}")
    return [*applied, *(f"edge:{to_id}" for to_id, _ in told.edges)]
