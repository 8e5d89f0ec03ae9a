"""Changes of more than one transaction, visible as a whole or not at all.

    begin     put an item for the change: the state `open`, and the places of the parts
    parts     put the parts, marked with the token, in transactions that require `open`
    commit    the transaction of the heads, which also turns the state to `committed`
    settle    remove the marks; if the change is not committed, turn the state to `abandoned`, so
              that a commit can no longer succeed, and undo the parts; then delete the item

A reader that meets a mark looks up the item of the change; if the item is gone, the mark is, too.
"""

import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.table.dynamo import OverTable, items_at
from membrane.table.index import DUE
from membrane.table.items import (
    KEY_ATTRIBUTES,
    MAX_TOGETHER,
    CorruptItem,
    Item,
    LostRace,
    NotWritten,
    Value,
    Write,
    as_read,
    binary,
    key_in,
    lost_race,
    number,
    parse_text,
    place_in,
    put_new,
    read_binary,
    read_text,
    read_word,
    size_of,
    text,
)
from membrane.table.keys import CHANGE, CHANGES_DUE, primary_key

MAX_BYTES = 3 * 1024 * 1024
"""Bytes of one transaction, well under DynamoDB's limit."""

TRIES = 8
"""Attempts to settle a change that others settle at the same time."""

MARK, BEFORE = "mark", "before"
"""The token of the change, and the item before the change, in an item that is part of a change."""

UNMARKED = "attribute_not_exists(mark)"

Result = TypeVar("Result")
See = Callable[[Iterable[Item]], Iterator[Item]]


class State(StrEnum):
    OPEN = "open"
    COMMITTED = "committed"
    ABANDONED = "abandoned"


class BlockedByChange(NotWritten):
    """An item is part of a different change, which is not settled yet."""

    def __init__(self, item: Item) -> None:
        super().__init__()
        self.token = read_text(item, MARK)


class SettledMeanwhile(Exception):
    """The change that marked an item is gone, and by now the mark is, too: read again."""

    def __init__(self, item: Item) -> None:
        super().__init__()
        self.item = item


def new_part(item: Mapping[str, Value]) -> Write:
    """A part at a place that no other writer takes."""
    return Write("Put", lost_race, item=item)


def next_part(item: Mapping[str, Value]) -> Write:
    """A part that may take the place of an item, whose attributes are strings."""
    return Write("Put", BlockedByChange, UNMARKED, item=item)


def unmarked_removal(key: Mapping[str, Value]) -> Write:
    """Delete an item that is no part of an unsettled change."""
    return Write("Delete", BlockedByChange, UNMARKED, key=key)


@dataclass(frozen=True, slots=True)
class LongChanges(OverTable):
    """The changes of one table, of entities of any kind."""

    now: Callable[[], datetime]

    def commit(self, token: str, own: Sequence[Write], parts: Sequence[Write]) -> None:
        """Write parts and `own`, the writes that make the change count; nothing visible, or all.

        One transaction, if the writes fit. Raises the errors of `own`; LostRace for a part at an
        item of an unsettled change, which is settled then.
        """
        try:
            if _fit([*own, *parts]):
                self.commit_all(*own, *parts)
            else:
                self._commit_in_steps(token, own, parts)
        except BlockedByChange as error:
            self.settle(error.token)
            raise LostRace from error

    def settle(self, token: str) -> None:
        """Unmark the parts of a committed change, or remove the parts of an abandoned change.

        An abandoned change can no longer be committed afterwards. Idempotent.
        """
        item = self._change_item(token)
        if item is not None and _state(item) is State.OPEN:
            with suppress(LostRace):
                self.commit_all(_state_change(token, State.OPEN, State.ABANDONED))
            item = self._change_item(token)
        if item is None:
            return
        state = _state(item)
        rewrite = unmark_write if state is State.COMMITTED else undo_write
        places = zlib.decompress(read_binary(item, "places")).decode()
        for partition, span in parse_text(item, "places", places, dict).items():
            self._settle_in(partition, span, token, rewrite)
        with suppress(LostRace):
            self.commit_all(Write("Delete", lost_race, **_in_state(token, state)))

    def unsettled_tokens(self, by_s: float, limit: int) -> Sequence[str]:
        """Tokens of unfinished changes, begun before `by_s`. A Query of the due index."""
        last = number(math.ceil(by_s) - 1)
        found = DUE.read(self, text(CHANGES_DUE), limit, until=last, backwards=False)
        return [read_text(item, "pk").removeprefix(CHANGE) for item in found]

    def read_whole(self, read: "Callable[[See], Result]") -> Result:
        """The result of `read`, repeated while a change that `read` met is settled meanwhile.

        `read` is given a function that turns items into what a reader may see, whatever change the
        items are part of. Raises CorruptItem for a mark that stays although the change is gone.
        """
        gone: set[str] = set()
        while True:  # every round, one more change was settled meanwhile and its marks are gone
            try:
                return read(self._sight())
            except SettledMeanwhile as settled:
                token = read_text(settled.item, MARK)
                if token in gone:
                    raise CorruptItem(settled.item, "it is marked with no change") from settled
                gone.add(token)

    def _sight(self) -> "See":
        """A function of items; raises SettledMeanwhile. Asks for the state of a change once."""
        known: dict[str, bool] = {}

        def see(items: Iterable[Item]) -> Iterator[Item]:
            for item in items:
                seen: Item | None = item
                if MARK in item:
                    token = read_text(item, MARK)
                    if token not in known:
                        change = self._change_item(token)
                        if change is None:
                            raise SettledMeanwhile(item)
                        known[token] = _state(change) is State.COMMITTED
                    seen = item if known[token] else item_before(item)
                if seen is not None:
                    yield seen

        return see

    def _commit_in_steps(self, token: str, own: Sequence[Write], parts: Sequence[Write]) -> None:
        self._begin(token, parts)
        try:
            for some in _transactions(self._marked_puts(parts, token)):
                check = Write("ConditionCheck", lost_race, **_in_state(token, State.OPEN))
                self.commit_all(check, *some)
            self.commit_all(*own, _state_change(token, State.OPEN, State.COMMITTED))
        except NotWritten:
            self.settle(token)
            raise

    def _begin(self, token: str, parts: Sequence[Write]) -> None:
        places: dict[str, list[str]] = {}
        for partition, place in sorted(place_in(each.item) for each in parts):
            places.setdefault(partition, [place, place])[1] = place
        self.commit_all(
            put_new(
                _key_of(token)
                | {
                    "state": text(State.OPEN),
                    "places": binary(zlib.compress(compact_json(places).encode())),
                    **DUE.entry(text(CHANGES_DUE), number(int(epoch_seconds(self.now())))),
                }
            )
        )

    def _marked_puts(self, parts: Sequence[Write], token: str) -> list[Write]:
        """The puts of the marked parts; a part with a condition may take the place of an item."""
        replacing = [key_in(each.item) for each in parts if each.condition]
        there = items_at(self.client, self.table, replacing, consistent=True)
        for item in there:
            if MARK in item:
                raise BlockedByChange(item)
        before = {place_in(item): item for item in there}
        return [marked_put(each.item, before.get(place_in(each.item)), token) for each in parts]

    def _settle_in(
        self,
        partition: str,
        span: Sequence[str],
        token: str,
        rewrite: Callable[[Item, str], Write],
    ) -> None:
        values = {
            ":pk": text(partition),
            **{f":{name}": text(each) for name, each in zip(("first", "last"), span, strict=True)},
            ":token": text(token),
        }
        condition = "pk = :pk AND sk BETWEEN :first AND :last"
        for _ in range(TRIES):
            marked = self.query(condition, values, only="mark = :token")
            writes = [rewrite(item, token) for item in marked]
            if not writes:
                return
            for some in _transactions(writes):
                self._commit_any(some)
        raise LostRace

    def _commit_any(self, writes: Sequence[Write]) -> None:
        try:
            self.commit_all(*writes)
        except LostRace:
            for write in writes:
                with suppress(LostRace):
                    self.commit_all(write)

    def _change_item(self, token: str) -> Item | None:
        return self.item_at(_key_of(token))


def _fit(writes: Sequence[Write]) -> bool:
    return len(writes) <= MAX_TOGETHER and sum(size_of(each.item) for each in writes) <= MAX_BYTES


def _transactions(writes: Sequence[Write]) -> Iterator[list[Write]]:
    """The writes in groups for a transaction, with room for a further write in every group."""
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


def _key_of(token: str) -> dict[str, Value]:
    return primary_key(f"{CHANGE}{token}", "change")


def _state_change(token: str, before: State, after: State) -> Write:
    change = _in_state(token, before)
    change["values"] |= {":after": text(after)}
    return Write("Update", lost_race, update="SET #state = :after", **change)


def _in_state(token: str, state: State) -> dict[str, Any]:
    """The parameters of a Write of a change in the state."""
    return {"key": _key_of(token), **as_read({"state": text(state)}, ["state"])}


def _state(item: Item) -> State:
    return read_word(item, "state", State)


# --- the items of a change ------------------------------------------------------------------------


def marked_put(item: Mapping[str, Value], before: Item | None, token: str) -> Write:
    """Put the item as part of a change; lost if `before` (strings only) was replaced."""
    marked = {**item, MARK: text(token)}
    if before is None:
        return put_new(marked)
    earlier = {name: read_text(before, name) for name in before if name not in KEY_ATTRIBUTES}
    marked[BEFORE] = text(compact_json(earlier))
    unchanged = as_read(before, sorted({*item, *before, MARK}))
    return Write("Put", lost_race, item=marked, **unchanged)


def item_before(item: Item) -> dict[str, Value] | None:
    """The item before the change that the mark names; None if there was no item."""
    if BEFORE not in item:
        return None
    earlier = parse_text(item, BEFORE, read_text(item, BEFORE), dict)
    return key_in(item) | {name: text(each) for name, each in earlier.items()}


def unmark_write(item: Item, token: str) -> Write:
    """Remove the mark, which makes the item permanent."""
    marked = _with_mark(token)
    marked["names"] |= {"#before": BEFORE}
    update = "REMOVE #mark, #before"
    return Write("Update", lost_race, key=key_in(item), update=update, **marked)


def undo_write(item: Item, token: str) -> Write:
    """Bring back the item from before the change, or its absence."""
    before = item_before(item)
    if before is None:
        return Write("Delete", lost_race, key=key_in(item), **_with_mark(token))
    return Write("Put", lost_race, item=before, **_with_mark(token))


def _with_mark(token: str) -> dict[str, Any]:
    return as_read({MARK: text(token)}, [MARK])
