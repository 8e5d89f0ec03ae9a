"""Rules by which the claims of an access token, or of AWS's signature, become a principal.

An operator writes the rules, and an issuer the claims; a user may choose the value of a claim, as
a display name. No value of a claim may therefore reach rights that the rule does not give: see
ClaimPattern.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from membrane.domain.access.bearer_tokens import Claims, Unauthenticated
from membrane.domain.access.claim_patterns import ClaimPattern
from membrane.domain.access.principals import Principal, Source, principal_of
from membrane.domain.language.fields import MAX_SCOPE_BYTES

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
