"""`membrane reindex`."""

import argparse
import time

from rich.console import Console
from rich.progress import Progress, TextColumn

from membrane.domain.language.json_text import JsonObject
from membrane_cli.index_jobs.places import LocalIndex, ReindexPlace, index_of_stack
from membrane_cli.index_jobs.steps import Pause, patiently
from membrane_cli.outside_text import show_line
from membrane_cli.stack_options import add_stack, local_stack
from membrane_cli.stacks import stack_here

COUNTS = ("indexed", "unchanged", "removed", "failed")


def add_reindex(parser: argparse.ArgumentParser) -> None:
    """The options."""
    add_stack(parser, "where it is done: --url or --stack")
    parser.add_argument(
        "--again", action="store_true", help="from the beginning, also where one was interrupted"
    )
    parser.set_defaults(run=_reindex)


def _reindex(options: argparse.Namespace) -> int:
    """0 where every record and every topic is indexed."""
    client = local_stack(options)
    place = index_of_stack(stack_here(options.stack)) if client is None else LocalIndex(client)
    result = reindex_all(place, Console(), again=options.again)
    return int(any(part["failed"] for part in _parts(result).values()))


def reindex_all(
    place: ReindexPlace,
    console: Console,
    *,
    again: bool,
    pause: Pause = time.sleep,
) -> JsonObject:
    """Step by step until all is done; shows how far it is, and gives what came of it.

    What is interrupted goes on from there when the command is given again. A step that is refused
    for a while is tried again; raises the last refusal, and at once whatever does not pass by
    itself.
    """

    def step(*, again: bool) -> JsonObject:
        return patiently(lambda: place.step(again=again), console, pause)

    with Progress(
        TextColumn("re-indexing: {task.description}", markup=False),
        console=console,
        disable=not console.is_terminal,
    ) as bars:
        going = bars.add_task("")
        told = step(again=again)
        while not told["done"]:
            bars.update(going, description=_counts(told))
            if bars.disable:
                show_line(console, _counts(told))
            told = step(again=False)
    show_line(console, f"{_counts(told)}, by {told['embedder']}")
    done_at = max(part["done_at"] for part in _parts(told).values())
    show_line(console, f"begun {told['started_at']}, done {done_at}")
    return told


def _counts(told: JsonObject) -> str:
    return "; ".join(f"{name}: {_counted(part)}" for name, part in _parts(told).items())


def _counted(part: JsonObject) -> str:
    return ", ".join(f"{part[count]} {count}" for count in COUNTS)


def _parts(told: JsonObject) -> dict[str, JsonObject]:
    """What is told of each; a stack deployed from an older version has no topics."""
    return {"records": told, **({"topics": told["topics"]} if "topics" in told else {})}
