"""Access tokens as JSON Web Tokens (RFC 7519), verified by PyJWT."""

from collections.abc import Mapping
from dataclasses import dataclass

import jwt
from jwt import PyJWK
from jwt.exceptions import (
    InvalidAudienceError,
    InvalidIssuerError,
    MissingRequiredClaimError,
    PyJWTError,
)
from jwt.types import Options

from membrane.adapters.oidc.issuer_keys import IssuerKeys
from membrane.adapters.oidc.jwks import ALGORITHMS
from membrane.domain.access.token_rules import Claims, Unauthenticated

MAX_TOKEN_CHARACTERS = 10_000
"""API Gateway takes headers of 10,240 bytes."""

_OPTIONS: Options = {
    "require": ["iss", "aud", "exp"],
    "verify_exp": False,  # the domain checks times by the clock of the world
    "verify_nbf": False,
    "verify_iat": False,
    "enforce_minimum_key_length": True,
}
_REASONS: Mapping[type[PyJWTError], str] = {
    InvalidAudienceError: "the access token is for a different audience",
    InvalidIssuerError: "the access token is of a different issuer",
    MissingRequiredClaimError: "the access token needs the claims iss, aud and exp",
}


@dataclass(frozen=True, slots=True)
class JwtVerifier:
    """A TokenVerifier for the tokens of one issuer to one audience."""

    issuer: str
    audience: str
    keys: IssuerKeys

    def verify(self, token: str) -> Claims:
        if not token.isascii() or len(token) > MAX_TOKEN_CHARACTERS:
            raise Unauthenticated(f"an access token has at most {MAX_TOKEN_CHARACTERS} characters")
        try:
            return jwt.decode(
                token,
                self._key_of(token),
                algorithms=ALGORITHMS,
                options=_OPTIONS,
                audience=self.audience,
                issuer=self.issuer,
            )
        except PyJWTError as error:
            reason = _REASONS.get(type(error), "the access token is not signed by the issuer")
            raise Unauthenticated(reason) from error

    def _key_of(self, token: str) -> PyJWK:
        """The key that the header names, which fixes the algorithm as well."""
        header = jwt.get_unverified_header(token)
        if header.get("alg") not in ALGORITHMS:
            raise Unauthenticated(f"an access token is signed by one of: {', '.join(ALGORITHMS)}")
        key_id = header.get("kid")
        key = self.keys.find(key_id) if key_id else None
        if key is None:
            raise Unauthenticated("the access token names no key of the issuer")
        return key
