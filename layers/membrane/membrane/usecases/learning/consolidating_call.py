"""The call of the service that learns from evidence, and work whose failure stays alone."""

from collections.abc import Callable
from typing import TypeVar

from membrane.domain.access.principals import CONSOLIDATION, Principal, Source
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import Aborted, ScopeFenced
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World

CONSOLIDATE = "Consolidate"
"""The operation in reports of failures."""

_PERMISSIONS = frozenset((Permission.INGEST, Permission.READ, Permission.REVISE))


Result = TypeVar("Result")


def consolidating_call(scope: str, ceiling: Sensitivity) -> Call:
    """A call by a principal limited to the scope and the sensitivity of the evidence."""
    scopes = (scope or ALL_SCOPES,)
    principal = Principal(CONSOLIDATION, _PERMISSIONS, scopes, ceiling, Source.SERVICE)
    return Call(principal, CONSOLIDATE, None, fingerprint=b"")


def making_for(record_id: str, world: World) -> Making:
    """The context of a write by the consolidation."""
    return Making(
        record_id=record_id,
        node_id="",
        now=world.now(),
        principal=CONSOLIDATION,
        salt=world.new_salt(),
    )


def result_alone(
    work: Callable[[], Result], world: World, failed: list[Exception]
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
        world.report(CONSOLIDATE, FAULT, error)
        failed.append(error)
    return None
