"""The bucket over HTTP for holders of a presigned URL, with S3's checks; and the signing key."""

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, unquote, urlencode

import botocore.session
from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from membrane.adapters.bucket import S3Links
from membrane.adapters.kms import ALGORITHM
from membrane.usecases.ports.surroundings import Clock, Signature
from membrane.wiring import chance
from membrane_local.account import REGION
from membrane_local.http_messages import Request, Response
from membrane_local.storage.objects import Objects

PREFIX = "/_dev/bucket/"


class BucketEndpoint:
    def __init__(self, objects: Objects, now: Clock = chance.system_clock) -> None:
        self.address = "http://127.0.0.1:8765"
        """The stack's URL; set once the port is known."""
        self.links = S3Links(
            lambda: _client(f"{self.address}{PREFIX}", self._signer), objects.bucket
        )
        self._signer = Credentials("local", secrets.token_urlsafe(32))
        """A key of this process alone: no signed URL outlives the stack."""
        self._objects = objects
        self._now = now
        """The machine's time, by which botocore signs; moving the stack's clock expires no URL."""

    def answer(self, request: Request) -> Response:
        """Put or get an object, as S3 does."""
        query = dict(parse_qsl(request.raw_query, keep_blank_values=True))
        if not self._is_signed(request, query):
            return _refusal(403, "SignatureDoesNotMatch")
        signed_at = datetime.strptime(query["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        if self._now() > signed_at + timedelta(seconds=int(query["X-Amz-Expires"])):
            return _refusal(403, "AccessDenied")
        name = unquote(request.raw_path.removeprefix(f"{PREFIX}{self._objects.bucket}/"))
        if request.method == "GET":
            content = self._objects.get(name)
            if content is None:
                return _refusal(404, "NoSuchKey")
            return Response(200, {"content-type": "binary/octet-stream"}, content)
        checksum = base64.b64encode(hashlib.sha256(request.body).digest()).decode()
        if request.headers.get("x-amz-checksum-sha256") != checksum:
            return _refusal(400, "BadDigest")
        if not self._objects.put_new(name, request.body):
            return _refusal(412, "PreconditionFailed")
        return Response(200, {}, b"")

    def _is_signed(self, request: Request, query: Mapping[str, str]) -> bool:
        """Whether the signature fits the request's method, URL and headers."""
        names = query.get("X-Amz-SignedHeaders", "").split(";")
        if not {"host", *names} <= request.headers.keys() or request.method not in ("GET", "PUT"):
            return False
        signed = {name: value for name, value in query.items() if name != "X-Amz-Signature"}
        again = AWSRequest(
            method=request.method,
            url=f"http://{request.headers['host']}{request.raw_path}?{urlencode(signed)}",
            headers={name: request.headers[name] for name in names},
        )
        again.context["timestamp"] = query.get("X-Amz-Date", "")
        auth = S3SigV4QueryAuth(self._signer, "s3", REGION)
        text = auth.string_to_sign(again, auth.canonical_request(again))
        claimed = query.get("X-Amz-Signature", "")
        return hmac.compare_digest(auth.signature(text, again).encode(), claimed.encode())


def _refusal(status: int, code: str) -> Response:
    body = f"<Error><Code>{code}</Code></Error>".encode()
    return Response(status, {"content-type": "application/xml"}, body)


@cache
def _client(endpoint_url: str, signer: Credentials) -> Any:
    session = botocore.session.get_session()
    session.set_credentials(signer.access_key, signer.secret_key)
    config = Config(signature_version="s3v4", s3={"addressing_style": "path"})
    return session.create_client("s3", region_name=REGION, endpoint_url=endpoint_url, config=config)


KEY_ID = "local"
_ECDSA = ec.ECDSA(hashes.SHA256())


@dataclass(frozen=True, slots=True)
class LocalSigner:
    """The Signer of the local stack, with the algorithm of the deployed stack."""

    key: ec.EllipticCurvePrivateKey

    @classmethod
    def of_file(cls, path: Path) -> "LocalSigner":
        """The signer with the key in the file, readable by the user alone; a new key if absent."""
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
            new = cls.of_new_key().key.private_bytes(pem, form, serialization.NoEncryption())
            path.write_bytes(new)
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
        return cls(cast("ec.EllipticCurvePrivateKey", key))

    @classmethod
    def of_new_key(cls) -> "LocalSigner":
        return cls(ec.generate_private_key(ec.SECP256R1()))

    def sign(self, content: bytes) -> Signature:
        """A signature in DER, as of KMS."""
        value = self.key.sign(content, _ECDSA)
        return Signature(KEY_ID, ALGORITHM, base64.b64encode(value).decode())

    def verify(self, content: bytes, signature: Signature) -> bool:
        try:
            value = base64.b64decode(signature.value, validate=True)
            self.key.public_key().verify(value, content, _ECDSA)
        except (InvalidSignature, binascii.Error):
            return False
        return signature.algorithm == ALGORITHM
