"""The snapshot of the metrics, put together from counters (spec 8)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.metrics.amounts import PARTS, RECORDS
from membrane.domain.metrics.cells import (
    AUDITS,
    CONFIDENCE,
    EXECUTIONS,
    PLANNED,
    RATED,
    RATES,
    REINFORCED,
    REVISED,
)
from membrane.domain.metrics.estimates import RANGES, Estimates
from membrane.domain.metrics.sheets import Sheet, fading_of
from membrane.domain.salience.function import Curves


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Of all records counted at an instant; `error_bounds` has what is not exact.

    By field by how much it may be off; of the distribution by range. A field that is not named is
    exact, as far as floating-point numbers are, to one part in 1e9, and `amounts.PARTS`.
    """

    collected_at: str
    total_records: int = 0
    records_by_type: dict[str, int] = field(default_factory=dict)
    avg_salience: float = 0.0
    avg_confidence: float = 0.0
    salience_distribution: dict[str, int] = field(default_factory=lambda: dict.fromkeys(RANGES, 0))
    active_records: int = 0
    pinned_records: int = 0
    total_audit_entries: int = 0
    memory_growth_rate: float = 0.0
    retrieval_usefulness: float = 0.0
    competence_success_rate: float = 0.0
    plan_reuse_frequency: float = 0.0
    revision_rate: float = 0.0
    error_bounds: JsonObject = field(default_factory=dict)


def snapshot_of(
    sheets: Sequence[Sheet], collected_at: str, now_s: float, curves: Curves
) -> Snapshot:
    """What the sheets of some scopes tell together, as of now."""
    sums: Counter[str] = Counter()
    types: Counter[MemoryType] = Counter()
    pinned = 0
    for total, amounts in (each for sheet in sheets for each in sheet.totals.items()):
        counted = amounts.get(RECORDS, 0)
        sums.update(amounts)
        types[total.type] += counted
        pinned += counted if fading_of(total.decay_class).pinned else 0
    records, audits = sums[RECORDS], sums[AUDITS]
    if not records:
        return Snapshot(collected_at)
    estimates = Estimates.of(sheets, records, now_s, curves)
    return Snapshot(
        collected_at=collected_at,
        total_records=records,
        records_by_type={each: types[each] for each in MemoryType if types[each]},
        avg_salience=estimates.salience.middle / records,
        avg_confidence=sums[CONFIDENCE] / (records * PARTS),
        salience_distribution=estimates.distribution(records),
        active_records=estimates.active.count,
        pinned_records=pinned,
        total_audit_entries=audits,
        memory_growth_rate=estimates.born.middle / records,
        retrieval_usefulness=_share(sums[REINFORCED], audits),
        competence_success_rate=_share(sums[RATES], sums[RATED] * PARTS),
        plan_reuse_frequency=_share(sums[EXECUTIONS], sums[PLANNED]),
        revision_rate=_share(sums[REVISED], audits),
        error_bounds=estimates.bounds(records),
    )


def _share(part: int, total: int) -> float:
    return part / total if total else 0.0
