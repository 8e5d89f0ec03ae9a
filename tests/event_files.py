"""The files of tests/events: their names in an order in which each finds what it asks for."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("events")
FIRST = (
    "documents_put",
    "exports_create",
    "records_ingest",
    "records_ingest_entity",
    "records_ingest_entity_too",
    "topics_create",
    "topics_create_document",
    "topics_create_other",
    "topics_create_twin",
    "topics_create_twin_too",
)
LAST = (
    "documents_delete",
    "records_delete",
    "records_restore",
    "records_erase",
    "topics_remove_relationship",
    "topics_delete_field",
    "topics_nest_fields",
    "topics_unnest_fields",
    "topics_promote_fields",
    "topics_undo_promotion",
    "topics_delete",
    "topics_restore",
    "topics_reason",
    "topics_unmerge",
)


def names_in_order() -> list[str]:
    """The names of all events."""
    return sorted(sorted(path.stem for path in FOLDER.glob("*.json")), key=_turn)


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.json"


def content_of(name: str) -> dict[str, Any]:
    return dict(json.loads(path_of(name).read_text("utf-8")))


def _turn(name: str) -> int:
    """When an event has its turn; those that need no other have theirs at once."""
    return LAST.index(name) + 1 if name in LAST else -(name in FIRST)
