"""Bearer tokens: the refusal of a caller, and the times between which an access token is valid.

PermissionDenied
└── Unauthenticated          no live API key and no valid access token names the caller
"""

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from membrane.domain.language.errors import PermissionDenied
from membrane.domain.language.timestamps import epoch_seconds

Claims = Mapping[str, Any]
"""The claims of a verified access token, by name."""

CLOCK_SKEW_S = 30
"""Seconds by which the clock of an issuer may differ from the clock here."""


class Unauthenticated(PermissionDenied):
    """The caller has no live API key and no valid access token, or a token without rights."""


def require_current(claims: Claims, now: datetime) -> None:
    """Raises Unauthenticated after the token's `exp`, and before the `nbf` of a token with one."""
    now_s = epoch_seconds(now)
    if now_s >= _seconds(claims, "exp") + CLOCK_SKEW_S:
        raise Unauthenticated("the access token has expired")
    if "nbf" in claims and now_s < _seconds(claims, "nbf") - CLOCK_SKEW_S:
        raise Unauthenticated("the access token is not valid yet")


def _seconds(claims: Claims, name: str) -> float:
    """The claim; PyJWT parses NaN and Infinity, and an endless token is refused."""
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < math.inf:
        raise Unauthenticated(f"the claim {name} of the access token must be a number of seconds")
    return value
