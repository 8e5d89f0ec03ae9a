"""Rules for access tokens: a rule as JSON, with a default for every field."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.access.token_rules import principal_by_rules
from membrane.wiring.token_rules import token_rules

RULE: Mapping[str, Any] = MappingProxyType(
    {
        "when": {"groups": "agents"},
        "actor": "{sub}",
        "permissions": ["read"],
        "scopes": ["user:{sub}"],
        "max_sensitivity": "low",
    }
)
CLAIMS: Mapping[str, Any] = MappingProxyType({"sub": "ana", "groups": ["staff", "agents"]})


def principal_of_claims(*rules: Mapping[str, Any], **claims: Any) -> Principal:
    """The principal of CLAIMS with changes, by rules that each change RULE."""
    parsed = token_rules([{**RULE, **each} for each in rules or ({},)])
    return principal_by_rules(parsed, {**CLAIMS, **claims})
