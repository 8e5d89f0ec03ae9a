"""The jobs that walk over the whole table: those of a key and day, the newest about a matter."""

from typing import Protocol

from membrane.domain.language.json_text import JsonObject
from membrane.usecases.ports.catalogue import Checkpoint


class WalkStore(Protocol):
    """Any method may raise ResourceExhausted or Unavailable."""

    def find(self, about: str, which: str) -> Checkpoint | None:
        """What was kept: of a key and a date, or of a matter and `latest`; read consistently."""

    def keep(self, about: str, which: str, kept: JsonObject, before: Checkpoint | None) -> None:
        """Replace `before`; raises LostRace if the stored jobs have changed since."""
