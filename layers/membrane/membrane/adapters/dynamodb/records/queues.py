"""What orders the writers of one key: the turns of a thread, and the queue at a head."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from membrane.domain.language.errors import TooLarge
from membrane.domain.language.timestamps import epoch_seconds
from membrane.table import keys as table_keys
from membrane.table.dynamo import OverTable, translating_errors
from membrane.table.items import MAX_TOGETHER, Item, Write, lost_race, number, read_integer, size_of
from membrane.usecases.ports.records import TicketQueue, Turns
from membrane.usecases.ports.surroundings import Clock

MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
"""Bytes of the items of one transaction (AWS, `TransactWriteItems`)."""

THREAD = "thread"
"""Sort key of the head of a thread."""

_FREE = "attribute_not_exists(pk)"
_SAME_TURN = "next_turn = :first"


def head_key(key: bytes) -> Item:
    return table_keys.head_key(key, THREAD)


def next_turn_in(head: Item | None) -> int:
    """The next turn, counted from 1."""
    return 1 if head is None else read_integer(head, "next_turn")


def advance_head(turns: Turns) -> Write:
    """Advance the thread's next turn past the turns; lost if a concurrent writer took the turns."""
    item = {**head_key(turns.key), "next_turn": number(turns.following)}
    if turns.first == 1:
        return Write("Put", lost_race, _FREE, item=item)
    return Write("Put", lost_race, _SAME_TURN, item=item, values={":first": number(turns.first)})


def split_transactions(puts: Sequence[Write], beside: Sequence[Write]) -> list[list[Write]]:
    """The transactions, in order, for puts of records and for the writes beside the puts.

    One transaction if all writes fit. Otherwise the writes beside the records come first: turns may
    then stay unused, but are never used twice. Raises TooLarge.
    """
    if sum(size_of(put.item) for put in puts) > MAX_TRANSACTION_BYTES:
        raise TooLarge("the messages are too large for one transaction; send fewer at once")
    together = [*puts, *beside]
    return [together] if len(together) <= MAX_TOGETHER else [[*beside], [*puts]]


LINE = "line"
"""The sort key of a queue, in the partition of the head."""

KEPT = timedelta(days=1)
"""The time from the newest ticket until TTL removes a queue."""


@dataclass(frozen=True, slots=True)
class DynamoTicketQueues(OverTable):
    """Ticket queues over one table. May raise ResourceExhausted or Unavailable."""

    now: Clock

    def take_ticket(self, key: bytes) -> TicketQueue:
        """Hand out the next ticket: an UpdateItem that no other writer can make fail."""
        expires_at = int(epoch_seconds(self.now() + KEPT))
        with translating_errors():
            found = self.client.update_item(
                TableName=self.table,
                Key=table_keys.head_key(key, LINE),
                UpdateExpression="SET expires_at = :expiry ADD given :one",
                ConditionExpression="attribute_not_exists(pk) OR attribute_exists(given)",
                ExpressionAttributeValues={":expiry": number(expires_at), ":one": number(1)},
                ReturnValues="ALL_NEW",
            )["Attributes"]
        return _line(found)

    def load(self, key: bytes) -> TicketQueue:
        """The queue at the head, read consistently; empty if nobody ever waited."""
        found = self.item_at(table_keys.head_key(key, LINE))
        return TicketQueue() if found is None else _line(found)

    def serve(self, key: bytes, ticket: int) -> None:
        """Let the ticket after `ticket` try, unless the queue is already past `ticket`."""
        with translating_errors(), suppress(self.client.exceptions.ConditionalCheckFailedException):
            self.client.update_item(
                TableName=self.table,
                Key=table_keys.head_key(key, LINE),
                UpdateExpression="SET served = :ticket",
                ConditionExpression="given >= :ticket AND "
                "(attribute_not_exists(served) OR served < :ticket)",
                ExpressionAttributeValues={":ticket": number(ticket)},
            )


def _line(item: Item) -> TicketQueue:
    served = read_integer(item, "served") if "served" in item else 0
    return TicketQueue(read_integer(item, "given"), served)
