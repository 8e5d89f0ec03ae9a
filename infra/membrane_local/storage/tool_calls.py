"""DynamoDB's requests as calls of dynoxide's tools, and the results as DynamoDB's replies.

The tools leave out three parts of a reply, which `reply_to` adds: the existing item of a failed
condition, the reasons of a cancelled transaction, and the consumed capacity of a search.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from membrane.domain.language.json_text import JsonObject, compact_json

OK = 200

Call = Callable[[str, JsonObject], tuple[bool, str]]
"""Calls a tool by name, with arguments; returns whether the tool succeeded, and the JSON text.

Nobody may change the table between the calls of one request.
"""

_KEYS = ("pk", "sk")
"""The key attributes of the template's table."""

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")
_CODES = re.compile(r"\[([\w, ]+)\]$")
"""The end of the message of a cancelled transaction: a code for each action."""


def reply_to(operation: str, asked: JsonObject, call: Call) -> tuple[int, str]:
    """The status and the body of DynamoDB's reply."""
    arguments = {_snake(name): value for name, value in asked.items()}
    if operation == "DescribeTable":
        arguments["raw"] = True
    succeeded, text = call(_snake(operation), arguments)
    if not succeeded:
        return _refusal(asked, text, call)
    if operation == "SearchVectors":
        consumed = {"VectorSearchRequestBytes": 0.0}
        text = compact_json({**json.loads(text), "ConsumedCapacity": consumed})
    return OK, text


def _snake(name: str) -> str:
    return _CAPITAL.sub("_", name).lower()


def _refusal(asked: JsonObject, text: str, call: Call) -> tuple[int, str]:
    error = _error_in(text)
    code = error["error_type"]
    body: JsonObject = {"__type": f"com.amazonaws#{code}", "message": error["message"]}
    if code == "ConditionalCheckFailedException":
        body |= _existing_item(asked, call)
    if code == "TransactionCanceledException":
        body["CancellationReasons"] = _reasons(asked, error["message"], call)
    return (500 if code == "InternalServerError" else 400), compact_json(body)


def _error_in(text: str) -> JsonObject:
    """The error; arguments that a tool cannot read are answered in plain words."""
    try:
        error: JsonObject = json.loads(text)
    except ValueError:
        return {"error_type": "ValidationException", "message": text}
    return error


def _reasons(asked: JsonObject, message: str, call: Call) -> list[JsonObject]:
    found = _CODES.search(message)
    codes = found[1].split(", ") if found else []
    actions = [action for each in asked["TransactItems"] for action in each.values()]
    return [
        {"Code": code} | (_existing_item(action, call) if code == "ConditionalCheckFailed" else {})
        for action, code in zip(actions, codes, strict=False)
    ]


def _existing_item(action: JsonObject, call: Call) -> JsonObject:
    """The item at the place of a write, where the write asks for the item."""
    if action.get("ReturnValuesOnConditionCheckFailure") != "ALL_OLD":
        return {}
    place: Any = action.get("Item") or action["Key"]
    arguments = {"table_name": action["TableName"], "key": {name: place[name] for name in _KEYS}}
    _, text = call("get_item", arguments)
    found: JsonObject = json.loads(text)
    return found
