"""`membrane redrive`."""

import argparse

from rich.console import Console

from membrane_cli.options import Parser, add_stack, count, local_stack
from membrane_cli.redrive.dead_letters import Place, RedriveResult, redrive
from membrane_cli.redrive.places import LocalQueues, queues_of_stack
from membrane_cli.stacks import stack_here
from membrane_cli.tables import show_rows


def add_options(parser: Parser) -> None:
    add_stack(parser, "the stack: one of --url, --stack")
    parser.add_argument(
        "--queue", help="the logical id of one queue of dead letters; all if absent"
    )
    parser.add_argument("--limit", type=count, help="the most messages of every queue")
    parser.add_argument("--dry-run", action="store_true", help="count, but send and delete nothing")
    parser.show("membrane redrive --dry-run --stack membrane", "membrane redrive --stack membrane")
    parser.set_defaults(run=_redrive)


def _redrive(options: argparse.Namespace) -> None:
    rows = []
    try:
        for result in redrive(
            _place(options), options.queue, options.limit, dry_run=options.dry_run
        ):
            rows.append(_cells(result))  # noqa: PERF401 - after a refusal, the earlier rows are shown
    finally:
        if rows:
            show_rows(Console(), ("dead letters", "redriven", "left", "reason"), rows)


def _place(options: argparse.Namespace) -> Place:
    client = local_stack(options)
    if client is not None:
        return LocalQueues(client)
    return queues_of_stack(stack_here(options.stack))


def _cells(result: RedriveResult) -> list[str]:
    reasons = [f"{count} x {reason}" for reason, count in sorted(result.reasons.items())]
    return [
        result.queue.name,
        str(result.redriven),
        str(result.remaining),
        "\n".join(reasons) or "-",
    ]
