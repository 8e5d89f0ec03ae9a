"""Output of commands: lines without control characters, a table in a terminal, or JSON."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from membrane_cli.outside_text import printable
from membrane_cli.shown_ids import note

Row = Sequence[str]


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


def print_one(raw: Any, headings: Sequence[str], rows: Iterable[Row], *, as_json: bool) -> None:
    """The rows, or the JSON of the whole."""
    if as_json:
        print_json(raw)
    else:
        print_rows(headings, rows)


def say(text: str) -> None:
    """Print a line beside the output, which a program may read."""
    print(printable(text), file=sys.stderr, flush=True)


def print_rows(headings: Sequence[str], rows: Iterable[Row]) -> None:
    if "id" in headings:
        rows = _note_ids(rows, headings.index("id"))
    if not sys.stdout.isatty():
        for row in rows:
            print("\t".join(map(printable, row)), flush=True)
        return
    from rich.console import Console  # noqa: PLC0415 - only terminals need it

    from membrane_cli.tables import show_rows  # noqa: PLC0415

    show_rows(Console(), headings, rows)


def print_all(
    values: Iterable[Any], headings: Sequence[str], row_of: Callable[[Any], Row], *, as_json: bool
) -> None:
    """A row a value, or the JSON of the service, an object a line."""
    if as_json:
        for each in values:
            print_json(each.raw)
    else:
        print_rows(headings, map(row_of, values))


def _note_ids(rows: Iterable[Row], column: int) -> Iterator[Row]:
    for row in rows:
        note(row[column])
        yield row
