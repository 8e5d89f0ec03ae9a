"""What all parts of the store of topics are over."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.table.attributes import Item, Value, text
from membrane.adapters.dynamodb.table.failures import translated
from membrane.adapters.dynamodb.table.keys import scope_place
from membrane.adapters.dynamodb.table.writes import Write, commit, lost
from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.long_changes import LongChanges
from membrane.domain.lifecycle.retention import Retention
from membrane.usecases.ports.bucket import BlobStore
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Clock

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True)
class TopicTable:
    """One table, with large documents in `blobs`."""

    client: "DynamoDBClient"
    table: str
    blobs: BlobStore
    now: Clock
    retention: Retention
    registered: set[str] = field(default_factory=set)
    """Scopes that are known to be in the registry."""

    @property
    def changes(self) -> LongChanges:
        """Those that take several transactions."""
        return LongChanges(self.client, self.table, self.now)

    def item_at(self, key: dict[str, Value]) -> Item | None:
        """One strongly consistent GetItem."""
        with translated():
            return self.client.get_item(TableName=self.table, Key=key, ConsistentRead=True).get(
                "Item"
            )

    def register(self, scope: str) -> None:
        """Let the registry have the scope: one conditional put, once an environment."""
        if scope in self.registered:
            return
        item = {"pk": text(topic_keys.SCOPES), "sk": text(scope_place(scope))}
        with suppress(LostRace):
            commit(
                self.client, self.table, [Write("Put", lost, "attribute_not_exists(pk)", item=item)]
            )
        self.registered.add(scope)
