"""A store whose process dies before one of its writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from membrane.domain.records.stored import AnyRecord, StoredRecord
from tests.fakes.records import FakeRecords


class KilledError(BaseException):
    """The process ends here: nothing may catch it."""


@dataclass(slots=True)
class DyingRecords(FakeRecords):
    """Dies before a write, once no writes are left."""

    writes_left: int = 1_000

    def create(self, new: StoredRecord, **others: Any) -> None:
        """See DynamoRecords."""
        self.step()
        FakeRecords.create(self, new, **others)

    def replace(self, before: AnyRecord, after: AnyRecord, *, due_by_s: int | None = None) -> None:
        """See DynamoRecords."""
        self.step()
        FakeRecords.replace(self, before, after, due_by_s=due_by_s)

    def replace_all(self, changed: Sequence[tuple[AnyRecord, AnyRecord]], **others: Any) -> None:
        """See DynamoRecords."""
        self.step()
        FakeRecords.replace_all(self, changed, **others)

    def step(self) -> None:
        """Die, or count a write."""
        if not self.writes_left:
            raise KilledError
        self.writes_left -= 1
