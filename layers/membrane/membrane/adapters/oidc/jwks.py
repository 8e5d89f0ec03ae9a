"""The public keys that an issuer publishes (OpenID Connect Discovery 1.0, RFC 7517)."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from jwt import PyJWK
from jwt.exceptions import PyJWTError

from membrane.adapters.https.endpoints import endpoint_at
from membrane.adapters.https.exchange import NoReply, NotConnected, Request, TooLong, exchange
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
    """The JSON object at an HTTPS address, or with `allows_loopback` on the same machine.

    Raises Unavailable.
    """
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
