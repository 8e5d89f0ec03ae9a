"""Records and topics that have changed, and those that could not be indexed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Changed:
    """A record, or a topic, that has changed."""

    record_id: str
    scopes: tuple[str, ...]
    """In which it is or was, as far as is known."""


@dataclass(frozen=True, slots=True)
class Told:
    """A batch of the table's stream, or messages about changes that were set aside."""

    records: Sequence[Changed] = ()
    """Whose vectors are to be made anew."""
    topics: Sequence[Changed] = ()
    facts: Sequence[Changed] = ()
    """Facts that were made or changed, or are gone, in the order in which that happened."""


@dataclass(frozen=True, slots=True)
class Failed:
    """What cannot be indexed, whatever becomes of the others."""

    changed: Changed
    error: Exception


def merged(changed: Iterable[Changed]) -> list[Changed]:
    """Each record once, with all scopes that were told of it."""
    scopes: dict[str, dict[str, None]] = {}
    for each in changed:
        scopes.setdefault(each.record_id, {}).update(dict.fromkeys(each.scopes))
    return [Changed(record_id, tuple(found)) for record_id, found in scopes.items()]
