"""API keys of a table, read and written as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import rfc3339
from membrane.usecases.access.api_keys import create_key, revoke_key
from membrane.usecases.ports.keys import ApiKey
from membrane.usecases.ports.surroundings import Clock
from membrane.wiring import chance

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.access import DynamoKeys


_FIELDS = {"actor_id", "permissions", "scopes", "max_sensitivity"}
_LIFETIME = "expires_in_days"
_USERS = {"user_prefix", "user_required"}


@dataclass(frozen=True, slots=True)
class TableKeys:
    keys: "DynamoKeys"
    now: Clock

    def create(self, request: Mapping[str, Any]) -> JsonObject:
        """A new key, with the `secret`: access to the table is the right to grant anything."""
        principal, lifetime = parse_key_request(request)
        new = create_key(
            principal, lifetime, keys=self.keys, now=self.now(), new_secret=chance.new_secret
        )
        return {"secret": new.secret, **key_json(new.key)}

    def list_keys(self) -> Sequence[JsonObject]:
        return [key_json(key) for key in self.keys.list_keys()]

    def revoke(self, key_id: str) -> JsonObject:
        return key_json(revoke_key(key_id, keys=self.keys, now=self.now()))


def parse_key_request(request: Any) -> tuple[Principal, timedelta | None]:
    """The principal and lifetime in a request for a key; raises InvalidArgument."""
    if not isinstance(request, dict) or request.keys() - {_LIFETIME, *_USERS} != _FIELDS:
        may = ", ".join(sorted({_LIFETIME, *_USERS}))
        raise InvalidArgument(f"a key has {', '.join(sorted(_FIELDS))} and may have {may}")
    days = request.get(_LIFETIME)
    try:
        principal = principal_of(**{name: request[name] for name in request if name != _LIFETIME})
        lifetime = None if days is None else timedelta(days=days)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidArgument(f"not a key: {error}") from error
    if lifetime is not None and lifetime <= timedelta():
        raise InvalidArgument(f"{_LIFETIME} must be more than 0")
    return principal, lifetime


def key_json(key: ApiKey) -> JsonObject:
    """A key as an operator sees the key: everything but the secret."""
    return {
        "key_id": key.key_id,
        "actor_id": key.principal.actor_id,
        "permissions": sorted(key.principal.permissions),
        "scopes": list(key.principal.scopes),
        "max_sensitivity": str(key.principal.ceiling),
        "user_prefix": key.principal.user_prefix,
        "user_required": key.principal.user_required,
        "created_at": rfc3339(key.created_at),
        "expires_at": None if key.expires_at is None else rfc3339(key.expires_at),
        "revoked_at": None if key.revoked_at is None else rfc3339(key.revoked_at),
    }
