"""The captures that state a fact, found by their links: the fact lists only the newest."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeGuard

from membrane.domain.records.evidence import MAX_EVIDENCE, with_evidence
from membrane.domain.records.payloads import ProvenanceRef
from membrane.domain.records.predicates import DERIVED_SEMANTIC, facts_derived_by
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.records import Incoming


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
