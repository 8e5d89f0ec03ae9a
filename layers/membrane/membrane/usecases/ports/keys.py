"""The store of API keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from membrane.domain.access.trust import Principal


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is stored: by its SHA-256, never itself."""

    digest: str
    principal: Principal
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    @property
    def key_id(self) -> str:
        """The short name under which an operator sees the key."""
        return self.digest[:16]

    def is_live(self, now: datetime) -> bool:
        unexpired = self.expires_at is None or now < self.expires_at
        return self.revoked_at is None and unexpired


class KeyStore(Protocol):
    """API keys by their digest. Any method may raise ResourceExhausted or Unavailable."""

    def find(self, digest: str) -> ApiKey | None:
        """The key of that SHA-256 (hex), consistently read."""

    def add(self, key: ApiKey) -> None: ...

    def list_keys(self) -> Sequence[ApiKey]:
        """Every key, live or not, oldest first."""

    def revoke(self, digest: str, at: datetime) -> None:
        """Mark a key as revoked; an earlier revocation stands. Raises NotFound."""
