"""Erasures, and the certificates of erasures. Written by `make openapi`."""

from collections.abc import Sequence
from datetime import datetime

from membrane_client.pages import Job, Page
from membrane_client.value import Value


class FindingCount(Value):
    kind: str  # What was found
    ground: str
    action: str
    count: int  # The number of findings


class ErasureState(Job):
    id: str  # The id of the erasure
    state: str  # `listing` and `removing` are under way
    dry_run: bool  # Whether the erasure only lists
    reason: str  # Why the erasure is made, as the caller states
    requested_by: str  # The actor of the key
    started_at: datetime  # When the request came
    done_at: datetime | None  # When the erasure ended; null before
    found: Sequence[FindingCount]  # What the listing found, so far
    removed: Sequence[FindingCount]  # What was removed, so far
    unreadable: int  # Damaged items that the erasure could not read; `membrane verify` names them


class Finding(Value):
    kind: str  # `record`, `topic`, or `evidence` for a record that loses references alone
    id: str  # The id of the record or topic
    ground: str  # Why the erasure found the record or topic
    action: str  # What the erasure does
    audit_count: int | None  # The number of audit entries after the erasure; absent before
    hash_before: str | None  # The head of the audit's hash chain before the erasure
    hash_after: str | None  # The head of the audit's hash chain after the erasure


class Erasure(ErasureState, Page[Finding], of="findings"):
    findings: Sequence[Finding]  # Records and topics of the listing; of other kinds the counts tell


class ErasedTarget(Value):
    kind: str  # Whether a scope (also a user's), a subject or single ids were erased
    sha256: str


class Remainder(Value):
    what: str  # What stays
    why: str  # What for
    days: int | None  # For how many days at most; null for good


class CertificateBody(Value):
    erasure: str  # The id of the erasure
    target: ErasedTarget  # The target, by a digest
    reason: str  # Why the erasure was made, as the caller states
    requested_by: str  # The actor of the key
    requested_at: datetime  # When the request came
    done_at: datetime  # When a walk over the whole table found nothing more
    removed: Sequence[FindingCount]  # What was removed
    entries: int  # The number of entries, over all pages
    entries_sha256: str  # SHA-256 over the entries: each as canonical JSON with a line feed
    unreadable: int
    stays: Sequence[Remainder]  # What stays, why, and for how long


class CertificateSignature(Value):
    key_id: str  # The key
    algorithm: str  # The algorithm, in the words of AWS KMS
    value: str  # The signature in base64


class Certificate(Page[Finding], of="entries"):
    certificate: CertificateBody  # What the signature covers
    signature: CertificateSignature  # The signature
    entries: Sequence[Finding]  # The erased records and topics, in the order of `entries_sha256`
