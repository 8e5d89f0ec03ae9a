"""Items of a change of several transactions: marked with the change until it is settled."""

from collections.abc import Mapping

from membrane.adapters.dynamodb.topics.topic_documents import requiring_shape
from membrane.adapters.dynamodb.topics.topic_table import put_new
from membrane.domain.language.json_text import compact_json
from membrane.table.items import KEY_ATTRIBUTES, Item, Value, parse_text, read_text, text
from membrane.table.writes import Write, lost_race

MARK, BEFORE = "mark", "before"
"""The token of the change, and the item before the change."""

UNMARKED = "attribute_not_exists(mark)"
_MARKED = "mark = :token"


class BlockedByChange(Exception):
    """An item is part of a different change, which is not settled yet."""

    def __init__(self, token: str) -> None:
        super().__init__(token)
        self.token = token


def blocked_by_change(item: Item) -> Exception:
    """The refusal of a write with the condition `UNMARKED`."""
    return BlockedByChange(read_text(item, MARK))


def marked_put(item: Mapping[str, Value], before: Item | None, token: str) -> Write:
    """Put the item as part of a change; lost if `before` (strings only) was replaced."""
    marked = {**item, MARK: text(token)}
    if before is None:
        return put_new(marked)
    earlier = {name: read_text(before, name) for name in before if name not in KEY_ATTRIBUTES}
    marked[BEFORE] = text(compact_json(earlier))
    return Write(
        "Put",
        lost_race,
        " AND ".join(
            [UNMARKED, *(_unchanged_condition(name, before) for name in sorted({*item, *earlier}))]
        ),
        item=marked,
        names={f"#{name}": name for name in {*item, *earlier}},
        values={f":{name}": before[name] for name in before},
    )


def item_before(item: Item) -> dict[str, Value] | None:
    """The item before the change that the mark names; None if there was no item."""
    if BEFORE not in item:
        return None
    earlier = parse_text(item, BEFORE, read_text(item, BEFORE), dict)
    with requiring_shape(item):
        return _key(item) | {name: text(each) for name, each in earlier.items()}


def unmark_write(item: Item, token: str) -> Write:
    """Remove the mark, which makes the item permanent."""
    return Write(
        "Update",
        lost_race,
        _MARKED,
        key=_key(item),
        update=f"REMOVE {MARK}, #before",
        names={"#before": BEFORE},
        values={":token": text(token)},
    )


def undo_write(item: Item, token: str) -> Write:
    """Bring back the item from before the change, or its absence."""
    values = {":token": text(token)}
    before = item_before(item)
    if before is None:
        return Write("Delete", lost_race, _MARKED, key=_key(item), values=values)
    return Write("Put", lost_race, _MARKED, item=before, values=values)


def _unchanged_condition(name: str, before: Item) -> str:
    return f"#{name} = :{name}" if name in before else f"attribute_not_exists(#{name})"


def _key(item: Item) -> dict[str, Value]:
    return {name: item[name] for name in KEY_ATTRIBUTES}
