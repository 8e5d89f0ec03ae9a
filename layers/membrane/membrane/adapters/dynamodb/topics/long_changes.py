"""Changes of more than one transaction, of which nobody sees a part.

    begin     an item of the change's own says that it is open, and in whose partitions it writes
    parts     revisions and edges, marked with its token; each transaction only while it is open
    commit    the topics' own transaction, in which the change becomes committed
    settle    the marks are taken off; of a change that is not committed its parts are undone,
              after it has become abandoned, so that it can be committed no more; then its item goes

So whoever meets a mark looks at the change's item; where that is gone, the mark is, too.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any, TypeVar

from membrane.adapters.dynamodb.table.attributes import (
    CorruptItem,
    Item,
    Value,
    binary,
    number,
    read_binary,
    read_text,
    read_word,
    size_of,
    text,
)
from membrane.adapters.dynamodb.table.batches import items_at
from membrane.adapters.dynamodb.table.texts import parsed
from membrane.adapters.dynamodb.table.writes import MAX_TOGETHER, Write, lost
from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.pending_items import (
    MARK,
    InTheWay,
    before_mark,
    marked_put,
    undone,
    without_mark,
)
from membrane.adapters.dynamodb.topics.topic_table import TopicTable, put_new
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.topics import ReceiptTaken, TopicIdTaken

MAX_BYTES = 3 * 1024 * 1024
"""Of one transaction, well under what DynamoDB takes."""

TRIES = 8
"""Of settling, where others settle the same."""

Result = TypeVar("Result")


class State(StrEnum):
    OPEN = "open"
    COMMITTED = "committed"
    ABANDONED = "abandoned"


class Settled(Exception):
    """The change that an item is marked with is gone, and so is the mark by now: read again."""

    def __init__(self, item: Item) -> None:
        super().__init__()
        self.item = item


def fits(writes: Sequence[Write]) -> bool:
    return len(writes) <= MAX_TOGETHER and sum(size_of(each.item) for each in writes) <= MAX_BYTES


@dataclass(frozen=True, slots=True)
class LongChanges(TopicTable):
    """The part of a TopicStore for changes of several transactions."""

    def carry_out(
        self,
        token: str,
        own: Sequence[Write],
        revisions: Sequence[Mapping[str, Value]],
        edges: Sequence[Mapping[str, Value]],
    ) -> None:
        """Write items that are new and items of edges, then what makes them count.

        Raises what `own` does, InTheWay where an edge is part of another change.
        """
        self._begin(token, [*revisions, *edges])
        try:
            parts = [marked_put(item, None, token) for item in revisions]
            parts += self._marked_edges(edges, token)
            for some in _transactions(parts):
                check = Write("ConditionCheck", lost, **_condition(token, State.OPEN))
                self.commit_all(check, *some)
            self.commit_all(*own, _turn(token, State.OPEN, State.COMMITTED))
        except (InTheWay, LostRace, ReceiptTaken, TopicIdTaken):
            self.settle(token)
            raise

    def settle(self, token: str) -> None:
        """See TopicStore."""
        item = self.change_item(token)
        if item is not None and _state(item) is State.OPEN:
            with suppress(LostRace):
                self.commit_all(_turn(token, State.OPEN, State.ABANDONED))
            item = self.change_item(token)
        if item is None:
            return
        state = _state(item)
        rewrite = without_mark if state is State.COMMITTED else undone
        places = zlib.decompress(read_binary(item, "places")).decode()
        for topic_id in parsed(item, "places", places, list):
            self._settle_in(topic_id, token, rewrite)
        with suppress(LostRace):
            self.commit_all(Write("Delete", lost, **_condition(token, state)))

    def unsettled_tokens(self, by_s: float, limit: int) -> Sequence[str]:
        """One Query of the due index."""
        found = self.query(
            "due_pk = :changes AND due_sk < :by",
            {":changes": text(topic_keys.CHANGES_DUE), ":by": number(by_s)},
            index="due",
            limit=limit,
        )
        return [topic_keys.token_of(item) for item in islice(found, limit)]

    def read_whole(self, read: Callable[["Standing"], Result]) -> Result:
        """What `read` gives, while no change that it met was settled under it.

        Raises CorruptItem for a mark that stays although its change is gone.
        """
        gone: set[str] = set()
        while True:  # each time one change more was settled, and its marks are gone
            try:
                return read(Standing(self.change_item))
            except Settled as settled:
                token = read_text(settled.item, MARK)
                if token in gone:
                    raise CorruptItem(settled.item, "it is marked with no change") from settled
                gone.add(token)

    def change_item(self, token: str) -> Item | None:
        return self.item_at(topic_keys.change_key(token))

    def _begin(self, token: str, items: Sequence[Item]) -> None:
        begun_s = int(epoch_seconds(self.now()))
        places = list(dict.fromkeys(topic_keys.topic_id_of(item) for item in items))
        change: dict[str, Value] = topic_keys.change_key(token) | {
            "state": text(State.OPEN),
            "places": binary(zlib.compress(compact_json(places).encode())),
            "due_pk": text(topic_keys.CHANGES_DUE),
            "due_sk": number(begun_s),
        }
        self.commit_all(put_new(change))

    def _marked_edges(self, edges: Sequence[Mapping[str, Value]], token: str) -> list[Write]:
        keys = [{name: item[name] for name in ("pk", "sk")} for item in edges]
        there = items_at(self.client, self.table, keys, consistent=True)
        for item in there:
            if MARK in item:
                raise InTheWay(read_text(item, MARK))
        before = {_place(item): item for item in there}
        return [marked_put(item, before.get(_place(item)), token) for item in edges]

    def _settle_in(self, topic_id: str, token: str, rewrite: Callable[[Item, str], Write]) -> None:
        for _ in range(TRIES):
            writes = [rewrite(item, token) for item in self._marked_in(topic_id, token)]
            if not writes:
                return
            for some in _transactions(writes):
                self._each(some)
        raise LostRace

    def _each(self, writes: Sequence[Write]) -> None:
        """Together; where another one has settled some of them, each that is left."""
        try:
            self.commit_all(*writes)
        except LostRace:
            for write in writes:
                with suppress(LostRace):
                    self.commit_all(write)

    def _marked_in(self, topic_id: str, token: str) -> list[Item]:
        values = {
            ":pk": text(topic_keys.topic_partition(topic_id)),
            ":first": text(topic_keys.INCOMING),
            ":last": text(topic_keys.REVISION + topic_keys.AFTER_ALL),
            ":token": text(token),
        }
        condition = "pk = :pk AND sk BETWEEN :first AND :last"
        return list(self.query(condition, values, only="mark = :token"))


@dataclass(frozen=True, slots=True)
class Standing:
    """What items are to a reader, whatever change they may be part of."""

    change_item: Callable[[str], Item | None]
    known: dict[str, bool] = field(default_factory=dict)
    """By token whether the change is committed."""

    def of(self, item: Item) -> Item | None:
        """The item that counts: this one, what stood in its place, or none; raises Settled."""
        if MARK not in item:
            return item
        token = read_text(item, MARK)
        if token not in self.known:
            change = self.change_item(token)
            if change is None:
                raise Settled(item)
            self.known[token] = _state(change) is State.COMMITTED
        return item if self.known[token] else before_mark(item)


def _transactions(writes: Sequence[Write]) -> Iterator[list[Write]]:
    """The writes in so many at a time that one more has room beside them."""
    some: list[Write] = []
    size = 0
    for write in writes:
        added = size_of(write.item)
        if some and (len(some) + 1 >= MAX_TOGETHER or size + added > MAX_BYTES):
            yield some
            some, size = [], 0
        some.append(write)
        size += added
    if some:
        yield some


def _turn(token: str, before: State, after: State) -> Write:
    condition = _condition(token, before)
    values = condition["values"] | {":after": text(after)}
    return Write("Update", lost, update="SET #state = :after", **condition | {"values": values})


def _condition(token: str, state: State) -> dict[str, Any]:
    return {
        "condition": "#state = :expected",
        "key": topic_keys.change_key(token),
        "names": {"#state": "state"},
        "values": {":expected": text(state)},
    }


def _state(item: Item) -> State:
    return read_word(item, "state", State)


def _place(item: Item) -> tuple[str, str]:
    return read_text(item, "pk"), read_text(item, "sk")
