"""Small changes of the sources, each of which a comparison must find."""

import shutil
from dataclasses import dataclass
from pathlib import Path

LAYER = "layers/membrane/membrane"
SOURCES = ("clients/python", "functions", "infra", "layers")
IGNORED = shutil.ignore_patterns("__pycache__", "node_modules")


@dataclass(frozen=True, slots=True)
class Change:
    what: str
    file: str
    old: str
    new: str


CHANGES = (
    Change(
        "another half-life by default",
        f"{LAYER}/domain/salience/decay_defaults.py",
        "episodic_half_life_s: int = 3_600",
        "episodic_half_life_s: int = 3_601",
    ),
    Change(
        "another retention",
        f"{LAYER}/domain/lifecycle/pruning.py",
        "restore: timedelta = timedelta(days=30)",
        "restore: timedelta = timedelta(days=40)",
    ),
    Change(
        "an audit entry without a field",
        f"{LAYER}/domain/records/records.py",
        "salience_after=after,",
        "",
    ),
    Change(
        "a read that costs twice as much",
        f"{LAYER}/adapters/dynamodb/indexes/names.py",
        '"ConsistentRead": False',
        '"ConsistentRead": True',
    ),
    Change(
        "another message",
        f"{LAYER}/usecases/machinery/visibility.py",
        'NOT_FOUND = "record not found"',
        'NOT_FOUND = "no such record"',
    ),
    Change(
        "another order",
        f"{LAYER}/usecases/archive/exports.py",
        "key=lambda each: (each.created_at, each.id), reverse=True)",
        "key=lambda each: (each.created_at, each.id))",
    ),
    Change(
        "a line of an export without a field",
        f"{LAYER}/domain/archive/topic_lines.py",
        '"born_s": topic.base.born_s,',
        "",
    ),
    Change(
        "a weaker permission",
        f"{LAYER}/adapters/aws_lambda/rows.py",
        '"POST /v1/records/{id}/pin", REVISE',
        '"POST /v1/records/{id}/pin", READ',
    ),
    Change(
        "an index without an entry",
        f"{LAYER}/domain/entities/names.py",
        "*(each.value for each in payload.aliases),",
        "*(each.value for each in payload.aliases[1:]),",
    ),
    Change(
        "another rank",
        f"{LAYER}/domain/search/relevance.py",
        "recency: float = 0.05",
        "recency: float = 0.06",
    ),
)


def copy_with(change: Change, root: Path, folder: Path) -> Path:
    """The sources of the root in the folder, with the change; raises LookupError."""
    for each in SOURCES:
        shutil.copytree(root / each, folder / each, ignore=IGNORED)
    shutil.copy(root / "template.yaml", folder)
    file = folder / change.file
    text = file.read_text("utf-8")
    if text.count(change.old) != 1:
        raise LookupError(f"{change.file} has not exactly one {change.old!r}: plant another change")
    file.write_text(text.replace(change.old, change.new), "utf-8")
    return folder
