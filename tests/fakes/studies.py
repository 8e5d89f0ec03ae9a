"""Studies of documents over a plain dict."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.study.jobs import Job
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.records import LostRace
from tests.fakes.stand_in import StandIn


@dataclass(slots=True)
class FakeStudies(StandIn):
    """A fake of DynamoStudies."""

    now: Callable[[], datetime]
    kept: dict[str, tuple[Checkpoint, int]] = field(default_factory=dict)
    """By id: the job, and when the job goes."""

    def find(self, job_id: str) -> Checkpoint | None:
        """See DynamoStudies."""
        found = self.kept.get(job_id)
        return None if found is None or self._is_past(found[1]) else found[0]

    def keep(self, job: Job, before: Checkpoint | None) -> Checkpoint:
        """See DynamoStudies."""
        there = self.kept.get(job.id)
        if before is None and there is not None and not self._is_past(there[1]):
            raise LostRace
        if before is not None and (there is None or there[0].revision != before.revision):
            raise LostRace
        kept = Checkpoint(job.as_json(), 1 if before is None else before.revision + 1)
        self.kept[job.id] = kept, job.expires_at_s
        return kept

    def _is_past(self, instant_s: int) -> bool:
        return instant_s <= epoch_seconds(self.now())
