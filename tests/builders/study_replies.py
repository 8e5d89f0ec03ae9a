"""Replies about studies of documents, as the service sends them."""

from typing import Any

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
