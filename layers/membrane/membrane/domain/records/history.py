"""The content of a record before each change, stored as the difference from the later content.

A delta holds only the changed fields, with the earlier values. A change of salience alone makes
no delta: the audit has the salience before and after.

An erasure of evidence replaces the whole history by one delta without values. The content before
the entry of that delta is gone.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple

from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import JsonObject
from membrane.domain.records.records import MemoryRecord, as_json

CONTENT = (
    "sensitivity",
    "confidence",
    "scope",
    "tags",
    "lifecycle",
    "provenance",
    "relations",
    "payload",
    "interpretation",
)
"""The fields of a record whose changes are kept; `lifecycle` without KEPT_IN_AUDIT."""

KEPT_IN_AUDIT = "last_reinforced_at"
"""A field of the lifecycle; the audit entries of reinforcements have the same instants."""


class Absent(Enum):
    """The type of ABSENT, which means that a field has no value; null is a value."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


class EarlierValue(NamedTuple):
    """A field before a change: absent, a value, or a list without the elements added at the end."""

    path: tuple[str, ...]
    """From the record down to the field, as in `("payload", "revision", "status")`."""
    value: Any = ABSENT
    kept: int | None = None
    """The earlier length of a list, if the change only added elements at the end."""

    def as_json(self) -> JsonObject:
        fields: JsonObject = {"path": list(self.path)}
        if self.kept is not None:
            return {**fields, "kept": self.kept}
        return fields if self.value is ABSENT else {**fields, "value": self.value}

    @classmethod
    def of_json(cls, fields: JsonObject) -> "EarlierValue":
        """The inverse of `as_json`; raises KeyError or TypeError for other JSON."""
        return cls(tuple(fields["path"]), fields.get("value", ABSENT), fields.get("kept"))


class Delta(NamedTuple):
    """The difference that leads from the content after a change back to the content before."""

    entry: int
    """The position in the audit trail of the change's entry, which says who and why."""
    was: tuple[EarlierValue, ...]
    """Empty if the content before the entry was erased."""

    @property
    def is_erasure(self) -> bool:
        return not self.was

    def as_json(self) -> JsonObject:
        return {"entry": self.entry, "was": [each.as_json() for each in self.was]}

    @classmethod
    def of_json(cls, fields: JsonObject) -> "Delta":
        """The inverse of `as_json`; raises KeyError or TypeError for other JSON."""
        return cls(fields["entry"], tuple(EarlierValue.of_json(each) for each in fields["was"]))


def delta_between(before: MemoryRecord, after: MemoryRecord, entry: int) -> Delta | None:
    """The delta that leads from `after` back to `before`; None if the content is the same."""
    was = tuple(
        each
        for name in CONTENT
        for each in _differences(_field_of(before, name), _field_of(after, name), (name,))
    )
    return Delta(entry, was) if was else None


def _field_of(record: MemoryRecord, name: str) -> Any:
    value = getattr(record, name)
    return ABSENT if value is None else value


def content_of(record: MemoryRecord) -> JsonObject:
    content: JsonObject = _as_stored(as_json(record, only=frozenset(CONTENT)))
    content["lifecycle"].pop(KEPT_IN_AUDIT)
    return content


def content_before(content: JsonObject, delta: Delta) -> JsonObject:
    """The content before a change, from the content after the change."""
    earlier: JsonObject = dict(content)
    for each in delta.was:
        _undo(earlier, each)
    return earlier


def _differences(earlier: Any, later: Any, path: tuple[str, ...]) -> Iterator[EarlierValue]:
    """The earlier values of all fields that differ; identical objects are skipped, for speed."""
    if earlier is later or earlier == later or path == ("lifecycle", KEPT_IN_AUDIT):
        return
    one, other = _fields_of(earlier), _fields_of(later)
    if one is not None and other is not None:
        for name in sorted(one.keys() | other.keys()):
            here = (*path, name)
            yield from _differences(one.get(name, ABSENT), other.get(name, ABSENT), here)
    elif _is_longer(earlier, later):
        yield EarlierValue(path, kept=len(earlier))
    else:
        yield EarlierValue(path, _as_stored(earlier))


def _fields_of(value: Any) -> Mapping[str, Any] | None:
    """The fields of an object by JSON name, without defaults; None if the value is no object."""
    if not isinstance(value, Part):
        return value if isinstance(value, dict) else None
    return {
        field.alias or name: given
        for name, field in type(value).model_fields.items()
        if (given := getattr(value, name)) != field.default
    }


def _is_longer(earlier: Any, later: Any) -> bool:
    are_lists = isinstance(earlier, (list, tuple)) and isinstance(later, type(earlier))
    return are_lists and later[: len(earlier)] == earlier


def _as_stored(value: Any) -> Any:
    """The value in the form read from the store: dicts and lists; large values stay references."""
    if isinstance(value, Part):
        return _as_stored(as_json(value))
    if isinstance(value, dict):
        return {name: _as_stored(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_stored(inner) for inner in value]
    return value


def _undo(content: JsonObject, earlier: EarlierValue) -> None:
    """Put an earlier value into the content, copying every object along the path.

    The copies keep the later content, which shares the objects, unchanged.
    """
    *parents, name = earlier.path
    holder = content
    for step in parents:
        holder[step] = dict(holder.get(step, {}))
        holder = holder[step]
    if earlier.kept is not None:
        holder[name] = holder[name][: earlier.kept]
    elif earlier.value is ABSENT:
        holder.pop(name, None)
    else:
        holder[name] = earlier.value
