"""SHA-256 over a list of texts; two different lists never give the same bytes to hash."""

import hashlib


def digest(*parts: str) -> bytes:
    """The 32 bytes of SHA-256 over the UTF-8 of each part, prefixed with the part's length."""
    hasher = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        hasher.update(len(encoded).to_bytes(4, "big") + encoded)
    return hasher.digest()
