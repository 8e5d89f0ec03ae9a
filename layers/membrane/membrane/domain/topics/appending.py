"""Append revisions to fields; nothing is overwritten, and a deleted field makes way.

The current value is the last by `Revision.place`: a back-dated write goes into the history. A
deleted field keeps the history under a name that no caller can give.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any
from uuid import UUID

from membrane.domain.language.errors import InvalidArgument, TooLarge
from membrane.domain.language.json_text import digest
from membrane.domain.language.timestamps import is_before
from membrane.domain.language.values import LargeValue
from membrane.domain.topics import form
from membrane.domain.topics.topic import Field, FieldType, Line, Revision, Topic, fits, type_of
from membrane.domain.topics.versions import ChangeContext


class Unchanged(Enum):
    """Stands for the reference of a write that does not mention one; null would clear it."""

    KEEP = auto()


KEEP = Unchanged.KEEP

MAX_WRITES = 100_000
"""More than any request has; numbers the writes within one version of a topic."""

MAX_FIELDS = 10_000
"""The limit for one topic, deleted fields included: every read and write handles all fields."""

RefChange = str | None | Unchanged


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldWrite:
    """A revision to add to a field; `ref` is already resolved to a topic id."""

    name: str
    value: Any
    field_type: FieldType | None = None
    """None keeps the type of the field; a new field takes the type of the value."""
    ref: RefChange = KEEP
    provenance: str = "api"
    why_changed: str | None = None
    impact_expected: str | None = None
    valid_from: str | None = None
    """None = now."""
    operation: str | None = None
    position: int = 0
    """The position among the writes of the request, for error messages."""


@dataclass(frozen=True, slots=True)
class AppendedWrites:
    fields: dict[str, Field]
    revisions: tuple[tuple[Line, Revision], ...]
    version_ids: tuple[tuple[str, str], ...]
    """Name and version id of each write, in order; a name may occur twice."""
    values: dict[LargeValue, bytes]
    """Large values of the new revisions with their JSON text, for the bucket."""


def append_writes(
    topic: Topic, writes: Sequence[FieldWrite], context: ChangeContext
) -> AppendedWrites:
    """Apply the writes one after another.

    Raises InvalidArgument for a value of another type, a future `valid_from`, the name of a group,
    and more than MAX_FIELDS; TooLarge for more than MAX_CURRENT_BYTES.
    """
    fields = dict(topic.fields)
    revisions: list[tuple[Line, Revision]] = []
    version_ids: list[tuple[str, str]] = []
    values: dict[LargeValue, bytes] = {}
    for position, write in enumerate(writes):
        require_writable(topic, write, context)
        before = fields.get(write.name)
        order = topic.version * MAX_WRITES + position
        revision = _revision(before, write, position, order, context)
        lean, large = form.lean_value(revision.value, topic.id)
        revision = replace(revision, value=lean)
        values |= large
        if _competes_with_deleted(before, revision):
            fields, before = free_names(fields, [write.name]), None
        new_line = Line(topic.id, digest("line", context.token, str(position)).hex()[:16])
        line = own_line(before, topic.id) or new_line
        fields[write.name], line = _with_revision(before, write, revision, line)
        revisions.append((line, revision))
        version_ids.append((write.name, revision.id))
    if len(fields) > max(MAX_FIELDS, len(topic.fields)):
        raise InvalidArgument(f"a topic has {MAX_FIELDS} fields at most")
    _require_room(topic, fields)
    return AppendedWrites(fields, tuple(revisions), tuple(version_ids), values)


def version_id(token: str, position: int) -> str:
    """A UUID for the revision at a position of an attempt, whose token is random."""
    return str(UUID(bytes=digest("revision", token, str(position))[:16], version=4))


def own_line(field: Field | None, topic_id: str) -> Line | None:
    """The line of the field under the topic, which takes new revisions; None without one."""
    lines = () if field is None else field.lines
    return next((line for line in lines if line.topic_id == topic_id), None)


def is_alive(field: Field | None) -> bool:
    return field is not None and field.deleted_at is None


def type_for(field: Field | None, write: FieldWrite) -> FieldType:
    """The type after the write; a field without a value takes the type of the value."""
    if write.field_type is not None:
        return write.field_type
    if field is None or _has_open_type(field):
        return type_of(write.value)
    return field.type


def _has_open_type(field: Field) -> bool:
    if field.deleted_at is not None or field.current is None:
        return True
    return field.is_type_open and field.current.value is None


def require_writable(topic: Topic, write: FieldWrite, context: ChangeContext) -> None:
    """Raise InvalidArgument for the name of a group and for a future `valid_from`."""
    if write.name in topic.groups and not is_alive(topic.fields.get(write.name)):
        message = "is a nested field bundle: write to its fields, named <bundle>.<field>"
        raise _refusal(write, "name", message)
    if write.valid_from is not None and is_before(context.timestamp, write.valid_from):
        raise _refusal(write, "valid_from", "must not be in the future")


def _refusal(write: FieldWrite, part: str, message: str) -> InvalidArgument:
    name = f"fields.{write.position}.{part}"
    return InvalidArgument(f"{name} {message}").at(name)


def _require_room(topic: Topic, fields: Mapping[str, Field]) -> None:
    """Raise TooLarge for too many bytes; a topic above the limit may keep its size."""
    size = form.current_bytes(fields)
    if size > form.MAX_CURRENT_BYTES and size > form.current_bytes(topic.fields):
        raise TooLarge(f"the current values of a topic are {form.MAX_CURRENT_BYTES} bytes at most")


def _competes_with_deleted(field: Field | None, revision: Revision) -> bool:
    """Whether the write predates the value of a deleted field: a new field takes the name."""
    if field is None or field.deleted_at is None or field.current is None:
        return False
    return field.current.place > revision.place


def _revision(
    field: Field | None, write: FieldWrite, position: int, order: int, context: ChangeContext
) -> Revision:
    kind = type_for(field, write)
    if not fits(write.value, kind):
        raise _refusal(write, "value", f"is not of the field's type, {kind}")
    recorded_at = _time_of_writing(field, context)
    return Revision(
        id=version_id(context.token, position),
        value=write.value,
        field_type=kind,
        valid_from=write.valid_from or recorded_at,
        recorded_at=recorded_at,
        order=order,
        provenance=write.provenance,
        why_changed=write.why_changed,
        impact_expected=write.impact_expected,
        operation=write.operation,
        principal=context.principal,
        ref_topic_id=_ref_after(field, write),
    )


def _time_of_writing(field: Field | None, context: ChangeContext) -> str:
    """Now, but never before the current revision: clocks may go back."""
    current = None if field is None else field.current
    known = [] if current is None else [current.valid_from, current.recorded_at]
    return max([context.timestamp, *known], key=lambda each: each.removesuffix("Z"))


def _ref_after(field: Field | None, write: FieldWrite) -> str | None:
    """The reference of the field after the write; a deleted field loses its reference."""
    if not isinstance(write.ref, Unchanged):
        return write.ref
    return field.ref_topic_id if field is not None and field.deleted_at is None else None


def _with_revision(
    before: Field | None, write: FieldWrite, revision: Revision, line: Line
) -> tuple[Field, Line]:
    field = before or Field(type=revision.field_type)
    grown = replace(line, count=line.count + 1)
    others = tuple(each for each in field.lines if each.id != line.id)
    is_newest = field.current is None or field.current.place <= revision.place
    was_open = _has_open_type(field)
    after = replace(
        field,
        type=revision.field_type if is_newest or was_open else field.type,
        is_type_open=was_open and write.value is None and write.field_type is None,
        current=revision if is_newest else field.current,
        lines=(grown, *others),
        ref_topic_id=revision.ref_topic_id,
        is_detached=False,
        deleted_at=None,
    )
    return after, grown


MARK = "\x1f"
"""Separates name and id in a displaced name; callers cannot give control characters."""


def free_names(fields: Mapping[str, Field], names: Collection[str]) -> dict[str, Field]:
    """The fields, deleted ones of the names displaced. Raises ValueError for a living field."""
    found = {name: each for name, each in fields.items() if name not in names}
    for name in fields.keys() & names:
        found |= displace_field(name, fields[name])
    return found


def rename_fields(fields: Mapping[str, Field], names: Mapping[str, str]) -> dict[str, Field]:
    staying = {name: each for name, each in fields.items() if name not in names}
    moved = {names[name]: each for name, each in fields.items() if name in names}
    return free_names(staying, moved.keys()) | moved


def displace_field(name: str, field: Field) -> dict[str, Field]:
    """The deleted field under a name free of conflicts; empty for a field without history."""
    if field.deleted_at is None:
        raise ValueError("a living field does not make way")
    return {f"{name}{MARK}{field.lines[0].id}": field} if field.lines else {}


def mark_deleted(fields: Mapping[str, Field], names: Iterable[str], at: str) -> dict[str, Field]:
    return dict(fields) | {name: replace(fields[name], deleted_at=at) for name in names}
