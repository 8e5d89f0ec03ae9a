"""Studies of documents, an item of the table each; TTL ends the job."""

from dataclasses import dataclass

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.study.jobs import Job
from membrane.table.dynamo import OverTable
from membrane.table.items import number, text
from membrane.table.keys import study_key
from membrane.table.progress import progress_at, put_progress
from membrane.table.writes import Checkpoint
from membrane.usecases.ports.surroundings import Clock


@dataclass(frozen=True, slots=True)
class DynamoStudies(OverTable):
    """Jobs of studying documents over one table. May raise ResourceExhausted or Unavailable."""

    now: Clock

    def find(self, job_id: str) -> Checkpoint | None:
        """The job as `Job.as_json`, read consistently; None for an absent or expired job.

        One strongly consistent GetItem.
        """
        return progress_at(self.client, self.table, study_key(job_id), self._now_s())

    def keep(self, job: Job, before: Checkpoint | None) -> Checkpoint:
        """Replace `before` (None = no job); raises LostRace if the stored job has changed since.

        One conditional PutItem.
        """
        item = study_key(job.id) | {"expires_at": number(job.expires_at_s)}
        if job.scope:
            item["scope"] = text(job.scope)
        kept, now_s = job.as_json(), self._now_s()
        return put_progress(self.client, self.table, item, kept, before, now_s=now_s)

    def _now_s(self) -> float:
        return epoch_seconds(self.now())
