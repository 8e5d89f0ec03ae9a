"""The public keys of an issuer, kept in the execution environment."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING

from membrane.domain.language.errors import Unavailable

if TYPE_CHECKING:
    from jwt import PyJWK

FRESH_FOR = timedelta(hours=1)
KEPT_FOR = timedelta(days=1)
"""While the issuer does not answer, known keys verify tokens for this long."""

PAUSE = timedelta(minutes=1)
"""The least time between two reads: tokens with invented key ids cannot flood the issuer."""

_NEVER = timedelta.max


class IssuerKeys:
    """The keys by key id, read again for an unknown id and after FRESH_FOR."""

    def __init__(
        self, read: Callable[[], Mapping[str, "PyJWK"]], now: Callable[[], datetime]
    ) -> None:
        self._read = read
        self._now = now
        self._keys: Mapping[str, PyJWK] = {}
        self._read_at: datetime | None = None
        self._tried_at: datetime | None = None
        self._failure: Unavailable | None = None
        self._lock = Lock()

    def find(self, key_id: str) -> "PyJWK | None":
        """The key; None for an unknown id.

        Raises Unavailable for an unknown id if the last read failed: the id may be of a new key.
        """
        with self._lock:
            now = self._now()
            is_fresh = key_id in self._keys and _age(self._read_at, now) < FRESH_FOR
            if not is_fresh and _age(self._tried_at, now) >= PAUSE:
                self._try_to_read(now)
            found = self._keys.get(key_id) if _age(self._read_at, now) < KEPT_FOR else None
            if found is None and self._failure is not None:
                raise Unavailable(str(self._failure)) from self._failure
            return found

    def _try_to_read(self, now: datetime) -> None:
        self._tried_at = now
        try:
            self._keys = self._read()
        except Unavailable as error:
            self._failure = error
        else:
            self._read_at, self._failure = now, None


def _age(since: datetime | None, now: datetime) -> timedelta:
    return _NEVER if since is None else now - since
