"""Output of commands: lines without control characters, a table in a terminal, or JSON."""

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from membrane_cli.shown_ids import note

if TYPE_CHECKING:
    from rich.console import Console

Row = Sequence[str]


def printable(text: str) -> str:
    """The text on one line, with a blank for every character that cannot be printed."""
    return "".join(each if each.isprintable() else " " for each in text)


def shorten(text: str, most: int) -> str:
    """The beginning of the text; no word as short as an id is cut."""
    if len(text) <= most:
        return text
    begin = text[: most - 1]
    if text[most - 1] != " ":
        begin = re.sub(r"(?<![!-~])[!-~]{1,128}\Z", "", begin)
    return f"{begin}…"


def say(text: str) -> None:
    """Print a line beside the output, which a program may read."""
    print(printable(text), file=sys.stderr, flush=True)


def show_line(console: "Console", text: str) -> None:
    """Print the text on one line without markup, whatever the terminal's width."""
    from rich.text import Text  # noqa: PLC0415 - help prints no text from outside

    console.print(Text(printable(text)), soft_wrap=True)


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
    if as_json:
        print_json(raw)
    else:
        print_rows(headings, rows)


def print_all(
    values: Iterable[Any], headings: Sequence[str], row_of: Callable[[Any], Row], *, as_json: bool
) -> None:
    """A row a value, or the JSON of the service, an object a line."""
    if as_json:
        for each in values:
            print_json(each.raw)
    else:
        print_rows(headings, map(row_of, values))


def print_rows(
    headings: Sequence[str], rows: Iterable[Row], console: "Console | None" = None
) -> None:
    """A table in a terminal; a line a row, with tabs between the cells, outside a terminal."""
    if "id" in headings:
        rows = _note_ids(rows, headings.index("id"))
    if console is None and sys.stdout.isatty():
        from rich.console import Console  # noqa: PLC0415 - only terminals need it

        console = Console()
    if console is not None and console.is_terminal:
        from membrane_cli.tables import show_table  # noqa: PLC0415 - only terminals need it

        texts = [["\n".join(map(printable, cell.split("\n"))) for cell in row] for row in rows]
        show_table(console, headings, texts)
        return
    file = None if console is None else console.file
    for row in rows:
        print("\t".join(map(printable, row)), file=file, flush=True)


def _note_ids(rows: Iterable[Row], column: int) -> Iterator[Row]:
    for row in rows:
        note(row[column])
        yield row
