"""Perform the requests of a batch one by one, in order, as if each came alone."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from membrane.adapters.aws_lambda.http.operations import Row, perform, reporting
from membrane.adapters.aws_lambda.http.problems import fault_problem, problem
from membrane.domain.language import errors, json_text
from membrane.domain.language.values import MAX_REPLY_BYTES, LargeValue
from membrane.domain.records.stored import fingerprint_of
from membrane.usecases.machinery.calls import Call, known_values, reply_body, was_reinforced
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.adapters.aws_lambda.http.replies import RefusedItem

RPC = "rpc"
"""Names an item's operation."""

BEGINS_WITHIN = timedelta(seconds=10)
"""The time in which a batch starts further items.

API Gateway waits for 29 seconds, and a failing store may delay the last item. A repeat under the
same key finds the items that were written.
"""

NOT_BEGUN = "the batch ran out of time before this item; send the whole batch again with its key"


def perform_items(
    items: Sequence[Any],
    call: Call,
    world: World,
    rows: Mapping[str, Row],
    word: str = RPC,
    *,
    refusing: Callable[[Sequence[json_text.Body]], errors.DomainError | None] = lambda _: None,
) -> tuple[list[json_text.Body], dict[LargeValue, bytes]]:
    """The entry of each item, in order, and the texts of large values already in memory.

    The field `word` of an item names its operation. `refusing` gets the entries so far, and returns
    the refusal of the next item, if any.
    """
    end = world.now() + BEGINS_WITHIN
    known: dict[LargeValue, bytes] = {}
    entries: list[json_text.Body] = []
    for item, key in zip(items, _keys(call.key, items), strict=True):
        late = errors.Unavailable(NOT_BEGUN) if world.now() > end else None
        refused = refusing(entries) or late
        if refused is not None:
            entries.append(refusal_entry(refused))
        else:
            asked = partial(row_and_request, item, rows, word)
            entries.append(_entry(asked, call._replace(key=key), world, known))
    return entries, known


def _entry(
    named: Callable[[], tuple[Row, json_text.JsonObject]],
    call: Call,
    world: World,
    known: dict[LargeValue, bytes],
) -> json_text.Body:
    rpc = call.rpc
    try:
        row, asked = named()
        rpc = row.rpc
        with reporting(rpc, world):
            result = perform(row, asked, call.principal, world, call.key)
    except errors.DomainError as error:
        return refusal_entry(error)
    except Exception as fault:  # noqa: BLE001 - raised, the fault would hide the results of the other items
        world.report(rpc, FAULT, fault)
        body = fault_problem()
        failed: RefusedItem = {"status": body["status"], "error": body}
        return failed
    for large, text in known_values(result).items():
        if sum(map(len, known.values())) + len(text) <= MAX_REPLY_BYTES:
            known[large] = text
    status = 200 if result.replayed or was_reinforced(result) else row.status
    return {"status": status, **reply_body(result)}


def row_and_request(
    item: Any, rows: Mapping[str, Row], word: str = RPC
) -> tuple[Row, json_text.JsonObject]:
    """The row that an item names, and the item's request; raises InvalidArgument."""
    if isinstance(item, json_text.UnreadableItem):
        raise item.refusal
    if not isinstance(item, dict):
        raise errors.InvalidArgument("an item must be a JSON object")
    named = item.get(word)
    if not isinstance(named, str) or named not in rows:
        message = f"{word} must be one of: {', '.join(rows)}"
        raise errors.InvalidArgument(message).at(word)
    asked = {name: value for name, value in item.items() if name != word}
    json_text.require_depth(asked, rows[named].levels)
    return rows[named], asked


def _keys(batch_key: str | None, items: Sequence[Any]) -> Iterator[str | None]:
    """Keys for the items, derived from the batch's key, the item's fingerprint and the occurrence.

    The third of three equal items is occurrence 2: equal items stay apart, and a repeated batch
    gives every item the same key, even if the items come in a different order.
    """
    seen: Counter[str] = Counter()
    for item in items:
        if batch_key is None:
            yield None
            continue
        fingerprint = fingerprint_of(item).hex()
        yield json_text.digest(batch_key, fingerprint, str(seen[fingerprint])).hex()
        seen[fingerprint] += 1


def refusal_entry(error: errors.DomainError) -> "RefusedItem":
    body = problem(error)
    return {"status": body["status"], "error": body}
