"""A revision that leaves its topic for good, with every word that only this revision brought.

The revision's record was erased, retracted, deleted, or may not stand in the topic any more.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from membrane.domain.language.timestamps import is_before
from membrane.domain.topics.displacing import MARK
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
    TopicStatus,
    key_of,
)
from membrane.domain.topics.versions import ChangeContext, EventDraft, next_version


@dataclass(frozen=True, slots=True)
class Departure:
    line: Line
    """As it stands in the topic that shows it."""
    revision: Revision
    archive: Archive | None = None
    """The archive that has the revision; None where the table has it."""
    rest: tuple[Revision, ...] = ()
    """What else that archive has, the newest first."""
    rewritten: Archive | None = None
    """An archive of the rest; None where there is no rest."""

    @property
    def key(self) -> LineKey:
        return key_of(self.line)

    @property
    def line_after(self) -> Line:
        if self.archive is None:
            return replace(self.line, count=self.line.count - 1)
        stay = (self.rewritten if each == self.archive else each for each in self.line.archives)
        return replace(self.line, archives=tuple(each for each in stay if each is not None))


@dataclass(frozen=True, slots=True)
class RelievedTopic:
    topic: Topic
    vanished: frozenset[str]


def has_line(topic: Topic, key: LineKey) -> bool:
    """Whether a field of the topic has the line."""
    return key in topic.lines


def without_revision(
    topic: Topic,
    departure: Departure,
    shown: Mapping[str, Revision | None],
    context: ChangeContext,
    trail: Sequence[TopicEvent],
) -> RelievedTopic:
    """The next version of a topic that has the line, without the departing revision.

    `shown` has the next values of fields that showed the revision, by name. A field without history
    and reference vanishes. A topic without fields, in whose whole `trail` only services wrote, is
    deleted and loses its title.
    """
    fields = {
        name: left
        for name, field in topic.fields.items()
        if (left := _field_without(name, field, departure, shown)) is not None
    }
    named = [name for name in shown if name in fields]
    drafts = [EventDraft(EventKind.WITHDRAWN, {"fields": sorted(named)})]
    changes: dict[str, Any] = {"fields": fields}
    if topic.merged is not None:
        changes["merged"] = _link_without(topic.merged, departure)
    if not fields and not topic.groups and all(each.is_of_service for each in trail):
        changes |= {"title": UNTITLED, "summary": "", "kind": ""}
        if topic.merged is None and topic.status is not TopicStatus.DELETED:
            changes["status"] = TopicStatus.DELETED
            drafts.append(EventDraft(EventKind.DELETED, {}))
    after = next_version(topic, *drafts, context=context, **changes)
    due = [each for each in (topic.due_s, after.due_s) if each is not None]
    after = replace(after, due_s=min(due, default=None))  # what was due by then stays due
    return RelievedTopic(after, frozenset(topic.fields.keys() - fields.keys()))


def scrub_events(
    trail: Sequence[TopicEvent], vanished: Collection[str], topic: Topic
) -> list[TopicEvent]:
    """The events, without texts that name a vanished field; of a nameless topic, without any."""
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
    """What an alias keeps for undoing its merge: only how long the histories were then matters."""
    if is_before(merged.at, departure.revision.recorded_at):
        return merged
    kept = {
        name: _shorter(field, departure) if _has_line(field, departure.key) else field
        for name, field in merged.kept.items()
    }
    return replace(merged, kept=kept)


def _shorter(field: Field, departure: Departure) -> Field:
    """The field as it was at a merge, without the revision."""
    lines = tuple(
        replace(line, count=line.count - 1) if key_of(line) == departure.key else line
        for line in field.lines
    )
    was_shown = field.current is not None and field.current.id == departure.revision.id
    return replace(field, lines=lines, current=None if was_shown else field.current)


def _has_line(field: Field, key: LineKey) -> bool:
    return any(key_of(line) == key for line in field.lines)


def _spellings(name: str) -> Iterator[str]:
    """The whole name of a field, and the name that it has in a group or had before."""
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
