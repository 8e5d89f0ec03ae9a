"""What the table holds for callers: API keys, recent tool writes, the key that seals cursors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain

from membrane.domain.access.principals import principal_of
from membrane.domain.language.errors import Aborted, NotFound
from membrane.domain.language.timestamps import epoch_seconds
from membrane.table import items
from membrane.table.dynamo import OverTable
from membrane.table.keys import API_KEYS, TOOL_WRITES, primary_key
from membrane.usecases.ports.keys import ApiKey
from membrane.usecases.ports.surroundings import Clock


class DynamoKeys(OverTable):
    """API keys: one partition, an item per key under the SHA-256 of the key.

    May raise ResourceExhausted or Unavailable.
    """

    def find(self, digest: str) -> ApiKey | None:
        """The key with the SHA-256 `digest` (hex), read consistently."""
        found = self.item_at(primary_key(API_KEYS, digest))
        return None if found is None else _api_key(found)

    def add(self, key: ApiKey) -> None:
        self.commit_all(items.put_new(_key_item(key)))

    def list_keys(self) -> Sequence[ApiKey]:
        """Every key, live or not, the oldest first. One Query of the keys' partition, in pages."""
        found = map(_api_key, self.query("pk = :pk", {":pk": items.text(API_KEYS)}))
        return sorted(found, key=lambda key: key.created_at)

    def revoke(self, digest: str, at: datetime) -> None:
        """Mark a key as revoked; the first revocation stands. Raises NotFound."""
        mark = items.Write(
            "Update",
            lambda _: NotFound("no such key"),
            "attribute_exists(pk)",
            key=primary_key(API_KEYS, digest),
            update="SET revoked_at = if_not_exists(revoked_at, :at)",
            values={":at": items.number(epoch_seconds(at))},
        )
        self.commit_all(mark)


def _key_item(key: ApiKey) -> dict[str, items.Value]:
    principal = key.principal
    item: dict[str, items.Value] = {
        **primary_key(API_KEYS, key.digest),
        "actor_id": items.text(principal.actor_id),
        "permissions": {"SS": sorted(principal.permissions)},
        "scopes": {"L": [items.text(scope) for scope in principal.scopes]},
        "max_sensitivity": items.text(principal.ceiling),
        "created_at": items.number(epoch_seconds(key.created_at)),
    }
    if principal.user_prefix:
        item["user_prefix"] = items.text(principal.user_prefix)
        item["user_required"] = {"BOOL": principal.user_required}
    if key.expires_at is not None:
        item["expiry"] = items.number(epoch_seconds(key.expires_at))
    return item


def _api_key(item: items.Item) -> ApiKey:
    """The key of an item. `expiry` is not the TTL attribute: an expired key stays listed."""
    try:
        principal = principal_of(
            items.read_text(item, "actor_id"),
            item["permissions"]["SS"],
            [scope["S"] for scope in item["scopes"]["L"]],
            items.read_text(item, "max_sensitivity"),
            user_prefix=items.read_text(item, "user_prefix") if "user_prefix" in item else "",
            user_required=item["user_required"]["BOOL"] if "user_required" in item else False,
        )
    except (KeyError, ValueError) as error:
        raise items.CorruptItem(item, "not an API key") from error
    instants = {
        name: items.read_instant(item, attribute) if attribute in item else None
        for name, attribute in (("expires_at", "expiry"), ("revoked_at", "revoked_at"))
    }
    created_at = items.read_instant(item, "created_at")
    return ApiKey(items.read_text(item, "sk"), principal, created_at, **instants)


# --- recent tool writes: an item a key, removed by TTL -------------------------------------------

KEPT_S = 60
MAX_WRITES = 20

_PREPEND = "SET writes = list_append(:new, if_not_exists(writes, :none)), expires_at = :expires_at"
_HAS_ROOM = "attribute_not_exists(writes) OR size(writes) < :longest"
_BEGIN_ANEW = "SET writes = :new, expires_at = :expires_at"
_IS_AS_READ = "writes = :old"

_LONGEST = 2 * MAX_WRITES
"""The most writes in the item; a full list begins anew with the newest writes."""

_TRIES = 10


@dataclass(frozen=True, slots=True)
class DynamoRecentWrites(OverTable):
    """The recent tool writes of a key; a write is stored as the text of instant and tokens.

    Any method may raise ResourceExhausted or Unavailable.
    """

    now: Clock

    def note(self, identity: str, tokens: Sequence[str]) -> None:
        """Keep a write's tokens; parallel notes all stand. May raise Aborted. One update or two."""
        now_s = epoch_seconds(self.now())
        new = items.text(f"{now_s:.6f} {' '.join(tokens)}")
        expiry = items.number(int(now_s) + KEPT_S + 1)
        for _ in range(_TRIES):
            prepended: dict[str, items.Value] = {
                ":none": {"L": []},
                ":longest": items.number(_LONGEST),
            }
            prepended |= {":new": {"L": [new]}, ":expires_at": expiry}
            full = self._update(identity, _PREPEND, _HAS_ROOM, prepended)
            if full is None:
                return
            old = full["writes"]["L"]
            anew: dict[str, items.Value] = {":new": {"L": [new, *old[: MAX_WRITES - 1]]}}
            anew |= {":old": {"L": old}, ":expires_at": expiry}
            if self._update(identity, _BEGIN_ANEW, _IS_AS_READ, anew) is None:
                return
        raise Aborted("other writes of the key won every attempt to note a write")

    def _update(
        self, identity: str, update: str, condition: str, values: items.Item
    ) -> items.Item | None:
        key = _writes_key(identity)
        return self.refusing_item(
            items.Write("Update", items.lost_race, condition, key=key, update=update, values=values)
        )

    def read(self, identity: str) -> Sequence[str]:
        """The tokens of the last `MAX_WRITES` writes within `KEPT_S`, newest first. A GetItem."""
        item = self.item_at(_writes_key(identity))
        if item is None:
            return ()
        since_s = epoch_seconds(self.now()) - KEPT_S
        writes = (each["S"].split() for each in item["writes"]["L"][:MAX_WRITES])
        recent = (tokens for at_s, *tokens in writes if float(at_s) > since_s)
        return tuple(dict.fromkeys(chain.from_iterable(recent)))


def _writes_key(identity: str) -> dict[str, items.Value]:
    return primary_key(f"{TOOL_WRITES}{identity}", "recent")


# --- the key that seals cursors: made once for a table -------------------------------------------

_CURSOR_KEY = primary_key("cursors", "key")


@dataclass(frozen=True, slots=True)
class CursorKey(OverTable):
    """The table's key; without the key, no earlier cursor can be opened."""

    new_key: Callable[[], bytes]
    known: list[bytes] = field(default_factory=list)

    def __call__(self) -> bytes:
        """A strongly consistent GetItem at the first call; a conditional put for an absent key."""
        if not self.known:
            item = self.item_at(_CURSOR_KEY)
            if item is None:
                item = {**_CURSOR_KEY, "key": items.binary(self.new_key())}
                item = self.refusing_item(items.put_new(item)) or item
            self.known.append(items.read_binary(item, "key"))
        return self.known[0]
