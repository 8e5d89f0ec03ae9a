"""`membrane reindex`: rebuild the whole search index, step by step."""

import argparse
import time
from dataclasses import dataclass
from math import inf

from rich.console import Console
from rich.progress import Progress, TextColumn

from membrane.adapters.aws_lambda.events.stream import REINDEX
from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.search.indexing.reindex import Stage
from membrane_cli.options import Parser, add_stack
from membrane_cli.output import interruptible, show_line
from membrane_cli.stacks import PAUSES_S, Ask, Pause, ask_again, function_of

GOES_ON = "the present step goes on in the service; give the command again for the rest"
INDEX_FUNCTION = "IndexFunction"
LONGEST_S = 90
"""The read timeout: longer than the function's own timeout."""
MAX_FRUITLESS = 15
"""Checks of all vectors, a minute apart, that find no progress."""


def add_options(parser: Parser) -> None:
    add_stack(parser, "the index: --url or --stack")
    parser.add_argument(
        "--again", action="store_true", help="start over, also after an interrupted run"
    )
    parser.show("membrane reindex --stack membrane")
    parser.set_defaults(run=_reindex)


def _reindex(options: argparse.Namespace) -> None:
    ask = function_of(options, INDEX_FUNCTION, LONGEST_S)
    reindex_all(ask, Console(), again=options.again)


@interruptible(GOES_ON)
def reindex_all(
    ask: Ask, console: Console, *, again: bool, pause: Pause = time.sleep
) -> JsonObject:
    """Run steps until the re-index is done, show the progress and return the last step's answer.

    An interrupted re-index goes on when the command runs again. A step with a passing failure is
    repeated. While vectors of the former embedder are left, the command waits for the index
    function. Raises Unavailable where the number of those vectors stops falling; the last passing
    failure once the pauses are used up; and any lasting failure at once.
    """

    def step(*, again: bool) -> JsonObject:
        return ask_again(ask, {REINDEX: {"again": again}}, console, pause)

    patience = _Patience()
    with Progress(
        TextColumn("re-indexing: {task.description}", markup=False),
        console=console,
        disable=not console.is_terminal,
    ) as bars:
        going = bars.add_task("")
        progress = step(again=again)
        while not progress["done"]:
            bars.update(going, description=_counts(progress))
            if bars.disable:
                show_line(console, _counts(progress))
            if (
                progress["stage"] == Stage.CHECKING
                and progress["after"] is None
                and progress["lacking"] > 0
            ):
                pause(patience.pause_s(progress["lacking"]))
            progress = step(again=False)
    show_line(console, f"{_counts(progress)}, by {progress['embedder']}")
    show_line(console, f"begun {progress['started_at']}, done {progress['done_at']}")
    return progress


@dataclass(slots=True)
class _Patience:
    """The waits for the index function, and the progress between the waits."""

    fewest: float = inf
    looks: int = 0
    fruitless: int = 0

    def pause_s(self, lacking: int) -> float:
        """Seconds to wait before the next check; raises Unavailable after MAX_FRUITLESS checks."""
        self.fruitless = 0 if lacking < self.fewest else self.fruitless + 1
        if self.fruitless >= MAX_FRUITLESS:
            raise Unavailable(
                f"{lacking} vectors of another embedder are left, and for {MAX_FRUITLESS} looks "
                "none was replaced: see why the index function does not get on (its alarms, its "
                "dead letters), then give the command again"
            )
        self.fewest = min(self.fewest, lacking)
        self.looks += 1
        return PAUSES_S[min(self.looks, len(PAUSES_S)) - 1]


def _counts(progress: JsonObject) -> str:
    return f"{progress['stage']}: {progress['marked']} marked, {progress['lacking']} lacking"
