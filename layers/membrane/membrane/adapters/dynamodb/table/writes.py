"""Conditional writes, alone or as one transaction; each names the error of a failed condition."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from botocore.exceptions import ClientError

from membrane.adapters.dynamodb.table.attributes import Client, Item, Value
from membrane.adapters.dynamodb.table.failures import cancellation_codes, translating_errors
from membrane.usecases.ports.records import LostRace

MAX_TOGETHER = 100
"""Actions of one transaction (AWS, `TransactWriteItems`)."""

FAILED_CONDITION = "ConditionalCheckFailed"

Refusal = Callable[[Item], Exception]
"""Makes the error of a failed condition from the existing item (empty if absent)."""


NO_ATTRIBUTES: Mapping[str, Any] = MappingProxyType({})


def lost_race(_item: Item) -> Exception:
    """The refusal of a write that has to come first."""
    return LostRace()


class Write(NamedTuple):
    """One action on one item; without a condition only beside a conditional write."""

    action: Literal["Put", "Update", "Delete", "ConditionCheck"]
    refusal: Refusal
    condition: str = ""
    item: Mapping[str, Value] = NO_ATTRIBUTES
    """The whole item of a Put."""
    key: Mapping[str, Value] = NO_ATTRIBUTES
    """The key of the other actions."""
    update: str = ""
    names: Mapping[str, str] = NO_ATTRIBUTES
    values: Mapping[str, Value] = NO_ATTRIBUTES

    def request(self, table: str) -> dict[str, Any]:
        request: dict[str, Any] = {"TableName": table}
        if self.condition:
            request["ConditionExpression"] = self.condition
            request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        if self.action == "Put":
            request["Item"] = self.item
        else:
            request["Key"] = self.key
        if self.update:
            request["UpdateExpression"] = self.update
        if self.names:
            request["ExpressionAttributeNames"] = self.names
        if self.values:
            request["ExpressionAttributeValues"] = self.values
        return request


def commit(client: Client, table: str, writes: Sequence[Write]) -> None:
    """Do all of the writes or none: a single write alone, several writes as one transaction.

    Raises the refusal of the first write whose condition fails, LostRace on a conflict with a
    concurrent transaction, ResourceExhausted, Unavailable.
    """
    with translating_errors():
        try:
            if len(writes) == 1:
                _write_alone(client, table, writes[0])
            else:
                client.transact_write_items(
                    TransactItems=[{write.action: write.request(table)} for write in writes]  # type: ignore[misc]  # the key is one of four words
                )
        except client.exceptions.ConditionalCheckFailedException as error:
            raise writes[0].refusal(existing_item(error.response)) from error
        except client.exceptions.TransactionCanceledException as error:
            _raise_refusal(writes, error)
            raise


def _write_alone(client: Client, table: str, write: Write) -> None:
    request = write.request(table)
    match write.action:
        case "Put":
            client.put_item(**request)
        case "Delete":
            client.delete_item(**request)
        case _:
            client.update_item(**request)


def _raise_refusal(writes: Sequence[Write], error: ClientError) -> None:
    """Cancellation reasons come in the order of the writes."""
    reasons = error.response.get("CancellationReasons", [])
    for write, code, reason in zip(writes, cancellation_codes(error), reasons, strict=True):
        if code == FAILED_CONDITION:
            raise write.refusal(existing_item(reason)) from error


def existing_item(answer: Any) -> Item:
    """The existing item, as returned by ReturnValuesOnConditionCheckFailure."""
    found: Item = answer.get("Item", {})
    return found
