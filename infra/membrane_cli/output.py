"""Output of commands: a table in a terminal, lines elsewhere, or JSON."""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from membrane_cli.outside_text import plain, printable

Row = Sequence[str]


def add_json(parser: argparse.ArgumentParser, meaning: str) -> None:
    """--json."""
    parser.add_argument("--json", action="store_true", help=f"print {meaning}")


def print_json(value: Any) -> None:
    """Print a line of ASCII, in which no character commands the terminal."""
    print(json.dumps(value), flush=True)


def print_rows(headings: Sequence[str], rows: Iterable[Row]) -> None:
    """A table; outside a terminal a line a row, with tabs.

    In a table with a column `text`, ids stand beneath the texts: a column of ids would be too wide.
    """
    if not sys.stdout.isatty():
        for row in rows:
            print("\t".join(map(printable, row)), flush=True)
        return
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - only terminals need it
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table, below = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0)), None
    if headings[-1] == "id" and "text" in headings:
        headings, below = headings[:-1], headings.index("text")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        cells = list(map(plain, row))
        if below is not None:
            cells[below].append(Text(f"\n{printable(row[-1])}", "dim"))
        table.add_row(*cells[: len(headings)])
    Console().print(table)
