"""The scopes that a tool reads: those of the key, or the one that the arguments name."""

from collections.abc import Sequence

from membrane.domain.access.principals import Principal
from membrane.domain.access.requests import TrustInput
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.language.errors import PermissionDenied
from membrane.domain.tools.texts import scope_words


def searched_scopes(principal: Principal, asked: str | None) -> Sequence[str]:
    """The scopes in the spelling of a key; raises PermissionDenied for a foreign scope.

    A retrieval ignores a foreign scope. To an agent, an empty answer looks like an empty memory.
    """
    if asked is None:
        return [ALL_SCOPES] if ALL_SCOPES in principal.scopes else list(principal.scopes)
    if not principal.trust.covers(asked):
        own = scope_words(principal.scopes)
        raise PermissionDenied(f"scope is not one of the key, which has {own}")
    return [asked]


def trust_of(asked: str | None) -> TrustInput:
    return TrustInput(scopes=() if asked is None else (asked,))
