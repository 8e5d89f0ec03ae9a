"""The erasure of a topic: the tombstone, and the texts about the topic in other audit trails."""

from collections.abc import Collection
from dataclasses import replace

from membrane.domain.topics.events import POINTERS, EventKind, TopicEvent, without_text
from membrane.domain.topics.salience import Access
from membrane.domain.topics.topic import (
    Erasure,
    Field,
    LadderStep,
    LineKey,
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


def without_kept_lines(alias: Topic, lines: Collection[LineKey]) -> Topic:
    """The alias whose merge link keeps no erased line of the keeper; other topics stay as given."""
    if alias.merged is None:
        return alias
    kept = {name: _field_without(field, lines) for name, field in alias.merged.kept.items()}
    return replace(alias, merged=replace(alias.merged, kept=kept))


def _field_without(field: Field, lines: Collection[LineKey]) -> Field:
    """The field as kept, without its erased lines; an unmerge finds the newest revision again."""
    left = tuple(line for line in field.lines if key_of(line) not in lines)
    return field if left == field.lines else replace(field, lines=left, current=None)
