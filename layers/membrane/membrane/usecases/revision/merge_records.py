"""Merge several records into a new one."""

from membrane.domain.revision.effects import merged
from membrane.domain.revision.requests import Merge
from membrane.domain.revision.successors import union
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.services import Services
from membrane.usecases.revision.drafting import Descent
from membrane.usecases.revision.revising import descend

MERGING = Descent(
    operation="merge",
    source="source record",
    makes=union,
    becomes=merged,
    replaces=True,
)


def merge_records(request: Merge, call: Call, services: Services) -> Result:
    """The new record; each source is retracted and names it. Raises as `descend` does."""
    return descend(
        request.ids, request.merged_record, call.why(request), call, services, descent=MERGING
    )
