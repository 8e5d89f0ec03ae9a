"""Which lines of an import must keep their order: lines with a name in common."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_TARGET = "target_record_id"
_NAMING = ("id", _TARGET, "thread_id", "session", "ref")
"""Fields of a report, a record or a payload with the id of a record, a thread or an event."""
_LISTS = {"relations": "target_id", "timeline": "ref"}
"""Lists of a record or a payload, with the field of an element that names a record or event."""


def names_in(request: Mapping[str, Any]) -> Iterator[str]:
    """The names in an unvalidated request: records, the thread, an event or a fact."""
    record = _object(request.get("record"))
    for part in (request, record, _object(record.get("payload"))):
        yield from (name for name in _named_in(part) if isinstance(name, str) and name)


def target_of(request: Mapping[str, Any]) -> str | None:
    """The record that the request would change; None for a request that makes a new record."""
    target = request.get(_TARGET)
    return target if isinstance(target, str) else None


def in_waves(names: Iterable[frozenset[str]]) -> list[list[int]]:
    """The positions of steps, by the names in the steps, in waves that may run side by side.

    Steps with a name in common keep their order.
    """
    waves: list[list[int]] = []
    newest: dict[str, int] = {}
    for position, own in enumerate(names):
        wave = max((newest[name] + 1 for name in own if name in newest), default=0)
        newest |= dict.fromkeys(own, wave)
        if wave == len(waves):
            waves.append([])
        waves[wave].append(position)
    return waves


def _named_in(part: Mapping[str, Any]) -> Iterator[Any]:
    yield from (part.get(field) for field in _NAMING)
    for listed, field in _LISTS.items():
        elements = part.get(listed)
        if isinstance(elements, list):
            yield from (_object(each).get(field) for each in elements)
    match part:
        case {"subject": str(subject), "predicate": str(predicate)}:
            yield f"{subject} {predicate}"
        case _:
            return


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
