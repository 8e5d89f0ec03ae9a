"""Tables that break no word a reader may copy, such as an id."""

import re
from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

_ASCII_RUN = re.compile("[!-~]{16}")
"""Of an id beside letters of a script that has no blanks."""
_TIME = re.compile(r"(?<=\d-\d\d) (?=\d\d:)")
_NUMBER = re.compile(r"[0-9.,]*")


def show_table(console: Console, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table, or a line for each cell in a narrow terminal; a cell may have several lines.

    In a table with a column `text`, ids stand beneath the texts: a column of ids would be too wide.
    """
    cells = [list(map(Text, row)) for row in rows]
    if headings[-1] == "id" and "text" in headings:
        below, headings = headings.index("text"), headings[:-1]
        for texts in cells:
            texts[below].append(Text(f"\n{texts.pop().plain}", "dim"))
    columns = list(zip(headings, *([each.plain for each in texts] for texts in cells), strict=True))
    least = [max(map(_longest_word, column)) for column in columns]
    room = console.width - 2 * len(headings) - 1
    if sum(least) > room:
        _show_cells(console, headings, cells)
        return
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column, width in zip(columns, _widths(columns, least, room), strict=True):
        numbers = all(map(_NUMBER.fullmatch, column[1:]))
        table.add_column(
            column[0], overflow="fold", width=width, justify="right" if numbers else "left"
        )
    for texts in cells:
        table.add_row(*texts)
    console.print(table)


def _widths(columns: Sequence[Sequence[str]], least: Sequence[int], room: int) -> list[int]:
    """As wide as the longest line; without the room, the widest column gives way first."""
    lines = [[line for cell in column for line in cell.split("\n")] for column in columns]
    widths = [min(max(map(cell_len, each)), room) for each in lines]
    while sum(widths) > room:
        widest = max(range(len(widths)), key=lambda at: (widths[at] > least[at], widths[at], at))
        widths[widest] -= 1
    return widths


def _longest_word(cell: str) -> int:
    """The width of the longest word that no line may break; without one, that of a wide letter."""
    words = (
        each for each in _TIME.sub("-", cell).split() if each.isascii() or _ASCII_RUN.search(each)
    )
    return max(map(cell_len, words), default=2)


def _show_cells(console: Console, headings: Sequence[str], rows: Iterable[Sequence[Text]]) -> None:
    """A line for each cell after its heading; in a table of two columns, after the first cell."""
    is_pairs = len(headings) == 2  # noqa: PLR2004 - a name and a value
    for row in rows:
        if not is_pairs:
            console.print()
        named = [(row[0].plain, row[1])] if is_pairs else list(zip(headings, row, strict=True))
        for name, cell in named:
            if name and cell:
                fits = cell_len(name) + 2 + _longest_word(cell.plain) <= console.width
                console.print(Text(f"{name}:"), end=" " if fits else "\n", soft_wrap=True)
            if cell:
                console.print(cell, soft_wrap=True)
