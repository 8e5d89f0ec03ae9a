"""Content that goes for good: of an erased topic, and of a withdrawn revision.

A tombstone stays of a topic. The words that only the topic or the revision brought go from audit
trails, too.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from membrane.domain.language.timestamps import is_before
from membrane.domain.topics.appending import MARK
from membrane.domain.topics.events import POINTERS, EventKind, TopicEvent, without_text
from membrane.domain.topics.nesting import SEPARATOR
from membrane.domain.topics.salience import Access
from membrane.domain.topics.titles import UNTITLED
from membrane.domain.topics.topic import (
    Archive,
    Erasure,
    Field,
    LadderStep,
    Line,
    LineKey,
    MergeLink,
    Revision,
    Topic,
    TopicStatus,
    key_of,
)
from membrane.domain.topics.versions import ChangeContext, EventDraft, next_version

_NAMING = POINTERS | {"to_topic_id"}
"""The keys of a detail with the id of another topic."""


def erased_topic(topic: Topic, why: str, context: ChangeContext) -> Topic:
    """The tombstone of a topic; `why` is the only free text that stays in the audit.

    The tombstone names the lines and the absorbed topics, for the removal of the content.
    """
    bare = replace(
        topic,
        title="",
        summary="",
        kind="",
        status=TopicStatus.ERASED,
        fields={},
        groups={},
        merged=None,
        erasure=Erasure(tuple(topic.lines.values())),
        step=LadderStep.NONE,
        trail=tuple(map(without_text, topic.trail)),
    )
    return next_version(bare, EventDraft(EventKind.ERASED, {}, why), context=context)


def erased_alias(alias: Topic, context: ChangeContext) -> Topic:
    """The tombstone of an alias of an erased topic, which names the remaining content of both."""
    return without_erasure(erased_topic(alias, "", context))


def without_erasure(topic: Topic) -> Topic:
    """The tombstone after all content is removed."""
    return replace(topic, erasure=None, absorbed=())


def without_text_about(topic_ids: Collection[str], event: TopicEvent) -> TopicEvent:
    """The event, without the texts if it names one of the topics."""
    names = any(event.detail.get(name) in topic_ids for name in _NAMING)
    return without_text(event) if names else event


def without_kept_lines(alias: Topic, lines: Collection[LineKey]) -> Topic:
    """The alias whose merge link keeps none of the lines; exports of former versions have some."""
    if alias.merged is None:
        return alias
    kept = {}
    for name, field in alias.merged.kept.items():
        left = tuple(line for line in field.lines if key_of(line) not in lines)
        changed = replace(field, lines=left, current=None)
        kept[name] = field if left == field.lines else changed
    return replace(alias, merged=replace(alias.merged, kept=kept))


def without_lost_fields(topic: Topic, access: Access) -> Access:
    """The reads of the topic without names of fields that the topic no longer has."""
    return replace(
        access,
        fields={name: each for name, each in access.fields.items() if name in topic.fields},
        trail=tuple(
            replace(read, fields=tuple(name for name in read.fields if name in topic.fields))
            for read in access.trail
        ),
    )


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
        if (left := _field_without_revision(name, field, departure, shown)) is not None
    }
    named = [name for name in shown if name in fields]
    draft = EventDraft(EventKind.WITHDRAWN, {"fields": sorted(named)})
    merged = topic.merged and _link_without(topic.merged, departure)
    after = next_version(topic, draft, context=context, fields=fields, merged=merged)
    due = [each for each in (topic.due_s, after.due_s) if each is not None]
    after = replace(after, due_s=min(due, default=None))  # an earlier due time stays
    return after, frozenset(topic.fields.keys() - fields.keys())


def text_remover(vanished: Collection[str], topic: Topic) -> Callable[[TopicEvent], TopicEvent]:
    """A function that empties events that name a vanished field; all, of an empty topic."""
    names = {part for name in vanished for part in _spellings(name)}
    names -= {part for name in topic.fields for part in _spellings(name)}
    is_nameless = topic.title == UNTITLED and not topic.fields

    def remove_texts(event: TopicEvent) -> TopicEvent:
        return without_text(event) if is_nameless or _names(event.detail, names) else event

    return remove_texts


def _field_without_revision(
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
    """The link with the lengths at the merge without the revision, if recorded until the merge."""
    if is_before(merged.at, departure.revision.recorded_at):
        return merged
    kept = {
        name: replace(
            field,
            lines=tuple(
                replace(line, count=line.count - (key_of(line) == departure.key))
                for line in field.lines
            ),
        )
        for name, field in merged.kept.items()
    }
    return replace(merged, kept=kept)


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
