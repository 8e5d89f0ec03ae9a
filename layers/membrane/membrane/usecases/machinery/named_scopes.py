"""The scopes that one request goes through."""

from collections.abc import Iterable, Sequence

from membrane.domain.access.trust import MAX_SCOPES
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import MAX_SCOPE_BYTES


def named_scopes(named: Iterable[str], what: str, how: str) -> Sequence[str]:
    """The valid scopes of `named`, and the unscoped one; raises InvalidArgument above MAX_SCOPES.

    `what` goes through the scopes, `how` says where they are named.
    """
    scopes = {scope for scope in named if 0 < len(scope.encode()) <= MAX_SCOPE_BYTES}
    if len(scopes) > MAX_SCOPES:
        raise InvalidArgument(f"{what} {MAX_SCOPES} scopes at most: name them {how}")
    return ["", *sorted(scopes)]
