"""`membrane redrive`."""

import argparse

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from membrane.domain.errors import InvalidArgument
from membrane_local.http_client import HttpClient
from membrane_local.keys.command import address
from membrane_local.redrive.dead_letters import Place, Redriven, redrive
from membrane_local.redrive.places import LocalStack, deployed_stack


def add_redrive(parser: argparse.ArgumentParser) -> None:
    """The options."""
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--stack", help="a deployed CloudFormation stack")
    place.add_argument("--url", type=address, help="a running `membrane dev`")
    parser.add_argument("--api-key", help="with --url: the key that `membrane dev` printed")
    parser.add_argument(
        "--queue", help="the logical id of one queue of dead letters; all if absent"
    )
    parser.add_argument("--limit", type=_count, help="at most so many messages of each queue")
    parser.add_argument("--dry-run", action="store_true", help="tell, but send and delete nothing")
    parser.set_defaults(run=_redrive)


def _redrive(options: argparse.Namespace) -> None:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("dead letters", overflow="fold")
    table.add_column("redriven", justify="right")
    table.add_column("left", justify="right")
    table.add_column("why they were set aside", overflow="fold")
    try:
        for done in redrive(_place(options), options.queue, options.limit, dry_run=options.dry_run):
            table.add_row(*_cells(done))
    finally:
        if table.rows:
            Console().print(table)


def _place(options: argparse.Namespace) -> Place:
    if options.url is not None:
        return LocalStack(HttpClient(options.url, options.api_key))
    if options.api_key is not None:
        raise InvalidArgument("--api-key goes with --url")
    return deployed_stack(options.stack)


def _cells(done: Redriven) -> list[str]:
    reasons = [f"{count} x {reason}" for reason, count in sorted(done.reasons.items())]
    return [done.queue.name, str(done.redriven), str(done.left), "\n".join(reasons) or "-"]


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError("expected a number from 1")
    return int(text)
