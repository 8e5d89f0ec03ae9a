"""Text from outside, shown as it is: without markup, and without commands to the terminal."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text


def printable(text: str) -> str:
    """The text on one line, with a blank for whatever cannot be printed."""
    return "".join(each if each.isprintable() else " " for each in text)


def plain(text: str) -> "Text":
    """The text for a cell of a table, line by line."""
    from rich.text import Text  # noqa: PLC0415 - lines need no table

    return Text("\n".join(map(printable, text.split("\n"))))


def show_line(console: "Console", text: str) -> None:
    """Print the text on one line of its own, however wide the terminal is."""
    from rich.text import Text  # noqa: PLC0415 - the same

    console.print(Text(printable(text)), soft_wrap=True)


def show_rows(console: "Console", table: "Table", rows: Iterable[Sequence[str]]) -> None:
    """Fill and print the table; outside a terminal print a line a row, with tabs."""
    if not console.is_terminal:
        for row in rows:
            print("\t".join(map(printable, row)), file=console.file, flush=True)
        return
    for row in rows:
        table.add_row(*map(plain, row))
    console.print(table)
