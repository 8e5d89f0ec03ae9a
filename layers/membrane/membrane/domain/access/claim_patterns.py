"""Patterns: texts with `{claim}` in the place of the values of an access token's claims."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from membrane.domain.access.bearer_tokens import Claims, Unauthenticated

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
