"""The tokens that language models took, in DynamoDB: an item an account, removed by TTL."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from membrane.domain.language.timestamps import epoch_seconds
from membrane.table.dynamo import OverTable
from membrane.table.items import Item, Value, number
from membrane.table.keys import primary_key
from membrane.table.writes import NO_ATTRIBUTES, Write
from membrane.usecases.ports.surroundings import Clock

PERIOD = timedelta(days=35)
"""How long a sum stays readable."""

_ADD = "ADD tokens_spent :tokens SET expires_at = :expiry"


class _Refused(Exception):
    """The sum would pass the limit, or the account has no sum to correct."""


@dataclass(frozen=True, slots=True)
class DynamoTokenBudget(OverTable):
    """The tokens of a day over one table.

    A write whose reply is lost is repeated and counts twice: rather too many tokens than too few.
    May raise ResourceExhausted or Unavailable.
    """

    now: Clock
    purse: str = "interpreter-tokens"
    """The partition of the accounts: `interpreter-tokens` or `chat-tokens`."""

    def spend(self, account: str, tokens: int, limit: int) -> bool:
        """Count the tokens, unless the sum would pass the limit; whether they count.

        `account` is a date such as 2026-03-01, perhaps followed by the digest of a key. One
        conditional update; no request for more tokens than the limit.
        """
        if tokens > limit:
            return False
        condition = "attribute_not_exists(tokens_spent) OR tokens_spent <= :room"
        return self._add(account, tokens, condition, {":room": number(limit - tokens)})

    def correct(self, account: str, difference: int) -> None:
        """Add to the sum what a call took beyond the tokens spent; negative for less.

        An account without tokens stays without. One conditional update.
        """
        self._add(account, difference, "attribute_exists(tokens_spent)")

    def _add(
        self, account: str, tokens: int, condition: str, room: Mapping[str, Value] = NO_ATTRIBUTES
    ) -> bool:
        """Whether the condition held, and the tokens count."""
        expires_at_s = int(epoch_seconds(self.now() + PERIOD))
        values = {":tokens": number(tokens), ":expiry": number(expires_at_s), **room}
        key = primary_key(self.purse, account)
        add = Write("Update", _refusal, condition, key=key, update=_ADD, values=values)
        try:
            self.commit_all(add)
        except _Refused:
            return False
        return True


def _refusal(_item: Item) -> Exception:
    return _Refused()
