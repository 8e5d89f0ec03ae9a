"""Jobs of studying documents."""

from typing import Protocol

from membrane.domain.study.jobs import Job
from membrane.usecases.ports.catalogue import Checkpoint


class StudyStore(Protocol):
    """Jobs, by id. May raise ResourceExhausted or Unavailable."""

    def find(self, job_id: str) -> Checkpoint | None:
        """The job as `Job.as_json`, read consistently; None for an absent or expired job."""

    def keep(self, job: Job, before: Checkpoint | None) -> Checkpoint:
        """Replace `before` (None = no job); raises LostRace if the stored job has changed since."""
