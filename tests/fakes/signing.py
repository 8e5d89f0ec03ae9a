"""A signer in memory."""

import base64
import hashlib
from dataclasses import dataclass

from membrane.usecases.ports.surroundings import Signature


@dataclass(frozen=True, slots=True)
class FakeSigner:
    """The Signer; the signature is a digest with a secret."""

    secret: bytes = b"secret"

    def sign(self, content: bytes) -> Signature:
        return Signature("fake", "FAKE_SHA_256", self._value(content))

    def verify(self, content: bytes, signature: Signature) -> bool:
        return signature == self.sign(content)

    def _value(self, content: bytes) -> str:
        digest = hashlib.sha256(self.secret + hashlib.sha256(content).digest()).digest()
        return base64.b64encode(digest).decode()
