"""What follows from evidence: captures that state a fact, and traces of skills and plans."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from membrane.domain.records import payloads
from membrane.domain.records.evidence import (
    DERIVED_SEMANTIC,
    MAX_EVIDENCE,
    facts_derived_by,
    may_be_learned_across,
    may_count_across,
    with_evidence,
    without_evidence,
)
from membrane.domain.records.records import AuditEntry, MemoryRecord
from membrane.domain.records.standing import is_found
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.records import Incoming
from membrane.usecases.ports.world import World

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
        found = (each for each in load(several).values() if is_found(each))
        yield [each for each in found if fact_id in facts_derived_by(each.record.relations)]


def with_captures(fact: MemoryRecord, captures: Iterable[StoredRecord]) -> MemoryRecord:
    """The fact with the captures as further evidence."""
    for held in captures:
        ref = payloads.ProvenanceRef(
            source_type=held.type, source_id=held.id, timestamp=held.record.created_at
        )
        fact = with_evidence(fact, ref)
    return fact


def is_counted_across(held: AnyRecord, records: "DynamoRecords") -> bool:
    """Whether the record is a trace that an unscoped skill of several scopes may count.

    A Query for a record without document whose loaded trail lacks the first entry.
    """

    def first_entry() -> AuditEntry | None:
        if len(held.trail) == held.written_entries:
            return held.trail[0]
        return next((entry for _, entry in records.entries(held, 0, 1)), None)

    return may_count_across(held, first_entry)


def is_learned_across(derived: AnyRecord, trace: AnyRecord, records: "DynamoRecords") -> bool:
    """Whether the record is the unscoped skill or plan to which a trace of a scope has led.

    The owner of the trace may withdraw the trace, but may not write the skill.
    """
    return may_be_learned_across(derived) and is_counted_across(trace, records)


def without_traces(
    record: MemoryRecord,
    gone: frozenset[str],
    world: World,
    *,
    erase: bool,
    is_counted: bool = True,
) -> MemoryRecord | None:
    """The skill or plan without the traces that are gone; None if it ends (`relearned_payload`).

    The content may hold arguments and errors of these traces, so all of it is learned again from
    the living traces that are left. With `erase`, a tag stays only if a living trace has the tag.
    The outcome of a trace whose content is gone is not known, and stays counted beside faded
    traces. Without `is_counted`, the outcomes were taken from the counts before. A skill lists the
    newest MAX_EVIDENCE traces: those alone are learned from. One BatchGetItem for 100 traces.
    Imports lazily: few records are evidence of a skill.
    """
    from membrane.domain.learning.learned_records import evidence_in  # noqa: PLC0415
    from membrane.domain.learning.relearned import relearned_payload  # noqa: PLC0415

    payload = record.payload
    if not isinstance(payload, (payloads.CompetencePayload, payloads.PlanGraphPayload)):
        return None
    left = without_evidence(record, gone)
    refs = [each.ref for each in left.provenance.sources]
    held = world.records.load_own([*refs, *gone])
    stored = {id_: each for id_, each in held.items() if isinstance(each, StoredRecord)}
    living = [stored[each] for each in refs if each in stored and stored[each].tombstone is None]
    # A plan has no mark of its own; without the parameter, no trace has digests across scopes.
    may_cross = not record.scope and any(each.learning.lookups_across for each in stored.values())
    is_shared = may_cross and any(each.scope for each in held.values())
    evidence = [evidence_in(each, each.scope if is_shared else "") for each in living]
    counted = gone if is_counted else frozenset[str]()
    withdrawn = [stored[each].record.payload for each in counted if each in stored]
    learned = relearned_payload(
        payload,
        [*filter(None, evidence)],
        [each.outcome for each in withdrawn if isinstance(each, payloads.EpisodicPayload)],
        is_complete=len(living) == len(refs) and len(record.provenance.sources) < MAX_EVIDENCE,
        is_shared=is_shared,
        erase=erase,
    )
    if learned is None:
        return None
    tags = record.tags
    if erase:
        of_living = {tag for each in living for tag in each.record.tags}
        tags = tuple(tag for tag in tags if tag in of_living)
    return left.model_copy(update={"payload": learned, "tags": tags})
