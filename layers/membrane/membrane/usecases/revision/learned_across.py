"""Tell traces that unscoped skills may count, and the unscoped skills and plans of such traces."""

from typing import TYPE_CHECKING

from membrane.domain.records.evidence import may_be_learned_across, may_count_across
from membrane.domain.records.records import AuditEntry
from membrane.domain.records.stored import AnyRecord

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.records.store import DynamoRecords


def is_counted_across(held: AnyRecord, records: "DynamoRecords") -> bool:
    """Whether the record is a trace that an unscoped skill of several scopes may count.

    A Query for a record without document whose loaded trail lacks the first entry.
    """
    return may_count_across(held, lambda: _first_entry(held, records))


def is_learned_across(derived: AnyRecord, trace: AnyRecord, records: "DynamoRecords") -> bool:
    """Whether the record is the unscoped skill or plan to which a trace of a scope has led.

    The owner of the trace may withdraw the trace, but may not write the skill.
    """
    return may_be_learned_across(derived) and is_counted_across(trace, records)


def _first_entry(held: AnyRecord, records: "DynamoRecords") -> AuditEntry | None:
    if len(held.trail) == held.written_entries:
        return held.trail[0]
    return next((entry for _, entry in records.entries(held, 0, 1)), None)
