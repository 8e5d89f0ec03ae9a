"""Facts derived from a record as evidence: observed, or left out and counted.

The transaction of a fact links the evidence to the fact: whoever deletes the evidence finds the
fact, and no fact rests on evidence that is gone.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.errors import FailedPrecondition, ScopeFenced, TooLarge
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records.evidence import DERIVED_SEMANTIC
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.changes import MAX_SOURCES, with_relation
from membrane.domain.revision.conflicts import Observation
from membrane.usecases.machinery.calls import Call, Gone
from membrane.usecases.ports.records import Change
from membrane.usecases.ports.world import World
from membrane.usecases.revision.facts import observe
from membrane.usecases.revision.heads import HeadIsFull

MAX_FACTS = 12
"""Facts derived from a record: those of a trace fit a transaction."""

MAX_CONTESTED_FACTS = MAX_SOURCES - 1
"""Known facts that a fact contests: the transaction changes the evidence, too."""

LEFT_OUT = "LeftOutFacts"
"""The metric of facts left out, by reason."""


class LeftOut(StrEnum):
    """Why a fact was not written."""

    HEAD_IS_FULL = "head_is_full"
    REFUSED = "refused"
    """The state of a known fact does not allow the fact."""
    TOO_LARGE = "too_large"
    """The fact, or a record that the fact changes, has no room."""
    TOO_MANY = "too_many"
    """The evidence states more than MAX_FACTS."""


def observe_derived(
    seen: Observation,
    call: Call,
    world: World,
    *,
    linked_to: Callable[[str], Change],
    targets: Sequence[StoredRecord] = (),
) -> str | None:
    """The id of the fact; None for a fact left out, or deleted since an earlier try.

    Raises the other errors of `observe`, and those of `linked_to`.
    """
    try:
        result = observe(seen, call, world, targets=targets, linked_to=linked_to)
    except ScopeFenced:
        raise
    except (FailedPrecondition, TooLarge) as error:
        leave_out(_reason_of(error), world)
        return None
    return None if isinstance(result, Gone) else result.record.id


def leave_out(reason: LeftOut, world: World, facts: int = 1) -> None:
    world.measure(LEFT_OUT, facts, "Count", reason=reason)


def linked_version(
    evidence: StoredRecord, fact_ids: Iterable[str], why: Why, making: Making
) -> StoredRecord:
    """The evidence with a relation to every fact."""
    linked = evidence.record
    for each in fact_ids:
        linked = with_relation(linked, DERIVED_SEMANTIC, each, making)
    return evidence.next_version(with_entry(linked, AuditAction.REVISE, why, making))


def _reason_of(error: FailedPrecondition | TooLarge) -> LeftOut:
    match error:
        case TooLarge():
            return LeftOut.TOO_LARGE
        case HeadIsFull():
            return LeftOut.HEAD_IS_FULL
        case _:
            return LeftOut.REFUSED
