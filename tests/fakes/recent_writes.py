"""The recent tool writes of keys in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain

from membrane.adapters.dynamodb.access.recent_writes import KEPT_S, MAX_WRITES
from membrane.usecases.ports.services import Clock
from tests.fakes.clock import FakeClock
from tests.fakes.stand_in import StandIn


@dataclass(slots=True)
class FakeRecentWrites(StandIn):
    """A fake of DynamoRecentWrites; `failing` is raised where it is set."""

    now: Clock = field(default_factory=FakeClock)
    writes: dict[str, list[tuple[datetime, Sequence[str]]]] = field(default_factory=dict)
    failing: Exception | None = None

    def note(self, identity: str, tokens: Sequence[str]) -> None:
        """See DynamoRecentWrites."""
        if self.failing is not None:
            raise self.failing
        self.writes.setdefault(identity, []).insert(0, (self.now(), tokens))

    def read(self, identity: str) -> Sequence[str]:
        """See DynamoRecentWrites."""
        since = self.now() - timedelta(seconds=KEPT_S)
        newest = self.writes.get(identity, [])[:MAX_WRITES]
        recent = (tokens for at, tokens in newest if at > since)
        return tuple(dict.fromkeys(chain.from_iterable(recent)))
