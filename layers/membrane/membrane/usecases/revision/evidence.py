"""Evidence by links: the captures that state a fact, and traces that unscoped skills count."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeGuard

from membrane.domain.records.evidence import (
    DERIVED_SEMANTIC,
    MAX_EVIDENCE,
    facts_derived_by,
    may_be_learned_across,
    may_count_across,
    with_evidence,
)
from membrane.domain.records.payloads import ProvenanceRef
from membrane.domain.records.records import AuditEntry, MemoryRecord
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.records import Incoming

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.records.store import DynamoRecords


def captures_stating(
    fact_id: str,
    incoming: Iterable[Incoming],
    load: Callable[[Sequence[str]], Mapping[str, AnyRecord]],
    *,
    gone: frozenset[str],
) -> Iterator[Sequence[StoredRecord]]:
    """The living captures that state the fact, in batches, some of them empty; none of `gone`.

    `incoming` are the edges that point at the fact. One load for each 100 captures.
    """
    ids = (
        each.source_id
        for each in incoming
        if each.predicate == DERIVED_SEMANTIC and each.source_id not in gone
    )
    while several := [*islice(ids, MAX_EVIDENCE)]:
        yield [held for held in load(several).values() if _states(held, fact_id)]


def with_captures(fact: MemoryRecord, captures: Iterable[StoredRecord]) -> MemoryRecord:
    """The fact with the captures as further evidence."""
    for held in captures:
        ref = ProvenanceRef(
            source_type=held.type, source_id=held.id, timestamp=held.record.created_at
        )
        fact = with_evidence(fact, ref)
    return fact


def _states(held: AnyRecord, fact_id: str) -> TypeGuard[StoredRecord]:
    """Whether a living capture states the fact."""
    if not isinstance(held, StoredRecord) or held.tombstone is not None:
        return False
    return fact_id in facts_derived_by(held.record.relations) and not is_retracted(
        held.record.payload
    )


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
