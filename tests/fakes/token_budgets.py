"""Budgets of tokens over a plain dict."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class FakeTokenBudget:
    """A TokenBudget in memory."""

    accounts: Counter[str] = field(default_factory=Counter)

    def spend(self, account: str, tokens: int, limit: int) -> bool:
        """See TokenBudget."""
        fits = self.accounts[account] + tokens <= limit
        if fits:
            self.accounts[account] += tokens
        return fits

    def correct(self, account: str, difference: int) -> None:
        """See TokenBudget."""
        if account in self.accounts:
            self.accounts[account] += difference
