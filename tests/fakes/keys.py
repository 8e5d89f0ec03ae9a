"""The store of API keys over a plain dict."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from membrane.domain.language.errors import NotFound
from membrane.usecases.ports.keys import ApiKey


@dataclass(slots=True)
class FakeKeys:
    """A KeyStore in memory."""

    keys: dict[str, ApiKey] = field(default_factory=dict)

    def find(self, digest: str) -> ApiKey | None:
        """See KeyStore."""
        return self.keys.get(digest)

    def add(self, key: ApiKey) -> None:
        """See KeyStore."""
        self.keys[key.digest] = key

    def list_keys(self) -> Sequence[ApiKey]:
        """See KeyStore."""
        return sorted(self.keys.values(), key=lambda key: key.created_at)

    def revoke(self, digest: str, at: datetime) -> None:
        """See KeyStore."""
        if digest not in self.keys:
            raise NotFound("no such key")
        key = self.keys[digest]
        self.keys[digest] = replace(key, revoked_at=key.revoked_at or at)
