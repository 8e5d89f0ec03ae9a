"""What the table's items say, however a text is packed; and items changed behind the service."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from membrane.table.blobs import unpack
from membrane.table.items import CorruptItem
from membrane_local.storage.stores import TABLE
from tests.worlds.api import Api


def own_item(api: Api, record_id: str) -> dict[str, Any]:
    """The record's item, without the items beside it."""
    return dict(api.stored()[f"record#{record_id} record"])


def text_of(api: Api, item: dict[str, Any], name: str) -> str:
    """The text of a packed attribute."""
    return unpack(item, name, "any", api.functions.store.blobs)


def texts(api: Api) -> str:
    """The texts of all attributes of all items in the table."""

    def found() -> Iterator[str]:
        for item in api.stored().values():
            for name in item:
                with suppress(CorruptItem):  # no text
                    yield text_of(api, item, name)

    return " ".join(found())


def change(api: Api, item: dict[str, Any], **attributes: Any) -> None:
    """Write the item with other attributes in the table, as no route does."""
    api.functions.store.dynamodb.put_item(TableName=TABLE, Item={**item, **attributes})
