"""Displace deleted fields: their histories stay, under names that no caller can give."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from membrane.domain.topics.topic import Field

MARK = "\x1f"
"""Separates name and id in a displaced name; callers cannot give control characters."""


def free_names(fields: Mapping[str, Field], names: Collection[str]) -> dict[str, Field]:
    """The fields with the names freed by displacing deleted fields.

    Raises ValueError for the name of a living field.
    """
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
