"""What a record was before each change of its content, kept as what was different then.

Only what the change touched is kept, the way back from the state after it. Salience alone leaves
nothing here: the audit has it before and after.
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
)
"""The fields of a record whose changes are kept; of its lifecycle all but the last reinforcement,
which the audit tells."""

KEPT_IN_AUDIT = "last_reinforced_at"


class Absent(Enum):
    """Stands for no value; null is one."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


class EarlierValue(NamedTuple):
    """What one field was: absent, another value, or a list without what was added at its end."""

    path: tuple[str, ...]
    """From the record down to the field; `("payload", "revision", "status")`."""
    value: Any = ABSENT
    kept: int | None = None
    """How many of a list's elements there were, where the change only added some."""

    def as_json(self) -> JsonObject:
        fields: JsonObject = {"path": list(self.path)}
        if self.kept is not None:
            return {**fields, "kept": self.kept}
        return fields if self.value is ABSENT else {**fields, "value": self.value}

    @classmethod
    def of_json(cls, fields: JsonObject) -> "EarlierValue":
        """What `as_json` gave; raises KeyError or TypeError for anything else."""
        return cls(tuple(fields["path"]), fields.get("value", ABSENT), fields.get("kept"))


class Delta(NamedTuple):
    """One change of content: the way back to what was before it."""

    entry: int
    """The position in the audit trail of the entry that tells who made the change, and why."""
    was: tuple[EarlierValue, ...]

    def as_json(self) -> JsonObject:
        return {"entry": self.entry, "was": [each.as_json() for each in self.was]}

    @classmethod
    def of_json(cls, fields: JsonObject) -> "Delta":
        """What `as_json` gave; raises KeyError or TypeError for anything else."""
        return cls(fields["entry"], tuple(EarlierValue.of_json(each) for each in fields["was"]))


def delta_between(before: MemoryRecord, after: MemoryRecord, entry: int) -> Delta | None:
    """The way back from `after` to `before`; None where their content is the same."""
    was = tuple(
        each
        for name in CONTENT
        for each in _differences(getattr(before, name), getattr(after, name), (name,))
    )
    return Delta(entry, was) if was else None


def content_of(record: MemoryRecord) -> JsonObject:
    content: JsonObject = _as_stored(as_json(record, only=frozenset(CONTENT)))
    content["lifecycle"].pop(KEPT_IN_AUDIT)
    return content


def content_before(content: JsonObject, delta: Delta) -> JsonObject:
    """The content as it was before that change, made of what it was after it."""
    earlier: JsonObject = dict(content)
    for each in delta.was:
        _undo(earlier, each)
    return earlier


def _differences(earlier: Any, later: Any, path: tuple[str, ...]) -> Iterator[EarlierValue]:
    """Most changes leave the very same objects, which need not be looked into."""
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
    """The fields that an object has, as its JSON has them; None of what is no object."""
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
    """As it comes back from the store, but for large values, which stay what they are."""
    if isinstance(value, Part):
        return _as_stored(as_json(value))
    if isinstance(value, dict):
        return {name: _as_stored(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_stored(inner) for inner in value]
    return value


def _undo(content: JsonObject, earlier: EarlierValue) -> None:
    """Every object on the way is copied, so that the later content stays as it is."""
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
