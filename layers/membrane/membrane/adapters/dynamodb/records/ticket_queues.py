"""Queues of writers in DynamoDB: an item beside every head that writers have raced for."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from membrane.domain.language.timestamps import epoch_seconds
from membrane.table.dynamo import OverTable, translating_errors
from membrane.table.items import Item, number, read_integer
from membrane.table.keys import head_key
from membrane.usecases.ports.records import TicketQueue
from membrane.usecases.ports.surroundings import Clock

LINE = "line"
"""The sort key of a queue, in the partition of the head."""

KEPT = timedelta(days=1)
"""The time from the newest ticket until TTL removes a queue."""


@dataclass(frozen=True, slots=True)
class DynamoTicketQueues(OverTable):
    """Ticket queues over one table. May raise ResourceExhausted or Unavailable."""

    now: Clock

    def take_ticket(self, key: bytes) -> TicketQueue:
        """Hand out the next ticket at the head; `given` is the number of the ticket.

        A single UpdateItem, whose condition no other writer can make fail.
        """
        expires_at = int(epoch_seconds(self.now() + KEPT))
        with translating_errors():
            found = self.client.update_item(
                TableName=self.table,
                Key=head_key(key, LINE),
                UpdateExpression="SET expires_at = :expiry ADD given :one",
                ConditionExpression="attribute_not_exists(pk) OR attribute_exists(given)",
                ExpressionAttributeValues={":expiry": number(expires_at), ":one": number(1)},
                ReturnValues="ALL_NEW",
            )["Attributes"]
        return _line(found)

    def load(self, key: bytes) -> TicketQueue:
        """The queue at the head, read consistently; empty if nobody ever waited."""
        found = self.item_at(head_key(key, LINE))
        return TicketQueue() if found is None else _line(found)

    def serve(self, key: bytes, ticket: int) -> None:
        """Let the ticket after `ticket` try, unless the queue is already past `ticket`."""
        with translating_errors(), suppress(self.client.exceptions.ConditionalCheckFailedException):
            self.client.update_item(
                TableName=self.table,
                Key=head_key(key, LINE),
                UpdateExpression="SET served = :ticket",
                ConditionExpression="given >= :ticket AND "
                "(attribute_not_exists(served) OR served < :ticket)",
                ExpressionAttributeValues={":ticket": number(ticket)},
            )


def _line(item: Item) -> TicketQueue:
    served = read_integer(item, "served") if "served" in item else 0
    return TicketQueue(read_integer(item, "given"), served)
