"""Jobs of studying documents."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from membrane.domain.access.principals import principal_of
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.study.jobs import Job, Purpose, StudyStage

KEPT_FOR = timedelta(days=7)


def study_job(job_id: str, now: datetime, **changes: Any) -> Job:
    """A study that has just begun, but for the changes."""
    began = Job(
        id=job_id,
        purpose=Purpose.STUDY,
        document="document",
        title="Moby Dick",
        scope="",
        sensitivity=Sensitivity.LOW,
        principal=principal_of("reader", ["ingest"], ["*"], "low"),
        sha256="0" * 64,
        started_at=rfc3339(now),
        updated_at=rfc3339(now),
        expires_at_s=int(epoch_seconds(now + KEPT_FOR)),
        stage=StudyStage.PREPARING,
    )
    return replace(began, **changes)
