"""Consistency tokens of the client's own writes, for retrievals to send."""

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock

MAX_TOKENS = 20
"""The limit of a request."""


class Tokens:
    """The newest tokens without repeats; thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, None] = OrderedDict()

    def keep(self, tokens: Iterable[str]) -> None:
        with self._lock:
            for token in tokens:
                self._kept[token] = None
                self._kept.move_to_end(token)
            while len(self._kept) > MAX_TOKENS:
                self._kept.popitem(last=False)

    def newest(self) -> list[str]:
        """The tokens, the newest first."""
        with self._lock:
            return list(reversed(self._kept))
