"""What only a key with `revise` may claim for a report: to outrank or outlast others."""

from collections.abc import Iterable

from membrane.domain.access.trust import Principal
from membrane.domain.language.errors import PermissionDenied
from membrane.domain.language.vocabulary import Permission

ORDINARY_SALIENCE = 1.0
"""The highest salience, floor and gain that a report may set for itself."""


def require_revise_for(principal: Principal, privileged: Iterable[str]) -> None:
    """Raises PermissionDenied where a key without `revise` sets a privileged field.

    `privileged` names the fields with their values, as in "lifecycle.pinned"; the first is named.
    """
    if Permission.REVISE in principal.permissions:
        return
    for field in privileged:
        raise PermissionDenied(f"{field} needs the permission {Permission.REVISE}")


def above_ordinary(field: str, value: float | None) -> Iterable[str]:
    """The field's name where the value is above ORDINARY_SALIENCE."""
    return [f"{field} above 1"] if value is not None and value > ORDINARY_SALIENCE else []
