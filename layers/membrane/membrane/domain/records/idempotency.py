"""How a repeated request is recognised (design 4.4)."""

import hashlib
from typing import NamedTuple
from uuid import UUID

from pydantic import BaseModel

from membrane.domain.language.digests import digest
from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.values import Claim, references_in

MAX_OPERATIONS = 100
"""The newest operations that a record remembers."""

IDENTITY_BYTES = 12
FINGERPRINT_BYTES = 4

KEYED_VERSION = 8
"""The UUID version of ids made from an idempotency key; no client may choose one."""


class Operation(NamedTuple):
    """One change of one record: who asked for it under which key, and with which body."""

    identity: bytes
    """IDENTITY_BYTES of the SHA-256 over the principal's identity, RPC and key."""

    fingerprint: bytes
    """FINGERPRINT_BYTES of the body's: enough to notice a key that is used twice."""


def key_of_uploads(request: BaseModel) -> str | None:
    """The key of a request that brings none but claims an upload, which one record alone takes.

    So the retry of such a request finds the record of the first attempt.
    """
    upload_ids = [each.upload_id for each in references_in(request) if isinstance(each, Claim)]
    return f"upload {min(upload_ids)}" if upload_ids else None


def keyed_id(identity: str, rpc: str, key: str) -> str:
    """A UUIDv8 over SHA-256(`Principal.identity`, RPC, key), for what is created under a key."""
    octets = bytearray(digest(identity, rpc, key)[:16])
    octets[6] = (octets[6] & 0x0F) | (KEYED_VERSION << 4)
    octets[8] = (octets[8] & 0x3F) | 0x80
    return str(UUID(bytes=bytes(octets)))


def is_keyed_id(record_id: str) -> bool:
    """Whether an id is a UUID of the version that is made from keys."""
    try:
        return UUID(record_id).version == KEYED_VERSION
    except ValueError:
        return False


def operation(identity: str, rpc: str, key: str, fingerprint: bytes) -> Operation:
    """The operation that a keyed request of the principal with that identity stands for."""
    return Operation(digest(identity, rpc, key)[:IDENTITY_BYTES], fingerprint[:FINGERPRINT_BYTES])


def fingerprint_of(request: object) -> bytes:
    """SHA-256 of the request's canonical JSON, as it was sent, before any default."""
    return hashlib.sha256(canonical_json(request)).digest()


def remember(operations: tuple[Operation, ...], newest: Operation | None) -> tuple[Operation, ...]:
    return operations if newest is None else (*operations, newest)[-MAX_OPERATIONS:]
