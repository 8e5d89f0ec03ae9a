"""The recent tool writes of a key in DynamoDB: an item, removed by TTL."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from membrane.domain.language.errors import Aborted
from membrane.domain.language.timestamps import epoch_seconds
from membrane.table import keys as table_keys
from membrane.table.dynamo import OverTable, existing_item, translating_errors
from membrane.table.items import Item, Value, number, text
from membrane.usecases.ports.surroundings import Clock

KEPT_S = 60
MAX_WRITES = 20


_PREPEND = "SET writes = list_append(:new, if_not_exists(writes, :none)), expires_at = :expires_at"
_HAS_ROOM = "attribute_not_exists(writes) OR size(writes) < :longest"
_BEGIN_ANEW = "SET writes = :new, expires_at = :expires_at"
_IS_AS_READ = "writes = :old"

_LONGEST = 2 * MAX_WRITES
"""The most writes in the item; a full list begins anew with the newest writes."""

_TRIES = 10


@dataclass(frozen=True, slots=True)
class DynamoRecentWrites(OverTable):
    """Recent writes over a table; a write is stored as the text of instant and tokens.

    Any method may raise ResourceExhausted or Unavailable.
    """

    now: Clock

    def note(self, identity: str, tokens: Sequence[str]) -> None:
        """Keep the tokens of a write; parallel notes all stand.

        May raise Aborted, ResourceExhausted and Unavailable. A conditional update; every 20th write
        takes two updates.
        """
        now_s = epoch_seconds(self.now())
        new = text(f"{now_s:.6f} {' '.join(tokens)}")
        expiry = number(int(now_s) + KEPT_S + 1)
        for _ in range(_TRIES):
            prepended: dict[str, Value] = {":none": {"L": []}, ":longest": number(_LONGEST)}
            prepended |= {":new": {"L": [new]}, ":expires_at": expiry}
            full = self._update(identity, _PREPEND, _HAS_ROOM, prepended)
            if full is None:
                return
            old = full["writes"]["L"]
            anew: dict[str, Value] = {":new": {"L": [new, *old[: MAX_WRITES - 1]]}}
            anew |= {":old": {"L": old}, ":expires_at": expiry}
            if self._update(identity, _BEGIN_ANEW, _IS_AS_READ, anew) is None:
                return
        raise Aborted("other writes of the key won every attempt to note a write")

    def _update(self, identity: str, expression: str, condition: str, values: Item) -> Item | None:
        """None for a made update; the item if the condition does not hold."""
        refused = self.client.exceptions.ConditionalCheckFailedException
        try:
            with translating_errors():
                self.client.update_item(
                    TableName=self.table,
                    Key=_key(identity),
                    UpdateExpression=expression,
                    ConditionExpression=condition,
                    ExpressionAttributeValues=values,
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except refused as error:
            return existing_item(error.response)
        return None

    def read(self, identity: str) -> Sequence[str]:
        """The tokens of the last `MAX_WRITES` writes within `KEPT_S`, the newest first.

        A strongly consistent GetItem.
        """
        item = self.item_at(_key(identity))
        if item is None:
            return ()
        since_s = epoch_seconds(self.now()) - KEPT_S
        writes = (each["S"].split() for each in item["writes"]["L"][:MAX_WRITES])
        recent = (tokens for at_s, *tokens in writes if float(at_s) > since_s)
        return tuple(dict.fromkeys(chain.from_iterable(recent)))


def _key(identity: str) -> dict[str, Value]:
    return table_keys.primary_key(f"{table_keys.TOOL_WRITES}{identity}", "recent")
