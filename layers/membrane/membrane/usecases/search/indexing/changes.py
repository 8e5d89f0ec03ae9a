"""Records, or topics, whose vectors have to be made anew, and those for which that failed."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Changed:
    """A record, or a topic, that has changed."""

    record_id: str
    scopes: tuple[str, ...]
    """In which it is or was, as far as is known."""

    def together(self, other: "Changed") -> "Changed":
        """With what is told of the same record at another time."""
        return Changed(self.record_id, tuple(dict.fromkeys((*self.scopes, *other.scopes))))


def merged(changed: Iterable[Changed]) -> list[Changed]:
    """Each record once, with all that is told of it."""
    found: dict[str, Changed] = {}
    for each in changed:
        known = found.get(each.record_id)
        found[each.record_id] = each if known is None else known.together(each)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Failed:
    """What cannot be indexed, whatever becomes of the others."""

    changed: Changed
    error: Exception
