"""The store of receipts: what was asked, under which trust, and why which records came back."""

from datetime import timedelta
from typing import Protocol

from membrane.domain.search.answer_receipts import AnswerReceipt

RECEIPT_PERIOD = timedelta(days=7)


class AnswerReceipts(Protocol):
    """Receipts of retrievals. May raise ResourceExhausted or Unavailable."""

    def keep(self, receipt: AnswerReceipt) -> None:
        """Keep it for RECEIPT_PERIOD, as one item of 4 KB at most."""

    def find(self, receipt_id: str) -> AnswerReceipt | None:
        """The receipt, unless its time is over."""
