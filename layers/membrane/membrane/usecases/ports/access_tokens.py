"""The verification of access tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from membrane.domain.access.bearer_tokens import Claims
from membrane.domain.access.token_rules import TokenRule


class TokenVerifier(Protocol):
    """Verifies access tokens of the trusted issuer, except for the times of validity."""

    def verify(self, token: str) -> Claims:
        """The claims of the token.

        Raises Unauthenticated for a token whose signature, issuer or audience is wrong, and
        Unavailable if the issuer does not answer.
        """


@dataclass(frozen=True, slots=True)
class AccessTokens:
    """The trust in the access tokens of one issuer."""

    issuer: str
    """The address of the issuer, exactly as in the claim `iss`."""
    rules: Sequence[TokenRule]
    verifier: TokenVerifier
