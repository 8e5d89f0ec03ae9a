"""The state of long jobs that end by TTL: exports, studies, and the counts of walks that began."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.table.dynamo import OverTable
from membrane.table.items import Checkpoint, Value, number, read_number, text
from membrane.table.progress import progress_at, progress_in, put_progress
from membrane.usecases.ports.surroundings import Clock


@dataclass(frozen=True, slots=True)
class DynamoJobs(OverTable):
    """Jobs over one table, an item each. May raise ResourceExhausted or Unavailable."""

    now: Clock

    def find(self, key: Mapping[str, Value]) -> Checkpoint | None:
        """The job, read consistently; None for an absent or expired job. One GetItem."""
        return progress_at(self.client, self.table, key, epoch_seconds(self.now()))

    def all_of(self, partition: str) -> Sequence[JsonObject]:
        """Every job of a partition that has not expired. One consistent Query a megabyte."""
        now_s = epoch_seconds(self.now())
        found = self.query("pk = :pk", {":pk": text(partition)})
        return [progress_in(item) for item in found if read_number(item, "expires_at") > now_s]

    def keep(
        self,
        key: Mapping[str, Value],
        job: JsonObject,
        before: Checkpoint | None,
        expires_at_s: int,
        scope: str = "",
    ) -> Checkpoint:
        """Replace `before` (None = no job); raises LostRace if the job has changed. One PutItem."""
        item = {**key, "expires_at": number(expires_at_s)}
        if scope:
            item["scope"] = text(scope)
        now_s = epoch_seconds(self.now())
        return put_progress(self.client, self.table, item, job, before, now_s=now_s)
