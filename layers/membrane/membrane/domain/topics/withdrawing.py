"""A revision that leaves its topic for good, with every word that only this revision brought."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from membrane.domain.language.timestamps import is_before
from membrane.domain.topics.deleted_names import MARK
from membrane.domain.topics.events import EventKind, TopicEvent, without_text
from membrane.domain.topics.nesting import SEPARATOR
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.titles import UNTITLED
from membrane.domain.topics.topic import (
    Archive,
    Field,
    Line,
    LineKey,
    MergeLink,
    Topic,
    key_of,
)
from membrane.domain.topics.versions import ChangeContext, EventDraft, next_version


@dataclass(frozen=True, slots=True)
class Departure:
    line: Line
    """The line as stored in the topic that shows the line."""
    revision: Revision
    archive: Archive | None = None
    """The archive that holds the revision; None for a revision in the table."""
    rest: tuple[Revision, ...] = ()
    """The remaining revisions of the archive, the newest first."""
    rewritten: Archive | None = None
    """The archive of the remaining revisions; None without any."""

    @property
    def key(self) -> LineKey:
        return key_of(self.line)

    @property
    def line_after(self) -> Line:
        if self.archive is None:
            return replace(self.line, count=self.line.count - 1)
        stay = (self.rewritten if each == self.archive else each for each in self.line.archives)
        return replace(self.line, archives=tuple(each for each in stay if each is not None))


def has_line(topic: Topic, key: LineKey) -> bool:
    """Whether a field of the topic has the line."""
    return key in topic.lines


def without_revision(
    topic: Topic,
    departure: Departure,
    shown: Mapping[str, Revision | None],
    context: ChangeContext,
) -> tuple[Topic, frozenset[str]]:
    """The next version of a topic with the line, without the revision; and the vanished fields.

    `shown` maps each field that showed the revision to its next value. A field without history and
    reference vanishes.
    """
    fields = {
        name: left
        for name, field in topic.fields.items()
        if (left := _field_without(name, field, departure, shown)) is not None
    }
    named = [name for name in shown if name in fields]
    draft = EventDraft(EventKind.WITHDRAWN, {"fields": sorted(named)})
    changes: dict[str, Any] = {"fields": fields}
    if topic.merged is not None:
        changes["merged"] = _link_without(topic.merged, departure)
    after = next_version(topic, draft, context=context, **changes)
    due = [each for each in (topic.due_s, after.due_s) if each is not None]
    after = replace(after, due_s=min(due, default=None))  # an earlier due time stays
    return after, frozenset(topic.fields.keys() - fields.keys())


def scrub_events(
    trail: Sequence[TopicEvent], vanished: Collection[str], topic: Topic
) -> list[TopicEvent]:
    """The events without the texts that name a vanished field.

    For a topic without title and fields, all texts are removed.
    """
    names = {part for name in vanished for part in _spellings(name)}
    names -= {part for name in topic.fields for part in _spellings(name)}
    is_nameless = topic.title == UNTITLED and not topic.fields
    return [
        without_text(each) if is_nameless or _names(each.detail, names) else each for each in trail
    ]


def _field_without(
    name: str, field: Field, departure: Departure, shown: Mapping[str, Revision | None]
) -> Field | None:
    if not _has_line(field, departure.key):
        return field
    lines = tuple(
        departure.line_after if key_of(line) == departure.key else line for line in field.lines
    )
    current = shown.get(name, field.current)
    kind = current.field_type if name in shown and current is not None else field.type
    after = replace(field, lines=lines, current=current, type=kind)
    is_empty = current is None and after.ref_topic_id is None and not after.history_length
    return None if is_empty else after


def _link_without(merged: MergeLink, departure: Departure) -> MergeLink:
    """The merge link without the revision.

    A revision recorded after the merge is in no length that the link keeps.
    """
    if is_before(merged.at, departure.revision.recorded_at):
        return merged
    kept = {
        name: _shorter(field, departure) if _has_line(field, departure.key) else field
        for name, field in merged.kept.items()
    }
    return replace(merged, kept=kept)


def _shorter(field: Field, departure: Departure) -> Field:
    """The field at the time of a merge, without the revision."""
    lines = tuple(
        replace(line, count=line.count - 1) if key_of(line) == departure.key else line
        for line in field.lines
    )
    was_shown = field.current is not None and field.current.id == departure.revision.id
    return replace(field, lines=lines, current=None if was_shown else field.current)


def _has_line(field: Field, key: LineKey) -> bool:
    return any(key_of(line) == key for line in field.lines)


def _spellings(name: str) -> Iterator[str]:
    """The whole name of a field, without a displacement mark, and its name inside a group."""
    plain = name.partition(MARK)[0]
    yield from (plain, plain.rpartition(SEPARATOR)[2])


def _names(detail: Any, names: Collection[str]) -> bool:
    match detail:
        case str():
            return any(each in names for each in _spellings(detail))
        case dict():
            return any(_names(each, names) for each in detail.values())
        case list() | tuple():
            return any(_names(each, names) for each in detail)
        case _:
            return False
