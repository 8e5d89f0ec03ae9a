"""`membrane salience ID`: the curve of a record, drawn in the terminal."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from rich.console import Console
from rich.text import Text

from membrane.domain.language.errors import InvalidArgument, NotFound, Unavailable
from membrane.domain.language.fields import MAX_SALIENCE, VANISHING
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.requests import validate
from membrane.domain.language.timestamps import from_epoch_seconds
from membrane.domain.language.vocabulary import AuditAction, DecayCurve, DeletionPolicy
from membrane.domain.records.records import AuditEntry
from membrane.domain.salience.function import PRUNE_THRESHOLD, Curves
from membrane.domain.salience.lifecycle import Lifecycle
from membrane.wiring.settings import TUNING, read_settings
from membrane_cli.http_client import HttpClient, now_s
from membrane_cli.options import Parser, connection, number_from
from membrane_cli.output import Row, print_rows, printable, shorten, show_line
from membrane_cli.salience.history import History, Mark, Present, Stretch, history_of, instant_s
from membrane_cli.shown_ids import AN_ID_HELP, note, whole_id

PAST, FORECAST = "•", "·"
SIGNS = {AuditAction.REINFORCE: "R", AuditAction.DECAY: "P", AuditAction.DELETE: "X"}
"""The letter of a change; a penalty is a `decay`, and any action not listed is CHANGED."""
CHANGED = "C"
MIN_WIDTH, MAX_WIDTH = 40, 1_000
_LABEL = len("1e+100")
_GUTTER = _LABEL + len(" ┤")
_LONG_ENDS = 40


class Frame(NamedTuple):
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

    def cells(self, stretch: Stretch) -> Iterator[tuple[int, int]]:
        """Column and row, from the bottom, of each cell between the ends' saliences of a column."""
        span_s = self.last_s - self.first_s
        for column in range(self.column(stretch.begin_s), self.column(stretch.end_s) + 1):
            begin_s = self.first_s + span_s * column / self.columns
            end_s = self.first_s + span_s * (column + 1) / self.columns
            ends_s = max(stretch.begin_s, begin_s), min(stretch.end_s, end_s)
            low, high = sorted(self.row(stretch.salience_at(each)) for each in ends_s)
            yield from ((column, row) for row in range(low, high + 1))


def draw_chart(history: History, width: int, rows: int = 11) -> list[str]:
    columns = max(width, MIN_WIDTH) - _GUTTER
    every = [*history.past, *([history.forecast] if history.forecast else [])]
    first_s, last_s = every[0].begin_s, max(every[-1].end_s, every[0].begin_s + 1)
    top = max(stretch.salience_at(stretch.begin_s) for stretch in every) or 1.0
    frame = Frame(first_s, last_s, top, columns, rows)
    cells: dict[tuple[int, int], str] = {}
    for stretch in reversed(every):
        drawn = FORECAST if stretch is history.forecast else PAST
        cells |= dict.fromkeys(frame.cells(stretch), drawn)
    for mark in history.marks:
        if mark.at_s >= first_s:  # on the axis where the salience is unknown
            row = frame.row(mark.point.after) if mark.point else 0
            cells[frame.column(mark.at_s), row] = sign(mark)
    ticks = " " * columns
    now_s = None if history.forecast is None else history.forecast.begin_s
    for at_s, word in ((now_s, "now"), (history.due_s, "due")):
        if at_s is not None and first_s <= at_s <= last_s:
            ticks = _with_pointer(ticks, frame.column(at_s), word)
    form = "%Y-%m-%d %H:%M:%S" if columns > _LONG_ENDS else "%m-%d %H:%M"
    first, last = (from_epoch_seconds(each).strftime(form) for each in (first_s, last_s))
    lines = [_line(frame, cells, row) for row in reversed(range(rows))]
    gutter = " " * _GUTTER
    return [*lines, f"{gutter}{ticks}".rstrip(), f"{gutter}{first}{last:>{columns - len(first)}}"]


def sign(mark: Mark) -> str:
    return SIGNS[AuditAction.DELETE] if mark.is_sweep else SIGNS.get(mark.entry.action, CHANGED)


def _line(frame: Frame, cells: Mapping[tuple[int, int], str], row: int) -> str:
    blank, edge = ("─", "┼") if row == 0 else (" ", "│")
    is_labelled = row in (0, frame.rows // 2, frame.rows - 1)
    label = f"{frame.top * row / (frame.rows - 1):.3g}" if is_labelled else ""
    if label and row:
        edge = "┤"
    drawn_cells = "".join(cells.get((column, row), blank) for column in range(frame.columns))
    return f"{label:>{_LABEL}} {edge}{drawn_cells}".rstrip()


def _with_pointer(line: str, column: int, word: str) -> str:
    """The line with a word that points at a column, unless something stands there already."""
    fits = column + len(word) < len(line)
    text, begin = (f"╵{word}", column) if fits else (f"{word}╵", column - len(word))
    end = begin + len(text)
    return line if line[begin:end].strip() else f"{line[:begin]}{text}{line[end:]}"


MARKS_SHOWN = 20


def read_salience(
    client: HttpClient, record_id: str, curves: Curves
) -> tuple[Sequence[AuditEntry], Present | float]:
    """The audit trail, oldest entry first, and the record's state; raises DomainError.

    Raises NotFound where the record and the audit are both absent, InvalidArgument where the record
    fades along a custom curve that is not in `curves`.
    """
    path = f"/v1/records/{quote(record_id, safe='')}"
    try:
        record = _within(client.ask("GET", path), "record")
    except NotFound:
        record = None
    page = client.ask("GET", f"{path}/audit")
    entries = [*_within(page, "audit_log")]
    while "next_cursor" in page:
        page = client.ask("GET", f"{path}/audit?{urlencode({'cursor': page['next_cursor']})}")
        entries += _within(page, "audit_log")
    trail = [validate(AuditEntry, entry) for entry in entries]
    if record is None:
        deleted_at = _within(page, "deleted_at")
        if deleted_at is None:
            raise Unavailable("the record was restored while it was read")
        return trail, instant_s(deleted_at)
    lifecycle = validate(Lifecycle, record["lifecycle"])
    profile = lifecycle.decay
    if profile.curve is DecayCurve.CUSTOM and profile.custom_curve not in curves:
        raise InvalidArgument(
            f"the record fades by the curve {profile.custom_curve}: give it with --custom-curves"
        )
    return trail, Present(now_s(client), record["salience"], lifecycle, record["type"])


def _within(body: Any, name: str) -> Any:
    if not isinstance(body, dict) or name not in body:
        raise Unavailable(f"the answer has no {name}: is that the API?")
    return body[name]


def add_options(parser: Parser) -> None:
    parser.option("id", AN_ID_HELP)
    parser.add_connection()
    meaning = "CustomCurves in the Tuning of the deployment, for a record with a custom curve"
    parser.option("--custom-curves", meaning, default="{}", metavar="JSON")
    threshold: Any = {"type": _threshold, "default": PRUNE_THRESHOLD, "metavar": "SALIENCE"}
    meaning = "PruneThreshold in the Tuning of the deployment"
    parser.option("--prune-threshold", meaning, **threshold)
    meaning = "characters; if absent, the terminal's width"
    parser.option("--width", meaning, type=number_from(MIN_WIDTH, MAX_WIDTH))
    parser.run_by(_salience, "membrane salience 7f3c9b52-6a04-8e1d-9c35-0d2f4b8a1e67 --width 100")


def _salience(options: argparse.Namespace) -> None:
    client, console = HttpClient(*connection(options)), Console(width=options.width)
    if console.width < MIN_WIDTH:
        narrow = f"a terminal of {console.width} characters is too narrow"
        raise InvalidArgument(f"{narrow}; see --width")
    tuning = {TUNING: compact_json({"CustomCurves": options.custom_curves})}
    curves: Curves = read_settings("policy", tuning).custom_curves
    show_salience(whole_id(options, options.id), client, console, curves, options.prune_threshold)


def show_salience(
    record_id: str,
    client: HttpClient,
    console: Console,
    curves: Curves,
    threshold: float = PRUNE_THRESHOLD,
) -> None:
    trail, state = read_salience(client, record_id, curves)
    note(record_id)
    present = state if isinstance(state, Present) else None
    history = history_of(trail, present, curves, threshold)
    for line in _about(record_id, state, history):
        show_line(console, line)
    console.print()
    for line in draw_chart(history, console.width):
        text = Text(line, no_wrap=True, overflow="ignore")
        text.highlight_regex(f"{FORECAST}+", "dim")
        console.print(text, crop=False)
    if history.marks:
        marks = history.marks
        earlier = len(marks) - MARKS_SHOWN
        if earlier > 0 or not console.is_terminal:
            console.print()
        if earlier > 0:
            console.print(f"the last {MARKS_SHOWN}, {earlier} came before", highlight=False)
        headings = ("", "when (UTC)", "action", "salience", "by whom: why")
        print_rows(headings, map(_cells_of, marks[-MARKS_SHOWN:]), console)


def _about(record_id: str, state: Present | float, history: History) -> Iterator[str]:
    if isinstance(state, float):
        yield f"{record_id}, deleted {_instant(state)}: drawn from its audit alone"
        return
    profile, policy = state.lifecycle.decay, state.lifecycle.deletion_policy
    curve = profile.custom_curve or profile.curve
    half_life = _period(profile.half_life_seconds)
    yield f"{record_id}: {state.type}, {curve}, half-life {half_life}, {policy}"
    yield f"salience {state.salience:.6g} now: {_outlook(state, history)}"


def _outlook(present: Present, history: History) -> str:
    lifecycle, due_s = present.lifecycle, history.due_s
    if lifecycle.pinned:
        return "pinned, it does not fade"
    if lifecycle.deletion_policy is not DeletionPolicy.AUTO_PRUNE:
        return "no sweep prunes it, however little is left"
    if due_s is None:
        return "it keeps its floor, and no sweep prunes it"
    if due_s <= present.now_s:
        return f"due since {_instant(due_s)}, the next sweep prunes it"
    return f"due {_instant(due_s)}, in {_period(due_s - present.now_s)}: a sweep then prunes it"


def _cells_of(mark: Mark) -> Row:
    entry, change = mark.entry, ""
    if entry.salience_before is not None and entry.salience_after is not None:
        change = f"{entry.salience_before:.4g} -> {entry.salience_after:.4g}"
    why = shorten(printable(entry.rationale), 40)
    words = ": ".join(text for text in (printable(entry.actor), why) if text)
    return sign(mark), _instant(mark.at_s), entry.action, change, words


def _instant(seconds: float) -> str:
    return from_epoch_seconds(seconds).strftime("%Y-%m-%d %H:%M:%S")


def _period(seconds: float) -> str:
    """The seconds in the two largest units, as in `6 h 57 min`."""
    left, parts = int(seconds), list[str]()
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        if left >= size:
            parts.append(f"{left // size} {unit}")
            left %= size
    return " ".join(parts[:2]) or "less than 1 s"


def _threshold(text: str) -> float:
    with suppress(ValueError):
        if VANISHING <= float(text) <= MAX_SALIENCE:
            return float(text)
    raise argparse.ArgumentTypeError(f"expected a salience from {VANISHING:g} on")
