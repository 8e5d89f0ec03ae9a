"""The walk of an export over the whole table."""

from collections.abc import Sequence
from dataclasses import dataclass

from membrane.adapters.dynamodb.records.beside import key_used
from membrane.adapters.dynamodb.records.queues import (
    THREAD,
    next_turn_in,
)
from membrane.adapters.dynamodb.topics.topic_scopes import ACTION, document_place
from membrane.adapters.dynamodb.topics.topic_store import RECEIPT
from membrane.domain.archive.lines import LineKind, damaged_line
from membrane.domain.archive.side_lines import (
    action_line,
    receipt_line,
    thread_line,
)
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.topics.system_context import KEPT_AS
from membrane.table import keys as table_keys
from membrane.table.dynamo import OverTable, place_of, scan_page
from membrane.table.items import (
    CorruptItem,
    Item,
    is_expired,
    parse_text,
    read_text,
    text,
)
from membrane.table.walk import ItemKind, kind_of, name_of
from membrane.usecases.ports.surroundings import Clock
from membrane.usecases.ports.walks import ArchivedItem

ITEMS = 1_000
"""Items that a page examines at most; a step of an export lasts at least as long as a page."""

ATTRIBUTES = ("pk", "sk", "receipt_for", "fingerprint", "next_turn", "expires_at", "action")
"""The attributes that the walk reads; IAM restricts the role to them."""

_CONTEXT = document_place(KEPT_AS)
_PLACES = {
    f":place{number}": text(place)
    for number, place in enumerate(
        (
            *(table_keys.RECORD, THREAD, table_keys.TOPICS.own, RECEIPT),
            _CONTEXT,
        )
    )
}
"""The sort keys as values of the filter; the sort keys of actions differ, and begin with ACTION."""


@dataclass(frozen=True, slots=True)
class DynamoExports(OverTable):
    """The walk over one table. May raise ResourceExhausted or Unavailable."""

    now: Clock

    def page(self, after: str | None) -> tuple[Sequence[ArchivedItem], str | None]:
        """The items after a place, and the start of the next page; None after the last page.

        A full walk visits every item that exists throughout the walk at least once. One strongly
        consistent Scan of at most ITEMS items or a megabyte.
        """
        found, following = scan_page(
            self.client,
            self.table,
            after,
            ConsistentRead=True,
            Select="SPECIFIC_ATTRIBUTES",  # IAM can restrict a role to named attributes
            Limit=ITEMS,
            FilterExpression=(
                f"((sk IN ({', '.join(_PLACES)}) OR begins_with(sk, :action))"
                " AND NOT begins_with(pk, :answer)) OR begins_with(pk, :documents)"
            ),
            ProjectionExpression="pk, sk, receipt_for, fingerprint, next_turn, expires_at, #a",
            ExpressionAttributeNames={"#a": "action"},
            ExpressionAttributeValues={
                **_PLACES,
                ":action": text(ACTION),
                ":answer": text(table_keys.ANSWER),
                ":documents": text(table_keys.DOCUMENTS),
            },
        )
        now_s, items = epoch_seconds(self.now()), list[ArchivedItem]()
        for item in found:
            try:
                if not is_expired(item, now_s) and (archived := _item_of_export(item)):
                    items.append(archived)
            except (CorruptItem, ValueError):
                place = place_of(item)
                items.append(ArchivedItem(LineKind.DAMAGED, place, line=damaged_line(place)))
        return items, following


def _item_of_export(item: Item) -> ArchivedItem | None:
    after, name, place = place_of(item), name_of(item), read_text(item, "sk")
    match kind_of(item):
        case ItemKind.RECORD:
            return ArchivedItem(LineKind.RECORD, after, name)
        case ItemKind.RECEIPT:
            used = key_used(item)
            line = receipt_line(name, used.record_id, used.fingerprint)
            return ArchivedItem(LineKind.RECEIPT, after, used.record_id, line=line)
        case ItemKind.THREAD:
            line = thread_line(bytes.fromhex(name), next_turn_in(item))
            return ArchivedItem(LineKind.THREAD, after, line=line)
        case ItemKind.TOPIC:
            return ArchivedItem(LineKind.TOPIC, after, name)
        case ItemKind.TOPIC_RECEIPT:
            return ArchivedItem(LineKind.TOPIC_RECEIPT, after, bytes.fromhex(name).hex())
        case ItemKind.DOCUMENTS:
            return ArchivedItem(LineKind.KEYED_DOCUMENT, after)
        case ItemKind.SCOPE if place == _CONTEXT:
            return ArchivedItem(LineKind.SYSTEM_CONTEXT, after)
        case ItemKind.SCOPE if place.startswith(ACTION):
            at, _, action_id = place.removeprefix(ACTION).partition("#")
            action = parse_text(item, "action", read_text(item, "action"), dict)
            scope = table_keys.scope_at(name)
            line = action_line(scope, f"{at}Z", action_id, action)
            return ArchivedItem(LineKind.ACTION, after, scope=scope, line=line)
        case _:
            return None
