"""Untrusted text, shown without markup and without control characters for the terminal."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_LAST_WORD = re.compile(r"(?<![!-~])[!-~]{1,128}\Z")
"""Of at most as many characters as an id."""


def printable(text: str) -> str:
    """The text on one line, with a blank for every character that cannot be printed."""
    return "".join(each if each.isprintable() else " " for each in text)


def shorten(text: str, most: int) -> str:
    """The beginning of the text; no word as short as an id is cut."""
    if len(text) <= most:
        return text
    begin = text[: most - 1]
    return f"{begin if text[most - 1] == ' ' else _LAST_WORD.sub('', begin)}…"


def plain(text: str) -> "Text":
    """The text for a cell of a table, line by line."""
    from rich.text import Text  # noqa: PLC0415 - lines need no table

    return Text("\n".join(map(printable, text.split("\n"))))


def show_line(console: "Console", text: str) -> None:
    """Print the text on one line, whatever the terminal's width."""
    from rich.text import Text  # noqa: PLC0415 - help prints no text from outside

    console.print(Text(printable(text)), soft_wrap=True)
