"""An OpenID Connect issuer on this machine, with keys and tokens of its own."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as new_ec_key
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key as new_rsa_key
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from tests.worlds.serving import serving

AUDIENCE = "https://memory.example/mcp"
DISCOVERY, KEYS = "/.well-known/openid-configuration", "/keys"

RSA_KEY = new_rsa_key(65_537, 2_048)
EC_KEY = new_ec_key(SECP256R1())


@cache
def other_key() -> RSAPrivateKey:
    """A key of a stranger."""
    return new_rsa_key(65_537, 2_048)


def jwk(key: Any, key_id: str, **changes: Any) -> dict[str, Any]:
    """The public key as the issuer publishes it."""
    algorithm = RSAAlgorithm if isinstance(key, RSAPrivateKey) else ECAlgorithm
    public = algorithm.to_jwk(key.public_key(), as_dict=True)
    return {**public, "kid": key_id, "use": "sig", **changes}


@dataclass(slots=True)
class OidcIssuer:
    """The issuer's address, published keys, and the paths asked for."""

    url: str
    documents: dict[str, Any] = field(default_factory=dict)
    """The JSON of each path, or the bytes of an answer; a path without a document is down."""
    paths: list[str] = field(default_factory=list)

    def publish(self, *keys: dict[str, Any]) -> None:
        self.documents[KEYS] = {"keys": list(keys)}

    def token(
        self,
        key: Any = RSA_KEY,
        algorithm: str = "RS256",
        headers: dict[str, Any] | None = None,
        **changes: Any,
    ) -> str:
        """A token for AUDIENCE until the year 3000, with changed claims; None = no such claim."""
        claims = {"iss": self.url, "aud": AUDIENCE, "exp": 32_503_680_000, "sub": "ana", **changes}
        kept = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(kept, key, algorithm, {"kid": "rsa-1", **(headers or {})})


@contextmanager
def oidc_issuer() -> Iterator[OidcIssuer]:
    """A running issuer with the keys `rsa-1` and `ec-1`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.daemon_threads = True
    url = f"http://127.0.0.1:{server.server_port}"
    issuer = OidcIssuer(url, {DISCOVERY: {"issuer": url, "jwks_uri": f"{url}{KEYS}"}})
    issuer.publish(jwk(RSA_KEY, "rsa-1"), jwk(EC_KEY, "ec-1", alg="ES256"))
    server.RequestHandlerClass = _handler_of(issuer)
    with serving(server):
        yield issuer


def _handler_of(issuer: OidcIssuer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            issuer.paths.append(self.path)
            document = issuer.documents.get(self.path)
            body = document if isinstance(document, bytes) else json.dumps(document).encode()
            self.send_response(503 if document is None else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


def segment(value: Any) -> str:
    """A part of a token, unsigned."""
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return urlsafe_b64encode(raw).rstrip(b"=").decode()
