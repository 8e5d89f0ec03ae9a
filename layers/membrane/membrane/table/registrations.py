"""The registries of scopes: what an erasure, a search or a job walks instead of the whole table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from membrane.domain.language.vocabulary import Sensitivity
from membrane.table.dynamo import OverTable, items_at
from membrane.table.items import Item, Value, Write, lost_race, read_text, read_words, text
from membrane.table.keys import RECORDS, SearchSpace, primary_key, scope_at, scope_place

Name = TypeVar("Name")

KNOWN_S = 60.0
"""Seconds for which a process relies on a registration that it wrote.

An erasure of a scope removes the scope from every registry.
"""

MAX_KNOWN = 10_000
"""Registrations that a process remembers."""


def register(
    store: OverTable,
    registration: Write,
    name: Name,
    known: dict[Name, float],
    elapsed_s: Callable[[], float],
) -> None:
    """Do the write, whose condition fails over what is registered; not if `known` lately.

    `known` has the instants of registrations by `elapsed_s`, a monotonic clock.
    """
    registered_s = known.get(name)
    if registered_s is not None and elapsed_s() - registered_s < KNOWN_S:
        return
    store.is_done(registration)
    if len(known) >= MAX_KNOWN:
        known.clear()
    known[name] = elapsed_s()


@dataclass(frozen=True, slots=True)
class ScopeRegistry(OverTable):
    """The scopes that have, or had, vectors, with the levels of sensitivity.

    An item for every scope, in one partition.
    """

    space: SearchSpace = RECORDS
    elapsed_s: Callable[[], float] = lambda: 0.0
    known: dict[tuple[str, Sensitivity], float] = field(default_factory=dict)

    def register(self, scope: str, level: Sensitivity) -> None:
        """A conditional update, unless the process did the same in the last KNOWN_S seconds."""
        addition = Write(
            "Update",
            lost_race,
            "NOT contains(levels, :level)",
            key=self._key(scope),
            update="ADD levels :levels",
            values={":level": text(level), ":levels": {"SS": [level]}},
        )
        register(self, addition, (scope, level), self.known, self.elapsed_s)

    def levels(self, scopes: Sequence[str]) -> Mapping[str, Sequence[Sensitivity]]:
        """The levels of the scopes' vectors, by scope; a strongly consistent BatchGetItem."""
        keys = [self._key(scope) for scope in dict.fromkeys(scopes)]
        found = items_at(self.client, self.table, keys, consistent=True)
        return {
            _scope(item): sorted(map(Sensitivity, read_words(item, "levels"))) for item in found
        }

    def scopes(self, at_most: int, prefix: str = "") -> Sequence[str]:
        """A Query of the registered scopes with the prefix."""
        condition, values = "pk = :scopes", {":scopes": text(self.space.scopes)}
        if prefix:
            condition += " AND begins_with(sk, :place)"
            values[":place"] = text(scope_place(prefix))
        found = self.query(condition, values, eventually=True, limit=at_most)
        return [_scope(item) for item in islice(found, at_most)]

    def _key(self, scope: str) -> dict[str, Value]:
        return primary_key(self.space.scopes, scope_place(scope))


def _scope(item: Item) -> str:
    return scope_at(read_text(item, "sk"))
