"""Finding topics by the indexes: which may lag behind, so that who is told loads and looks."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.table.attributes import Item, binary, number, read_number, text
from membrane.adapters.dynamodb.table.queries import items_of
from membrane.adapters.dynamodb.table.writes import Write, commit, lost
from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.topic_items import due_keys
from membrane.adapters.dynamodb.topics.topic_table import TopicTable
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.topics import TopicPlace

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import QueryInputTypeDef


_LATER = "SET due_pk = :topics, due_sk = :until REMOVE stale"
_DONE = "REMOVE due_pk, due_sk, stale"


@dataclass(frozen=True, slots=True)
class TopicIndexes(TopicTable):
    """The part of a TopicStore that goes by the indexes."""

    def listed(
        self, scope: str, limit: int, after: TopicPlace | None = None
    ) -> Sequence[TopicPlace]:
        """One Query of the rank index a megabyte."""
        partition = text(topic_keys.rank_partition(scope))
        request: QueryInputTypeDef = {
            "TableName": self.table,
            "IndexName": "rank",
            "ConsistentRead": False,
            "ScanIndexForward": False,
            "Limit": limit,
            "KeyConditionExpression": "rank_pk = :pk",
            "ExpressionAttributeValues": {":pk": partition},
        }
        if after is not None:
            place = {"rank_pk": partition, "rank_sk": number(after.rank)}
            request["ExclusiveStartKey"] = topic_keys.topic_key(after.topic_id) | place
        return [
            TopicPlace(topic_keys.topic_id_of(item), read_number(item, "rank_sk"))
            for item in islice(items_of(self.client, request), limit)
        ]

    def titled(self, title_key: bytes, limit: int) -> Sequence[str]:
        """One Query of the natural index a megabyte."""
        request: QueryInputTypeDef = {
            "TableName": self.table,
            "IndexName": "natural",
            "ConsistentRead": False,
            "ScanIndexForward": False,
            "Limit": limit,
            "KeyConditionExpression": "natural_pk = :key",
            "ExpressionAttributeValues": {":key": binary(title_key)},
        }
        found: Sequence[Item] = list(islice(items_of(self.client, request), limit))
        return [topic_keys.topic_id_of(item) for item in found]

    def due(self, by_s: float, limit: int) -> Sequence[tuple[str, float]]:
        """One Query of the due index a megabyte."""
        request: QueryInputTypeDef = {
            "TableName": self.table,
            "IndexName": "due",
            "ConsistentRead": False,
            "Limit": limit,
            "KeyConditionExpression": "due_pk = :topics AND due_sk <= :by",
            "ExpressionAttributeValues": {
                ":topics": text(topic_keys.TOPICS_DUE),
                ":by": number(by_s),
            },
        }
        return [
            (topic_keys.topic_id_of(item), read_number(item, "due_sk"))
            for item in islice(items_of(self.client, request), limit)
        ]

    def put_off(self, topic_id: str, version: int, until_s: float | None) -> None:
        """One conditional UpdateItem."""
        keys = due_keys(until_s)
        move = Write(
            "Update",
            lost,
            "#version = :version",
            key=topic_keys.topic_key(topic_id),
            update=_LATER if keys else _DONE,
            names={"#version": "version"},
            values={":version": number(version)}
            | ({":topics": keys["due_pk"], ":until": keys["due_sk"]} if keys else {}),
        )
        with suppress(LostRace):
            commit(self.client, self.table, [move])
