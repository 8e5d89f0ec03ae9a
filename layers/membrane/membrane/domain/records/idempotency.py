"""How a repeated request is recognised: by principal, RPC, idempotency key and body."""

import hashlib
from typing import NamedTuple
from uuid import UUID

from pydantic import BaseModel

from membrane.domain.language.digests import digest
from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.values import Claim, references_in

MAX_OPERATIONS = 100
"""The number of newest operations stored with a record."""

IDENTITY_BYTES = 12
FINGERPRINT_BYTES = 4

KEYED_VERSION = 8
"""The UUID version of ids made from an idempotency key; no client may choose a UUIDv8."""


class Operation(NamedTuple):
    """A keyed change of a record: digests of the principal, the key and the body."""

    identity: bytes
    """IDENTITY_BYTES of the SHA-256 over the principal's identity, RPC and key."""

    fingerprint: bytes
    """FINGERPRINT_BYTES of the SHA-256 of the body: enough to detect a reused key."""


def key_of_uploads(request: BaseModel) -> str | None:
    """The idempotency key of a request without a key that claims uploads; None without claims.

    An upload goes into a single record, so the key lets a retry find the record of the first
    attempt.
    """
    upload_ids = [each.upload_id for each in references_in(request) if isinstance(each, Claim)]
    return f"upload {min(upload_ids)}" if upload_ids else None


def keyed_id(identity: str, rpc: str, key: str) -> str:
    """The id of a record created under a key: UUIDv8 of SHA-256(`Principal.identity`, RPC, key)."""
    return _version_8(digest(identity, rpc, key))


def id_within(record_id: str, *what: str) -> str:
    """The id of a record that the creation of another record brings along, the same at each try."""
    return _version_8(digest("within", record_id, *what))


def _version_8(hashed: bytes) -> str:
    octets = bytearray(hashed[:16])
    octets[6] = (octets[6] & 0x0F) | (KEYED_VERSION << 4)
    octets[8] = (octets[8] & 0x3F) | 0x80  # the variant of RFC 9562
    return str(UUID(bytes=bytes(octets)))


def is_keyed_id(record_id: str) -> bool:
    """Whether an id is a UUIDv8, the version made from idempotency keys."""
    try:
        return UUID(record_id).version == KEYED_VERSION
    except ValueError:
        return False


def operation(identity: str, rpc: str, key: str, fingerprint: bytes) -> Operation:
    """The operation of a keyed request; `identity` is `Principal.identity`."""
    return Operation(digest(identity, rpc, key)[:IDENTITY_BYTES], fingerprint[:FINGERPRINT_BYTES])


def fingerprint_of(request: object) -> bytes:
    """SHA-256 of the canonical JSON of a request as sent, before defaults."""
    return hashlib.sha256(canonical_json(request)).digest()


def remember(operations: tuple[Operation, ...], newest: Operation | None) -> tuple[Operation, ...]:
    return operations if newest is None else (*operations, newest)[-MAX_OPERATIONS:]
