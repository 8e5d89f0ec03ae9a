"""Supersede one record: a new one takes its place."""

from membrane.domain.revision.effects import superseded
from membrane.domain.revision.requests import Supersede
from membrane.domain.revision.successors import successor
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.services import Services
from membrane.usecases.revision.drafting import Descent
from membrane.usecases.revision.revising import descend

SUPERSEDING = Descent(
    operation="supersede",
    source="old record",
    makes=lambda record, sources, why, making: successor(record, sources[0], why, making),
    becomes=superseded,
    keeps_type=True,
    replaces=True,
)


def supersede_record(request: Supersede, call: Call, services: Services) -> Result:
    """The new record; the old one is retracted and names it. Raises as `descend` does."""
    why = call.why(request)
    return descend((request.id,), request.new_record, why, call, services, descent=SUPERSEDING)
