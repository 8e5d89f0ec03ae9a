"""Which lines of an import must keep their order: those that name the same thing."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

_TARGET = "target_record_id"
_NAMING = (_TARGET, "thread_id", "ref")
"""Fields of a report that name a record, a thread or an event."""


class Named(Protocol):
    """What names things."""

    @property
    def names(self) -> frozenset[str]:
        """The things that it makes, changes or points at."""


Step = TypeVar("Step", bound=Named)


def names_in(asked: Mapping[str, Any]) -> Iterator[str]:
    """What a request that nobody has checked yet names: records, its thread, event or fact."""
    fact = [asked.get("subject"), asked.get("predicate")]
    named = [*(asked.get(field) for field in _NAMING), *_in_record(asked.get("record"))]
    yield from (name for name in named if isinstance(name, str) and name)
    if all(isinstance(part, str) for part in fact):
        yield "{} {}".format(*fact)


def changed_in(asked: Mapping[str, Any]) -> str | None:
    """The record that such a request would change; None where it makes one of its own."""
    target = asked.get(_TARGET)
    return target if isinstance(target, str) else None


def in_waves(steps: Iterable[Step]) -> list[list[Step]]:
    """Waves of steps that may run side by side; steps that share a name keep their order."""
    waves: list[list[Step]] = []
    newest: dict[str, int] = {}
    for step in steps:
        wave = max((newest[name] + 1 for name in step.names if name in newest), default=0)
        newest |= dict.fromkeys(step.names, wave)
        if wave == len(waves):
            waves.append([])
        waves[wave].append(step)
    return waves


def _in_record(record: Any) -> Iterator[Any]:
    given = record if isinstance(record, Mapping) else {}
    yield given.get("id")
    match given.get("relations"):
        case [*relations]:
            yield from (each.get("target_id") for each in relations if isinstance(each, Mapping))
        case _:
            return
