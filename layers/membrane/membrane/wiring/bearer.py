"""The composition root of bearer tokens: the services of tools, plus kept keys and the issuer."""

import os
import time
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING

from membrane.usecases.access.kept_keys import KeptKeys
from membrane.usecases.ports.access_tokens import AccessTokens
from membrane.usecases.ports.services_tools import BearerServices, ToolServices
from membrane.wiring import services as wiring
from membrane.wiring.rare_ports import on_first_use
from membrane.wiring.token_settings import TokenSettings, read_token_settings
from membrane.wiring.tools import tool_services

if TYPE_CHECKING:
    from membrane.usecases.ports.access_tokens import TokenVerifier
    from membrane.usecases.ports.surroundings import Clock


def bearer_services() -> BearerServices:
    """The services of the environment, or the replacement by `services.serving`."""
    return wiring.replacement_of(BearerServices) or _from_environment()


def build_bearer(
    usual: ToolServices, settings: TokenSettings, *, allows_loopback: bool = False
) -> BearerServices:
    return BearerServices(
        **{each.name: getattr(usual, each.name) for each in fields(ToolServices)},
        kept_keys=KeptKeys(usual.keys, usual.now),
        access_tokens=access_tokens_of(settings, usual.now, allows_loopback=allows_loopback),
        web_origins=settings.web_origins,
    )


def access_tokens_of(
    settings: TokenSettings, now: "Clock", *, allows_loopback: bool = False
) -> AccessTokens | None:
    """The issuer that the settings name; PyJWT is imported for a first token."""
    if not settings.issuer:
        return None

    def make() -> "TokenVerifier":
        from membrane.adapters.oidc.issuer_keys import IssuerKeys
        from membrane.adapters.oidc.jwks import keys_reader
        from membrane.adapters.oidc.jwt_verifier import JwtVerifier

        read = keys_reader(settings.issuer, time.monotonic, allows_loopback=allows_loopback)
        return JwtVerifier(settings.issuer, settings.audience, IssuerKeys(read, now))

    return AccessTokens(settings.issuer, settings.rules, on_first_use(make))


@cache
def _from_environment() -> BearerServices:
    return build_bearer(tool_services(), read_token_settings(os.environ))


if "AWS_LAMBDA_RUNTIME_API" in os.environ:
    # As in `services`: the start has a whole processor, and a malformed rule fails the start.
    bearer_services()
