"""Verify access tokens of the operator's issuer: the keys of the issuer, and the signatures."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from threading import Lock
from typing import Any

import jwt
from jwt import PyJWK
from jwt.exceptions import (
    InvalidAudienceError,
    InvalidIssuerError,
    MissingRequiredClaimError,
    PyJWTError,
)
from jwt.types import Options

from membrane.adapters.https import NoReply, NotConnected, Request, TooLong, endpoint_at, exchange
from membrane.domain.access.token_rules import Claims, Unauthenticated
from membrane.domain.language.errors import InvalidArgument, Unavailable
from membrane.domain.language.json_text import JsonObject, parse_json

ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)
"""Asymmetric signatures alone: with HMAC, a public key would be the secret."""

TIMEOUT_S = 3.0
"""Seconds for each of the two requests; a function has 29."""

_DISCOVERY = "/.well-known/openid-configuration"
_OK = 200
_REQUEST = Request("GET", {"Accept": "application/json"})

Fetch = Callable[[str], JsonObject]


def fetch_json(url: str, elapsed_s: Callable[[], float], *, allows_loopback: bool) -> JsonObject:
    """The JSON object at an HTTPS address, or a loopback's. Raises Unavailable."""
    try:
        endpoint = endpoint_at(url, allows_loopback=allows_loopback)
        reply = exchange(endpoint, _REQUEST, elapsed_s, TIMEOUT_S)
        found = parse_json(reply.content) if reply.status == _OK else None
    except (ValueError, NotConnected, NoReply, TooLong, InvalidArgument) as error:
        raise Unavailable("the issuer of access tokens did not answer as expected") from error
    if not isinstance(found, dict):
        raise Unavailable(f"the issuer of access tokens answered {reply.status} without an object")
    return found


def read_keys(issuer: str, fetch: Fetch) -> Mapping[str, PyJWK]:
    """The issuer's keys for signatures by the allowed algorithms, by key id.

    Raises Unavailable, also for a discovery document of a different issuer.
    """
    document = fetch(issuer.removesuffix("/") + _DISCOVERY)
    if document.get("issuer") != issuer:
        raise Unavailable(
            "OidcIssuer differs from the issuer in the issuer's own document; a final / counts"
        )
    listed = fetch(str(document.get("jwks_uri"))).get("keys")
    return dict(_usable(listed if isinstance(listed, list) else []))


def keys_reader(
    issuer: str, elapsed_s: Callable[[], float], *, allows_loopback: bool
) -> Callable[[], Mapping[str, PyJWK]]:
    fetch = partial(fetch_json, elapsed_s=elapsed_s, allows_loopback=allows_loopback)
    return partial(read_keys, issuer, fetch)


def _usable(listed: list[Any]) -> Iterator[tuple[str, PyJWK]]:
    """Keys of other uses, types and algorithms are skipped, as RFC 7517 asks (section 5)."""
    for each in listed:
        match each:
            case {"kid": str(key_id), **rest} if rest.get("use", "sig") == "sig":
                try:
                    key = PyJWK(each)
                except (PyJWTError, TypeError):  # TypeError: a list in the place of a text
                    continue
                if key.algorithm_name in ALGORITHMS:
                    yield key_id, key


FRESH_FOR = timedelta(hours=1)
KEPT_FOR = timedelta(days=1)
"""While the issuer does not answer, known keys verify tokens for this long."""

PAUSE = timedelta(minutes=1)
"""The least time between two reads: tokens with invented key ids cannot flood the issuer."""

_NEVER = timedelta.max


class IssuerKeys:
    """The keys by key id, read again for an unknown id and after FRESH_FOR."""

    def __init__(
        self, read: Callable[[], Mapping[str, "PyJWK"]], now: Callable[[], datetime]
    ) -> None:
        self._read = read
        self._now = now
        self._keys: Mapping[str, PyJWK] = {}
        self._read_at: datetime | None = None
        self._tried_at: datetime | None = None
        self._failure: Unavailable | None = None
        self._lock = Lock()

    def find(self, key_id: str) -> "PyJWK | None":
        """The key; None if unknown. Raises Unavailable for an unknown id after a failed read."""
        with self._lock:
            now = self._now()
            is_fresh = key_id in self._keys and _age(self._read_at, now) < FRESH_FOR
            if not is_fresh and _age(self._tried_at, now) >= PAUSE:
                self._try_to_read(now)
            found = self._keys.get(key_id) if _age(self._read_at, now) < KEPT_FOR else None
            if found is None and self._failure is not None:
                raise Unavailable(str(self._failure)) from self._failure
            return found

    def _try_to_read(self, now: datetime) -> None:
        self._tried_at = now
        try:
            self._keys = self._read()
        except Unavailable as error:
            self._failure = error
        else:
            self._read_at, self._failure = now, None


def _age(since: datetime | None, now: datetime) -> timedelta:
    return _NEVER if since is None else now - since


MAX_TOKEN_CHARACTERS = 10_000
"""API Gateway takes headers of 10,240 bytes."""

_OPTIONS: Options = {
    "require": ["iss", "aud", "exp"],
    "verify_exp": False,  # the domain checks times by the clock of the world
    "verify_nbf": False,
    "verify_iat": False,
    "enforce_minimum_key_length": True,
}
_REASONS: Mapping[type[PyJWTError], str] = {
    InvalidAudienceError: "the access token is for a different audience",
    InvalidIssuerError: "the access token is of a different issuer",
    MissingRequiredClaimError: "the access token needs the claims iss, aud and exp",
}


@dataclass(frozen=True, slots=True)
class JwtVerifier:
    """A TokenVerifier for the tokens of one issuer to one audience."""

    issuer: str
    audience: str
    keys: IssuerKeys

    def verify(self, token: str) -> Claims:
        if not token.isascii() or len(token) > MAX_TOKEN_CHARACTERS:
            raise Unauthenticated(f"an access token has at most {MAX_TOKEN_CHARACTERS} characters")
        try:
            return jwt.decode(
                token,
                self._key_of(token),
                algorithms=ALGORITHMS,
                options=_OPTIONS,
                audience=self.audience,
                issuer=self.issuer,
            )
        except PyJWTError as error:
            reason = _REASONS.get(type(error), "the access token is not signed by the issuer")
            raise Unauthenticated(reason) from error

    def _key_of(self, token: str) -> PyJWK:
        """The key that the header names, which fixes the algorithm as well."""
        header = jwt.get_unverified_header(token)
        if header.get("alg") not in ALGORITHMS:
            raise Unauthenticated(f"an access token is signed by one of: {', '.join(ALGORITHMS)}")
        key_id = header.get("kid")
        key = self.keys.find(key_id) if key_id else None
        if key is None:
            raise Unauthenticated("the access token names no key of the issuer")
        return key
