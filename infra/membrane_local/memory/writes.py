"""The calls of DynamoDB for writing items: alone, in batches, in transactions."""

import json
from collections import OrderedDict
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from membrane_local.memory.attributes import (
    Item,
    Refused,
    bad_value,
    invalid,
    item_bytes,
    legal_values,
    value_bytes,
)
from membrane_local.memory.expressions import Expressions
from membrane_local.memory.reads import Find, Reply, Request, write_capacity
from membrane_local.memory.tables import Write

MAX_ACTIONS = 100
MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
MAX_PUTS = 25
TOKEN_LASTS_S = 600
"""How long a transaction's token makes a repetition harmless."""
Tokens = OrderedDict[str, tuple[float, bytes]]
"""The last transactions by their tokens: the instants and the digests, the oldest first."""
_CONDITION = "The conditional request failed"


def write_alone(action: str, request: Request, find: Find, now_s: float) -> Reply:
    write = _outcome(action, request, find)
    if write.fault is not None:
        raise write.fault
    returned = _attributes(request, write)
    write.table.store(write, now_s)
    reply: Reply = {} if returned is None else {"Attributes": returned}
    for consumed in write_capacity(request, [write], 1):
        reply["ConsumedCapacity"] = consumed
    return reply


def batch_write_item(request: Request, find: Find, now_s: float) -> Reply:
    asked: Mapping[str, Any] = request["RequestItems"]
    if not 1 <= sum(map(len, asked.values())) <= MAX_PUTS:
        raise invalid("Too many items requested for the BatchWriteItem call")
    writes = [
        _outcome(kind.removesuffix("Request"), {"TableName": name, **body}, find)
        for name, requests in asked.items()
        for each in requests
        for kind, body in each.items()
    ]
    _require_distinct(writes, "Provided list of item keys contains duplicates")
    for fault in filter(None, (each.fault for each in writes)):
        raise fault
    for write in writes:
        write.table.store(write, now_s)
    consumed = write_capacity(request, writes, 1)
    reply: Reply = {"UnprocessedItems": {}}
    return {**reply, "ConsumedCapacity": consumed} if consumed else reply


def transact_write_items(request: Request, find: Find, tokens: Tokens, now_s: float) -> Reply:
    actions = [next(iter(each.items())) for each in request["TransactItems"]]
    if not 1 <= len(actions) <= MAX_ACTIONS:
        raise invalid(
            "1 validation error detected: Value at 'transactItems' failed to satisfy "
            f"constraint: Member must have length less than or equal to {MAX_ACTIONS}"
        )
    writes = [_outcome(action, body, find) for action, body in actions]
    _require_distinct(writes, "Transaction request cannot include multiple operations on one item")
    if sum(map(_sent_bytes, request["TransactItems"])) > MAX_TRANSACTION_BYTES:
        raise invalid("Transaction request size exceeded the maximum allowed size")
    if _is_repetition(request, tokens, now_s):
        return {}
    faults = [each.fault for each in writes]
    if any(faults):
        reasons = [{"Code": "None"} if each is None else each.reason() for each in faults]
        raise Refused(
            "TransactionCanceledException",
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            f"[{', '.join(each['Code'] for each in reasons)}]",
            CancellationReasons=reasons,
        )
    for write in writes:
        if not write.is_check:
            write.table.store(write, now_s)
    if (token := request.get("ClientRequestToken")) is not None:
        tokens[token] = now_s, _digest(request)
    consumed = write_capacity(request, writes, 2)
    return {"ConsumedCapacity": consumed} if consumed else {}


def _outcome(action: str, request: Request, find: Find) -> Write:
    """The outcome of a write; raises Refused for a request refused with any item."""
    table, expressions = find(request["TableName"]), Expressions(request)
    holds = expressions.condition("ConditionExpression")
    changes = expressions.changes()
    expressions.require_used()
    for change in changes:
        if change.path[0] in table.keys:
            raise bad_value(
                f"Cannot update attribute {change.path[0]}. This attribute is part of the key"
            )
    given = legal_values(request["Item"] if action == "Put" else request["Key"])
    key = table.key_in(given) if action == "Put" else table.key_of(given)
    before = table.read(key)
    write = Write(table, key, before, before, is_check=action == "ConditionCheck")
    try:
        if action == "Put":
            table.require_legal(given, "Item size")
        if holds is not None and not holds(before or {}):
            asks = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
            more = {"Item": before} if asks and before is not None else {}
            write.fault = Refused("ConditionalCheckFailedException", _CONDITION, **more)
        elif action == "Put":
            write.after = given
        elif action == "Update":
            if before is None:  # from no item, any path is removed
                changes = [each for each in changes if each.clause != "REMOVE"]
            write.after = expressions.update(before or given, changes)
            table.require_legal(write.after, "Item size to update")
        elif action == "Delete":
            write.after = None
    except Refused as refused:
        write.fault = refused
    return write


def _is_repetition(request: Request, tokens: Tokens, now_s: float) -> bool:
    """Whether the transaction was carried out lately, by the token; raises Refused."""
    oldest_s = now_s - TOKEN_LASTS_S
    while tokens and next(iter(tokens.values()))[0] < oldest_s:
        tokens.popitem(last=False)
    known = tokens.get(request.get("ClientRequestToken", ""))
    if known is not None and known[1] != _digest(request):
        raise Refused("IdempotentParameterMismatchException", "The token was used before")
    return known is not None


def _require_distinct(writes: list[Write], words: str) -> None:
    if len({(id(each.table), each.key) for each in writes}) < len(writes):
        raise invalid(words)


def _attributes(request: Request, write: Write) -> Item | None:
    match request.get("ReturnValues", "NONE"):
        case "ALL_OLD":
            return write.before
        case "ALL_NEW":
            return write.after
        case "NONE":
            return None
        case other:
            raise invalid(f"A table in memory gives back no {other}")


def _sent_bytes(action: Mapping[str, Request]) -> int:
    (body,) = action.values()
    return item_bytes(body.get("Item") or body["Key"]) + sum(
        map(value_bytes, (body.get("ExpressionAttributeValues") or {}).values())
    )


def _digest(request: Request) -> bytes:
    return sha256(json.dumps(request["TransactItems"], sort_keys=True).encode()).digest()
