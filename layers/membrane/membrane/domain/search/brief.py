"""A memory in brief: what the record says, when that was, and who said or reported it."""

from typing import TYPE_CHECKING

from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.search.rendering import readable
from membrane.domain.search.requests import MAX_BRIEF_CHARACTERS, MAX_WHO_CHARACTERS

if TYPE_CHECKING:
    from membrane.domain.search.replies import BriefRecord


def in_brief(record: MemoryRecord, *, is_redacted: bool) -> "BriefRecord":
    """A reply's brief record, without a score; of a redacted one neither text nor who."""
    return {
        "id": record.id,
        "type": record.type,
        "text": None if is_redacted else readable(record, MAX_BRIEF_CHARACTERS),
        "score": None,
        "salience": record.salience,
        "when": record.created_at if is_redacted else happened_at(record),
        "who": None if is_redacted else _who(record)[:MAX_WHO_CHARACTERS],
        "scope": record.scope,
        "tags": list(record.tags),
    }


def happened_at(record: MemoryRecord) -> str:
    """When what an episode tells of happened; anything else happened when it was recorded."""
    payload = record.payload
    if isinstance(payload, EpisodicPayload) and payload.timeline:
        return payload.timeline[0].t
    sources = record.provenance.sources
    return (sources[0].timestamp if sources else None) or record.created_at


def _who(record: MemoryRecord) -> str:
    """Who said or reported it, else the principal that made the record, if the audit has that."""
    reported_by = [source.created_by for source in record.provenance.sources[:1]]
    made_by = [e.principal for e in record.audit_log if e.action is AuditAction.CREATE]
    return next(filter(None, [*reported_by, *made_by]), record.provenance.created_by)
