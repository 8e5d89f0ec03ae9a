"""Files that are no NDJSON as a whole, refused by their beginning before any line is sent."""

import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from pathlib import Path

from membrane.domain.language.errors import InvalidArgument

BEGINNING_BYTES = 64 * 1024


def require_ndjson(file: Path) -> None:
    """Raises InvalidArgument for a file without lines of JSON; the import refuses single lines."""
    with file.open("rb") as content:
        fault = _fault(content.read(BEGINNING_BYTES))
    if fault:
        raise InvalidArgument(f"{file} is not NDJSON, a JSON object on each line: {fault}")


def _fault(beginning: bytes) -> str:
    """Empty for a file whose lines may be objects."""
    if beginning.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or b"\0" in beginning:
        return "the file is UTF-16 or binary; save the text as UTF-8"
    text = beginning.decode("utf-8-sig", errors="replace").strip()
    if "\r" in text and "\n" not in text:
        return "the lines end with CR; end each line with LF"
    lines = [each.strip() for each in text.split("\n") if each.strip()]
    if text.startswith("["):
        return "the file is one JSON array; write each element on a line, as `jq -c '.[]'` does"
    if lines and not any(each.startswith("{") for each in lines):
        return "no line begins with {"
    if any("\r" in each and _is_json(each.partition("\r")[0]) for each in lines):
        return "some lines end with CR; end each line with LF"
    is_cut = len(lines) > 1 and not _is_json(lines[0])
    if is_cut and (not lines[1].startswith("{") or _takes_lines(text)):
        return "a JSON value takes several lines; write each value on one line, as `jq -c .` does"
    return ""


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (RecursionError, ValueError):
        return False
    return True


def _takes_lines(text: str) -> bool:
    """Whether the first value, which the first line is not, is complete in the text."""
    try:
        json.JSONDecoder().raw_decode(text)
    except (RecursionError, ValueError):
        return False
    return True
