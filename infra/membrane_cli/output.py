"""Output of commands: a table in a terminal, lines elsewhere, or JSON."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from typing import Any

from membrane_cli.outside_text import printable
from membrane_cli.shown_ids import note

Row = Sequence[str]


def add_json(parser: argparse.ArgumentParser, meaning: str) -> None:
    """--json."""
    parser.add_argument("--json", action="store_true", help=f"print {meaning}")


@contextmanager
def interruptible(advice: str) -> Iterator[None]:
    """Say on standard error what Ctrl-C does not end, then pass the interruption on."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"\nmembrane: {advice}", file=sys.stderr)
        raise


def print_json(value: Any) -> None:
    """Print a line of ASCII, in which no character commands the terminal; note the record's id."""
    match value:
        case {"id": str(shown)} | {"record_id": str(shown)} | {"record": {"id": str(shown)}}:
            note(shown)
        case _:
            pass
    print(json.dumps(value), flush=True)


def print_rows(headings: Sequence[str], rows: Iterable[Row]) -> None:
    """A table; outside a terminal a line a row, with tabs."""
    if "id" in headings:
        rows = map(_note_id, rows, repeat(headings.index("id")))
    if not sys.stdout.isatty():
        for row in rows:
            print("\t".join(map(printable, row)), flush=True)
        return
    from rich.console import Console  # noqa: PLC0415 - only terminals need it

    from membrane_cli.tables import show_rows  # noqa: PLC0415

    show_rows(Console(), headings, rows)


def _note_id(row: Row, column: int) -> Row:
    """Note the id in the column; returns the row."""
    note(row[column])
    return row
