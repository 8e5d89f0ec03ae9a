"""The authentication of a caller by an API key or by an access token."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from membrane.domain.access.bearer_tokens import Unauthenticated
from membrane.domain.access.principals import Principal
from membrane.domain.language.timestamps import epoch_seconds
from membrane.usecases.access.api_keys import create_key
from membrane.usecases.access.authenticate_bearer import authenticate_bearer
from membrane.usecases.ports.access_tokens import AccessTokens
from membrane.wiring.token_rules import token_rules
from tests.builders.requests import ALPHA
from tests.builders.token_rules import CLAIMS, RULE
from tests.fakes.clock import FakeClock
from tests.fakes.keys import FakeKeys

TOKEN = "head.claims.signature"


@dataclass(slots=True)
class FakeVerifier:
    """A TokenVerifier that knows one token."""

    claims: Mapping[str, Any]
    seen: list[str] = field(default_factory=list)

    def verify(self, token: str) -> Mapping[str, Any]:
        """See TokenVerifier."""
        self.seen.append(token)
        if token != TOKEN:
            raise Unauthenticated("not signed")
        return self.claims


@pytest.fixture
def keys() -> FakeKeys:
    return FakeKeys()


def trusting(clock: FakeClock, **changes: Any) -> AccessTokens:
    """The trust in an issuer whose token lives for a minute."""
    claims = {**CLAIMS, "exp": epoch_seconds(clock()) + 60, **changes}
    return AccessTokens("https://id.example", token_rules([dict(RULE)]), FakeVerifier(claims))


def bearer(
    authorization: str, keys: FakeKeys, clock: FakeClock, tokens: AccessTokens | None = None
) -> Principal:
    return authenticate_bearer(authorization, keys=keys, access_tokens=tokens, now=clock())


def refusal(*arguments: Any) -> str:
    with pytest.raises(Unauthenticated) as caught:
        bearer(*arguments)
    return str(caught.value)


def test_a_key_authenticates_with_and_without_an_issuer(keys: FakeKeys, clock: FakeClock) -> None:
    create_key(ALPHA, None, keys=keys, now=clock(), new_secret=lambda: "secret")

    assert bearer("Bearer secret", keys, clock) == ALPHA
    assert bearer("Bearer secret", keys, clock, trusting(clock)) == ALPHA


def test_a_token_has_the_rights_of_its_claims(keys: FakeKeys, clock: FakeClock) -> None:
    found = bearer(f"Bearer {TOKEN}", keys, clock, trusting(clock))

    assert (found.actor_id, found.scopes) == ("oidc:ana", ("user:ana",))


def test_a_token_without_a_trusted_issuer_is_no_key(keys: FakeKeys, clock: FakeClock) -> None:
    assert refusal(f"Bearer {TOKEN}", keys, clock) == "the bearer token is no live API key"


@pytest.mark.parametrize(
    "authorization",
    ["Bearer", "Bearer ", "Bearer key", f"Basic {TOKEN}", TOKEN, "Bearer a.b"],
)
def test_nothing_but_a_token_of_three_parts_reaches_the_verifier(
    authorization: str, keys: FakeKeys, clock: FakeClock
) -> None:
    trusted = trusting(clock)

    assert refusal(authorization, keys, clock, trusted) == "the bearer token is no live API key"
    assert isinstance(trusted.verifier, FakeVerifier)
    assert not trusted.verifier.seen


def test_a_request_without_a_bearer_token_is_refused(keys: FakeKeys, clock: FakeClock) -> None:
    assert "is required" in refusal("", keys, clock, trusting(clock))


def test_a_token_ends_with_its_time_and_a_little_skew(keys: FakeKeys, clock: FakeClock) -> None:
    trusted = trusting(clock)

    clock.advance(seconds=89)
    assert bearer(f"Bearer {TOKEN}", keys, clock, trusted).actor_id == "oidc:ana"
    clock.advance(seconds=1)
    assert "has expired" in refusal(f"Bearer {TOKEN}", keys, clock, trusted)


def test_a_token_begins_with_its_time_and_a_little_skew(keys: FakeKeys, clock: FakeClock) -> None:
    begins_s = epoch_seconds(clock()) + 31
    trusted = trusting(clock, nbf=begins_s)

    assert "not valid yet" in refusal(f"Bearer {TOKEN}", keys, clock, trusted)
    clock.advance(seconds=1)
    assert bearer(f"Bearer {TOKEN}", keys, clock, trusted).actor_id == "oidc:ana"


@pytest.mark.parametrize("claim", ["exp", "nbf"])
@pytest.mark.parametrize("value", [None, True, "9999999999", [9_999_999_999], {}, float("nan")])
def test_a_time_that_is_no_number_is_refused(
    claim: str, value: object, keys: FakeKeys, clock: FakeClock
) -> None:
    trusted = trusting(clock, **{claim: value})

    assert refusal(f"Bearer {TOKEN}", keys, clock, trusted)


@pytest.mark.parametrize("scheme", ["bearer ", "BEARER ", "Bearer  "])
def test_a_token_follows_the_scheme_in_any_case(
    scheme: str, keys: FakeKeys, clock: FakeClock
) -> None:
    assert bearer(f"{scheme}{TOKEN}", keys, clock, trusting(clock)).actor_id == "oidc:ana"
