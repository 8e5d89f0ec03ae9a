"""`membrane reconcile`."""

import argparse
import time

from rich.console import Console
from rich.progress import Progress, TextColumn

from membrane.adapters.aws_lambda.events.stream import RECONCILE
from membrane.domain.language.json_text import JsonObject
from membrane_cli.index_jobs.places import LocalIndex, Place, index_of_stack
from membrane_cli.index_jobs.steps import Pause, patiently
from membrane_cli.outside_text import show_line
from membrane_cli.stack_options import add_stack, local_stack
from membrane_cli.stacks import stack_here


def add_reconcile(parser: argparse.ArgumentParser) -> None:
    """The options."""
    add_stack(parser, "where it is done: --url or --stack")
    parser.set_defaults(run=_reconcile)


def _reconcile(options: argparse.Namespace) -> int:
    """0 where every record is counted and no counter had drifted."""
    client = local_stack(options)
    place = index_of_stack(stack_here(options.stack)) if client is None else LocalIndex(client)
    result = reconcile_all(place, Console())
    return int(result["failed"] > 0 or result["drift"] > 0)


def reconcile_all(place: Place, console: Console, *, pause: Pause = time.sleep) -> JsonObject:
    """Step by step until all is done; shows how far it is, and gives what came of it.

    What is interrupted goes on from there when the command is given again. A step that is refused
    for a while is tried again; raises the last refusal, and at once whatever does not pass by
    itself.
    """

    def step() -> JsonObject:
        return patiently(lambda: place.invoke({RECONCILE: {"once": True}}), console, pause)

    with Progress(
        TextColumn("reconciling: {task.description}", markup=False),
        console=console,
        disable=not console.is_terminal,
    ) as bars:
        going = bars.add_task("")
        told = step()
        while not told["done"]:
            bars.update(going, description=_counts(told))
            if bars.disable:
                show_line(console, _counts(told))
            told = step()
    show_line(console, f"{_counts(told)}; the counters were off by {told['drift']}")
    show_line(console, f"begun {told['started_at']}, done {told['done_at']}")
    return told


def _counts(told: JsonObject) -> str:
    return f"{told['stage']}, {told['records']} records, {told['failed']} failed"
