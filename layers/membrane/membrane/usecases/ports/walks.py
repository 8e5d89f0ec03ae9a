"""The jobs of a day that walk over the whole table, counted for each key."""

from typing import Protocol

from membrane.domain.language.json_text import JsonObject
from membrane.usecases.ports.catalogue import Checkpoint


class WalkStore(Protocol):
    """Any method may raise ResourceExhausted or Unavailable."""

    def find(self, owner: str, day: str) -> Checkpoint | None:
        """The jobs that the key of the identity `owner` began on a date, read consistently."""

    def keep(self, owner: str, day: str, jobs: JsonObject, before: Checkpoint | None) -> None:
        """Replace `before`; raises LostRace if the stored jobs have changed since."""
