"""Budgets of tokens over a plain dict."""

from collections import Counter
from dataclasses import dataclass, field

from tests.fakes.stand_in import StandIn


@dataclass(slots=True)
class FakeTokenBudget(StandIn):
    """A fake of DynamoTokenBudget."""

    accounts: Counter[str] = field(default_factory=Counter)

    def spend(self, account: str, tokens: int, limit: int) -> bool:
        """See DynamoTokenBudget."""
        fits = self.accounts[account] + tokens <= limit
        if fits:
            self.accounts[account] += tokens
        return fits

    def correct(self, account: str, difference: int) -> None:
        """See DynamoTokenBudget."""
        if account in self.accounts:
            self.accounts[account] += difference
