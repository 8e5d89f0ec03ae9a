"""The store of API keys."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from membrane.domain.access.principals import Principal


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key as stored: the SHA-256 of the secret, never the secret."""

    digest: str
    principal: Principal
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    @property
    def key_id(self) -> str:
        """The short name that operators see."""
        return self.digest[:16]

    def is_live(self, now: datetime) -> bool:
        unexpired = self.expires_at is None or now < self.expires_at
        return self.revoked_at is None and unexpired


class KeyFinder(Protocol):
    """Finds API keys. May raise ResourceExhausted or Unavailable."""

    def find(self, digest: str) -> ApiKey | None:
        """The key with the SHA-256 `digest` (hex)."""
