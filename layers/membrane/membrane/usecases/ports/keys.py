"""What authenticates callers: API keys, and the verification of access tokens."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from membrane.domain.access.principals import Principal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from membrane.domain.access.token_rules import Claims, TokenRule


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


class TokenVerifier(Protocol):
    """Verifies access tokens of the trusted issuer, except for the times of validity."""

    def verify(self, token: str) -> "Claims":
        """The claims of the token.

        Raises Unauthenticated for a token whose signature, issuer or audience is wrong, and
        Unavailable if the issuer does not answer.
        """


@dataclass(frozen=True, slots=True)
class AccessTokens:
    """The trust in the access tokens of one issuer."""

    issuer: str
    """The address of the issuer, exactly as in the claim `iss`."""
    rules: "Sequence[TokenRule]"
    verifier: TokenVerifier
