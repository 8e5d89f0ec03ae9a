"""Access tokens: the refusal of a caller, and the rules by which claims become a principal.

PermissionDenied
└── Unauthenticated          no live API key and no valid access token names the caller

An operator writes the rules, and an issuer the claims; a user may choose the value of a claim, as
a display name. No value of a claim may therefore reach rights that the rule does not give: see
ClaimPattern. The claims may also be those of AWS's signature.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from membrane.domain.access.principals import Principal, Source, principal_of
from membrane.domain.language.errors import PermissionDenied
from membrane.domain.language.fields import MAX_SCOPE_BYTES
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


_PLACEHOLDER = re.compile(r"\{([^{}\s]+)\}")
_PLAIN = re.compile(r"[!-)+-9;-~]{1,255}")
"""Visible ASCII characters without `*` and `:`, which mean something in scopes and prefixes."""


@dataclass(frozen=True, slots=True)
class ClaimPattern:
    """A text with `{claim}` in the place of values.

    Two different sets of values never make the same text: `:` stands before each `{claim}` and
    after the previous `{claim}`, and no value has a `:`. With `team-{team}-{name}`, the name `b-c`
    in team `a` would be the name `c` in team `a-b`; with `{name}`, a user would choose any scope.
    """

    text: str

    @property
    def claims(self) -> Sequence[str]:
        return _PLACEHOLDER.findall(self.text)

    def require_parted(self) -> None:
        """Raises ValueError for a `{claim}` that no `:` parts from the `{claim}` before."""
        *before, end = _PLACEHOLDER.split(self.text)[::2]
        if any("{" in part or "}" in part for part in (*before, end)):
            raise ValueError("has a { or } that does not enclose the name of a claim")
        if any(":" not in part for part in before):
            raise ValueError("needs a : before each {claim}, and between two of them")

    def fill(self, claims: Claims) -> str:
        """The text with the values; raises Unauthenticated for a value that may not stand here."""
        return _PLACEHOLDER.sub(lambda found: _plain_value(claims, found[1]), self.text)


def _plain_value(claims: Claims, name: str) -> str:
    value = claims.get(name)
    if not isinstance(value, str) or _PLAIN.fullmatch(value) is None:
        raise Unauthenticated(
            f"the claim {name} of the caller must be a text of 1 to 255 visible ASCII"
            " characters without * and :"
        )
    return value


WORD_CLAIMS = ("scope", "scp")
"""Claims whose text is a list of words, parted by spaces (RFC 8693, section 4.2)."""


@dataclass(frozen=True, slots=True)
class TokenRule:
    """The rights of each access token that has the claims of `when`."""

    when: Mapping[str, str | bool]
    """The required value by claim; a claim with a list of values needs the value in the list."""
    actor: ClaimPattern
    permissions: tuple[str, ...]
    scopes: tuple[ClaimPattern, ...]
    max_sensitivity: str
    user_prefix: ClaimPattern
    user_required: bool
    source: Source = Source.TOKEN

    def fits(self, claims: Claims) -> bool:
        return all(value in _values(claims, name) for name, value in self.when.items())

    def principal(self, claims: Claims) -> Principal:
        """The principal with the values of claims; raises Unauthenticated for an unfit value."""
        actor, scopes = self.actor.fill(claims), [each.fill(claims) for each in self.scopes]
        if any(len(scope.encode()) > MAX_SCOPE_BYTES for scope in scopes):
            raise Unauthenticated("the claims of the caller make a scope that is too long")
        try:
            principal = principal_of(
                actor,
                self.permissions,
                scopes,
                self.max_sensitivity,
                user_prefix=self.user_prefix.fill(claims),
                user_required=self.user_required,
            )
        except ValueError as error:
            raise Unauthenticated(str(error)) from error
        return principal._replace(source=self.source)

    @property
    def words(self) -> Iterator[str]:
        """The words of OAuth scopes that the rule asks for."""
        return (str(self.when[name]) for name in WORD_CLAIMS if name in self.when)


def principal_by_rules(rules: Sequence[TokenRule], claims: Claims) -> Principal:
    """The principal by the first rule that fits, even if a later rule would give more.

    Raises Unauthenticated if no rule fits, and if the claims are unfit for the rule.
    """
    for rule in rules:
        if rule.fits(claims):
            return rule.principal(claims)
    raise Unauthenticated("no rule gives rights to the claims of the caller")


def _values(claims: Claims, name: str) -> Sequence[str | bool]:
    """The texts, `True` and `False` of a claim; numbers, which may equal `True`, are left out."""
    value = claims.get(name)
    if name in WORD_CLAIMS and isinstance(value, str):
        return value.split(" ")
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, (str, bool))]
