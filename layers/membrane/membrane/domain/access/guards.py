"""Guards: how the HTTP API authenticates callers, which the build chooses, and their rights."""

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from membrane.domain.access.token_rules import TokenRule


class Guarding(StrEnum):
    """The values of `make build AUTHORIZER=...`."""

    KEY = "key"
    """API keys, by the service's own authorizer."""
    IAM = "iam"
    """AWS's signature, by API Gateway."""
    JWT = "jwt"
    """Access tokens of the issuer that the operator trusts, by API Gateway."""


class Guard(NamedTuple):
    """The routes behind API Gateway; `/mcp` and the function URL of chat ask callers themselves."""

    by: Guarding = Guarding.KEY
    rules: "Sequence[TokenRule]" = ()
    """The rights of callers with a signature or a token; without a rule nobody has rights."""
