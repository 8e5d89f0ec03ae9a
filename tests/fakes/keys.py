"""The store of API keys over a plain dict."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from membrane.domain.language.errors import NotFound
from membrane.usecases.ports.keys import ApiKey
from tests.fakes.stand_in import StandIn


@dataclass(slots=True)
class FakeKeys(StandIn):
    """A fake of DynamoKeys."""

    keys: dict[str, ApiKey] = field(default_factory=dict)

    def find(self, digest: str) -> ApiKey | None:
        """See DynamoKeys."""
        return self.keys.get(digest)

    def add(self, key: ApiKey) -> None:
        """See DynamoKeys."""
        self.keys[key.digest] = key

    def list_keys(self) -> Sequence[ApiKey]:
        """See DynamoKeys."""
        return sorted(self.keys.values(), key=lambda key: key.created_at)

    def revoke(self, digest: str, at: datetime) -> None:
        """See DynamoKeys."""
        if digest not in self.keys:
            raise NotFound("no such key")
        key = self.keys[digest]
        self.keys[digest] = replace(key, revoked_at=key.revoked_at or at)
