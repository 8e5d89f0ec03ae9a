"""The keys of erasures: a partition per erasure."""

from membrane.adapters.dynamodb.table.attributes import Item, Value, read_text
from membrane.adapters.dynamodb.table.keys import primary_key

OPEN = "erasures-open"
"""The partition of the due index with the erasures under way."""

CERTIFICATE = "certificate"
"""The sort key, and the attribute, of the signed certificate."""


def erasure_key(erasure_id: str, place: str) -> dict[str, Value]:
    return primary_key(f"erasure#{erasure_id}", place)


def job_key(erasure_id: str) -> dict[str, Value]:
    return erasure_key(erasure_id, "job")


def part_key(erasure_id: str, part: int) -> dict[str, Value]:
    """The key of a list of findings."""
    return erasure_key(erasure_id, f"found#{part:010d}")


def erasure_id_of(item: Item) -> str:
    return read_text(item, "pk").removeprefix("erasure#")
