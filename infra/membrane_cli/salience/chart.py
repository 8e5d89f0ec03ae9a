"""A salience history as lines of text: salience upwards from 0, time to the right."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from membrane.domain.language.timestamps import from_epoch_seconds
from membrane.domain.language.vocabulary import AuditAction
from membrane_cli.salience.history import History
from membrane_cli.salience.marks import Mark, Stretch

ROWS = 11
PAST, FORECAST = "•", "·"
SIGNS: Mapping[AuditAction, str] = {
    AuditAction.REINFORCE: "R",
    AuditAction.DECAY: "P",
    AuditAction.DELETE: "X",
}
"""The letter of a change; a penalty is a `decay`, and any action not listed is CHANGED."""
CHANGED = "C"
MIN_WIDTH = 40
_LABEL = len("1e+100")
_GUTTER = _LABEL + len(" ┤")
_LONG_ENDS = 40
Cell = tuple[int, int]
"""Column and row, from the left and from the bottom."""


@dataclass(frozen=True, slots=True)
class Frame:
    first_s: float
    last_s: float
    top: float
    columns: int
    rows: int

    def column(self, instant_s: float) -> int:
        share = (instant_s - self.first_s) / (self.last_s - self.first_s)
        return min(self.columns - 1, int(share * self.columns))

    def row(self, salience: float) -> int:
        """The row of a salience; row 0 is the axis."""
        return round(salience / self.top * (self.rows - 1))

    def begin_s(self, column: int) -> float:
        return self.first_s + (self.last_s - self.first_s) * column / self.columns


def draw_chart(history: History, width: int, rows: int = ROWS) -> list[str]:
    """The chart's lines; a column is filled between the saliences at both ends of the column."""
    columns = max(width, MIN_WIDTH) - _GUTTER
    every = [*history.past, *([history.forecast] if history.forecast else [])]
    first_s, last_s = every[0].begin_s, max(every[-1].end_s, every[0].begin_s + 1)
    top = max(stretch.salience_at(stretch.begin_s) for stretch in every) or 1.0
    frame = Frame(first_s, last_s, top, columns, rows)
    cells: dict[Cell, str] = {}
    if history.forecast is not None:
        cells |= dict.fromkeys(_cells(frame, [history.forecast]), FORECAST)
    cells |= dict.fromkeys(_cells(frame, history.past), PAST)
    cells |= _signs(frame, history.marks)
    lines = [_line(frame, cells, row) for row in reversed(range(rows))]
    return [*lines, _ticks(frame, history), _ends(frame)]


def sign(mark: Mark) -> str:
    return SIGNS[AuditAction.DELETE] if mark.is_sweep else SIGNS.get(mark.entry.action, CHANGED)


def _cells(frame: Frame, stretches: Iterable[Stretch]) -> Iterator[Cell]:
    for stretch in stretches:
        for column in range(frame.column(stretch.begin_s), frame.column(stretch.end_s) + 1):
            begin_s = max(stretch.begin_s, frame.begin_s(column))
            end_s = min(stretch.end_s, frame.begin_s(column + 1))
            ends = sorted(frame.row(stretch.salience_at(each)) for each in (begin_s, end_s))
            yield from ((column, row) for row in range(ends[0], ends[1] + 1))


def _signs(frame: Frame, marks: Iterable[Mark]) -> dict[Cell, str]:
    """Letters at the salience after each change, and on the axis where the salience is unknown."""
    signs = {}
    for mark in marks:
        if mark.at_s >= frame.first_s:
            row = frame.row(mark.point.after) if mark.point else 0
            signs[frame.column(mark.at_s), row] = sign(mark)
    return signs


def _line(frame: Frame, cells: Mapping[Cell, str], row: int) -> str:
    blank, edge = ("─", "┼") if row == 0 else (" ", "│")
    is_labelled = row in (0, frame.rows // 2, frame.rows - 1)
    label = f"{frame.top * row / (frame.rows - 1):.3g}" if is_labelled else ""
    if label and row:
        edge = "┤"
    drawn_cells = "".join(cells.get((column, row), blank) for column in range(frame.columns))
    return f"{label:>{_LABEL}} {edge}{drawn_cells}".rstrip()


def _ticks(frame: Frame, history: History) -> str:
    """The line below the axis, with `now` and `due`."""
    line = " " * frame.columns
    if history.forecast is not None:
        line = _with_pointer(line, frame.column(history.forecast.begin_s), "now")
    if history.due_s is not None and frame.first_s <= history.due_s <= frame.last_s:
        line = _with_pointer(line, frame.column(history.due_s), "due")
    return f"{'':{_GUTTER}}{line}".rstrip()


def _with_pointer(line: str, column: int, word: str) -> str:
    """The line with a word that points at a column, unless something stands there already."""
    fits = column + len(word) < len(line)
    text, begin = (f"╵{word}", column) if fits else (f"{word}╵", column - len(word))
    end = begin + len(text)
    return line if line[begin:end].strip() else f"{line[:begin]}{text}{line[end:]}"


def _ends(frame: Frame) -> str:
    form = "%Y-%m-%d %H:%M:%S" if frame.columns > _LONG_ENDS else "%m-%d %H:%M"
    first, last = (
        from_epoch_seconds(each).strftime(form) for each in (frame.first_s, frame.last_s)
    )
    return f"{'':{_GUTTER}}{first}{last:>{frame.columns - len(first)}}"
