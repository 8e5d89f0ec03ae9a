"""Principals: the authenticated callers, their permissions and the scopes they write to."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from membrane.domain.access.trust import ALL_SCOPES, Trust
from membrane.domain.language.errors import InvalidArgument, PermissionDenied
from membrane.domain.language.fields import MAX_SCOPE_BYTES, PREFIX_END
from membrane.domain.language.json_text import JsonObject, digest
from membrane.domain.language.names import is_blank
from membrane.domain.language.vocabulary import Permission, Sensitivity

FORMER_FEEDER = "feeding"
"""The actor of observed facts in topics of former versions, whose exports may be restored."""

INTERPRETER = "interpretation"
"""The actor of the background work that lets a model interpret captures."""

REASON = "reason"
"""The actor of the background work that merges and forgets topics."""


CONSOLIDATION = "consolidation"
"""The actor of the background work that makes traces, skills and plans."""

SERVICE_ACTORS = frozenset((CONSOLIDATION, FORMER_FEEDER, INTERPRETER, REASON))
"""Actors that no key may have: an audit trail would take the key for the service."""

TOKEN_ACTOR = "oidc:"  # noqa: S105 - the beginning of an actor's name
"""The beginning of the actor of every access token; no API key may have an actor like this."""

IAM_ACTOR = "iam:"
"""The same, of callers whom AWS's signature names."""


class Source(StrEnum):
    """How a principal reaches the service."""

    KEY = "key"
    TOKEN = "token"  # noqa: S105 - a word
    """An access token of the issuer that the operator trusts."""
    IAM = "iam"
    """A request with AWS's signature, by a role or a user of the account."""
    BUS = "bus"
    QUEUE = "queue"
    DIRECT = "direct"
    IMPORT = "import"
    SERVICE = "service"
    """Background work of the service, with the rights that the present task needs."""


class Principal(NamedTuple):
    """The authenticated caller.

    `scopes` is ordered: exact scopes, prefixes of scopes that end in PREFIX_END, or ALL_SCOPES.
    """

    actor_id: str
    permissions: frozenset[Permission]
    scopes: tuple[str, ...]
    ceiling: Sensitivity
    source: Source = Source.KEY
    user_prefix: str = ""
    """The beginning of every user's scope; empty for a key whose requests name no user."""
    user_required: bool = False

    @property
    def identity(self) -> str:
        """The owner of idempotency keys, uploads and receipts, as a hexadecimal digest.

        The digest covers source, actor, ordered scopes and ceiling: a new key with equal rights
        can repeat the requests of the old key, and a key of a second tenant never meets them. The
        digest leaves out permissions, because every route checks a permission before looking up an
        earlier request. For the service itself the digest leaves out all rights, because they
        follow the record at work.
        """
        rights = () if self.source is Source.SERVICE else (self.ceiling, *self.scopes)
        return digest(self.source, self.actor_id, *rights).hex()

    @property
    def is_admin_of_all(self) -> bool:
        """Whether the principal has the permission `admin` and every scope."""
        return Permission.ADMIN in self.permissions and ALL_SCOPES in self.scopes

    @property
    def user_scope(self) -> str:
        """The scope of the user to whom `acting_for` narrowed the principal; else empty.

        A key with a user prefix has a prefix among its scopes; only narrowing leaves one scope.
        """
        if not self.user_prefix or len(self.scopes) > 1 or self.scopes[0].endswith(ALL_SCOPES):
            return ""
        return self.scopes[0]

    @property
    def trust(self) -> Trust:
        if ALL_SCOPES in self.scopes:
            return Trust(self.ceiling, None)
        prefixes = tuple(scope[:-1] for scope in self.scopes if scope.endswith(PREFIX_END))
        exact = frozenset(self.scopes)
        if prefixes:
            exact = frozenset(scope for scope in exact if not scope.endswith(PREFIX_END))
        return Trust(self.ceiling, exact, prefixes)

    def as_json(self) -> JsonObject:
        """The first arguments of `principal_of`."""
        return {
            "actor_id": self.actor_id,
            "permissions": sorted(self.permissions),
            "scopes": list(self.scopes),
            "max_sensitivity": self.ceiling,
        }

    def acting_for(self, user: object) -> "Principal":
        """The principal narrowed to the scope of the user; unchanged for None.

        A batch and the items in it may name the same user: narrowing twice changes nothing. Raises
        PermissionDenied without a user if the key requires one, for a user if the key has no user
        prefix, and for a second user; raises InvalidArgument for a malformed user.
        """
        if user is None:
            if self.user_required:
                raise PermissionDenied("user is required by the key in every request")
            return self
        if not isinstance(user, str):
            raise InvalidArgument("user must be a string").at("user")
        if not self.user_prefix:
            raise PermissionDenied("user is not taken: the key has no user prefix")
        scope = self.user_prefix + user
        if is_blank(user) or user.endswith(ALL_SCOPES):
            raise InvalidArgument("user must have a visible character and not end in *").at("user")
        if len(scope.encode()) > MAX_SCOPE_BYTES:
            raise InvalidArgument(
                f"user with the key's user prefix exceeds {MAX_SCOPE_BYTES} bytes"
            ).at("user")
        if not self.trust.covers(scope):
            raise PermissionDenied(
                "user must be the same in the request and in its items or arguments"
            )
        return self._replace(scopes=(scope,), user_required=False)

    def require(self, permission: Permission) -> None:
        if permission not in self.permissions:
            raise PermissionDenied(f"the permission {permission} is required")

    def require_admin_of_all(self) -> None:
        if not self.is_admin_of_all:
            raise PermissionDenied("the permission admin over all scopes is required")

    @property
    def usual_scope(self) -> str | None:
        """The first exact scope; "" (unscoped) for all scopes; None for prefixes alone."""
        if ALL_SCOPES in self.scopes or not self.scopes:
            return ""
        return next((each for each in self.scopes if not each.endswith(PREFIX_END)), None)

    def scope_for_writing(self, asked: str | None) -> str:
        """The scope of a new record: the requested scope, else the first exact scope of the key.

        Raises InvalidArgument without a requested scope if the key has prefixes alone.
        """
        if asked:
            return asked
        usual = self.usual_scope
        if usual is not None:
            return usual
        message = "scope or user is required: the key has prefixes of scopes alone"
        raise InvalidArgument(message).at("scope")

    def require_write(self, scope: str, sensitivity: Sensitivity) -> None:
        """Raises PermissionDenied for a record outside the own scopes or above the own ceiling."""
        if ALL_SCOPES not in self.scopes:
            if not scope:
                raise PermissionDenied("writing an unscoped record needs a key for all scopes")
            if scope not in self.scopes and not self.trust.covers(scope):
                raise PermissionDenied("the key does not cover this scope")
        if sensitivity.level > self.ceiling.level:
            raise PermissionDenied("the key's highest sensitivity is below the record's")

    def may_write(self, scope: str, sensitivity: Sensitivity) -> bool:
        try:
            self.require_write(scope, sensitivity)
        except PermissionDenied:
            return False
        return True


def principal_of(
    actor_id: object,
    permissions: object,
    scopes: object,
    max_sensitivity: object,
    *,
    user_prefix: object = "",
    user_required: object = False,
) -> Principal:
    """A principal from the attributes of a key item or of a parameter.

    Raises ValueError for an unknown or empty word, for a value of a wrong type, for a user prefix
    that no prefix among the scopes covers, and for a required user without a user prefix.
    """
    listed, allowed = _words(scopes), _words(permissions)
    if not isinstance(actor_id, str) or not actor_id or not listed or not allowed:
        raise ValueError("a principal needs an actor id, permissions and scopes")
    principal = Principal(
        actor_id,
        frozenset(Permission(word) for word in allowed),
        listed,
        Sensitivity(str(max_sensitivity)),
    )
    if user_prefix or user_required:
        return _with_users(principal, user_prefix, user_required)
    return principal


def _with_users(principal: Principal, prefix: object, required: object) -> Principal:
    if not (isinstance(required, bool) and isinstance(prefix, str) and prefix.endswith(":")):
        raise ValueError("user_required needs a user_prefix, and a user_prefix needs : at its end")
    if len(prefix.encode()) >= MAX_SCOPE_BYTES:
        raise ValueError(f"user_prefix needs less than {MAX_SCOPE_BYTES} bytes")
    trust = principal.trust
    if trust.scopes is not None and not prefix.startswith(trust.prefixes):
        raise ValueError("user_prefix needs a prefix among the scopes that covers it")
    return principal._replace(user_prefix=prefix, user_required=required)


def _words(listed: object) -> tuple[str, ...]:
    """The distinct words in the given order; empty for a value that is no list of words."""
    if not isinstance(listed, Iterable) or isinstance(listed, (str, bytes, Mapping)):
        return ()
    every = list(listed)
    words = [word for word in every if isinstance(word, str) and word]
    return tuple(dict.fromkeys(words)) if words == every else ()


ORDINARY_SALIENCE = 1.0
"""The highest salience, floor and gain that a report may set without `revise`."""


def require_revise_for(principal: Principal, privileged: Iterable[str]) -> None:
    """Raises PermissionDenied, naming the first privileged field, for a key without `revise`."""
    if Permission.REVISE in principal.permissions:
        return
    for field in privileged:
        raise PermissionDenied(f"{field} needs the permission {Permission.REVISE}")


def above_ordinary(field: str, value: float | None) -> Iterable[str]:
    return [f"{field} above 1"] if value is not None and value > ORDINARY_SALIENCE else []


class SourcePrincipals(NamedTuple):
    """The principals of event sources, which send no key; None = the source is closed."""

    bus: Principal | None = None
    queue: Principal | None = None
    direct: Principal | None = None
    imports: Principal | None = None


USER = "user"
_NO_USER = "user must not be null with a key that has a user prefix; leave user out or name one"


def for_user(
    principal: Principal, asked: JsonObject, *, has_users_within: bool = False
) -> tuple[Principal, JsonObject]:
    """The principal narrowed to the user of a request, and the request without the user.

    `has_users_within`: parts of the request may name a user, so the request need not. Raises
    PermissionDenied and InvalidArgument as `acting_for`.
    """
    if USER not in asked and not principal.user_required:
        return principal, asked
    user = asked.get(USER)
    if user is not None or not has_users_within:
        principal = principal.acting_for(user)
    if USER in asked and user is None and principal.user_prefix:
        raise InvalidArgument(_NO_USER).at(
            USER
        )  # else a caller that lost the name would read the records of all users
    return principal, {name: asked[name] for name in asked if name != USER}
