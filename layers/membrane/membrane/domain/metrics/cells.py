"""The cells of counters: which there are, and what a record is counted as in them.

By name, which ends on what is least worth reading first, so that who reads a scope's cells from the
last one back has the totals, then what was born lately, then buckets, the longest lasting first:

    total#<type>#<decay class>                        how many, and what is summed up of them
    growth#<quarter of an hour>                       how many were born in it
    bucket#<when it has faded>#<type>#<decay class>#<bucket>
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from membrane.domain.language.vocabulary import AuditAction, MemoryType
from membrane.domain.metrics.amounts import RECORDS, Cells, amount_of, over, parts
from membrane.domain.metrics.buckets import Bucket, bucket_of, fades_s
from membrane.domain.records.payloads import CompetencePayload, PlanGraphPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import Held, StoredRecord
from membrane.domain.salience.function import Curves, decay_class

WEIGHT = "weight"
CONFIDENCE = "confidence"
AUDITS = "audits"
REINFORCED = "reinforced"
REVISED = "revised"
RATED = "rated"
RATES = "rates"
PLANNED = "planned"
EXECUTIONS = "executions"

QUARTER_S = 900
GROWTH = "growth"
_TOTAL = "total"
_BUCKET = "bucket"

_REVISIONS = (AuditAction.REVISE, AuditAction.FORK, AuditAction.MERGE)


@dataclass(frozen=True, slots=True)
class TotalCell:
    """Of all records of a type and decay class."""

    type: MemoryType
    decay_class: str

    @property
    def name(self) -> str:
        """See the module."""
        return f"{_TOTAL}#{self.type}#{self.decay_class}"


@dataclass(frozen=True, slots=True)
class BucketCell:
    """Of those in one bucket."""

    total: TotalCell
    fades_s: int
    bucket: Bucket

    @property
    def name(self) -> str:
        """See the module."""
        place = f"{self.total.type}#{self.total.decay_class}#{self.bucket.name}"
        return f"{_BUCKET}#{self.fades_s:012d}#{place}"


@dataclass(frozen=True, slots=True)
class GrowthCell:
    """Of those born in one quarter of an hour."""

    quarter: int

    @classmethod
    def at(cls, born_s: float) -> "GrowthCell":
        """That of an instant."""
        return cls(math.floor(born_s / QUARTER_S))

    @property
    def name(self) -> str:
        """See the module."""
        return f"{GROWTH}#{self.quarter:09d}"

    @property
    def ends_s(self) -> int:
        """When it is over."""
        return (self.quarter + 1) * QUARTER_S


Cell = TotalCell | BucketCell | GrowthCell


def cell_named(name: str) -> Cell:
    """The cell of that name; raises ValueError where there is none."""
    match name.split("#"):
        case [kind, memory_type, named] if kind == _TOTAL:
            return TotalCell(MemoryType(memory_type), named)
        case [kind, quarter] if kind == GROWTH:
            return GrowthCell(int(quarter))
        case [kind, instant, memory_type, named, bucket] if kind == _BUCKET:
            total = TotalCell(MemoryType(memory_type), named)
            return BucketCell(total, int(instant), Bucket.named(bucket))
        case _:
            raise ValueError(f"no cell has the name {name}")


def cells_of(held: Held | None, curves: Curves) -> Cells:
    """What the record adds to the cells of its scope; nothing where it is deleted, or absent."""
    if not isinstance(held, StoredRecord) or held.tombstone is not None:
        return {}
    record, level = held.record, held.sensitivity
    bucket, weight = bucket_of(held.anchor, record.lifecycle)
    total = TotalCell(record.type, decay_class(record.lifecycle))
    fading = BucketCell(total, fades_s(bucket, record.lifecycle, curves), bucket)
    added = {
        total.name: {RECORDS: 1, **dict(_summed_up(record, held))},
        fading.name: {RECORDS: 1, WEIGHT: parts(weight)},
        GrowthCell.at(held.born_s).name: {RECORDS: 1},
    }
    return {
        cell: {amount_of(level, name): value for name, value in amounts.items() if value}
        for cell, amounts in added.items()
    }


def _summed_up(record: MemoryRecord, held: StoredRecord) -> Iterator[tuple[str, int]]:
    """What the totals have of a record, apart from itself."""
    trail, salience = held.trail, held.anchor.salience
    if salience > 1:
        yield over(salience), 1
    yield CONFIDENCE, parts(record.confidence)
    yield AUDITS, held.written_entries
    yield REINFORCED, sum(entry.action is AuditAction.REINFORCE for entry in trail)
    yield REVISED, sum(entry.action in _REVISIONS for entry in trail)
    match record.payload:
        case CompetencePayload(performance=performance) if performance is not None:
            yield RATED, 1
            yield RATES, parts(performance.success_rate)
        case PlanGraphPayload(metrics=metrics) if metrics is not None:
            yield PLANNED, 1
            yield EXECUTIONS, metrics.execution_count
        case _:
            pass
