"""Settings of callers without an API key: access tokens, signatures of AWS, web pages.

A separate module: in a build with API keys, only the function for agents reads the settings.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from membrane.adapters.https.endpoints import endpoint_at
from membrane.domain.access.principals import Source
from membrane.domain.access.token_rules import TokenRule
from membrane.domain.language.json_text import parse_json
from membrane.wiring.environment import PREFIX, Reader
from membrane.wiring.token_rules import token_rules

_ISSUER = f"{PREFIX}OIDC_ISSUER"


@dataclass(frozen=True, slots=True)
class TokenSettings:
    """The operator's settings of access tokens; all are empty if API keys alone authenticate."""

    issuer: str
    """The address of the OpenID Connect issuer, exactly as in the claim `iss`."""
    audience: str
    """The value that the claim `aud` must have."""
    rules: Sequence[TokenRule]
    web_origins: frozenset[str] = frozenset()
    """Origins of the web pages that may call, such as `https://app.example.com`."""


def read_token_settings(
    environment: Mapping[str, str], *, allows_loopback: bool = False
) -> TokenSettings:
    """Raises SettingError; with `allows_loopback`, an issuer on the same machine may be HTTP."""
    reader = Reader(environment)
    issuer = reader.read("OIDC_ISSUER", "", _issuer(allows_loopback=allows_loopback))
    return TokenSettings(
        issuer=issuer,
        audience=reader.read("OIDC_AUDIENCE", "", _audience(with_issuer=bool(issuer))),
        rules=reader.read("OIDC_RIGHTS", "[]", _rules(with_issuer=bool(issuer))),
        web_origins=reader.read("CORS_ORIGINS", "", _origins),
    )


def read_iam_rights(environment: Mapping[str, str]) -> Sequence[TokenRule]:
    """The rights of roles and users of AWS; raises SettingError."""
    return Reader(environment).read("IAM_RIGHTS", "[]", _iam_rules)


def _iam_rules(value: str) -> Sequence[TokenRule]:
    return token_rules(parse_json(value), Source.IAM)


def _origins(value: str) -> frozenset[str]:
    return frozenset(value.split(",")) - {""}


def _issuer(*, allows_loopback: bool) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if value:
            endpoint_at(value, allows_loopback=allows_loopback)
        if "?" in value:
            raise ValueError("must be a URL without a query")
        return value

    return parse


def _audience(*, with_issuer: bool) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if with_issuer and not value:
            raise ValueError(f"must be set with {_ISSUER}")
        if value and not with_issuer:
            raise ValueError(f"must be empty without {_ISSUER}")
        return value

    return parse


def _rules(*, with_issuer: bool) -> Callable[[str], Sequence[TokenRule]]:
    def parse(value: str) -> Sequence[TokenRule]:
        rules = token_rules(parse_json(value))
        if rules and not with_issuer:
            raise ValueError(f"must be [] without {_ISSUER}")
        return rules

    return parse
