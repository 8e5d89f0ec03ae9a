"""Make a record from source records: supersede, fork or merge.

The functions raise the errors of `derive`.
"""

from membrane.domain.revision.next_versions import (
    forked_version,
    merged_version,
    superseded_version,
)
from membrane.domain.revision.requests import Fork, Merge, Supersede
from membrane.domain.revision.successors import successor, union, variant
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.world import World
from membrane.usecases.revision.derive_record import Derivation, derive

SUPERSEDING = Derivation(
    operation="supersede",
    source="old record",
    makes=lambda record, sources, why, making: successor(record, sources[0], why, making),
    becomes=superseded_version,
    keeps_type=True,
    replaces=True,
)
FORKING = Derivation(
    operation="fork",
    source="source record",
    makes=lambda record, sources, why, making: variant(record, sources[0], why, making),
    becomes=lambda source, to, why, making, _policy: forked_version(source, to, why, making),
)
MERGING = Derivation(
    operation="merge", source="source record", makes=union, becomes=merged_version, replaces=True
)


def supersede_record(request: Supersede, call: Call, world: World) -> Result:
    """Write the new record; the old record is retracted and refers to the new record."""
    why = call.why(request)
    return derive((request.id,), request.new_record, why, call, world, derivation=SUPERSEDING)


def fork_record(request: Fork, call: Call, world: World) -> Result:
    """Write a variant of a record of any type except episodic."""
    why = call.why(request)
    return derive((request.id,), request.forked_record, why, call, world, derivation=FORKING)


def merge_records(request: Merge, call: Call, world: World) -> Result:
    """Write the merged record; each source is retracted and refers to the merged record."""
    why = call.why(request)
    return derive(request.ids, request.merged_record, why, call, world, derivation=MERGING)
