"""The tokens that language models may take."""

from typing import Protocol


class TokenBudget(Protocol):
    """Sums of tokens, each under the name of an account that includes the day.

    May raise ResourceExhausted or Unavailable.
    """

    def spend(self, account: str, tokens: int, limit: int) -> bool:
        """Count the tokens, unless the sum would pass the limit; whether they count.

        `account` is a date such as 2026-03-01, perhaps followed by the digest of a key.
        """

    def correct(self, account: str, difference: int) -> None:
        """Add to the sum what a call took beyond the tokens spent; negative for less.

        An account without tokens stays without.
        """
