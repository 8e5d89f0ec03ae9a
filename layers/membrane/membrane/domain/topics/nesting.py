"""Nested field bundles: fields named `<group>.<name>`, shown as one field.

In MemState, grouped fields become part of one value and can no longer be written to. Here, grouped
fields stay fields with histories of their own; only the names change.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.topics.appending import MAX_WRITES, rename_fields, version_id
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.titles import MAX_NAME_CHARACTERS
from membrane.domain.topics.topic import Field, FieldType, Group, Revision, Topic
from membrane.domain.topics.versions import ChangeContext, EventDraft, next_version

NESTED = "_memstate_nested"
"""The key that marks the value of a container."""

SEPARATOR = "."


@dataclass(frozen=True, slots=True)
class Container:
    group: Group
    fields: Mapping[str, Field] = field(default_factory=dict)


def whole_name(group: str, inner: str) -> str:
    return f"{group}{SEPARATOR}{inner}"


def group_of(topic: Topic, name: str) -> str | None:
    """The group that shows the field of the whole name; None for a field shown by itself."""
    return _group_among(shown_groups(topic), name)


def shown_groups(topic: Topic) -> Mapping[str, Group]:
    """The groups whose name no living field has; a merge can give a field such a name."""
    living = topic.living_fields
    return {name: group for name, group in topic.groups.items() if name not in living}


def inner_fields(topic: Topic, group: str) -> Mapping[str, Field]:
    """The living fields of a group by their inner names, in order."""
    return _fields_by_group(topic).get(group, {})


def shown_fields(topic: Topic, *, detached: bool) -> dict[str, Field | Container]:
    """The topic's fields and containers for a reader, by name; detached ones on demand."""
    groups = shown_groups(topic)
    found: dict[str, Field | Container] = {
        name: each
        for name, each in topic.living_fields.items()
        if (detached or not each.is_detached) and _group_among(groups, name) is None
    }
    for name, inner in _fields_by_group(topic).items():
        shown = {each: inner[each] for each in inner if detached or not inner[each].is_detached}
        if shown or not inner:
            found[name] = Container(groups[name], shown)
    return dict(sorted(found.items()))


def require_writable(topic: Topic, name: str) -> None:
    """Raise InvalidArgument for the name of a container, which has no value of its own."""
    if name in shown_groups(topic):
        raise InvalidArgument(
            f"'{name}' is a nested field bundle: write to its fields by their whole names, "
            f"as in '{whole_name(name, 'name')}'"
        )


def group_fields(
    topic: Topic, names: Sequence[str], key: str, provenance: str, context: ChangeContext
) -> tuple[Topic, tuple[str, ...]]:
    """The topic with the fields in a new group, and the names outside the group.

    Raises InvalidArgument for a blank or taken group name, no or unknown fields, a bundle in a
    bundle, and a whole name over the limit.
    """
    key = key.strip()
    moved = distinct(names)
    _require_nestable(topic, moved, key)
    fields = rename_fields(topic.fields, {name: whole_name(key, name) for name in moved})
    draft = EventDraft(EventKind.FIELDS_NESTED, {"nest_key": key, "moved_fields": list(moved)})
    group = Group(_container_revision(topic, key, provenance, context))
    groups = {**topic.groups, key: group}
    after = next_version(topic, draft, context=context, fields=fields, groups=groups)
    return after, moved


def ungroup_fields(topic: Topic, key: str, context: ChangeContext) -> tuple[Topic, tuple[str, ...]]:
    """The topic without the group, and the restored inner names of the fields.

    Raises InvalidArgument for an unknown or empty group, and for an inner name taken by a field.
    """
    key = key.strip()
    _require_unnestable(topic, key)
    inner = tuple(inner_fields(topic, key))
    fields = rename_fields(topic.fields, {whole_name(key, name): name for name in inner})
    draft = EventDraft(EventKind.FIELDS_UNNESTED, {"nest_key": key, "restored_fields": list(inner)})
    groups = {name: group for name, group in topic.groups.items() if name != key}
    after = next_version(topic, draft, context=context, fields=fields, groups=groups)
    return after, inner


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The names stripped, without blanks and repeats."""
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def _container_revision(
    topic: Topic, key: str, provenance: str, context: ChangeContext
) -> Revision:
    return Revision(
        id=version_id(context.token, 0),
        value=None,
        field_type=FieldType.JSON,
        valid_from=context.timestamp,
        recorded_at=context.timestamp,
        order=topic.version * MAX_WRITES,
        provenance=provenance,
        why_changed=f"grouped fields into {key}",
        operation="nested_fields_in_topic",
        principal=context.principal,
    )


def _fields_by_group(topic: Topic) -> dict[str, dict[str, Field]]:
    groups = shown_groups(topic)
    found: dict[str, dict[str, Field]] = {name: {} for name in groups}
    for name, each in sorted(topic.living_fields.items()):
        group = _group_among(groups, name)
        if group is not None:
            found[group][name.removeprefix(whole_name(group, ""))] = each
    return found


def _group_among(groups: Mapping[str, Group], name: str) -> str | None:
    """The longest of the groups whose name, with a separator, begins the name."""
    end = name.rfind(SEPARATOR)
    while end >= 0:
        if name[:end] in groups:
            return name[:end]
        end = name.rfind(SEPARATOR, 0, end)
    return None


def _require_nestable(topic: Topic, names: Sequence[str], key: str) -> None:
    if not key:
        raise InvalidArgument("nest_key required")
    if not names:
        raise InvalidArgument("field_names must name at least one field")
    if key in names:
        raise InvalidArgument("nest_key must not be one of the grouped field names")
    taken = _conflicting_name(topic, key)
    if taken is not None:
        raise InvalidArgument(f"field already exists: {taken}")
    living, groups = topic.living_fields, shown_groups(topic)
    for name in names:
        if name not in living and name not in groups:
            raise InvalidArgument(f"field not found: {name}")
    for name in (key, *names):
        if name in groups or _group_among(groups, name) is not None:
            raise InvalidArgument(f"a nested field bundle cannot be nested again: {name}")
    if any(len(whole_name(key, name)) > MAX_NAME_CHARACTERS for name in names):
        raise InvalidArgument(
            f"a nested field's whole name would be longer than {MAX_NAME_CHARACTERS} characters"
        )


def _conflicting_name(topic: Topic, key: str) -> str | None:
    """The field or group whose name the new group would take or would contain."""
    there = {*topic.living_fields, *topic.groups}
    inside = (name for name in sorted(there) if name.startswith(whole_name(key, "")))
    return key if key in there else next(inside, None)


def _require_unnestable(topic: Topic, key: str) -> None:
    if not key:
        raise InvalidArgument("nest_key required")
    groups = shown_groups(topic)
    if key not in topic.living_fields and key not in groups:
        raise InvalidArgument(f"field not found: {key}")
    if key not in groups:
        raise InvalidArgument(f"field '{key}' is not a nested field bundle")
    inner, living = inner_fields(topic, key), topic.living_fields
    if not inner:
        raise InvalidArgument("nested bundle has no inner fields")
    for name in inner:
        if not name or name in living or name in topic.groups:
            raise InvalidArgument(
                f"cannot restore field '{name}': name missing or already exists on topic"
            )
