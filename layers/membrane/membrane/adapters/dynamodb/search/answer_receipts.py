"""Receipts of retrievals in DynamoDB: one item of at most 4 KB, which TTL removes."""

import zlib
from bisect import bisect_left
from dataclasses import asdict, dataclass, replace
from typing import Any

from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.search.answer_receipts import AnswerReceipt, ExplainedCandidate
from membrane.table import items
from membrane.table.dynamo import OverTable
from membrane.table.keys import answer_key
from membrane.usecases.ports.search import RECEIPT_PERIOD
from membrane.usecases.ports.surroundings import Clock

MAX_ITEM_BYTES = 4_096

_SHORTEST = 8
"""Characters of a text and elements of a list that a receipt always keeps of a query."""


@dataclass(frozen=True, slots=True)
class DynamoReceipts(OverTable):
    """Receipts of answers over one table. May raise ResourceExhausted or Unavailable."""

    now: Clock

    def keep(self, receipt: AnswerReceipt) -> None:
        """Store the receipt for RECEIPT_PERIOD, as one item of 4 KB at most.

        One conditional put: at most 4 write units. The put is refused if an earlier attempt, whose
        reply was lost, has put the receipt.
        """
        expires_at_s = int(epoch_seconds(self.now() + RECEIPT_PERIOD))
        self.is_done(items.put_new(_fitting(receipt, expires_at_s)))

    def find(self, receipt_id: str) -> AnswerReceipt | None:
        """The receipt; None after RECEIPT_PERIOD."""
        item = self.lasting_item_at(answer_key(receipt_id), epoch_seconds(self.now()))
        return None if item is None else receipt_in(item, receipt_id)


def _fitting(receipt: AnswerReceipt, expires_at_s: int) -> dict[str, items.Value]:
    """The item with as many candidates as fit, the best first; texts are cut if none fits."""
    without = replace(receipt, explained=())
    longest = max(_longest(receipt.query), _longest(receipt.trust), _SHORTEST)
    while longest > _SHORTEST and not _fits(_item(without, expires_at_s)):
        longest //= 2
        without = replace(
            without, query=_shorten(receipt.query, longest), trust=_shorten(receipt.trust, longest)
        )

    def explaining(count: int) -> dict[str, items.Value]:
        return _item(replace(without, explained=receipt.explained[:count]), expires_at_s)

    counts = range(1, len(receipt.explained) + 1)
    fitting = bisect_left(counts, x=True, key=lambda count: not _fits(explaining(count)))
    return explaining(fitting)


def _fits(item: items.Item) -> bool:
    return items.size_of(item) <= MAX_ITEM_BYTES


def _longest(value: Any) -> int:
    """The length of the longest text or list in the value."""
    match value:
        case str():
            return len(value)
        case list() | tuple():
            return max([len(value), *map(_longest, value)])
        case dict():
            return max([0, *map(_longest, value.values())])
        case _:
            return 0


def _shorten(value: Any, length: int) -> Any:
    """The same value, with every text and list cut to the length."""
    match value:
        case str():
            return value[:length]
        case list() | tuple():
            return [_shorten(each, length) for each in value[:length]]
        case dict():
            return {name: _shorten(each, length) for name, each in value.items()}
        case _:
            return value


def _item(receipt: AnswerReceipt, expires_at_s: int) -> dict[str, items.Value]:
    document = {name: value for name, value in asdict(receipt).items() if name != "id"}
    document["explained"] = [
        [each.record_id, each.score, dict(each.parts), *([True] if each.handed_out else [])]
        for each in receipt.explained
    ]
    return {
        **answer_key(receipt.id),
        "told": items.binary(zlib.compress(compact_json(document).encode())),
        "expires_at": items.number(expires_at_s),
    }


def receipt_in(item: items.Item, receipt_id: str) -> AnswerReceipt:
    """The receipt of an item; raises CorruptItem for a damaged item."""
    try:
        content = zlib.decompress(items.read_binary(item, "told")).decode()
        document: JsonObject = items.parse_text(item, "told", content, dict)
        explained = tuple(ExplainedCandidate(*each) for each in document.pop("explained"))
        return AnswerReceipt(id=receipt_id, explained=explained, **document)
    except (zlib.error, UnicodeDecodeError, KeyError, TypeError) as error:
        raise items.CorruptItem(item, "not a receipt of ours") from error
