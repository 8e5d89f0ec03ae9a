"""Erasures, and the certificates of erasures."""

from membrane_client.values.records import Page
from membrane_client.values.value import (
    Value,
    count,
    flag,
    instant,
    optional_count,
    optional_instant,
    optional_text,
    part,
    parts,
    text,
)

ENDED = ("listed", "done")
"""The states in which a dry run and an erasure end."""

KEEP = "keep"
"""The action on a finding that stays: a person decides, or the key has no right to the scope."""


class FindingCount(Value):
    """How many findings have one kind, ground and action."""

    kind = text()
    ground = text()
    action = text()
    count = count()


class Finding(Value):
    """A record or topic that an erasure found."""

    kind = text()
    id = text()
    ground = text()
    """`is_of`, `named`, `is_about`, `rests_on` or `mentions`."""
    action = text()
    """`erase`, `remove`, `rewrite`, or `keep` for a person to decide."""
    audit_count = optional_count()
    """With the next two: of a record or topic that is erased."""
    hash_before = optional_text()
    hash_after = optional_text()


class ErasureState(Value):
    id = text()
    state = text()
    """`listing` or `removing`; at the end `listed` after a dry run, else `done`."""
    dry_run = flag()
    reason = text()
    requested_by = text()
    started_at = instant()
    done_at = optional_instant()
    """None while the erasure is under way."""
    found = parts(FindingCount)
    """What the listing found, so far."""
    removed = parts(FindingCount)
    """What was removed, so far."""
    unreadable = count()
    """Damaged items that the erasure could not read."""

    @property
    def has_ended(self) -> bool:
        return self.state in ENDED


class Erasure(ErasureState, Page[Finding]):
    """An erasure with the records and topics of the listing: a page, or from `erasure` all."""

    LISTS = "findings"
    findings = parts(Finding)


class ErasedTarget(Value):
    kind = text()
    sha256 = text()


class Remainder(Value):
    """What stays after an erasure."""

    what = text()
    why = text()
    days = optional_count()
    """None = for good."""


class CertificateBody(Value):
    """What the signature of a certificate covers."""

    erasure = text()
    target = part(ErasedTarget)
    reason = text()
    requested_by = text()
    requested_at = instant()
    done_at = instant()
    removed = parts(FindingCount)
    entries = count()
    entries_sha256 = text()
    unreadable = count()
    """0 in a proof."""
    stays = parts(Remainder)


class CertificateSignature(Value):
    key_id = text()
    algorithm = text()
    """In the words of AWS KMS."""
    value = text()
    """In base64."""


class Certificate(Page[Finding]):
    """A signed certificate with entries: a page, or from `certificate` all."""

    LISTS = "entries"
    certificate = part(CertificateBody)
    signature = part(CertificateSignature)
    entries = parts(Finding)
