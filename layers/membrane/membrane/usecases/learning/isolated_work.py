"""Work on one thread, group or skill, whose failure keeps back no other."""

from collections.abc import Callable
from typing import TypeVar

from membrane.domain.language.errors import Aborted, ScopeFenced
from membrane.usecases.learning.consolidating_call import CONSOLIDATE
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.services import Services

Result = TypeVar("Result")


def result_alone(
    work: Callable[[], Result], services: Services, failed: list[Exception]
) -> Result | None:
    """The result; None for a failure, which joins `failed`: the evidence waits for a later run.

    A failure is reported, except where other writers came first or the scope is being erased.
    Raises TRANSIENT errors.
    """
    try:
        return work()
    except TRANSIENT:
        raise
    except (Aborted, ScopeFenced) as error:
        failed.append(error)
    except Exception as error:  # noqa: BLE001 - one failure must not keep back the other work
        services.report(CONSOLIDATE, FAULT, error)
        failed.append(error)
    return None
