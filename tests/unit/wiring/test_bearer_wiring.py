"""The composition of bearer tokens: kept keys, and the issuer that the settings name."""

import pytest

from membrane.domain.access.bearer_tokens import Unauthenticated
from membrane.usecases.access.api_keys import create_key
from membrane.usecases.access.authenticate_bearer import authenticate_bearer
from membrane.wiring.bearer import access_tokens_of, bearer_services, build_bearer
from membrane.wiring.services import serving
from membrane.wiring.token_settings import TokenSettings
from tests.builders.requests import ALPHA
from tests.fakes.clock import FakeClock
from tests.fakes.keys import FakeKeys
from tests.fakes.tool_world import tooled

SETTINGS = TokenSettings("https://id.example", "https://memory.example/mcp", ())


def test_services_find_keys_and_trust_no_issuer_unless_set() -> None:
    keys, clock = FakeKeys(), FakeClock()
    create_key(ALPHA, None, keys=keys, now=clock(), new_secret=lambda: "secret")
    built = build_bearer(tooled(keys=keys, now=clock), TokenSettings("", "", ()))

    found = authenticate_bearer(
        "Bearer secret", keys=built.kept_keys, access_tokens=built.access_tokens, now=clock()
    )

    assert found == ALPHA
    assert built.access_tokens is None


def test_a_replacement_serves_in_place_of_the_environment() -> None:
    built = build_bearer(tooled(), SETTINGS)

    with serving(built):
        assert bearer_services() is built


def test_the_verifier_of_the_issuer_is_made_for_a_first_token() -> None:
    trusted = access_tokens_of(SETTINGS, FakeClock())

    assert trusted is not None
    assert trusted.issuer == "https://id.example"
    with pytest.raises(Unauthenticated):
        trusted.verifier.verify("a.b.c")
