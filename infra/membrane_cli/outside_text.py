"""Untrusted text, shown without markup and without control characters for the terminal."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text


def printable(text: str) -> str:
    """The text on one line, with a blank for every character that cannot be printed."""
    return "".join(each if each.isprintable() else " " for each in text)


def plain(text: str) -> "Text":
    """The text for a cell of a table, line by line."""
    from rich.text import Text  # noqa: PLC0415 - lines need no table

    return Text("\n".join(map(printable, text.split("\n"))))


def show_line(console: "Console", text: str) -> None:
    """Print the text on one line, whatever the terminal's width."""
    from rich.text import Text  # noqa: PLC0415 - help prints no text from outside

    console.print(Text(printable(text)), soft_wrap=True)


def show_rows(console: "Console", table: "Table", rows: Iterable[Sequence[str]]) -> None:
    """Print rows as a table; outside a terminal as lines with tabs."""
    if not console.is_terminal:
        for row in rows:
            print("\t".join(map(printable, row)), file=console.file, flush=True)
        return
    for row in rows:
        table.add_row(*map(plain, row))
    console.print(table)
