"""Learn a skill or a plan again, without the traces that are gone."""

from collections.abc import Collection

from membrane.domain.learning.learned_records import evidence_in
from membrane.domain.learning.relearned import relearned_payload
from membrane.domain.records.evidence import MAX_EVIDENCE, without_evidence
from membrane.domain.records.payloads import CompetencePayload, EpisodicPayload, PlanGraphPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.world import World


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
    """
    payload = record.payload
    if not isinstance(payload, (CompetencePayload, PlanGraphPayload)):
        return None
    left = without_evidence(record, gone)
    refs = [each.ref for each in left.provenance.sources]
    held = world.records.load_own([*refs, *gone])
    stored = {id_: each for id_, each in held.items() if isinstance(each, StoredRecord)}
    living = [stored[each] for each in refs if each in stored and stored[each].tombstone is None]
    is_shared = _is_shared(record, held.values())
    evidence = [evidence_in(each, each.scope if is_shared else "") for each in living]
    counted = gone if is_counted else frozenset[str]()
    withdrawn = [stored[each].record.payload for each in counted if each in stored]
    learned = relearned_payload(
        payload,
        [*filter(None, evidence)],
        [each.outcome for each in withdrawn if isinstance(each, EpisodicPayload)],
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


def _is_shared(record: MemoryRecord, traces: Collection[AnyRecord]) -> bool:
    """Whether the skill or plan is of several scopes: unscoped, with a trace that has a scope.

    A plan has no mark of its own. Without the parameter, no trace has digests across scopes.
    """
    stored = [each for each in traces if isinstance(each, StoredRecord)]
    may_cross = any(each.learning.lookups_across for each in stored)
    return not record.scope and may_cross and any(each.scope for each in traces)
