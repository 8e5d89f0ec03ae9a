"""What a record's own item tells of its audit trail."""

from collections.abc import Sequence
from dataclasses import dataclass

from membrane.domain.language.vocabulary import AuditAction, Sensitivity


@dataclass(frozen=True, slots=True)
class Audited:
    """How many audit entries a record has, and what the newest ones say that happened."""

    record_id: str
    scope: str
    sensitivity: Sensitivity
    entries: int
    actions: Sequence[AuditAction]
    """Of the newest entries; empty where these lie in the bucket."""
