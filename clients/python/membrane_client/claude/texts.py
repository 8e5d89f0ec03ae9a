"""What the commands show of texts, and how the commands change texts."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence

from anthropic.lib.tools import ToolError

MAX_LINES = 999_999  # As many as line numbers of six digits count
LEVELS = 2  # The depth of a listing
CONTEXT_LINES = 2  # Lines that an answer shows before and behind a change

_KILO = 1024
_TO_THE_END = -1


def show_file(path: str, text: str, view_range: Sequence[int] | None) -> str:
    """The lines of the range, from 1, -1 = to the end; ToolError for more than 999,999 lines."""
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise ToolError(f"File {path} exceeds maximum line limit of {MAX_LINES:,} lines.")
    first, last = view_range or (1, _TO_THE_END)
    first = max(first, 1)
    shown = lines[first - 1 : None if last == _TO_THE_END else max(last, 0)]
    return f"Here's the content of {path} with line numbers:\n{_number_lines(shown, first)}"


def show_directory(path: str, files: Iterable[tuple[Sequence[str], int]]) -> str:
    """Two levels, without hidden names, of `files`: names below the directory, and bytes."""
    total, sizes = 0, Counter[tuple[tuple[str, ...], bool]]()
    for names, size in files:
        total += size
        for depth in range(1, min(len(names), LEVELS) + 1):
            sizes[tuple(names[:depth]), depth < len(names)] += size
    lines = [f"{format_size(total)}\t{path}"]
    for (names, is_directory), size in sorted(sizes.items()):
        if not any(name.startswith(".") for name in names):
            entry = "/".join((path.rstrip("/"), *names)) + ("/" if is_directory else "")
            lines.append(f"{format_size(size)}\t{entry}")
    title = f"Here're the files and directories up to {LEVELS} levels deep in {path}"
    return "\n".join([f"{title}, excluding hidden items:", *lines])


def format_size(size: int) -> str:
    """Bytes in the largest unit that is not above the size: 12B, 1K, 2.5M."""
    amount, units = float(size), list("BKMG")
    while amount >= _KILO and len(units) > 1:
        amount /= _KILO
        del units[0]
    return f"{amount:.0f}{units[0]}" if amount.is_integer() else f"{amount:.1f}{units[0]}"


def replace_once(path: str, text: str, old: str, new: str) -> tuple[str, str]:
    """The changed text and the answer; raises ToolError unless the old text occurs once."""
    count = text.count(old)
    if count == 0:
        raise ToolError(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        )
    if count > 1:
        breaks = [each.start() for each in re.finditer("\n", text)]
        starts = [each.start() for each in re.finditer(f"(?={re.escape(old)})", text)]
        lines = ", ".join(str(bisect_left(breaks, at) + 1) for at in starts)
        raise ToolError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` "
            f"in lines: {lines}. Please ensure it is unique"
        )
    at = text.count("\n", 0, text.index(old))
    changed = text.replace(old, new)
    first = max(0, at - CONTEXT_LINES)
    snippet = _number_lines(changed.split("\n")[first : at + CONTEXT_LINES + 1], first + 1)
    return changed, (
        "The memory file has been edited. "
        f"Here is the snippet showing the change (with line numbers):\n{snippet}"
    )


def insert_behind(path: str, text: str, line: int, insertion: str) -> tuple[str, str]:
    """The changed text and the answer; line 0 is the beginning, ToolError for no such line."""
    lines = text.removesuffix("\n").split("\n") if text else []
    if not 0 <= line <= len(lines):
        raise ToolError(
            f"Invalid `insert_line` parameter: {line}. "
            f"It should be within the range [0, {len(lines)}]."
        )
    lines.insert(line, insertion.rstrip("\n"))
    changed = "\n".join(lines).removesuffix("\n")
    return f"{changed}\n", f"The file {path} has been edited."


def _number_lines(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, first))
