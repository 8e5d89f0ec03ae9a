"""A topic at one version: fields with their revisions, and the lines of the fields' histories.

A history is never moved. A line stays in the partition of the topic under which the line was
written. A promotion, a merge, or the undoing of either changes only which lines two heads name.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from membrane.domain.language import timestamps
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.salience.function import Anchor
from membrane.domain.salience.lifecycle import Lifecycle
from membrane.domain.topics.events import TopicEvent

LINKS_TOPIC = "nested_topic_link"
"""The operation of a revision that links to the topic named in `why_changed`."""


class FieldType(StrEnum):
    """The type of the values of a field."""

    STRING = "string"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    DATE = "date"
    DATETIME = "datetime"
    LIST = "list"
    JSON = "json"


_BY_PYTHON_TYPE: Mapping[type, FieldType] = {
    bool: FieldType.BOOL,
    int: FieldType.INT,
    float: FieldType.FLOAT,
    list: FieldType.LIST,
    dict: FieldType.JSON,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """Immutable once written. Timestamps are RFC 3339, in UTC."""

    id: str
    """The version id in replies."""
    value: Any
    """Any JSON value, or the `LargeValue` in place of a large value."""
    field_type: FieldType
    valid_from: str
    """Since when the value holds: given by the caller, else `recorded_at`.

    Never later than `recorded_at`.
    """
    recorded_at: str
    order: int
    """Grows with each revision written under one topic; breaks ties between equal times."""
    provenance: str
    """The origin of the value, as stated by the caller."""
    why_changed: str | None = None
    impact_expected: str | None = None
    operation: str | None = None
    """The operation that made a revision without a plain write: `nested_topic_link`, ..."""
    principal: str = ""
    """The authenticated writer."""
    evidence: str = ""
    """In exports of former versions, the record from which the value was taken."""
    ref_topic_id: str | None = None
    """The reference of the field right after the write."""

    @property
    def place(self) -> tuple[datetime, datetime, int]:
        """The sort key of a field's history: valid time, then recorded time, then order."""
        return (
            datetime.fromisoformat(self.valid_from),
            datetime.fromisoformat(self.recorded_at),
            self.order,
        )


def type_of(value: Any) -> FieldType:
    return _BY_PYTHON_TYPE.get(type(value), FieldType.STRING)


def fits(value: Any, kind: FieldType) -> bool:
    """Whether a field of the type accepts the value; every field accepts null."""
    if value is None:
        return True
    match kind:
        case FieldType.STRING:
            return isinstance(value, str)
        case FieldType.DATE:
            return isinstance(value, str) and _is_date(value)
        case FieldType.DATETIME:
            return isinstance(value, str) and _is_datetime(value)
        case FieldType.FLOAT:
            return type_of(value) in (FieldType.FLOAT, FieldType.INT)
        case FieldType.INT | FieldType.BOOL | FieldType.LIST:
            return type_of(value) is kind
        case FieldType.JSON:
            return True


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_datetime(text: str) -> bool:
    try:
        timestamps.normalise(text)
    except ValueError:
        return False
    return True


LineKey = tuple[str, str]


class TopicStatus(StrEnum):
    """Whether a topic is in use, archived, merged into another topic, or deleted."""

    ACTIVE = "active"
    ARCHIVED = "archived"
    """Out of default retrieval; reachable by id, and revived by use."""
    MERGED = "merged"
    """The id is an alias of the topic into which this topic was merged."""
    DELETED = "deleted"
    ERASED = "erased"
    """The tombstone of a topic whose content was removed for good."""


HIDDEN = (TopicStatus.DELETED, TopicStatus.ERASED)
"""Absent for every reader."""


class LadderStep(StrEnum):
    """How far a topic is forgotten, from the least to the most."""

    NONE = "none"
    SUMMARISED = "summarised"
    """Old history is compressed in the bucket; the topic is active."""
    DETACHED = "detached"
    """The least salient fields are out of the working set, too."""
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class Archive:
    """Revisions of a line in one compressed blob, older than the revisions in the table."""

    sha256: str
    count: int
    oldest: str
    """`valid_from` of the first revision."""
    newest: str
    """`valid_from` of the last revision."""


@dataclass(frozen=True, slots=True)
class Line:
    """A sequence of revisions written under one topic, in the partition of the topic."""

    topic_id: str
    id: str
    """16 hex digits, unique within the partition of the topic."""
    count: int = 0
    """Revisions in the table, without the archived ones."""
    archives: tuple[Archive, ...] = ()
    """The oldest first."""

    @property
    def length(self) -> int:
        return self.count + sum(archive.count for archive in self.archives)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A named field. The history is the revisions of all lines, ordered by `Revision.place`."""

    type: FieldType
    current: Revision | None = None
    """The last revision of the history; None for a field with only a reference."""
    lines: tuple[Line, ...] = ()
    """New revisions go to the line of the topic itself; the rest came from other topics."""
    ref_topic_id: str | None = None
    """The topic that the field refers to: one for all revisions."""
    is_detached: bool = False
    """Out of the working set: shown only when a request names the field."""
    is_type_open: bool = False
    """Whether every write so far was null without a type: the first value decides the type."""
    deleted_at: str | None = None
    """A deleted field keeps its history; a write restores the field."""

    @property
    def history_length(self) -> int:
        """The number of all revisions, archived ones included."""
        return sum(line.length for line in self.lines)


@dataclass(frozen=True, slots=True)
class Group:
    """A nested field bundle: fields named `<group>.<name>`, shown as one field."""

    made: Revision
    """A revision without a value, shown as the revision of the container."""


@dataclass(frozen=True, slots=True)
class MergeLink:
    """The data in the head of an alias with which the merge can be undone."""

    into: str
    at: str
    why: str
    status: TopicStatus
    """The status of the alias before the merge."""
    kept: Mapping[str, Field] = field(default_factory=dict)
    """Fields of the keeper before the merge whose names both topics have.

    Of the lines, the line of the keeper; of the value, the place in the history.
    """
    base: Anchor | None = None
    """The base salience of the keeper before the merge, if the merge raised the base."""
    gave_summary: bool = False
    """Whether the keeper had no summary and took the summary of the alias."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """The content of an erased topic that the store may still have."""

    lines: tuple[Line, ...] = ()
    """The lines of the topic's fields, in the partitions of any topics."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One version of a topic. Timestamps are RFC 3339, in UTC."""

    id: str
    scope: str
    """Empty for an unscoped topic."""
    sensitivity: Sensitivity
    title: str
    summary: str = ""
    kind: str = ""
    status: TopicStatus = TopicStatus.ACTIVE
    base: Anchor
    """The salience set by a caller. The share added by reads is kept in `Access`."""
    lifecycle: Lifecycle
    """Exponential decay; the half-life is the setting at the creation of the topic."""
    fields: Mapping[str, Field] = field(default_factory=dict)
    """By whole name, deleted fields included."""
    groups: Mapping[str, Group] = field(default_factory=dict)
    absorbed: tuple[str, ...] = ()
    """Topics merged into this topic; edges of an absorbed topic count as edges of this topic."""
    merged: MergeLink | None = None
    """Set for an alias."""
    erasure: Erasure | None = None
    """Set for an erased topic until all content is removed."""
    unmerged_from: tuple[str, ...] = ()
    """Topics that a caller separated from this topic by an unmerge; never merged with it again."""
    step: LadderStep = LadderStep.NONE
    created_at: str
    updated_at: str
    trail: tuple[TopicEvent, ...] = ()
    """The newest audit events, the oldest first; the store keeps earlier events in side items."""
    events: int = 0
    due_s: float | None = None
    """When the next step of the ladder may be due, in seconds since 1970; None without a step."""
    version: int = 0
    """0 = not written yet."""

    @property
    def living_fields(self) -> Mapping[str, Field]:
        """By whole name, without deleted fields."""
        return {name: each for name, each in self.fields.items() if each.deleted_at is None}

    @property
    def lines(self) -> Mapping[LineKey, Line]:
        return {key_of(line): line for each in self.fields.values() for line in each.lines}


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A typed, directed link between topics, identified by both ends and the kind."""

    from_id: str
    to_id: str
    kind: str
    created_at: str
    principal: str
    removed_at: str | None = None
    """Removal is soft: a read as of an earlier instant still finds the edge."""
    earlier: tuple[tuple[str, str], ...] = ()
    """Earlier periods of the edge, from creation to removal, the oldest first."""

    def held_at(self, instant: datetime) -> bool:
        periods = (*self.earlier, (self.created_at, self.removed_at))
        return any(_is_within(instant, began, ended) for began, ended in periods)


def key_of(line: Line) -> LineKey:
    """The identity of a line, which stays the same as the line grows."""
    return line.topic_id, line.id


def _is_within(instant: datetime, began: str, ended: str | None) -> bool:
    if instant < datetime.fromisoformat(began):
        return False
    return ended is None or instant < datetime.fromisoformat(ended)


# --- links between topics, with aliases followed --------------------------------------------------


class LinkType(StrEnum):
    """Whether a link is an edge (`related`) or the reference of a field (`field_ref`)."""

    RELATED = "related"
    FIELD_REF = "field_ref"
    """The reference of a field, of the kind `field:<name>`."""


class Direction(StrEnum):
    """Whether a link leads from a topic (`out`) or to the topic (`in`)."""

    OUT = "out"
    IN = "in"


@dataclass(frozen=True, slots=True, order=True)
class Link:
    from_id: str
    to_id: str
    kind: str
    type: LinkType


def edge_links(edges: Iterable[Edge], ends: Mapping[str, str]) -> Sequence[Link]:
    """The edges not removed, without duplicates, in order.

    `ends` maps each visible id to the id at the end of its aliases; an edge with an end not in
    `ends` is left out. An edge between two topics merged into one is left out, too: a loop.
    """
    links = {
        Link(ends[edge.from_id], ends[edge.to_id], edge.kind, LinkType.RELATED)
        for edge in edges
        if edge.removed_at is None
        and edge.from_id in ends
        and edge.to_id in ends
        and (edge.from_id == edge.to_id or ends[edge.from_id] != ends[edge.to_id])
    }
    return sorted(links)


def reference_links(topics: Iterable[Topic], ends: Mapping[str, str]) -> Sequence[Link]:
    """The references of the topics' fields, in order; `ends` as for `edge_links`."""
    links = {
        Link(topic.id, ends[ref], f"field:{name}", LinkType.FIELD_REF)
        for topic in topics
        for name, ref in references(topic)
        if ref in ends
    }
    return sorted(links)


def references(topic: Topic) -> Iterator[tuple[str, str]]:
    """Names of fields and the ids they refer to, aliases not followed, without detached fields."""
    for name, each in topic.living_fields.items():
        if each.ref_topic_id is not None and not each.is_detached:
            yield name, each.ref_topic_id


def own_ids(topic: Topic) -> tuple[str, ...]:
    """The ids under which the topic has edges: its own, and the ids of absorbed topics."""
    return (topic.id, *topic.absorbed)


def own_ends(topics: Iterable[Topic]) -> dict[str, str]:
    """By id under which a topic has edges, the id of the topic."""
    return {each: topic.id for topic in topics for each in own_ids(topic)}
