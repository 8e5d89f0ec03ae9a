"""What bounds the calls of models: the claims of workers to captures, and the tokens of a day."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from membrane.domain.language.timestamps import epoch_seconds
from membrane.table.dynamo import OverTable
from membrane.table.items import NO_ATTRIBUTES, Value, Write, lost_race, number, text
from membrane.table.keys import primary_key
from membrane.usecases.ports.surroundings import Clock

PERIOD = timedelta(days=35)
"""How long a sum of tokens stays readable."""

_TAKE = "SET claimed_by = :worker, claimed_until = :until, expires_at = :expiry"
_IS_FREE = "attribute_not_exists(claimed_by) OR claimed_by = :worker OR claimed_until <= :now"
_ADD = "ADD tokens_spent :tokens SET expires_at = :expiry"


@dataclass(frozen=True, slots=True)
class DynamoClaims(OverTable):
    """Claims of workers to interpret a capture: an item a capture, removed by TTL.

    May raise ResourceExhausted or Unavailable.
    """

    now: Clock

    def take(self, record_id: str, worker: str, seconds: int) -> bool:
        """Claim the capture for a time; False while the claim of a different worker stands.

        A repeat by the same worker renews the claim. A conditional update.
        """
        now_s = epoch_seconds(self.now())
        until_s = now_s + seconds
        values = {
            ":worker": text(worker),
            ":now": number(now_s),
            ":until": number(until_s),
            ":expiry": number(int(until_s) + 1),
        }
        return self._update(record_id, _TAKE, _IS_FREE, values)

    def release(self, record_id: str, worker: str) -> None:
        """End the claim of the worker, and of no different worker. A conditional update."""
        values = {":worker": text(worker), ":ended": number(0)}
        self._update(record_id, "SET claimed_until = :ended", "claimed_by = :worker", values)

    def _update(
        self, record_id: str, update: str, condition: str, values: Mapping[str, Value]
    ) -> bool:
        key = primary_key("interpreter-claims", record_id)
        return self.is_done(
            Write("Update", lost_race, condition, key=key, update=update, values=values)
        )


@dataclass(frozen=True, slots=True)
class DynamoTokenBudget(OverTable):
    """The tokens that language models took in a day: an item an account, removed by TTL.

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
        """Add what a call took beyond the spent tokens, to an account with tokens. One update."""
        self._add(account, difference, "attribute_exists(tokens_spent)")

    def _add(
        self, account: str, tokens: int, condition: str, room: Mapping[str, Value] = NO_ATTRIBUTES
    ) -> bool:
        expires_at_s = int(epoch_seconds(self.now() + PERIOD))
        values = {":tokens": number(tokens), ":expiry": number(expires_at_s), **room}
        key = primary_key(self.purse, account)
        return self.is_done(
            Write("Update", lost_race, condition, key=key, update=_ADD, values=values)
        )
