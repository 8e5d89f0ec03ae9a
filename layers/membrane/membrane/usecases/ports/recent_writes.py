"""The recent tool writes of a key, so that the next call of the key reads them."""

from collections.abc import Sequence
from typing import Protocol


class RecentWrites(Protocol):
    """The consistency tokens of the last tool writes, by the identity of a principal."""

    def note(self, identity: str, tokens: Sequence[str]) -> None:
        """Keep the tokens of a write; parallel notes all stand.

        May raise Aborted, ResourceExhausted and Unavailable.
        """

    def read(self, identity: str) -> Sequence[str]:
        """The tokens of the last `MAX_WRITES` writes within `KEPT_S`, the newest first."""


KEPT_S = 60
MAX_WRITES = 20
