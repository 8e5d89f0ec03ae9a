"""The indexes of the table: entries of the sparse indexes, and signals to the search index.

A sparse index has the items with the two keys of an entry. One Query reads a partition up to a
bound.

The flag `stale` on an item says that the write changed indexed content. Every other update removes
the flag in the same request, and the stream's filter passes only flagged writes to the index
function. A marker replaces a vector in the write that ends the vector, and refuses a late put. The
vector of a pruned record is deleted right behind the prune, at half the price of a transaction: the
vector expires, so a late put and a vector that a killed sweep leaves end by TTL. The vector of a
superseded record is marked alone, and stays until the index function has put the vector of the
successor.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MARKER_PERIOD, Sensitivity
from membrane.table import items
from membrane.table.dynamo import OverTable, items_at
from membrane.table.keys import RECORDS, SearchSpace, primary_key, scope_at, scope_place, vector_key


class Index(NamedTuple):
    """A secondary index; an item without the two keys has no entry."""

    name: str
    keys: str
    """What the names of the keys begin with."""

    def entry(self, partition: items.Value, place: items.Value) -> dict[str, items.Value]:
        """The keys of an item's entry."""
        return {f"{self.keys}_pk": partition, f"{self.keys}_sk": place}

    def read(
        self,
        store: OverTable,
        partition: items.Value,
        most: int | None = None,
        *,
        until: items.Value | None = None,
        beginning: items.Value | None = None,
        after: Mapping[str, items.Value] | None = None,
        shown: str = "",
        backwards: bool = True,
    ) -> Iterator[items.Item]:
        """The entries of a partition, lazily; the last first, unless not `backwards`.

        `until` is the last place to include; `beginning` begins the places. Eventually consistent:
        one Query for each `most` entries or megabyte.
        """
        condition, values = f"{self.keys}_pk = :pk", {":pk": partition}
        if until is not None:
            condition += f" AND {self.keys}_sk <= :until"
            values[":until"] = until
        if beginning is not None:
            condition += f" AND begins_with({self.keys}_sk, :beginning)"
            values[":beginning"] = beginning
        found = store.query(
            condition,
            values,
            index=self.name,
            limit=most,
            after=after,
            shown=shown,
            backwards=backwards,
        )
        return islice(found, most)


RANK = Index("rank", "rank")
"""Records and topics by rank; removed records by the instant of the removal."""
DUE = Index("due", "due")
"""Records, topics and changes by the instant at which a job must visit them."""
NATURAL = Index("natural", "natural")
"""Records by the digest of a ref, fact, thread or name; topics by title; both by creation."""
LEARNING = Index("learning", "learn")
"""Evidence that waits, traces by likeness, and what was made of evidence."""


STALE = "stale"
"""The flag of a head that says that the write changed what the search index has; see above."""


def touch(
    store: OverTable,
    key: Mapping[str, items.Value],
    condition: str,
    expected: Mapping[str, items.Value] = MappingProxyType({}),
    *,
    sets: Mapping[str, items.Value] = MappingProxyType({}),
    removes: Iterable[str] = (),
) -> bool:
    """Change attributes of a head that the next put of the head makes anew: the due instant, flags.

    Removes the flag `stale` unless `sets` has the flag. False without a change if the condition
    fails, or against a concurrent transaction. One UpdateItem; the version stays.
    """
    gone = [*removes, *({STALE} - sets.keys())]
    changes = {"SET": [f"{name} = :{name}" for name in sets], "REMOVE": gone}
    update = " ".join(f"{verb} {', '.join(each)}" for verb, each in changes.items() if each)
    values = {**expected, **{f":{name}": value for name, value in sets.items()}}
    try:
        store.commit_all(
            items.Write("Update", items.lost_race, condition, key=key, update=update, values=values)
        )
    except items.LostRace:
        return False
    return True


REMOVED = "removed"
"""The attribute of a marker; of the vector of a superseded record, with the successor's id."""

NO_LATER = "attribute_not_exists(pk) OR source_version <= :version"
"""The condition that no vector or marker of a later `index_version` exists."""

WRITTEN: items.Value = items.text("written")
"""The flag's value; a re-index writes the start of the re-index instead."""

RESTORED: items.Value = items.text("restored")
"""The flag's value on a record from an archive, which is not new."""


def make_stale(store: OverTable, own_key: Mapping[str, items.Value], since: str) -> bool:
    """Flag a record or topic for a new vector; False without a change if the item is not alive."""
    is_alive = "attribute_exists(pk) AND attribute_not_exists(deleted_at)"
    return touch(store, own_key, is_alive, sets={STALE: items.text(since)})


def marker(
    source_id: str, version: int, now: datetime, space: SearchSpace = RECORDS
) -> items.Write:
    """Put a marker of the `index_version` in the place of a vector, unconditionally."""
    marks = _marks("removed", version, now)
    return items.Write("Put", items.lost_race, item={**vector_key(source_id, space), **marks})


def removal(record_id: str, version: int) -> items.Write:
    """Delete the vector, unless a restore has brought a vector of a later `index_version`."""
    return items.Write(
        "Delete",
        items.lost_race,
        NO_LATER,
        key=vector_key(record_id),
        values={":version": items.number(version)},
    )


def succession(record_id: str, successor_id: str, version: int, now: datetime) -> items.Write:
    """Mark the vector of a superseded record, or the place of the vector, unconditionally."""
    marks = _marks(successor_id, version, now)
    return items.Write(
        "Update",
        items.lost_race,
        key=vector_key(record_id),
        update="SET " + ", ".join(f"{name} = :{name}" for name in marks),
        values={f":{name}": value for name, value in marks.items()},
    )


def _marks(removed: str, version: int, now: datetime) -> dict[str, items.Value]:
    return {
        REMOVED: items.text(removed),
        "source_version": items.number(version),
        "expires_at": items.number(int(epoch_seconds(now + MARKER_PERIOD))),
    }


Name = TypeVar("Name")

KNOWN_S = 60.0
"""Seconds for which a process relies on a registration that it wrote.

An erasure of a scope removes the scope from every registry.
"""

MAX_KNOWN = 10_000
"""Registrations that a process remembers."""


def register(
    store: OverTable,
    registration: items.Write,
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
        addition = items.Write(
            "Update",
            items.lost_race,
            "NOT contains(levels, :level)",
            key=self._key(scope),
            update="ADD levels :levels",
            values={":level": items.text(level), ":levels": {"SS": [level]}},
        )
        register(self, addition, (scope, level), self.known, self.elapsed_s)

    def levels(self, scopes: Sequence[str]) -> Mapping[str, Sequence[Sensitivity]]:
        """The levels of the scopes' vectors, by scope; a strongly consistent BatchGetItem."""
        keys = [self._key(scope) for scope in dict.fromkeys(scopes)]
        found = items_at(self.client, self.table, keys, consistent=True)
        return {
            _scope(item): sorted(map(Sensitivity, items.read_words(item, "levels")))
            for item in found
        }

    def scopes(self, at_most: int, prefix: str = "") -> Sequence[str]:
        """A Query of the registered scopes with the prefix."""
        condition, values = "pk = :scopes", {":scopes": items.text(self.space.scopes)}
        if prefix:
            condition += " AND begins_with(sk, :place)"
            values[":place"] = items.text(scope_place(prefix))
        found = self.query(condition, values, eventually=True, limit=at_most)
        return [_scope(item) for item in islice(found, at_most)]

    def _key(self, scope: str) -> dict[str, items.Value]:
        return primary_key(self.space.scopes, scope_place(scope))


def _scope(item: items.Item) -> str:
    return scope_at(items.read_text(item, "sk"))
