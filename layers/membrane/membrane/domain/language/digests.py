"""SHA-256 over several texts, so that no two lists of texts give the same bytes to hash."""

import hashlib


def digest(*parts: str) -> bytes:
    """The 32 bytes of SHA-256 over the parts' UTF-8, each after its length."""
    hasher = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        hasher.update(len(encoded).to_bytes(4, "big") + encoded)
    return hasher.digest()
