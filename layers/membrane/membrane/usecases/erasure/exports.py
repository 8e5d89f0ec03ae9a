"""Which exports may hold the target of an erasure."""

from collections.abc import Sequence

from membrane.domain.access.principals import Principal
from membrane.domain.archive.selection import Selection
from membrane.domain.erasure.targets import Ground, Target, TargetKind
from membrane.domain.language.vocabulary import Sensitivity

GROUNDS = {
    TargetKind.SCOPE: Ground.IS_OF,
    TargetKind.SUBJECT: Ground.IS_ABOUT,
    TargetKind.IDS: Ground.NAMED,
}


def selection_of(scopes: Sequence[str]) -> Selection:
    """The selection of scopes in the spelling of a key; empty for every scope."""
    shown = {"max_sensitivity": Sensitivity.HYPER}
    return Selection.of_json(shown | {"scopes": scopes} if scopes else shown)


def may_be_exported(target: Target, principal: Principal, selection: Selection | None) -> bool:
    """Whether an export with the selection may hold the target; None for an unknown selection.

    An export counts for a subject or ids if the caller administers every scope: an export may hold
    records of all scopes.
    """
    if target.kind is not TargetKind.SCOPE:
        return principal.is_admin_of_all
    return selection is None or selection.covers(target.scope)
