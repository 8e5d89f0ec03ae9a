"""The authentication of a caller by an API key or by an access token."""

from datetime import datetime

from membrane.domain.access.bearer_tokens import Unauthenticated, require_current
from membrane.domain.access.principals import Principal
from membrane.domain.access.token_rules import principal_by_rules
from membrane.usecases.access.api_keys import SCHEME, authenticate
from membrane.usecases.ports.access_tokens import AccessTokens
from membrane.usecases.ports.keys import KeyFinder

_DOTS_OF_A_JWT = 2


def authenticate_bearer(
    authorization: str,
    *,
    keys: KeyFinder,
    access_tokens: AccessTokens | None,
    now: datetime,
) -> Principal:
    """The principal of an `Authorization` header; empty for a request without the header.

    Raises Unauthenticated, and Unavailable or ResourceExhausted if the store of keys or the issuer
    does not answer.
    """
    if not authorization:
        raise Unauthenticated("an API key or an access token is required as a bearer token")
    if access_tokens is not None and _is_access_token(authorization):
        claims = access_tokens.verifier.verify(authorization.removeprefix(SCHEME))
        require_current(claims, now)
        return principal_by_rules(access_tokens.rules, claims)
    principal = authenticate(authorization, keys=keys, now=now)
    if principal is None:
        raise Unauthenticated("the bearer token is no live API key")
    return principal


def _is_access_token(authorization: str) -> bool:
    """Whether the bearer token has the form of a JWT; no API key has a dot."""
    return authorization.startswith(SCHEME) and authorization.count(".") == _DOTS_OF_A_JWT
