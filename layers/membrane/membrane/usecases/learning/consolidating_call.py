"""The call of the service for records learned from the evidence of a scope."""

from membrane.domain.access.principals import CONSOLIDATION, Principal, Source
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.ingest.builder import Making
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services import Services

CONSOLIDATE = "Consolidate"
"""The operation in reports of failures."""

_PERMISSIONS = frozenset((Permission.INGEST, Permission.READ, Permission.REVISE))


def consolidating_call(scope: str, ceiling: Sensitivity) -> Call:
    """A call by a principal limited to the scope and the sensitivity of the evidence."""
    scopes = (scope or ALL_SCOPES,)
    principal = Principal(CONSOLIDATION, _PERMISSIONS, scopes, ceiling, Source.SERVICE)
    return Call(principal, CONSOLIDATE, None, fingerprint=b"")


def making_for(record_id: str, services: Services) -> Making:
    """The context of a write by the consolidation."""
    return Making(
        record_id=record_id,
        node_id="",
        now=services.now(),
        principal=CONSOLIDATION,
        salt=services.new_salt(),
    )
