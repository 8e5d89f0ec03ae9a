"""Signatures that nobody can make who can only write to the table."""

from typing import NamedTuple, Protocol


class Signature(NamedTuple):
    key_id: str
    algorithm: str
    value: str
    """Base64."""


class Signer(Protocol):
    """Signs with a key that never leaves the signer. May raise ResourceExhausted or Unavailable."""

    def sign(self, content: bytes) -> Signature:
        """The signature over the SHA-256 of the content, which may have any length."""

    def verify(self, content: bytes, signature: Signature) -> bool: ...
