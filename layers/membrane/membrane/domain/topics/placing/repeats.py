"""Which writes of an observation repeat the known value of a field, and which are new."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from membrane.domain.language.timestamps import is_before
from membrane.domain.language.values import LargeValue
from membrane.domain.revision.conflicts import is_same
from membrane.domain.topics.appending import FieldWrite, Unchanged, is_alive, type_for
from membrane.domain.topics.form import lean_value
from membrane.domain.topics.revisions import Revision, fits, type_of
from membrane.domain.topics.topic import Field, Topic

PastRevisions = Mapping[str, Revision | None]
"""For each back-dated field, the revision that was current at the time of the write."""


@dataclass(frozen=True, slots=True)
class SplitWrites:
    new: tuple[FieldWrite, ...]
    repeated: tuple[FieldWrite, ...] = ()
    """Writes of a value that the field has already."""
    known: Mapping[str, str] = field(default_factory=dict)
    """By name of a repeated field, the id of the revision with the value."""


def split_repeats(topic: Topic, writes: Sequence[FieldWrite], past: PastRevisions) -> SplitWrites:
    """The writes, divided by the value of the field at the time; a field written twice is new."""
    times = Counter(write.name for write in writes)
    known: dict[str, str] = {}
    for write in writes:
        field = topic.fields.get(write.name)
        current = None if field is None else past.get(write.name, field.current)
        if times[write.name] == 1 and current and _is_repeated(field, current, write, topic.id):
            known[write.name] = current.id
    return SplitWrites(
        tuple(each for each in writes if each.name not in known),
        tuple(each for each in writes if each.name in known),
        known,
    )


def adopt_types(topic: Topic, writes: Sequence[FieldWrite]) -> tuple[FieldWrite, ...]:
    """The writes, with the type of the value if the type of the field does not fit.

    A type given by the write stays.
    """
    return tuple(
        each
        if each.field_type is not None
        or fits(each.value, type_for(topic.fields.get(each.name), each))
        else replace(each, field_type=type_of(each.value))
        for each in writes
    )


def back_dated_writes(topic: Topic, writes: Sequence[FieldWrite]) -> Mapping[str, str]:
    """By name, the `valid_from` of writes that predate the current value."""
    return {
        write.name: write.valid_from
        for write in writes
        if write.valid_from is not None
        and (field := topic.fields.get(write.name)) is not None
        and field.current is not None
        and is_before(write.valid_from, field.current.valid_from)
    }


def changes_reference(field: Field | None, write: FieldWrite) -> bool:
    known = field.ref_topic_id if field is not None and is_alive(field) else None
    return not isinstance(write.ref, Unchanged) and write.ref != known


def _is_repeated(field: Field | None, current: Revision, write: FieldWrite, topic_id: str) -> bool:
    """Whether the revision has the value of the write."""
    if not is_alive(field) or changes_reference(field, write):
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
