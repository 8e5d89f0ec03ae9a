"""The catalog of a document's units: for the tool `study_unit_catalog`, and for a prompt."""

from collections.abc import Callable, Iterator, Sequence

from membrane.domain.language.json_text import JsonObject
from membrane.domain.study.hierarchy import NAMES, Hierarchy, Level, Unit, excerpt

MAX_UNITS = 500
MAX_PROMPT_UNITS = 200
"""The most units of a catalog, and of the catalog in a prompt (MemState, `study_hierarchy.py`)."""

CONTEXT_CHARACTERS = 200
PREVIEW_CHARACTERS = 400
PROMPT_PREVIEW_CHARACTERS = 320
SHOWN_OF_SESSION = 8
"""The characters of the session's id in the id of a unit."""

CountTokens = Callable[[str], int]


def unit_id(session_id: str, unit: Unit) -> str:
    """The id of a unit, the same for the same session and document."""
    return f"su_{session_id[:SHOWN_OF_SESSION]}_{unit.number}"


def catalog_of(hierarchy: Hierarchy, session_id: str, count_tokens: CountTokens) -> JsonObject:
    """The catalog of MAX_UNITS units at most, in the order of the document.

    In a longer document, sections come before paragraphs, and paragraphs before sentences.
    """
    listed = units_within(hierarchy, MAX_UNITS)
    rows = (_row(hierarchy, session_id, each, count_tokens) for each in listed)
    return {
        "session_id": session_id,
        "truncated": len(listed) < len(hierarchy.units),
        "total_units": len(hierarchy.units),
        "units": [
            {**row, "text_preview": excerpt(hierarchy.text_of(each), PREVIEW_CHARACTERS)}
            for each, row in zip(listed, rows, strict=True)
        ],
    }


def prompt_catalog(
    hierarchy: Hierarchy,
    session_id: str,
    count_tokens: CountTokens,
    finest: Level = Level.SENTENCE,
) -> str:
    """The catalog as lines for a prompt, at most MAX_PROMPT_UNITS units, none below `finest`."""
    within = units_within(hierarchy, MAX_PROMPT_UNITS)
    listed = [each for each in within if each.level <= finest]
    lines = ["Units of the document", f"session_id={session_id}", ""]
    for each in listed:
        lines += _lines(hierarchy, _row(hierarchy, session_id, each, count_tokens), each)
    left_out = len(hierarchy.units) - len(listed)
    if left_out:
        lines.append(f"… {left_out} more units: call study_unit_catalog for more of the catalog.")
    return "\n".join(lines)


def units_within(hierarchy: Hierarchy, most: int) -> Sequence[Unit]:
    """The units of the highest levels, the first of a level first, in the order of the document."""
    by_level = sorted(hierarchy.units, key=lambda each: each.level)
    return sorted(by_level[:most], key=lambda each: each.number)


def _row(
    hierarchy: Hierarchy, session_id: str, unit: Unit, count_tokens: CountTokens
) -> JsonObject:
    before, after = _neighbours(hierarchy, unit)
    text = hierarchy.text_of(unit)
    parent = hierarchy.units[unit.parent - 1] if unit.parent else None
    row: JsonObject = {
        "id": unit_id(session_id, unit),
        "level": int(unit.level),
        "level_name": NAMES[unit.level],
        "parent_id": None if parent is None else unit_id(session_id, parent),
        "token_count": count_tokens(text) if text else 0,
        "context_before": _context(hierarchy, before),
        "context_after": _context(hierarchy, after),
    }
    return {**row, "title": unit.title} if unit.level is Level.SECTION else row


def _lines(hierarchy: Hierarchy, row: JsonObject, unit: Unit) -> Iterator[str]:
    parent = row["parent_id"] or "—"
    title = f" title={unit.title}" if unit.title else ""
    yield f"- [{row['id']}] {row['level_name']} tokens={row['token_count']} parent={parent}{title}"
    if row["context_before"]:
        yield f"  before_neighbor: {row['context_before']}"
    if row["context_after"]:
        yield f"  after_neighbor: {row['context_after']}"
    yield f"  preview: {excerpt(hierarchy.text_of(unit), PROMPT_PREVIEW_CHARACTERS)}"
    yield ""


def _neighbours(hierarchy: Hierarchy, unit: Unit) -> tuple[Unit | None, Unit | None]:
    siblings = hierarchy.siblings_of(unit)
    at = siblings.index(unit.number)
    before = hierarchy.units[siblings[at - 1] - 1] if at else None
    after = hierarchy.units[siblings[at + 1] - 1] if at + 1 < len(siblings) else None
    return before, after


def _context(hierarchy: Hierarchy, neighbour: Unit | None) -> str:
    return "" if neighbour is None else excerpt(hierarchy.text_of(neighbour), CONTEXT_CHARACTERS)
