"""API keys kept in the execution environment, as API Gateway keeps the authorizer's answers."""

from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock
from typing import NamedTuple

from membrane.usecases.ports.keys import ApiKey, KeyFinder

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
        """Keep the key; the key read longest ago makes room."""
        if len(self._kept) >= MAX_KEYS:
            del self._kept[next(iter(self._kept))]
        self._kept[key.digest] = _Kept(key, now)
