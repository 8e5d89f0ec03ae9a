"""The rules of the parameters `OidcRights` and `IamRights`, parsed from JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from membrane.domain.access.principals import IAM_ACTOR, SERVICE_ACTORS, TOKEN_ACTOR, Source
from membrane.domain.access.token_rules import (
    WORD_CLAIMS,
    ClaimPattern,
    Claims,
    TokenRule,
    Unauthenticated,
)
from membrane.domain.access.trust import is_unclear_prefix
from membrane.domain.language.fields import PREFIX_END
from membrane.domain.language.vocabulary import Permission, Sensitivity

_REQUIRED = ("when", "actor", "permissions", "scopes", "max_sensitivity")
_OPTIONAL = ("user_prefix", "user_required")

SIGNER_CLAIMS = ("arn", "account", "role", "user")
"""The claims of a caller whom AWS's signature names."""

_ACTORS = {Source.TOKEN: TOKEN_ACTOR, Source.IAM: IAM_ACTOR}
"""The beginning of an actor's name by source; no actor of one source is an actor of another."""


def token_rules(listed: Any, source: Source = Source.TOKEN) -> tuple[TokenRule, ...]:
    """The rules of a JSON array; the ValueError names the number of a rule, from 1, and the field.

    `source` is TOKEN or IAM.

    `[{"when": {"groups": "agents"}, "actor": "{sub}", "permissions": ["read"],
    "scopes": ["user:{sub}"], "max_sensitivity": "low"}]`
    """
    if not isinstance(listed, list):
        raise ValueError("must be a JSON array of rules")  # noqa: TRY004 - a setting
    return tuple(_numbered_rule(number, each, source) for number, each in enumerate(listed, 1))


def _numbered_rule(number: int, value: Any, source: Source) -> TokenRule:
    try:
        return _rule(value, source)
    except (ValueError, Unauthenticated) as error:
        raise ValueError(f"rule {number}: {error}") from error


def _rule(value: Any, source: Source) -> TokenRule:
    fields = value if isinstance(value, dict) else {}
    if not set(_REQUIRED) <= fields.keys() <= {*_REQUIRED, *_OPTIONAL}:
        raise ValueError(
            f"must be a JSON object of {', '.join(_REQUIRED)}; optional are {', '.join(_OPTIONAL)}"
        )
    rule = TokenRule(
        when=_conditions(fields["when"]),
        actor=_actor(fields["actor"], _ACTORS[source]),
        permissions=tuple(_permissions(fields["permissions"])),
        scopes=tuple(_scope(each) for each in _texts("scopes", fields["scopes"])),
        max_sensitivity=_sensitivity(fields["max_sensitivity"]),
        user_prefix=_pattern("user_prefix", fields.get("user_prefix", "")),
        user_required=_flag("user_required", fields.get("user_required", False)),
        source=source,
    )
    if source is Source.IAM:
        _require_claims_of_signers(rule)
    rule.principal(_sample(rule))
    return rule


def _require_claims_of_signers(rule: TokenRule) -> None:
    for name in rule.when:
        if name not in SIGNER_CLAIMS:
            raise ValueError(f"when has {name}; known are {', '.join(SIGNER_CLAIMS)}")
    for name in _claims_in(rule):
        if name not in SIGNER_CLAIMS or name == "arn":  # an ARN has colons
            raise ValueError(
                f"{{{name}}} has no value; known are {{account}}, {{role}} and {{user}}"
            )


def _conditions(value: Any) -> Mapping[str, str | bool]:
    if not isinstance(value, dict):
        raise ValueError("when must be a JSON object of claims; {} fits every caller")  # noqa: TRY004 - a setting
    for name, wanted in value.items():
        if not isinstance(wanted, (str, bool)) or wanted == "":
            raise ValueError(f"when.{name} must be a text of 1 character or more, true or false")
        if name in WORD_CLAIMS and (isinstance(wanted, bool) or " " in wanted):
            raise ValueError(f"when.{name} must be one word")
    return value


def _actor(value: Any, beginning: str) -> ClaimPattern:
    if not isinstance(value, str) or not value or value in SERVICE_ACTORS:
        raise ValueError("actor must be a text, and not the name of an actor of the service")
    return _pattern("actor", f"{beginning}{value}")


def _scope(value: str) -> ClaimPattern:
    if is_unclear_prefix(value):
        raise ValueError(f"scopes: {value} must end in {PREFIX_END} to be a prefix")
    return _pattern("scopes", value)


def _permissions(value: Any) -> Sequence[str]:
    named = _texts("permissions", value)
    unknown = [each for each in named if each not in set(Permission)]
    if unknown:
        raise ValueError(f"permissions has {unknown[0]}; known are {', '.join(Permission)}")
    return named


def _sensitivity(value: Any) -> str:
    if value not in list(Sensitivity):
        raise ValueError(f"max_sensitivity must be one of: {', '.join(Sensitivity)}")
    return str(value)


def _pattern(field: str, value: Any) -> ClaimPattern:
    if not isinstance(value, str):
        raise ValueError(f"{field} must be a text")  # noqa: TRY004 - a setting
    pattern = ClaimPattern(value)
    try:
        pattern.require_parted()
    except ValueError as error:
        raise ValueError(f"{field}: {value} {error}") from None
    return pattern


def _texts(field: str, value: Any) -> Sequence[str]:
    is_list = isinstance(value, list) and all(isinstance(each, str) and each for each in value)
    if not is_list or not value:
        raise ValueError(f"{field} must be a JSON array of texts, with 1 text or more")
    return list(value)


def _flag(field: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{field} must be true or false")  # noqa: TRY004 - a setting
    return value


def _claims_in(rule: TokenRule) -> Iterator[str]:
    """The names of claims of which the rule takes the values."""
    for pattern in (rule.actor, rule.user_prefix, *rule.scopes):
        yield from pattern.claims


def _sample(rule: TokenRule) -> Claims:
    """Claims with a different value for each name: a user prefix must fit by the claim's name."""
    names = dict.fromkeys(_claims_in(rule))
    return {name: f"value-{number}" for number, name in enumerate(names)}
