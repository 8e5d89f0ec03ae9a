"""Trust: the scopes and the highest sensitivity that a request may see."""

from collections.abc import Callable, Collection, Iterable, Sequence
from enum import Enum, auto
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import MAX_SCOPE_BYTES, PREFIX_END, RESERVED_SCOPE
from membrane.domain.language.vocabulary import Sensitivity

if TYPE_CHECKING:
    from membrane.domain.access.requests import TrustInput

ALL_SCOPES = RESERVED_SCOPE
"""The entry among the scopes of a key that stands for every scope."""

MAX_SCOPES = 50
"""Scopes that one request may read."""


def is_unclear_prefix(scope: str) -> bool:
    """Whether a scope of a key ends in `*`, but is neither a prefix nor ALL_SCOPES."""
    return scope.endswith(ALL_SCOPES) and scope != ALL_SCOPES and not scope.endswith(PREFIX_END)


def named_scopes(named: Iterable[str], what: str, how: str) -> Sequence[str]:
    """The valid scopes of `named`, and the unscoped one; raises InvalidArgument above MAX_SCOPES.

    `what` and `how` are parts of the error text: the operation, and the field with the scopes.
    """
    scopes = {scope for scope in named if 0 < len(scope.encode()) <= MAX_SCOPE_BYTES}
    if len(scopes) > MAX_SCOPES:
        message = f"{what} {MAX_SCOPES} scopes at most: name them {how}, or name a user"
        raise InvalidArgument(message)
    return ["", *sorted(scopes)]


class Trust(NamedTuple):
    """The records that a read may see: up to `ceiling`, unscoped or in `scopes` (None = all)."""

    ceiling: Sensitivity
    scopes: frozenset[str] | None
    prefixes: tuple[str, ...] = ()
    """Beginnings of further scopes; a prefix ends in `:`."""

    @property
    def entries(self) -> list[str] | None:
        """The scopes and prefixes in the spelling of a key, sorted; None = every scope."""
        if self.scopes is None:
            return None
        return sorted((*self.scopes, *(f"{prefix}*" for prefix in self.prefixes)))

    def covers(self, scope: str) -> bool:
        """Whether records of the scope ("" = unscoped) may be seen, up to the ceiling."""
        if self.scopes is None or not scope or scope in self.scopes:
            return True
        return scope.startswith(self.prefixes)

    def allows(self, scope: str, sensitivity: Sensitivity) -> bool:
        """Whether a record of the scope and the sensitivity is shown in full."""
        return self.covers(scope) and sensitivity.level <= self.ceiling.level

    def allows_redacted(self, scope: str, sensitivity: Sensitivity) -> bool:
        """Whether a record is shown without content: one level above the ceiling, scope covered."""
        return self.covers(scope) and sensitivity.level == self.ceiling.level + 1

    def narrow_to(self, asked: "TrustInput") -> "Trust":
        """The trust narrowed to the request's; ALL_SCOPES in a request keeps every own scope."""
        trust = self
        if asked.max_sensitivity and asked.max_sensitivity.level < self.ceiling.level:
            trust = trust._replace(ceiling=asked.max_sensitivity)
        if asked.scopes and ALL_SCOPES not in asked.scopes:
            named = frozenset(filter(self.covers, asked.scopes))
            trust = trust._replace(scopes=named, prefixes=())
        return trust

    def known_scopes(
        self, known: Callable[[str], Iterable[str]], what: str, how: str
    ) -> Sequence[str]:
        """The `named_scopes` of the trust, and the `known` scopes of the trust's prefixes.

        `known` takes a prefix; for a trust in every scope the prefix is "".
        """
        if self.scopes is None:
            return named_scopes(known(""), what, how)
        return named_scopes(chain(self.scopes, *map(known, self.prefixes)), what, how)


class View(Enum):
    """How a read shows a record."""

    FULL = auto()
    REDACTED = auto()
    WITHHELD = auto()
    """Kept back by the narrower trust of the request alone: the key shows the record in full.

    The number of withheld records therefore reveals nothing beyond the rights of the key.
    """
    HIDDEN = auto()
    """Beyond the rights of the key."""


class Gate(NamedTuple):
    """The trust of a request, and the wider trust of the principal."""

    asked: Trust
    own: Trust

    @classmethod
    def of(cls, own: Trust, asked: "TrustInput") -> "Gate":
        return cls(own.narrow_to(asked), own)

    def view(self, scope: str, sensitivity: Sensitivity) -> View:
        if self.asked.allows(scope, sensitivity):
            return View.FULL
        if self.asked.allows_redacted(scope, sensitivity):
            return View.REDACTED
        if self.own.allows(scope, sensitivity):
            return View.WITHHELD
        return View.HIDDEN

    def view_of_all(self, places: Collection[tuple[str, Sensitivity]]) -> View:
        """The view of a record that has had all of the given scopes and sensitivities."""
        views = {self.view(scope, sensitivity) for scope, sensitivity in places}
        if len(views) == 1:
            return views.pop()
        if View.HIDDEN not in views and View.WITHHELD not in views:
            return View.REDACTED
        is_own = all(self.own.allows(scope, sensitivity) for scope, sensitivity in places)
        return View.WITHHELD if is_own else View.HIDDEN
