"""Deleted fields that make way: their histories stay, under names that no caller can give."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from membrane.domain.topics.topic import Field

MARK = "\x1f"
"""In the name of what has made way; names that callers give have no control characters."""


def free_names(fields: Mapping[str, Field], names: Collection[str]) -> dict[str, Field]:
    """The fields with these names free: deleted fields make way. No living field may be named."""
    found = {name: each for name, each in fields.items() if name not in names}
    for name in fields.keys() & names:
        found |= displace_field(name, fields[name])
    return found


def rename_fields(fields: Mapping[str, Field], names: Mapping[str, str]) -> dict[str, Field]:
    staying = {name: each for name, each in fields.items() if name not in names}
    moved = {names[name]: each for name, each in fields.items() if name in names}
    return free_names(staying, moved.keys()) | moved


def displace_field(name: str, field: Field) -> dict[str, Field]:
    """The deleted field under a name that is in nobody's way; none where it has no history."""
    if field.deleted_at is None:
        raise ValueError("a living field does not make way")
    return {f"{name}{MARK}{field.lines[0].id}": field} if field.lines else {}


def mark_deleted(fields: Mapping[str, Field], names: Iterable[str], at: str) -> dict[str, Field]:
    return dict(fields) | {name: replace(fields[name], deleted_at=at) for name in names}
