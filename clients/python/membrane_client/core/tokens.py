"""Consistency tokens of the client's own writes, for retrievals to send."""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from threading import Lock

MAX_TOKENS = 100
"""The limit of a request."""

KEPT_S = 60.0
"""Seconds; the index has a record after a few, and each token makes a retrieval read its record."""


class Tokens:
    """The newest tokens of the last minute without repeats; thread-safe."""

    def __init__(self, elapsed_s: Callable[[], float] = time.monotonic) -> None:
        self._lock = Lock()
        self._elapsed_s = elapsed_s
        self._written_at_s: OrderedDict[str, float] = OrderedDict()
        """By token when it came, the newest last."""

    def keep(self, tokens: Iterable[str]) -> None:
        with self._lock:
            for token in tokens:
                self._written_at_s[token] = self._elapsed_s()
                self._written_at_s.move_to_end(token)
            while len(self._written_at_s) > MAX_TOKENS:
                self._written_at_s.popitem(last=False)

    def newest(self) -> list[str]:
        """The tokens, the newest first."""
        with self._lock:
            oldest_s = self._elapsed_s() - KEPT_S
            return [each for each, at_s in reversed(self._written_at_s.items()) if at_s >= oldest_s]
