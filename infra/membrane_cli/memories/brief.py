"""Memories in brief, as rows of a table or as lines."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from membrane_cli.output import print_json, print_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from membrane_client import Memory


def print_memories(
    memories: "Iterable[Memory]",
    columns: "dict[str, Callable[[Memory], str]]",
    *,
    as_json: bool,
) -> None:
    """The columns by heading, and the id of the memory; as JSON an object a line."""
    if as_json:
        for each in memories:
            print_json(each.raw)
        return
    rows = ((*(shown(each) for shown in columns.values()), each.id) for each in memories)
    print_rows((*columns, "id"), rows)


def instant(when: datetime) -> str:
    """In UTC, to the minute."""
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
