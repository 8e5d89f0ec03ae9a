"""Who is asking, and what they may see and do (design 4.5)."""

from collections.abc import Collection, Iterable, Mapping
from enum import Enum, StrEnum, auto
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.language.digests import digest
from membrane.domain.language.errors import PermissionDenied
from membrane.domain.language.fields import RESERVED_SCOPE
from membrane.domain.language.vocabulary import Permission, Sensitivity

if TYPE_CHECKING:
    from membrane.domain.access.requests import TrustInput

ALL_SCOPES = RESERVED_SCOPE
"""The entry of a key's scopes that stands for all of them."""

FEEDER = "feeding"
"""The actor of what the service tells topics of records."""

REASON = "reason"
"""The actor of what the service does with topics by itself."""

SERVICE_ACTORS = frozenset((FEEDER, REASON))
"""Actors that no key may have: an audit trail would take the key for the service."""

MAX_SCOPES = 50
"""Scopes that one request may read."""


class Trust(NamedTuple):
    """What a read may see: up to `ceiling`, in `scopes` (None = every scope) and unscoped."""

    ceiling: Sensitivity
    scopes: frozenset[str] | None

    def covers(self, scope: str) -> bool:
        """Whether anything of that scope ("" = unscoped) may be seen at all."""
        return self.scopes is None or not scope or scope in self.scopes

    def allows(self, scope: str, sensitivity: Sensitivity) -> bool:
        """Whether a record of that scope and sensitivity is seen in full."""
        return self.covers(scope) and sensitivity.level <= self.ceiling.level

    def allows_redacted(self, scope: str, sensitivity: Sensitivity) -> bool:
        """Whether it is seen without its content: exactly one level above, by the same scopes."""
        return self.covers(scope) and sensitivity.level == self.ceiling.level + 1

    def narrowed(self, asked: "TrustInput") -> "Trust":
        """No more than this trust and than was asked for; ALL_SCOPES asks for every own scope."""
        trust = self
        if asked.max_sensitivity and asked.max_sensitivity.level < self.ceiling.level:
            trust = trust._replace(ceiling=asked.max_sensitivity)
        if asked.scopes and ALL_SCOPES not in asked.scopes:
            named = frozenset(asked.scopes)
            trust = trust._replace(scopes=named if self.scopes is None else named & self.scopes)
        return trust


class View(Enum):
    """What becomes of a record that a read meets."""

    FULL = auto()
    REDACTED = auto()
    WITHHELD = auto()
    """Kept back by the request's own narrower trust alone: the key would show it in full.

    So the number of withheld records tells a caller nothing that a wider request would not show.
    """
    HIDDEN = auto()
    """Beyond what the key itself shows in full."""


class Gate(NamedTuple):
    """A request's trust, and that of the principal, which it narrows."""

    asked: Trust
    own: Trust

    @classmethod
    def of(cls, principal: "Principal", asked: "TrustInput") -> "Gate":
        return cls(principal.trust.narrowed(asked), principal.trust)

    def view(self, scope: str, sensitivity: Sensitivity) -> View:
        if self.asked.allows(scope, sensitivity):
            return View.FULL
        if self.asked.allows_redacted(scope, sensitivity):
            return View.REDACTED
        if self.own.allows(scope, sensitivity):
            return View.WITHHELD
        return View.HIDDEN

    def view_of_all(self, places: Collection[tuple[str, Sensitivity]]) -> View:
        """What becomes of a record that was of each of these scopes and sensitivities."""
        views = {self.view(scope, sensitivity) for scope, sensitivity in places}
        if len(views) == 1:
            return views.pop()
        if View.HIDDEN not in views and View.WITHHELD not in views:
            return View.REDACTED
        is_own = all(self.own.allows(scope, sensitivity) for scope, sensitivity in places)
        return View.WITHHELD if is_own else View.HIDDEN


class Source(StrEnum):
    """How a principal reaches the service."""

    KEY = "key"
    BUS = "bus"
    QUEUE = "queue"
    DIRECT = "direct"
    IMPORT = "import"
    SERVICE = "service"
    """The service acts on its own account, with the rights that its present task needs."""


class Principal(NamedTuple):
    """The authenticated caller. `scopes` is ordered; ALL_SCOPES in it means every scope."""

    actor_id: str
    permissions: frozenset[Permission]
    scopes: tuple[str, ...]
    ceiling: Sensitivity
    source: Source = Source.KEY

    @property
    def identity(self) -> str:
        """What idempotency keys, uploads and receipts belong to, as hex.

        Two principals are the same where source, actor, ordered scopes and ceiling are equal: a key
        that replaces another one with equal rights repeats its requests, and a key of another
        tenant never meets them. Permissions are left out: every route checks its own before it
        looks for an earlier request. Of the service itself the rights are left out, too, since they
        follow the record that the service works on.
        """
        rights = () if self.source is Source.SERVICE else (self.ceiling, *self.scopes)
        return digest(self.source, self.actor_id, *rights).hex()

    @property
    def is_admin_of_all(self) -> bool:
        """Whether the principal holds `admin` over every scope."""
        return Permission.ADMIN in self.permissions and ALL_SCOPES in self.scopes

    @property
    def trust(self) -> Trust:
        every = ALL_SCOPES in self.scopes
        return Trust(self.ceiling, None if every else frozenset(self.scopes))

    def require(self, permission: Permission) -> None:
        if permission not in self.permissions:
            raise PermissionDenied(f"the permission {permission} is required")

    def require_admin_of_all(self) -> None:
        if not self.is_admin_of_all:
            raise PermissionDenied("the permission admin over all scopes is required")

    def scope_for_writing(self, asked: str | None) -> str:
        """The scope a new record goes into: the one asked for, else the principal's first."""
        if asked:
            return asked
        return "" if ALL_SCOPES in self.scopes or not self.scopes else self.scopes[0]

    def require_write(self, scope: str, sensitivity: Sensitivity) -> None:
        """Raises PermissionDenied for a record outside the own scopes or above the own ceiling."""
        if ALL_SCOPES not in self.scopes:
            if not scope:
                raise PermissionDenied("writing an unscoped record needs a key for all scopes")
            if scope not in self.scopes:
                raise PermissionDenied("the key does not cover this scope")
        if sensitivity.level > self.ceiling.level:
            raise PermissionDenied("the key's highest sensitivity is below the record's")


def principal_of(
    actor_id: object, permissions: object, scopes: object, max_sensitivity: object
) -> Principal:
    """A principal from the words of a key item or a setting.

    Raises ValueError for an unknown or empty word, and for a value of another type.
    """
    listed, allowed = _words(scopes), _words(permissions)
    if not isinstance(actor_id, str) or not actor_id or not listed or not allowed:
        raise ValueError("a principal needs an actor id, permissions and scopes")
    return Principal(
        actor_id,
        frozenset(Permission(word) for word in allowed),
        listed,
        Sensitivity(str(max_sensitivity)),
    )


def _words(listed: object) -> tuple[str, ...]:
    """Distinct words in the given order; nothing at all where it is not a list of words."""
    if not isinstance(listed, Iterable) or isinstance(listed, (str, bytes, Mapping)):
        return ()
    every = list(listed)
    words = [word for word in every if isinstance(word, str) and word]
    return tuple(dict.fromkeys(words)) if words == every else ()


ORDINARY_SALIENCE = 1.0
"""The highest salience, floor and gain that a report may set for itself."""


def require_revise_for(principal: Principal, privileged: Iterable[str]) -> None:
    """Raises PermissionDenied, naming the first privileged field, for a key without `revise`."""
    if Permission.REVISE in principal.permissions:
        return
    for field in privileged:
        raise PermissionDenied(f"{field} needs the permission {Permission.REVISE}")


def above_ordinary(field: str, value: float | None) -> Iterable[str]:
    return [f"{field} above 1"] if value is not None and value > ORDINARY_SALIENCE else []
