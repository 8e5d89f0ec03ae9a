"""The entity store: what has versions is a head item, with logs, items beside, and blobs.

The head holds the present state, the version, and the newest entries of each log. A change puts
the whole head under the version that was read, in one transaction with the items that belong to
the change: the next version, its audit and everything beside are written together, or nothing is.
DynamoDB bills an update by the size of the whole item, so the put of a whole item costs the same.
"""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.language.timestamps import epoch_seconds
from membrane.table.blobs import MAX_INLINE_BYTES, BlobStore, Packing, blob_names_in, unpack
from membrane.table.dynamo import OverTable
from membrane.table.items import (
    BORN,
    MAX_TOGETHER,
    Item,
    LostRace,
    Refusal,
    Value,
    Write,
    is_expired,
    lost_race,
    number,
    read_integer,
    read_number,
    read_text,
    text,
)

if TYPE_CHECKING:
    from membrane.table.long import LongChanges

E = TypeVar("E")

RESIDENT = 16
"""Entries that a head holds at most, once older entries have found room beside."""


SPILL = 8
"""Entries that move out at a time, into an item of their own."""


class Log(NamedTuple):
    """The names of one log in the items of an entity, and the form of its texts."""

    name: str
    """The beginning of sort keys beside, and of attributes of the head that have no other name."""
    beside: str
    """The attribute of the entries of an item beside."""
    pack: Callable[[Sequence[Any]], str]
    """The text of entries."""
    unpack: Callable[[Item, str, str], list[Any]]
    """The entries of an item's attribute, from the text; raises CorruptItem."""
    is_counted: bool = False
    """Whether the head always gives the number of entries, of all and of those beside."""
    tail: str = ""
    spilled: str = ""
    born: str = BORN
    """The attribute of an item beside with the birth of the entity."""

    @property
    def tail_name(self) -> str:
        """The attribute of a head with the newest entries."""
        return self.tail or self.name

    @property
    def spilled_name(self) -> str:
        """The attribute of a head with the number of entries beside."""
        return self.spilled or f"{self.name}_spilled"

    @property
    def prefix(self) -> str:
        """The beginning of the sort keys of the items beside."""
        return f"{self.name}#"

    def place(self, position: int) -> str:
        """The sort key of the item beside whose first entry has the position."""
        return f"{self.prefix}{position:010d}"

    def position_of(self, item: Item) -> int:
        """The position of the first entry of an item beside."""
        return int(read_text(item, "sk").removeprefix(self.prefix))

    def span(self, begin: int, end: int) -> tuple[str, str]:
        """The sort keys between which the entries of the positions are beside the head.

        An item of SPILL entries may begin before `begin`.
        """
        return self.place(max(0, begin - SPILL + 1)), self.place(end - 1)

    def entries_in(self, item: Item, name: str, owner: str, blobs: BlobStore) -> list[Any]:
        """The entries of an attribute; raises CorruptItem for a damaged text."""
        return self.unpack(item, name, unpack(item, name, owner, blobs))

    def count_beside(self, head: Item) -> int:
        """The number of entries beside the head."""
        is_there = self.is_counted or self.spilled_name in head
        return read_integer(head, self.spilled_name) if is_there else 0

    def counts(self, spilled: int, resident: int) -> dict[str, Value]:
        """The attributes of a head that count the entries."""
        beside = {self.spilled_name: number(spilled)}
        if self.is_counted:
            return {**beside, f"{self.name}_count": number(spilled + resident)}
        return beside if spilled else {}


def too_many(entries: int) -> int:
    """How many of the oldest entries a head should move out, SPILL at a time."""
    return max(0, -(-(entries - RESIDENT) // SPILL) * SPILL)


FREE = "attribute_not_exists(pk) OR expires_at <= :now"
"""The place is empty, or holds an expired item that TTL has not removed yet."""

PER_CHANGE = 4
"""Writes of one change among several at most: head, vector, edge, decay class."""

NO_BLOBS: Mapping[str, bytes] = MappingProxyType({})


class Origin(NamedTuple):
    """The head of an entity as read; the next version is written from it."""

    item: Item
    residents: Mapping[str, int]
    """The number of entries in the head, by the name of the log."""


class Change(NamedTuple, Generic[E]):
    """The next version of an entity; without `before` a new entity."""

    before: E | None
    after: E
    due_by_s: int | None = None
    """The instant by which the head must be due, for an end that the sweep writes."""


@dataclass(slots=True)
class Draft:
    """A commit under construction."""

    writes: list[Write] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)
    """Content to put before the writes: an item never names an absent blob."""
    late: list[tuple[Any, Any]] = field(default_factory=list)
    """What a kind writes in the transaction as far as there is room, and the rest behind."""
    behind: list[Write] = field(default_factory=list)
    """Writes after the transaction, each without harm if it is refused or lost."""
    changes: list[Change[Any]] = field(default_factory=list)
    heads: list[Item] = field(default_factory=list)
    """The heads of the changes."""
    parts: Sequence[Write] = ()
    """Puts beside the heads, as `table.long` makes them."""
    token: str = ""

    def add(self, packing: Packing) -> None:
        """Put an item that no other writer puts."""
        self.blobs.update(packing.blobs)
        self.writes.append(Write("Put", lost_race, item=packing.item))


@dataclass(frozen=True, slots=True)
class Entities(OverTable, Generic[E]):
    """The entities of one kind over one table. Any method may raise ResourceExhausted, Unavailable.

    A kind gives the codec of its head, the entries of its logs, and what a change writes beside.
    """

    blobs: BlobStore
    require_open: Callable[[Collection[str]], None]
    """Raises ScopeFenced for a scope that an erasure works on."""
    now: Callable[[], datetime]

    logs: ClassVar[Sequence[Log]]
    version: ClassVar[str] = "version"
    """The attribute of the version in the head."""
    max_inline: ClassVar[int] = MAX_INLINE_BYTES
    """Bytes of a compressed text in an item; a larger text goes to the bucket."""

    @abstractmethod
    def encode(self, held: E) -> tuple[dict[str, Value], dict[str, str]]:
        """The attributes of the head without its logs, and the texts in the order of packing."""

    @abstractmethod
    def entries_of(self, held: E, log: Log) -> Sequence[Any]:
        """The loaded entries of a log, the oldest first."""

    @abstractmethod
    def origin_of(self, held: E) -> Origin:
        """What the entity was read from; raises TypeError if it was read to be looked at alone."""

    @abstractmethod
    def owner_of(self, held: E) -> str:
        """The id in the names of the entity's blobs."""

    @abstractmethod
    def beside(self, held: E) -> dict[str, Value]:
        """The attributes of every item of a log beside the head, but for the sort key."""

    def add_beside(self, draft: Draft, change: Change[E], head: dict[str, Value]) -> None:
        """Add what the change writes beside the head; completes the head, e.g. with `stale`."""

    @abstractmethod
    def open_scopes(self, changes: Sequence[Change[E]]) -> Collection[str]:
        """The scopes that must have no fence; endings pass."""

    def refusal_of(self, _held: E) -> Refusal:
        """The refusal of a new entity whose place is taken."""
        return lost_race

    def count_leaving(self, _log: Log, _item: Item, entries: Sequence[Any]) -> int:
        """How many of the oldest entries leave the head `item`, which has the log not yet."""
        return too_many(len(entries))

    def keeps(self, change: Change[E], _log: Log) -> bool:
        """Whether the change keeps the earlier entries of the log."""
        return change.before is not None

    def without_fences(self) -> Self:
        """The store for an erasure itself."""
        return replace(self, require_open=lambda _scopes: None)

    def commit(
        self,
        changes: Sequence[Change[E]],
        checks: Iterable[Write] = (),
        *,
        once: Iterable[Write] = (),
        blobs: Mapping[str, bytes] = NO_BLOBS,
        parts: Sequence[Write] = (),
        token: str = "",
    ) -> Sequence[Item]:
        """Write new and changed entities, with what goes with them: all or nothing.

        Returns the heads, those of new entities first. `checks` are further writes of the
        transaction. `once` are receipts of idempotency keys, whose refusals come before all others.
        `parts` are puts beside the heads, in any number: where one transaction is too small, they
        are marked with the random `token` until all is written (see `table.long`). Raises LostRace
        if a changed entity is no longer as read; the refusals of taken places, `checks` and `once`;
        ScopeFenced. One PutItem, or one transaction, or several for many parts; a new entity with
        blobs reads the new places first.
        """
        self.require_unfenced(changes)
        draft = Draft([*once], dict(blobs), parts=parts, token=token)
        changed = [each for each in changes if each.before is not None]
        for each in changes:
            if each.before is None:
                self.add(draft, each)
        if draft.blobs and len(changed) < len(changes):
            self.require_free(draft.writes)
        draft.writes.extend(checks)
        for left, each in zip(range(len(changed), 0, -1), changed, strict=True):
            room = MAX_TOGETHER - len(draft.writes) - left * PER_CHANGE
            self.add(draft, each, may_spill=room >= len(self.logs))
        self.carry_out(draft)
        return draft.heads

    def add(self, draft: Draft, change: Change[E], *, may_spill: bool = True) -> None:
        """Add the change to the draft; entries that no longer fit the head move beside."""
        before, after = change.before, change.after
        item, texts = self.encode(after)
        packing, moved = Packing(self.owner_of(after), item, self.max_inline), Draft()
        for log in self.logs:
            entries, spilled = self.tail_of(change, log)
            leaving = self.count_leaving(log, item, entries) if may_spill else 0
            if before is not None:
                leaving = min(leaving, SPILL)
            for start in range(0, leaving, SPILL):
                several = entries[start : min(start + SPILL, leaving)]
                moved.add(self.item_beside(after, log, spilled + start, several))
            item.update(log.counts(spilled + leaving, len(entries) - leaving))
            if log.is_counted or entries:
                texts[log.tail_name] = log.pack(entries[leaving:])
        packing.add(texts)
        known = () if before is None else [self.origin_of(before).item]
        there = blob_names_in(known, packing.owner)
        draft.blobs |= {name: packing.blobs[name] for name in packing.blobs.keys() - there}
        draft.blobs |= moved.blobs
        draft.changes.append(change)
        draft.heads.append(packing.item)
        others = Draft(late=draft.late, behind=draft.behind, parts=draft.parts)
        self.add_beside(others, change, packing.item)
        draft.writes += [self.put_of(change, packing.item), *moved.writes, *others.writes]

    def put_of(self, change: Change[E], item: Mapping[str, Value]) -> Write:
        """Put the head: of a new entity at a free place, else over the version that was read."""
        if change.before is None:
            return self.put_new(item, self.refusal_of(change.after))
        condition = f"{self.version} = :version"
        values = {":version": self.origin_of(change.before).item[self.version]}
        if change.due_by_s is not None:
            condition += " AND due_sk <= :due_by"
            values[":due_by"] = number(change.due_by_s)
        return Write("Put", lost_race, condition, item=item, values=values)

    def require_unfenced(self, changes: Sequence[Change[E]]) -> None:
        """Raise ScopeFenced for a change of a scope that is being erased."""
        scopes = self.open_scopes(changes)
        if scopes:
            self.require_open(scopes)

    def carry_out(self, draft: Draft) -> None:
        """Put blobs, then items, then what comes behind."""
        self.put_blobs(draft.blobs)
        if draft.parts:
            self.long.commit(draft.token, draft.writes, draft.parts)
        else:
            self.write(draft.writes)
        for each in draft.behind:  # botocore tries again, and throttled tries are metered
            with suppress(LostRace, ResourceExhausted, Unavailable):
                self.commit_all(each)

    @property
    def long(self) -> "LongChanges":
        """Changes of more than one transaction."""
        from membrane.table.long import LongChanges  # noqa: PLC0415 - few kinds have such changes

        return LongChanges(self.client, self.table, self.now)

    def put_blobs(self, blobs: Mapping[str, bytes]) -> None:
        for name, content in blobs.items():
            self.blobs.write(name, content)

    def write(self, writes: Sequence[Write]) -> None:
        self.commit_all(*writes)

    def put_new(self, item: Mapping[str, Value], refusal: Refusal) -> Write:
        return Write("Put", refusal, FREE, item=item, values={":now": number(self.now_s())})

    def require_free(self, puts: Iterable[Write]) -> None:
        """Raise the refusals of puts at free places before a blob is written in vain."""
        for put in puts:
            if put.condition:
                partition, place = read_text(put.item, "pk"), read_text(put.item, "sk")
                for existing in self.between(partition, place, place):
                    if not is_expired(existing, epoch_seconds(self.now())):
                        raise put.refusal(existing)

    def is_past(self, instant_s: float) -> bool:
        return instant_s <= epoch_seconds(self.now())

    def now_s(self) -> int:
        return int(epoch_seconds(self.now()))

    def item_beside(self, held: E, log: Log, position: int, entries: Sequence[Any]) -> Packing:
        """The item for entries that leave the head; the first entry has `position`."""
        item = {**self.beside(held), "sk": text(log.place(position))}
        packing = Packing(self.owner_of(held), item, self.max_inline)
        packing.add({log.beside: log.pack(entries)})
        return packing

    def log_entries(self, held: E, log: Log, begin: int, end: int) -> Iterator[tuple[int, Any]]:
        """Entries of a loaded entity with positions, the oldest first; missing ones are left out.

        Positions run from `begin` up to, and without, `end`. One strongly consistent Query a
        megabyte of the entries beside the head.
        """
        origin, attributes = self.origin_of(held), self.beside(held)
        spilled = log.count_beside(origin.item)
        if begin < min(end, spilled):
            partition, span = read_text(attributes, "pk"), log.span(begin, min(end, spilled))
            for item in self.between(partition, *span):
                if is_of(item, log, read_number(attributes, log.born)):
                    several = log.entries_in(item, log.beside, self.owner_of(held), self.blobs)
                    yield from _within(several, log.position_of(item), begin, end)
        entries = self.entries_of(held, log)
        resident = entries[len(entries) - origin.residents.get(log.name, 0) :]
        yield from _within(resident, spilled, begin, end)

    def between(self, partition: str, first: str, last: str, **more: Any) -> Iterator[Item]:
        """The items of a partition between two sort keys; `more` has further options of `query`."""
        values = {":pk": text(partition), ":first": text(first), ":last": text(last)}
        return self.query("pk = :pk AND sk BETWEEN :first AND :last", values, **more)

    def rewrite(
        self, held: E, log: Log, items: Iterable[Item], change: Callable[[Any], Any]
    ) -> None:
        """Put items of the log again with every entry changed, unless a later entity has them."""
        writes = []
        for item in items:
            several = log.entries_in(item, log.beside, self.owner_of(held), self.blobs)
            packing = self.item_beside(held, log, log.position_of(item), [*map(change, several)])
            self.put_blobs(packing.blobs)
            same, born = f"{log.born} = :born", {":born": packing.item[log.born]}
            writes.append(Write("Put", lost_race, same, item=packing.item, values=born))
        self.commit_in_parts(writes)

    def commit_in_parts(self, writes: Sequence[Write]) -> None:
        """Writes that need not happen together; a killed call may repeat all of them."""
        for start in range(0, len(writes), MAX_TOGETHER):
            self.commit_all(*writes[start : start + MAX_TOGETHER])

    def tail_of(self, change: Change[E], log: Log) -> tuple[Sequence[Any], int]:
        """The entries for the head after the change, and the number of entries beside."""
        entries = self.entries_of(change.after, log)
        if change.before is None or not self.keeps(change, log):
            return entries, 0
        origin = self.origin_of(change.before)
        loaded = len(self.entries_of(change.before, log))
        return entries[loaded - origin.residents.get(log.name, 0) :], log.count_beside(origin.item)


def is_of(item: Item, log: Log, born_s: float) -> bool:
    """Whether the item is of the log and life, and not left by TTL of an earlier one."""
    return read_text(item, "sk").startswith(log.prefix) and read_number(item, log.born) == born_s


def _within(entries: Sequence[Any], first: int, begin: int, end: int) -> Iterator[tuple[int, Any]]:
    for position, entry in enumerate(entries, first):
        if begin <= position < end:
            yield position, entry
