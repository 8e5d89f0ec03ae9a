"""A record in brief: the text, the time and the speaker or reporter."""

from typing import TYPE_CHECKING

from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.search.rendering import readable
from membrane.domain.search.requests import MAX_BRIEF_CHARACTERS, MAX_WHO_CHARACTERS

if TYPE_CHECKING:
    from membrane.domain.search.replies import BriefRecord


def in_brief(record: MemoryRecord, *, is_redacted: bool) -> "BriefRecord":
    """The brief form of a record, without a score; a redacted record has no text and no who."""
    brief: BriefRecord = {
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
    if record.usefulness is not None and not is_redacted:
        brief["usefulness"] = as_json(record.usefulness)
    return brief


def happened_at(record: MemoryRecord) -> str:
    """The time of an episode's first event, else of the first source, else of the record."""
    payload = record.payload
    if isinstance(payload, EpisodicPayload) and payload.timeline:
        return payload.timeline[0].t
    sources = record.provenance.sources
    return (sources[0].timestamp if sources else None) or record.created_at


def _who(record: MemoryRecord) -> str:
    """The reporter, else the principal of the audit's `create` entry, else the record's creator."""
    reported_by = [source.created_by for source in record.provenance.sources[:1]]
    made_by = [e.principal for e in record.audit_log if e.action is AuditAction.CREATE]
    return next(filter(None, [*reported_by, *made_by]), record.provenance.created_by)
