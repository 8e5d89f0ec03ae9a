"""The claims of callers whom API Gateway itself has authenticated, and their principals.

A separate module: functions of a stack with API keys never import the rules.
"""

import base64
import re
from collections.abc import Mapping
from typing import Any

from membrane.domain.access.guards import Guard, Guarding
from membrane.domain.access.principals import Principal
from membrane.domain.access.token_rules import Claims, Unauthenticated, principal_by_rules
from membrane.domain.language.errors import InvalidArgument, PermissionDenied
from membrane.domain.language.json_text import parse_json
from membrane.usecases.access.api_keys import bearer_token

_SESSION = re.compile(r"(arn:[a-z-]+):sts::([0-9]{12}):assumed-role/([^/]+)/[^/]+")
_NAMED = re.compile(r"arn:[a-z-]+:iam::([0-9]{12}):(role|user)/(?:[^/]+/)*([^/]+)")


def guarded_principal(
    event: Mapping[str, Any], context: Mapping[str, Any], guard: Guard
) -> Principal:
    """The principal by the guard's rules. Raises PermissionDenied where no rule gives rights."""
    if guard.by is Guarding.IAM:
        claims = signer_claims(context["userArn"])
        caller = claims["arn"]
    else:
        claims = token_claims(event["headers"].get("authorization", ""), context["claims"])
        caller = "the access token"
    try:
        return principal_by_rules(guard.rules, claims)
    except Unauthenticated as error:
        raise PermissionDenied(f"{caller}: {error}") from error


def signer_claims(user_arn: str) -> Claims:
    """`arn` and, of roles and users, `account` and the name as `role` or `user`.

    The ARN of an assumed role becomes the role's, without a path, which the ARN of the session
    lacks: whoever assumes the role chooses the session's name.
    """
    session = _SESSION.fullmatch(user_arn)
    arn = session.expand(r"\1:iam::\2:role/\3") if session else user_arn
    found = _NAMED.fullmatch(arn)
    return {"arn": arn, **({"account": found[1], found[2]: found[3]} if found else {})}


def token_claims(authorization: str, passed: Mapping[str, str]) -> Claims:
    """The claims of the verified token that `passed`, API Gateway's copy, confirms.

    API Gateway passes every claim as a text: the lists `["a b"]` and `["a", "b"]` look alike, and
    so do `true` and `"true"`. The token has the types, and the copy the verified values. Raises
    PermissionDenied for a header that is not one token.
    """
    try:
        _, payload, _ = bearer_token(authorization).split(".")
        padding = "=" * (-len(payload) % 4)
        claims = parse_json(base64.b64decode(payload + padding, b"-_", validate=True))
    except (ValueError, InvalidArgument):
        claims = None
    if not isinstance(claims, dict) or "," in authorization:  # a comma joins repeated headers
        raise PermissionDenied("the header Authorization must have one access token")
    return {name: value for name, value in claims.items() if _text_of(value) == passed.get(name)}


def _text_of(value: Any) -> str:
    """A claim as API Gateway passes claims: `true` for True, `[a b]` for a list."""
    match value:
        case bool():
            return str(value).lower()
        case list():
            return f"[{' '.join(map(_text_of, value))}]"
        case _:
            return str(value)
