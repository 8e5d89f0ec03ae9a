"""API keys in DynamoDB: one partition, an item per key under the SHA-256 of the key."""

from collections.abc import Sequence
from datetime import datetime

from membrane.domain.access.principals import principal_of
from membrane.domain.language.errors import NotFound
from membrane.domain.language.timestamps import epoch_seconds
from membrane.table import keys as table_keys
from membrane.table.dynamo import OverTable, translating_errors
from membrane.table.items import CorruptItem, Item, Value, number, read_instant, read_text, text
from membrane.usecases.ports.keys import ApiKey


class DynamoKeys(OverTable):
    """API keys over one table. May raise ResourceExhausted or Unavailable."""

    def find(self, digest: str) -> ApiKey | None:
        """The key with the SHA-256 `digest` (hex), read consistently."""
        found = self.item_at(_key(digest))
        return None if found is None else _api_key(found)

    def add(self, key: ApiKey) -> None:
        with translating_errors():
            self.client.put_item(
                TableName=self.table,
                Item=_item(key),
                ConditionExpression="attribute_not_exists(pk)",
            )

    def list_keys(self) -> Sequence[ApiKey]:
        """Every key, live or not, the oldest first. One Query of the keys' partition, in pages."""
        found = map(_api_key, self.query("pk = :pk", {":pk": text(table_keys.API_KEYS)}))
        return sorted(found, key=lambda key: key.created_at)

    def revoke(self, digest: str, at: datetime) -> None:
        """Mark a key as revoked; the first revocation stands. Raises NotFound."""
        try:
            with translating_errors():
                self.client.update_item(
                    TableName=self.table,
                    Key=_key(digest),
                    UpdateExpression="SET revoked_at = if_not_exists(revoked_at, :at)",
                    ConditionExpression="attribute_exists(pk)",
                    ExpressionAttributeValues={":at": number(epoch_seconds(at))},
                )
        except self.client.exceptions.ConditionalCheckFailedException as error:
            raise NotFound("no such key") from error


def _key(digest: str) -> dict[str, Value]:
    return table_keys.primary_key(table_keys.API_KEYS, digest)


def _item(key: ApiKey) -> dict[str, Value]:
    principal = key.principal
    item: dict[str, Value] = {
        **_key(key.digest),
        "actor_id": text(principal.actor_id),
        "permissions": {"SS": sorted(principal.permissions)},
        "scopes": {"L": [text(scope) for scope in principal.scopes]},
        "max_sensitivity": text(principal.ceiling),
        "created_at": number(epoch_seconds(key.created_at)),
    }
    if principal.user_prefix:
        item["user_prefix"] = text(principal.user_prefix)
        item["user_required"] = {"BOOL": principal.user_required}
    if key.expires_at is not None:
        item["expiry"] = number(epoch_seconds(key.expires_at))
    return item


def _api_key(item: Item) -> ApiKey:
    """The key of an item. `expiry` is not the TTL attribute: an expired key stays listed."""
    try:
        principal = principal_of(
            read_text(item, "actor_id"),
            item["permissions"]["SS"],
            [scope["S"] for scope in item["scopes"]["L"]],
            read_text(item, "max_sensitivity"),
            user_prefix=read_text(item, "user_prefix") if "user_prefix" in item else "",
            user_required=item["user_required"]["BOOL"] if "user_required" in item else False,
        )
    except (KeyError, ValueError) as error:
        raise CorruptItem(item, "not an API key") from error
    return ApiKey(
        digest=read_text(item, "sk"),
        principal=principal,
        created_at=read_instant(item, "created_at"),
        expires_at=_instant(item, "expiry"),
        revoked_at=_instant(item, "revoked_at"),
    )


def _instant(item: Item, name: str) -> datetime | None:
    return read_instant(item, name) if name in item else None
