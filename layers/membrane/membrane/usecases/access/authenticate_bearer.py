"""The authentication of a caller by an API key or by an access token."""

from membrane.domain.access.principals import Principal
from membrane.domain.access.token_rules import Unauthenticated, principal_by_rules, require_current
from membrane.usecases.access.api_keys import authenticate, bearer_token
from membrane.usecases.ports.world import World

_DOTS_OF_A_JWT = 2  # no API key has a dot


def authenticate_bearer(authorization: str, world: World) -> Principal:
    """The principal of an `Authorization` header; empty for a request without the header.

    Raises Unauthenticated, and Unavailable or ResourceExhausted if the store of keys or the issuer
    does not answer.
    """
    if not authorization:
        raise Unauthenticated("an API key or an access token is required as a bearer token")
    token, access_tokens = bearer_token(authorization), world.access_tokens
    if access_tokens is not None and token.count(".") == _DOTS_OF_A_JWT:
        claims = access_tokens.verifier.verify(token)
        require_current(claims, world.now())
        return principal_by_rules(access_tokens.rules, claims)
    principal = authenticate(authorization, keys=world.kept_keys, now=world.now())
    if principal is None:
        raise Unauthenticated("the bearer token is no live API key")
    return principal
