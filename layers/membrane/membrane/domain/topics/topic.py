"""A topic as it stands: its fields with their current values, and the lines of their histories.

A history is never moved. A line stays in the partition of the topic that it was written in. A
promotion, a merge, or the undoing of either changes which lines two heads name, and nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.salience.function import Anchor
from membrane.domain.salience.lifecycle import Lifecycle
from membrane.domain.topics.events import TopicEvent
from membrane.domain.topics.revisions import FieldType, Revision

LineKey = tuple[str, str]


class TopicStatus(StrEnum):
    ACTIVE = "active"
    ARCHIVED = "archived"
    """Out of default retrieval; reachable by id, and revived by use."""
    MERGED = "merged"
    """Its id is an alias of the topic that it was merged into."""
    DELETED = "deleted"


class LadderStep(StrEnum):
    """How far a topic was forgotten, from the least to the most."""

    NONE = "none"
    SUMMARISED = "summarised"
    """Old history is in the bucket, compressed; the topic is active."""
    DETACHED = "detached"
    """Its least salient fields are out of the working set, too."""
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class Archive:
    """Revisions of a line, older than those in the table, in one compressed blob."""

    sha256: str
    count: int
    oldest: str
    """`valid_from` of the first and the last of them."""
    newest: str


@dataclass(frozen=True, slots=True)
class Line:
    """Revisions that were written under one topic, in its partition."""

    topic_id: str
    id: str
    """Unique within that topic's partition; 16 hex digits."""
    count: int = 0
    """Revisions that the table has, without those in `archives`."""
    archives: tuple[Archive, ...] = ()
    """The oldest first."""

    @property
    def length(self) -> int:
        return self.count + sum(archive.count for archive in self.archives)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A named field. Its history is that of all its lines, by `Revision.place`."""

    type: FieldType
    current: Revision | None = None
    """The last of its history; None where it has only a reference yet."""
    lines: tuple[Line, ...] = ()
    """That of the topic itself takes what is written; the others came from other topics."""
    ref_topic_id: str | None = None
    """One pointer for the field, not for each revision (spec 1.4)."""
    is_detached: bool = False
    """Out of the working set: it comes only where it is named."""
    is_type_open: bool = False
    """Whether nothing but null was told of it, without a type: the first value decides."""
    deleted_at: str | None = None
    """A deleted field keeps its history; writing to it brings it back."""

    @property
    def history_length(self) -> int:
        """Of all revisions, archived ones too."""
        return sum(line.length for line in self.lines)


@dataclass(frozen=True, slots=True)
class Group:
    """A nested field bundle (spec 1.5): fields named `<group>.<name>` that are shown as one."""

    made: Revision
    """Without a value; shown as the container's revision."""


@dataclass(frozen=True, slots=True)
class MergeLink:
    """What the head of an absorbed topic keeps for undoing the merge."""

    into: str
    at: str
    why: str
    status: TopicStatus
    """That it had before."""
    kept: Mapping[str, Field] = field(default_factory=dict)
    """The keeper's fields before, of names that both have; current values without their text."""
    base: Anchor | None = None
    """What the other's salience was before, where the merge raised it."""
    gave_summary: bool = False
    """Whether the other took this one's summary, for it had none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One topic, of one version. Timestamps are RFC 3339, in UTC."""

    id: str
    scope: str
    """Empty = unscoped."""
    sensitivity: Sensitivity
    title: str
    summary: str = ""
    kind: str = ""
    status: TopicStatus = TopicStatus.ACTIVE
    base: Anchor
    """The salience that it was given. What reading adds is kept apart, in its `Access`."""
    lifecycle: Lifecycle
    """Exponential, by the half-life of the settings at its creation."""
    fields: Mapping[str, Field] = field(default_factory=dict)
    """By whole name, deleted ones too."""
    groups: Mapping[str, Group] = field(default_factory=dict)
    absorbed: tuple[str, ...] = ()
    """Topics that were merged into this one, whose edges are its own."""
    merged: MergeLink | None = None
    """Where its own id is an alias."""
    told_apart: tuple[str, ...] = ()
    """Topics that somebody unmerged from this one: they are not merged with it again."""
    step: LadderStep = LadderStep.NONE
    created_at: str
    updated_at: str
    trail: tuple[TopicEvent, ...] = ()
    """The newest audit events, the oldest first; the store keeps earlier ones beside the topic."""
    events: int = 0
    due_s: float | None = None
    """When the next step of the ladder may be due (seconds since 1970); None where none is."""
    version: int = 0
    """0 = not written yet."""

    @property
    def living_fields(self) -> Mapping[str, Field]:
        """Without deleted ones, by whole name."""
        return {name: each for name, each in self.fields.items() if each.deleted_at is None}

    @property
    def lines(self) -> Mapping[LineKey, Line]:
        return {key_of(line): line for each in self.fields.values() for line in each.lines}


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A typed, directed link between topics; identified by both ends and its kind."""

    from_id: str
    to_id: str
    kind: str
    created_at: str
    principal: str
    removed_at: str | None = None
    """Removing is soft: what was linked then is still told of then."""
    earlier: tuple[tuple[str, str], ...] = ()
    """From when to when it was there before it was made anew, the oldest first."""

    def held_at(self, instant: datetime) -> bool:
        periods = (*self.earlier, (self.created_at, self.removed_at))
        return any(_is_within(instant, began, ended) for began, ended in periods)


def key_of(line: Line) -> LineKey:
    """What tells a line from all others, however it has grown."""
    return line.topic_id, line.id


def _is_within(instant: datetime, began: str, ended: str | None) -> bool:
    """Whether the period, which may be open, has that instant; its end is no part of it."""
    if instant < datetime.fromisoformat(began):
        return False
    return ended is None or instant < datetime.fromisoformat(ended)
