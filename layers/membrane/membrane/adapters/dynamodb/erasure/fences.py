"""Fences in DynamoDB: a single partition, an item per fenced scope."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Any

from membrane.adapters.dynamodb.table.attributes import Client, Value, read_text, text
from membrane.adapters.dynamodb.table.keys import FENCES, primary_key, scope_at, scope_place
from membrane.adapters.dynamodb.table.queries import items_of
from membrane.adapters.dynamodb.table.writes import Write, commit, lost_race
from membrane.domain.language.errors import ScopeFenced
from membrane.usecases.ports.fences import FENCE_PERIOD_S
from membrane.usecases.ports.records import LostRace


class DynamoFences:
    """The Fences over a table; a Query reads all fences, at most every FENCE_PERIOD_S."""

    def __init__(self, client: Client, table: str, elapsed_s: Callable[[], float]) -> None:
        self._client = client
        self._table = table
        self._elapsed_s = elapsed_s
        self._known: tuple[float, Mapping[str, str]] | None = None

    def require_open(self, scopes: Collection[str]) -> None:
        fenced = self._fences()
        for scope in scopes:
            if scope in fenced:
                raise ScopeFenced(
                    f"the scope is being erased (erasure {fenced[scope]}): try again later"
                )

    def put(self, scope: str, erasure_id: str) -> None:
        item = _key(scope) | {"erasure": text(erasure_id)}
        commit(self._client, self._table, [Write("Put", lost_race, item=item)])
        self._known = None

    def remove(self, scope: str, erasure_id: str) -> None:
        own: dict[str, Any] = {
            "condition": "erasure = :erasure",
            "values": {":erasure": text(erasure_id)},
        }
        with suppress(LostRace):
            commit(self._client, self._table, [Write("Delete", lost_race, key=_key(scope), **own)])
        self._known = None

    def _fences(self) -> Mapping[str, str]:
        """The erasure by fenced scope."""
        now_s = self._elapsed_s()
        if self._known is None or now_s - self._known[0] > FENCE_PERIOD_S:
            self._known = now_s, self._read()
        return self._known[1]

    def _read(self) -> Mapping[str, str]:
        found = items_of(
            self._client,
            {
                "TableName": self._table,
                "ConsistentRead": True,
                "KeyConditionExpression": "pk = :pk",
                "ExpressionAttributeValues": {":pk": text(FENCES)},
            },
        )
        return {scope_at(read_text(item, "sk")): read_text(item, "erasure") for item in found}


def _key(scope: str) -> dict[str, Value]:
    return primary_key(FENCES, scope_place(scope))
