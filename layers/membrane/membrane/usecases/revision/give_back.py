"""Give back what a fact displaced: facts superseded by it, and facts contested by it alone."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice

from membrane.domain.ingest.builder import Making, Why
from membrane.domain.language.errors import FailedPrecondition, NotFound, PermissionDenied
from membrane.domain.records.records import CONTESTED_BY, SUPERSEDES
from membrane.domain.records.states import is_retracted, successor_of
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.revision.next_versions import (
    is_contested_by_alone,
    kept_version,
    reactivated_version,
)
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.records.changing import Step, change_any
from membrane.usecases.revision.heads import claim_head

MAX_EXAMINED = 1_000
"""Records that refer to a fact, looked at for facts to give back, or for further evidence."""

MAX_DISPLACED = 100
"""Facts given back: a derived fact displaces 4 with each capture."""

GIVEN_BACK = "the newer fact was withdrawn"


def displaced_by(fact: StoredRecord, world: World) -> Sequence[str]:
    """The ids of the facts that the fact has superseded, or contests alone.

    One Query for each 100 records that refer to the fact; one request for the facts, if any.
    """
    incoming = islice(world.records.incoming(fact.id), MAX_EXAMINED)
    contested = (each.source_id for each in incoming if each.predicate == CONTESTED_BY)
    superseded = (each.target_id for each in fact.record.relations if each.predicate == SUPERSEDES)
    ids = [*dict.fromkeys((*superseded, *contested))][:MAX_DISPLACED]
    found: Mapping[str, AnyRecord] = world.records.load_own(ids) if ids else {}
    return [each for each in ids if each in found and _is_displaced(found[each], fact.id)]


def give_back(ids: Sequence[str], fact_id: str, why: Why, call: Call, world: World) -> None:
    """Let each displaced fact be active again, after the fact that displaced it was retracted.

    A fact stays displaced if the caller may not see or change it, or if an active fact is in its
    place. Repeatable. Raises Aborted.
    """
    why = why.after(GIVEN_BACK)

    def revive(held: AnyRecord, making: Making) -> StoredRecord | Step | None:
        if not isinstance(held, StoredRecord) or not _is_displaced(held, fact_id):
            return None
        if not is_retracted(held.record.payload):
            return kept_version(held, why, making)
        after = reactivated_version(held, held.record, why, making, world.policy, by_default=True)
        return Step(after, heads=claim_head(after.record, call.principal, world))

    for each in ids:
        with suppress(NotFound, PermissionDenied, FailedPrecondition):
            change_any(each, revive, call, world)


def _is_displaced(held: AnyRecord, fact_id: str) -> bool:
    if not isinstance(held, StoredRecord) or held.tombstone is not None:
        return False
    is_superseded = is_retracted(held.record.payload) and (
        successor_of(held.record.payload) == fact_id
    )
    return is_superseded or is_contested_by_alone(held.record, fact_id)
