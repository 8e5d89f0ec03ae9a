"""Jobs that walk over the whole table: an item for each key and day, or matter, removed by TTL."""

from dataclasses import dataclass
from datetime import timedelta

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.table.dynamo import OverTable
from membrane.table.items import number
from membrane.table.keys import WALKS, primary_key
from membrane.table.progress import progress_at, put_progress
from membrane.table.writes import Checkpoint
from membrane.usecases.ports.surroundings import Clock

KEPT = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class DynamoWalks(OverTable):
    """Jobs of walks over one table. May raise ResourceExhausted or Unavailable."""

    now: Clock

    def find(self, about: str, which: str) -> Checkpoint | None:
        """What was kept: of a key and a date, or of a matter and `latest`; read consistently.

        One GetItem.
        """
        return progress_at(self.client, self.table, primary_key(f"{WALKS}{about}", which))

    def keep(self, about: str, which: str, kept: JsonObject, before: Checkpoint | None) -> None:
        """Replace `before`; raises LostRace if the stored jobs have changed since.

        One conditional PutItem.
        """
        item = primary_key(f"{WALKS}{about}", which)
        item["expires_at"] = number(int(epoch_seconds(self.now() + KEPT)))
        put_progress(self.client, self.table, item, kept, before)
