"""Whether any record has a decay class, as the rank index says."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import text
from membrane.adapters.dynamodb.table.failures import translated
from membrane.domain.language.vocabulary import MemoryType

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

RANK = "rank"
"""The index of records by rank."""


@dataclass(frozen=True, slots=True)
class ClassUsage:
    """Looks into the rank index, of so many shards to a decay class."""

    client: "DynamoDBClient"
    table: str
    shards: int

    def is_used(self, scope: str, memory_type: MemoryType, decay_class: str) -> bool:
        """One Query of one entry for each shard, until there is one."""
        return any(
            self._has_entry(table_keys.rank_partition(scope, memory_type, decay_class, shard))
            for shard in range(self.shards)
        )

    def _has_entry(self, partition: str) -> bool:
        with translated():
            found = self.client.query(
                TableName=self.table,
                IndexName=RANK,
                ConsistentRead=False,
                Limit=1,
                Select="COUNT",
                KeyConditionExpression="rank_pk = :pk",
                ExpressionAttributeValues={":pk": text(partition)},
            )
        return found["Count"] > 0
