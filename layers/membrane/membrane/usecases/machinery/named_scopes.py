"""The scopes that a request covers."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from membrane.domain.access.trust import MAX_SCOPES, Trust
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import MAX_SCOPE_BYTES


def named_scopes(named: Iterable[str], what: str, how: str) -> Sequence[str]:
    """The valid scopes of `named`, and the unscoped one; raises InvalidArgument above MAX_SCOPES.

    `what` and `how` are parts of the error text: the operation, and the field with the scopes.
    """
    scopes = {scope for scope in named if 0 < len(scope.encode()) <= MAX_SCOPE_BYTES}
    if len(scopes) > MAX_SCOPES:
        message = f"{what} {MAX_SCOPES} scopes at most: name them {how}, or name a user"
        raise InvalidArgument(message)
    return ["", *sorted(scopes)]


def known_scopes(trust: Trust, known: Callable[[str], Iterable[str]]) -> Iterable[str]:
    """The scopes that the trust names, and the `known` scopes of the trust's prefixes.

    `known` takes a prefix; for a trust in every scope the prefix is "".
    """
    if trust.scopes is None:
        return known("")
    return chain(trust.scopes, *map(known, trust.prefixes))
