"""API keys: an operator creates, lists and revokes keys; the authorizer looks up and keeps keys."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.access.principals import IAM_ACTOR, SERVICE_ACTORS, TOKEN_ACTOR, Principal
from membrane.domain.access.trust import is_unclear_prefix
from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.language.fields import PREFIX_END
from membrane.usecases.ports.keys import ApiKey, KeyFinder

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.access import DynamoKeys


_SCHEME = "bearer"


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key just made; `secret` is shown once and stored nowhere."""

    secret: str
    key: ApiKey


def digest_of(secret: str) -> str:
    """SHA-256 of the key, in hex: the table stores the digest alone."""
    return hashlib.sha256(secret.encode()).hexdigest()


def create_key(
    principal: Principal,
    lifetime: timedelta | None,
    *,
    keys: "DynamoKeys",
    now: datetime,
    new_secret: Callable[[], str],
) -> NewKey:
    """Store a new key of the principal; `new_secret` gives 256 random bits as text.

    Raises InvalidArgument for an actor name of the service itself, of access tokens, or of roles
    and users of AWS, and for a scope with `*` that is no prefix.
    """
    if principal.actor_id in SERVICE_ACTORS:
        raise InvalidArgument(f"the actor {principal.actor_id} is the service's own; name another")
    for beginning, callers in (
        (TOKEN_ACTOR, "access tokens"),
        (IAM_ACTOR, "roles and users of AWS"),
    ):
        if principal.actor_id.startswith(beginning):
            raise InvalidArgument(f"the actors {beginning}... are of {callers}; name another")
    for scope in principal.scopes:
        if is_unclear_prefix(scope):
            raise InvalidArgument(f"the scope {scope} must end in {PREFIX_END} to be a prefix")
    secret = new_secret()
    key = ApiKey(
        digest=digest_of(secret),
        principal=principal,
        created_at=now,
        expires_at=None if lifetime is None else now + lifetime,
    )
    keys.add(key)
    return NewKey(secret, key)


def revoke_key(key_id: str, *, keys: "DynamoKeys", now: datetime) -> ApiKey:
    """Revoke a key by the beginning of its id. Raises NotFound, InvalidArgument."""
    found = [key for key in keys.list_keys() if key_id and key.digest.startswith(key_id)]
    if not found:
        raise NotFound(f"no key has the id {key_id}")
    if len(found) > 1:
        raise InvalidArgument(f"{len(found)} keys have ids that begin with {key_id}")
    keys.revoke(found[0].digest, now)
    return found[0]


def bearer_token(authorization: str) -> str:
    """The token in an `Authorization` header; empty for another scheme (RFC 9110, section 11.4)."""
    scheme, _, token = authorization.partition(" ")
    return token.lstrip(" ") if scheme.lower() == _SCHEME else ""


def authenticate(authorization: str, *, keys: KeyFinder, now: datetime) -> Principal | None:
    """The principal of an `Authorization` header; None for an unknown, expired or revoked key."""
    token = bearer_token(authorization)
    key = keys.find(digest_of(token)) if token else None
    return key.principal if key is not None and key.is_live(now) else None


KEPT_FOR = timedelta(seconds=300)
"""The `ReauthorizeEvery` of template.yaml: a revoked key ends as late here as at a route."""

MAX_KEYS = 1_000


class _Kept(NamedTuple):
    key: ApiKey
    since: datetime


class KeptKeys:
    """A KeyFinder that reads a live key at most every KEPT_FOR; no other key is kept."""

    def __init__(self, keys: KeyFinder, now: Callable[[], datetime]) -> None:
        self._keys = keys
        self._now = now
        self._kept: dict[str, _Kept] = {}
        self._lock = Lock()

    def find(self, digest: str) -> ApiKey | None:
        now = self._now()
        kept = self._kept.get(digest)
        if kept is not None and timedelta(0) <= now - kept.since < KEPT_FOR:
            return kept.key
        found = self._keys.find(digest)
        with self._lock:
            self._kept.pop(digest, None)
            if found is not None and found.is_live(now):
                self._keep(found, now)
        return found

    def _keep(self, key: ApiKey, now: datetime) -> None:
        if len(self._kept) >= MAX_KEYS:
            del self._kept[next(iter(self._kept))]
        self._kept[key.digest] = _Kept(key, now)
