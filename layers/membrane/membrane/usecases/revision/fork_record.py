"""Fork one record: a variant of it, which stays as it is."""

from membrane.domain.revision.effects import forked
from membrane.domain.revision.requests import Fork
from membrane.domain.revision.successors import variant
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.services import Services
from membrane.usecases.revision.drafting import Descent
from membrane.usecases.revision.revising import descend

FORKING = Descent(
    operation="fork",
    source="source record",
    makes=lambda record, sources, why, making: variant(record, sources[0], why, making),
    becomes=lambda source, to, why, making, _policy: forked(source, to, why, making),
)


def fork_record(request: Fork, call: Call, services: Services) -> Result:
    """The variant, of any type but the episodic; raises as `descend` does."""
    why = call.why(request)
    return descend((request.id,), request.forked_record, why, call, services, descent=FORKING)
