"""Signatures by an asymmetric key of AWS KMS: the private key never leaves KMS."""

import base64
import binascii
import hashlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection

from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.usecases.ports.surroundings import Signature

if TYPE_CHECKING:
    from types_boto3_kms import KMSClient

ALGORITHM: Final = "ECDSA_SHA_256"

_THROTTLED = frozenset({"ThrottlingException", "LimitExceededException"})
_INVALID = frozenset({"KMSInvalidSignatureException"})
_SERVER_FAILURE = 500


class _Invalid(Exception):
    """The signature is not of the content."""


@dataclass(frozen=True, slots=True)
class KmsSigner:
    """The Signer over a key; the client is made for the first signature."""

    client: "Callable[[], KMSClient]"
    key_id: str

    def sign(self, content: bytes) -> Signature:
        """A Sign request with the digest of the content."""
        with _translating_errors():
            reply = self.client().sign(
                KeyId=self.key_id,
                Message=hashlib.sha256(content).digest(),
                MessageType="DIGEST",
                SigningAlgorithm=ALGORITHM,
            )
        return Signature(reply["KeyId"], ALGORITHM, base64.b64encode(reply["Signature"]).decode())

    def verify(self, content: bytes, signature: Signature) -> bool:
        """A Verify request with the key of the signer; the key id of the signature is ignored."""
        try:
            value = base64.b64decode(signature.value, validate=True)
        except binascii.Error:
            return False
        if signature.algorithm != ALGORITHM or not value:
            return False
        try:
            with _translating_errors(_INVALID):
                reply = self.client().verify(
                    KeyId=self.key_id,
                    Message=hashlib.sha256(content).digest(),
                    MessageType="DIGEST",
                    Signature=value,
                    SigningAlgorithm=ALGORITHM,
                )
        except _Invalid:
            return False
        return reply["SignatureValid"]


@contextmanager
def _translating_errors(invalid: Collection[str] = ()) -> Iterator[None]:
    """Raise _Invalid for the codes, ResourceExhausted or Unavailable for other failures of KMS."""
    try:
        yield
    except (NoConnection, HTTPClientError) as error:
        raise Unavailable("the signing service did not answer") from error
    except ClientError as error:
        code = error.response["Error"]["Code"]
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        if code in invalid:
            raise _Invalid from error
        if code in _THROTTLED:
            raise ResourceExhausted("the signing service is busy; try again later") from error
        if status >= _SERVER_FAILURE:
            raise Unavailable("the signing service did not answer") from error
        raise
