"""Jobs of studying documents, and replies of models to studies."""

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


UNITS = ("sections", "paragraphs", "sentences")
MADE = ("topics", "fields", "revisions", "unchanged", "withdrawn", "links", "partial")


def a_study(
    state: str = "running", *, done: int = 0, total: int = 0, **more: Any
) -> dict[str, Any]:
    """A StudyReply with `done` paragraphs of `total`; `made` has the counts other than 0."""
    made = dict.fromkeys(MADE, 0) | more.pop("made", {})
    is_under_way = state in ("running", "waiting", "cancelling")
    progress = {unit: {"done": 0, "total": 0} for unit in UNITS}
    return {
        "id": "job1",
        "purpose": "study",
        "state": state,
        "stage": "studying" if is_under_way else state,
        "document_id": "doc1",
        "title": "Tea",
        "source": "manuals/tea.md",
        "scope": "",
        "sensitivity": "low",
        "characters": 90,
        "sha256": "ab",
        "dry_run": False,
        "with_model": False,
        "progress": progress | {"paragraphs": {"done": done, "total": total}},
        "made": made,
        "removed": {"topics": 0, "revisions": 0, "kept": 0},
        "cost": {"questions": 0, "tokens": 0},
        "started_at": "2026-01-02T03:04:05Z",
        "updated_at": "2026-01-02T03:04:12.5Z",
        "expires_at": "2026-02-01T03:04:05Z",
        **more,
    }
