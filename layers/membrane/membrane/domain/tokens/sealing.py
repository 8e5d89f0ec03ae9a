"""Sealing: text that only this service can read and make, by AES-SIV (RFC 5297).

AES-SIV needs no random number: equal contents have equal seals, and an altered seal does not open.
"""

KEY_BYTES = 32
TAG_BYTES = 16
"""How much longer the sealed text is than its content."""


def sealed(content: bytes, belonging_to: bytes, key: bytes) -> bytes:
    """The content encrypted, and authenticated together with `belonging_to`; TAG_BYTES longer."""
    # Few requests have a cursor, and cryptography takes 33 ms of CPU to load.
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV  # noqa: PLC0415

    return AESSIV(key).encrypt(content, [belonging_to])


def opened(text: bytes, belonging_to: bytes, key: bytes) -> bytes | None:
    """The content that `sealed` encrypted; None for any other text."""
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - the same
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV  # noqa: PLC0415 - the same

    try:
        return AESSIV(key).decrypt(text, [belonging_to])
    except InvalidTag:
        return None
