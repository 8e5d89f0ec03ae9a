"""Texts that make a careless pattern or parser slow: repetitions, and an end that spoils them."""

from collections.abc import Callable, Iterator

UNITS = (
    *("0", "a", "A", " ", "-", ".", "_", ":", "/", "?", "=", "\n", "\\", '"', "'"),
    *("aA", "a ", "0a", "0-", "a:", "a.", "A0 ", "a\n", "/blobs/"),
    *("[", "{", "[{}],", '{"a":', '"a",', "1,", "1e9,", '"\\u0300",'),
    *("x may ", "May ", "Jan Feb ", "1 May 2023 ", "2023-05-", "last ", "in ", "on monday "),
    *("é", "\u4e00", "\u4e00a", "\u0300", "\uff9e", "\u0f73", "\ufdfa", "\u0660"),
)
"""What is repeated; a test adds to these what a pattern itself names."""

ENDS = ("", "!x1")

TWO_RUNS = "\u0300\u0316"
"""Combining marks in the order that Unicode has them not: a run of each is sorted."""


def repeated(unit: str, end: str = "") -> Callable[[int], str]:
    """Texts of a length, made of the unit; the end comes on top of the length."""
    return lambda length: unit * max(1, length // len(unit)) + end


def in_two_runs(first: str, second: str) -> Callable[[int], str]:
    """Texts of a length: a run of the one character before a run of the other."""
    return lambda length: first * (length // 2) + second * (length // 2)


def hostile(
    units: tuple[str, ...] = UNITS, ends: tuple[str, ...] = ENDS
) -> Iterator[tuple[str, Callable[[int], str]]]:
    """By name, texts of any length."""
    for unit in units:
        for end in ends:
            yield f"{unit!r}*n+{end!r}", repeated(unit, end)
    yield "two runs of marks", in_two_runs(*TWO_RUNS)
