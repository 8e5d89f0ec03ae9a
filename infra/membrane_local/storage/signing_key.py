"""The signing key of the local stack, in place of a key of AWS KMS."""

import base64
import binascii
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from membrane.adapters.signing.kms import ALGORITHM
from membrane.usecases.ports.signing import Signature

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
            path.write_bytes(_pem_of(_new_key()))
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
        return cls(cast("ec.EllipticCurvePrivateKey", key))

    @classmethod
    def of_new_key(cls) -> "LocalSigner":
        """A signer whose key ends with the stack."""
        return cls(_new_key())

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


def _new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _pem_of(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
