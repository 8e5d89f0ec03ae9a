"""The registry of scopes that have, or had, vectors, with the levels of sensitivity."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice

from membrane.domain.language.vocabulary import Sensitivity
from membrane.table import keys as table_keys
from membrane.table.dynamo import OverTable, items_at
from membrane.table.items import Item, Value, read_text, read_words, text
from membrane.table.keys import RECORDS, SearchSpace
from membrane.table.registrations import is_still_known
from membrane.table.writes import Write

MAX_KNOWN = 10_000
"""Scopes and levels that a process remembers as registered."""


class _Registered(Exception):
    """The registry has the scope's level already."""


@dataclass(frozen=True, slots=True)
class ScopeRegistry(OverTable):
    """An item for every scope, in one partition of one table."""

    space: SearchSpace = RECORDS
    elapsed_s: Callable[[], float] = lambda: 0.0
    """Seconds of a monotonic clock."""
    known: dict[tuple[str, Sensitivity], float] = field(default_factory=dict)
    """When the process registered the scope's level, by `elapsed_s`."""

    def register(self, scope: str, level: Sensitivity) -> None:
        """A conditional update, unless the process did the same in the last KNOWN_S seconds."""
        if is_still_known(self.known.get((scope, level)), self.elapsed_s()):
            return
        addition = Write(
            "Update",
            lambda _: _Registered(),
            "NOT contains(levels, :level)",
            key=self._key(scope),
            update="ADD levels :levels",
            values={":level": text(level), ":levels": {"SS": [level]}},
        )
        with suppress(_Registered):
            self.commit_all(addition)
        if len(self.known) >= MAX_KNOWN:
            self.known.clear()
        self.known[scope, level] = self.elapsed_s()

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
            values[":place"] = text(table_keys.scope_place(prefix))
        found = self.query(condition, values, eventually=True, limit=at_most)
        return [_scope(item) for item in islice(found, at_most)]

    def _key(self, scope: str) -> dict[str, Value]:
        return table_keys.primary_key(self.space.scopes, table_keys.scope_place(scope))


def _scope(item: Item) -> str:
    return table_keys.scope_at(read_text(item, "sk"))
