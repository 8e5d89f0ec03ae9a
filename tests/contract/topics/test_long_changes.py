"""Items of a change of several transactions: what another writer has put since stays."""

from typing import Any

import pytest

from membrane.domain.language.timestamps import rfc3339
from membrane.table.dynamo import commit
from membrane.table.items import Item, LostRace, text
from membrane.table.long import marked_put, undo_write, unmark_write
from tests.worlds.faults import hooks
from tests.worlds.stores import Store

PLACE: Any = {"pk": text("topic#a"), "sk": text("out#b")}
EARLIER: Item = {**PLACE, "kind": text("earlier")}
OURS: Item = {**PLACE, "kind": text("ours")}
THEIRS: Item = {**PLACE, "kind": text("theirs")}


def marked(table: Store, before: Item | None) -> Item:
    """The item as our change has marked it, over the earlier item or none."""
    if before is not None:
        table.inspector.put_item(TableName=table.table, Item=before)
    commit(table.client, table.table, [marked_put(OURS, before, "our change")])
    return there(table)


def there(table: Store) -> Item:
    (item,) = table.partition("topic#a")
    return item


@pytest.mark.parametrize("before", [None, EARLIER], ids=["nothing", "an earlier item"])
@pytest.mark.parametrize("write", [unmark_write, undo_write])
def test_what_another_writer_put_since_is_neither_unmarked_nor_undone(
    table: Store, write: Any, before: Item | None
) -> None:
    item = marked(table, before)
    table.inspector.put_item(TableName=table.table, Item={**THEIRS, "mark": text("their change")})
    since = there(table)

    with pytest.raises(LostRace):
        commit(table.client, table.table, [write(item, "our change")])

    assert there(table) == since


@pytest.mark.parametrize(
    "since",
    [THEIRS, {**EARLIER, "mark": text("their change")}, {**EARLIER, "more": text("theirs")}],
    ids=["replaced", "marked", "with more"],
)
def test_an_item_that_is_no_longer_as_it_was_read_is_not_marked(table: Store, since: Item) -> None:
    table.inspector.put_item(TableName=table.table, Item=since)

    with pytest.raises(LostRace):
        commit(
            table.client,
            table.table,
            [marked_put({**OURS, "more": text("ours")}, EARLIER, "our change")],
        )

    assert there(table) == since


def test_what_another_change_has_marked_is_not_deleted(table: Store) -> None:
    table.topics.log("scope", {"topics": ["a"]}, rfc3339(table.clock.now), "action")
    query = "after-call.dynamodb.Query"

    def mark(parsed: Any, **_: object) -> None:
        hooks(table.client).unregister(query, mark)
        for item in parsed["Items"]:
            marked = {**item, "mark": text("their change")}
            table.inspector.put_item(TableName=table.table, Item=marked)

    hooks(table.client).register(query, mark)

    with pytest.raises(LostRace):
        table.topics.forget_actions("scope", ["a"])

    assert [each for each in table.everything() if each.get("mark") == text("their change")]


def test_an_undone_item_is_as_it_was(table: Store) -> None:
    commit(table.client, table.table, [undo_write(marked(table, EARLIER), "our change")])

    assert there(table) == EARLIER
