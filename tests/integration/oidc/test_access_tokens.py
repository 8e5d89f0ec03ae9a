"""Access tokens of a local issuer: which tokens authenticate, and what is asked of the issuer."""

import hashlib
import hmac
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from membrane.adapters.https import MAX_REPLY_BYTES
from membrane.domain.access.principals import Principal
from membrane.domain.access.token_rules import Unauthenticated
from membrane.domain.language.errors import Unavailable
from membrane.usecases.access.authenticate_bearer import authenticate_bearer
from membrane.usecases.ports.keys import AccessTokens
from membrane.wiring.settings import TokenSettings
from membrane.wiring.token_rules import token_rules
from membrane.wiring.world import World
from tests.builders.requests import RULE
from tests.fakes.clock import FakeClock, FakeKeys
from tests.worlds.oidc_issuer import (
    AUDIENCE,
    DISCOVERY,
    EC_KEY,
    KEYS,
    RSA_KEY,
    OidcIssuer,
    jwk,
    oidc_issuer,
    other_key,
    segment,
)

DAY_S = 86_400


@pytest.fixture
def issuer() -> Iterator[OidcIssuer]:
    with oidc_issuer() as running:
        yield running


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def trusted(issuer: OidcIssuer, clock: FakeClock) -> AccessTokens:
    return trusting(issuer.url, clock)


def trusting(address: str, clock: FakeClock) -> AccessTokens:
    settings = TokenSettings(address, AUDIENCE, token_rules([{**RULE, "when": {}}]))
    made = World(token_settings=settings, now=clock, allows_loopback=True).access_tokens
    assert made is not None
    return made


def caller(token: str, trusted: AccessTokens, clock: FakeClock) -> Principal:
    authorization = f"Bearer {token}"
    return authenticate_bearer(
        authorization, World(kept_keys=FakeKeys(), access_tokens=trusted, now=clock)
    )


def refusal(token: str, trusted: AccessTokens, clock: FakeClock) -> str:
    with pytest.raises(Unauthenticated) as caught:
        caller(token, trusted, clock)
    return str(caught.value)


def failure(token: str, trusted: AccessTokens, clock: FakeClock) -> str:
    with pytest.raises(Unavailable) as caught:
        caller(token, trusted, clock)
    return str(caught.value)


def test_a_token_of_the_issuer_authenticates(
    issuer: OidcIssuer, trusted: AccessTokens, clock: FakeClock
) -> None:
    by_ec = issuer.token(EC_KEY, "ES256", {"kid": "ec-1"}, aud=["other", AUDIENCE])

    assert caller(issuer.token(), trusted, clock).actor_id == "oidc:ana"
    assert caller(by_ec, trusted, clock).scopes == ("user:ana",)
    assert issuer.paths == [DISCOVERY, KEYS]


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"aud": "https://other.example"}, "the access token is for a different audience"),
        ({"aud": f"{AUDIENCE}/"}, "the access token is for a different audience"),
        ({"aud": []}, "the access token needs the claims iss, aud and exp"),
        ({"aud": [1]}, "the access token is for a different audience"),
        ({"aud": None}, "the access token needs the claims iss, aud and exp"),
        ({"iss": "https://other.example"}, "the access token is of a different issuer"),
        ({"iss": None}, "the access token needs the claims iss, aud and exp"),
        ({"exp": None}, "the access token needs the claims iss, aud and exp"),
        ({"exp": 1_000_000_000}, "the access token has expired"),
        ({"nbf": 32_503_670_000}, "the access token is not valid yet"),
        ({"sub": "team:*"}, "the claim sub of the caller must be a text"),
    ],
)
def test_a_token_with_wrong_claims_is_refused(
    claims: dict[str, Any],
    said: str,
    issuer: OidcIssuer,
    trusted: AccessTokens,
    clock: FakeClock,
) -> None:
    assert refusal(issuer.token(**claims), trusted, clock).startswith(said)


def test_an_issuer_with_a_final_slash_is_a_different_issuer(
    issuer: OidcIssuer, trusted: AccessTokens, clock: FakeClock
) -> None:
    slashed = f"{issuer.url}/"

    assert "different issuer" in refusal(issuer.token(iss=slashed), trusted, clock)
    said = failure(issuer.token(iss=slashed), trusting(slashed, clock), clock)
    assert said.startswith("OidcIssuer differs from the issuer in the issuer's own document")


def test_an_issuer_that_names_itself_with_a_final_slash_is_trusted_with_the_slash(
    issuer: OidcIssuer, clock: FakeClock
) -> None:
    slashed = f"{issuer.url}/"
    issuer.documents[DISCOVERY]["issuer"] = slashed

    found = caller(issuer.token(iss=slashed), trusting(slashed, clock), clock)

    assert found.actor_id == "oidc:ana"


def forged_by_hmac(issuer: OidcIssuer) -> str:
    """A token whose HMAC has the issuer's public key as the secret."""
    public = RSA_KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    _, claims, _ = issuer.token().split(".")
    signed = f"{segment({'alg': 'HS256', 'kid': 'rsa-1'})}.{claims}"
    return f"{signed}.{segment(hmac.digest(public, signed.encode(), hashlib.sha256))}"


def test_a_public_key_is_no_secret(
    issuer: OidcIssuer, trusted: AccessTokens, clock: FakeClock
) -> None:
    issuer.publish(jwk(RSA_KEY, "rsa-1"), {"kty": "oct", "kid": "oct-1", "k": "c2VjcmV0"})

    assert "is signed by one of: RS256" in refusal(forged_by_hmac(issuer), trusted, clock)
    assert not issuer.paths


@pytest.mark.parametrize("algorithm", ["none", "NONE", "", None, 1, ["RS256"]])
def test_a_token_without_a_known_algorithm_is_refused_before_the_issuer_is_asked(
    algorithm: object, issuer: OidcIssuer, trusted: AccessTokens, clock: FakeClock
) -> None:
    _, claims, signature = issuer.token().split(".")
    header = segment({"alg": algorithm, "kid": "rsa-1"})

    for end in (signature, ""):
        assert refusal(f"{header}.{claims}.{end}", trusted, clock)
    assert not issuer.paths


@pytest.mark.parametrize(
    "token",
    [
        "..",
        "a.b.c",
        f"{segment(b'[' * 6_000)}.{segment({})}.{segment(b'x')}",
        f"{segment([])}.{segment({})}.{segment(b'x')}",
        f"{segment({'alg': 'RS256', 'kid': ['rsa-1']})}.{segment({})}.{segment(b'x')}",
        f"{segment({'alg': 'RS256'})}.{segment({})}.{segment(b'x')}",
        f"{segment({'alg': 'RS256', 'kid': ''})}.{segment({})}.{segment(b'x')}",
        f"{segment({'alg': 'RS256', 'kid': 'rsa-1', 'crit': ['b64']})}.{segment({})}.a",
        "\u00e9.\u00e9.\u00e9",
        f"{'a' * 10_000}.a.a",
    ],
    ids=range(10),
)
def test_a_malformed_token_is_refused_and_the_issuer_is_not_asked(
    token: str, issuer: OidcIssuer, trusted: AccessTokens, clock: FakeClock
) -> None:
    assert refusal(token, trusted, clock)
    assert not issuer.paths


def test_a_token_signed_by_a_stranger_is_refused(
    issuer: OidcIssuer, trusted: AccessTokens, clock: FakeClock
) -> None:
    header, claims, signature = issuer.token().split(".")
    other_claims = segment({"iss": issuer.url, "sub": "root"})

    for token in (
        issuer.token(other_key()),
        issuer.token(EC_KEY, "ES256"),
        issuer.token(algorithm="RS512"),
        issuer.token(other_key(), headers={"jwk": jwk(other_key(), "rsa-1")}),
        f"{header}.{other_claims}.{signature}",
        f"{header}.{claims}.",
    ):
        assert refusal(token, trusted, clock) == "the access token is not signed by the issuer"


@pytest.mark.parametrize(
    "key",
    [
        jwk(RSA_KEY, "rsa-1", use="enc"),
        jwk(RSA_KEY, "rsa-1", alg="HS256"),
        jwk(RSA_KEY, "rsa-1", kty="unknown"),
        jwk(RSA_KEY, "rsa-1", n=""),
        jwk(RSA_KEY, "rsa-1", n=7),
        jwk(RSA_KEY, "rsa-1", alg=["RS256"]),
        jwk(RSA_KEY, "rsa-1", alg={"RS256": 1}),
        jwk(RSA_KEY, "rsa-1", kty=["RSA"]),
        "rsa-1",
    ],
    ids=[
        *("for encryption", "for HMAC", "of an unknown type", "broken", "a number for a text"),
        *("a list of algorithms", "an object of algorithms", "a list of types", "no object"),
    ],
)
def test_a_key_that_cannot_verify_is_skipped(
    key: Any, issuer: OidcIssuer, trusted: AccessTokens, clock: FakeClock
) -> None:
    issuer.publish(key, jwk(EC_KEY, "ec-1"))

    assert "names no key" in refusal(issuer.token(), trusted, clock)
    assert caller(issuer.token(EC_KEY, "ES256", {"kid": "ec-1"}), trusted, clock)


def test_a_short_key_of_the_issuer_verifies_nothing(
    issuer: OidcIssuer, trusted: AccessTokens, clock: FakeClock
) -> None:
    short = generate_private_key(65_537, 1_024)  # noqa: S505 - that is the point
    issuer.publish(jwk(short, "rsa-1"))
    with pytest.warns(match="1024 bits"):
        token = issuer.token(short)

    assert "not signed by the issuer" in refusal(token, trusted, clock)


def test_an_unknown_key_is_looked_for_once_a_minute(
    issuer: OidcIssuer, trusted: AccessTokens, clock: FakeClock
) -> None:
    new = issuer.token(other_key(), headers={"kid": "rsa-2"})
    caller(issuer.token(), trusted, clock)
    issuer.publish(jwk(RSA_KEY, "rsa-1"), jwk(other_key(), "rsa-2"))
    issuer.paths.clear()

    clock.advance(seconds=59)
    assert "names no key of the issuer" in refusal(new, trusted, clock)
    assert not issuer.paths
    clock.advance(seconds=1)

    assert caller(new, trusted, clock).actor_id == "oidc:ana"
    assert issuer.paths == [DISCOVERY, KEYS]


def test_a_withdrawn_key_ends_after_an_hour(
    issuer: OidcIssuer, trusted: AccessTokens, clock: FakeClock
) -> None:
    caller(issuer.token(), trusted, clock)
    issuer.publish(jwk(EC_KEY, "ec-1"))

    clock.advance(seconds=3_599)
    assert caller(issuer.token(), trusted, clock)
    clock.advance(seconds=1)
    assert "names no key of the issuer" in refusal(issuer.token(), trusted, clock)


def test_known_keys_outlive_a_silent_issuer_for_a_day(
    issuer: OidcIssuer, trusted: AccessTokens, clock: FakeClock
) -> None:
    caller(issuer.token(), trusted, clock)
    issuer.documents.clear()

    clock.advance(seconds=DAY_S - 1)
    assert caller(issuer.token(), trusted, clock)
    clock.advance(seconds=1)
    assert "the issuer of access tokens answered 503" in failure(issuer.token(), trusted, clock)


def test_a_silent_issuer_is_asked_once_a_minute_and_refuses_no_token(
    issuer: OidcIssuer, trusted: AccessTokens, clock: FakeClock
) -> None:
    documents = dict(issuer.documents)
    issuer.documents.clear()

    for _ in range(3):
        assert "answered 503" in failure(issuer.token(), trusted, clock)
    assert issuer.paths == [DISCOVERY]

    issuer.documents.update(documents)
    clock.advance(seconds=60)
    assert caller(issuer.token(), trusted, clock)


@pytest.mark.parametrize(
    ("path", "document"),
    [
        (DISCOVERY, []),
        (DISCOVERY, b"{"),
        (DISCOVERY, b" " * (MAX_REPLY_BYTES + 1)),
        (DISCOVERY, {"issuer": "https://other.example", "jwks_uri": "https://other.example/"}),
        (KEYS, "keys"),
    ],
    ids=["a list", "no JSON", "too long", "of another issuer", "a text"],
)
def test_an_answer_that_is_no_document_of_the_issuer_is_a_failure(
    path: str, document: Any, issuer: OidcIssuer, trusted: AccessTokens, clock: FakeClock
) -> None:
    issuer.documents[path] = document

    assert failure(issuer.token(), trusted, clock)


@pytest.mark.parametrize("address", ["http://id.example/keys", "file:///etc/passwd", "", None])
def test_keys_come_by_https_alone(
    address: str | None, issuer: OidcIssuer, trusted: AccessTokens, clock: FakeClock
) -> None:
    issuer.documents[DISCOVERY]["jwks_uri"] = address

    assert "did not answer as expected" in failure(issuer.token(), trusted, clock)


def test_keys_that_are_no_list_hold_no_key(
    issuer: OidcIssuer, trusted: AccessTokens, clock: FakeClock
) -> None:
    issuer.documents[KEYS] = {"keys": {"rsa-1": jwk(RSA_KEY, "rsa-1")}}

    assert "names no key of the issuer" in refusal(issuer.token(), trusted, clock)
