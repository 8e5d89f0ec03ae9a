"""What the commands show of texts, and how the commands change texts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from anthropic.lib.tools import ToolError

MAX_LINES = 999_999
"""As many as line numbers of six digits count."""

LEVELS = 2
"""The depth of a listing."""

CONTEXT_LINES = 2
"""Lines that an answer shows before and behind a change."""

_KILO = 1024
_NUMBER_WIDTH = 6
_TO_THE_END = -1


def show_file(path: str, text: str, view_range: Sequence[int] | None) -> str:
    """The lines from the first to the last of `view_range`, numbered from 1; -1 = to the end.

    Raises ToolError for more than 999,999 lines.
    """
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise ToolError(f"File {path} exceeds maximum line limit of {MAX_LINES:,} lines.")
    first, last = view_range or (1, _TO_THE_END)
    first = max(first, 1)
    shown = lines[first - 1 : None if last == _TO_THE_END else max(last, 0)]
    return f"Here's the content of {path} with line numbers:\n{_number_lines(shown, first)}"


def show_directory(path: str, files: Iterable[tuple[Sequence[str], int]]) -> str:
    """Files and directories two levels deep, without hidden ones, each with the size.

    `files` has the names below the directory and the bytes of all files, at any depth. A directory
    has the size of all files within.
    """
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
        lines = ", ".join(str(each) for each in _lines_of(text, old))
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
    """The changed text, with a line break at the end, and the answer; line 0 is the beginning.

    Raises ToolError for a line that the file does not have.
    """
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
    return "\n".join(
        f"{number:>{_NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, first)
    )


def _lines_of(text: str, part: str) -> Iterator[int]:
    """The number of the line of each occurrence, overlapping ones included."""
    line, before, at = 1, 0, text.find(part)
    while at != -1:
        line += text.count("\n", before, at)
        yield line
        before, at = at, text.find(part, at + 1)
