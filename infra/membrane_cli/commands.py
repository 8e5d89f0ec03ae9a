"""Every command of `membrane`, and how a refusal ends."""

import argparse
import sys
from collections.abc import Sequence

from botocore.exceptions import BotoCoreError, ClientError
from rich.console import Console

from membrane.domain.language.errors import DomainError
from membrane.wiring.environment import SettingError
from membrane_cli.check.command import add_check
from membrane_cli.cost.command import add_cost
from membrane_cli.demo.command import run_demo
from membrane_cli.demo.stage import DemoError
from membrane_cli.dev import add_dev
from membrane_cli.imports.command import add_import
from membrane_cli.index_jobs.reindex import add_reindex
from membrane_cli.keys.command import add_keys
from membrane_cli.redrive.command import add_redrive
from membrane_cli.salience.command import add_salience
from membrane_local.refusals import Refused

REFUSALS = (
    BotoCoreError,
    ClientError,
    DemoError,
    DomainError,
    OSError,
    Refused,
    SettingError,
)
"""What is told in a sentence; anything else is a defect and shows its trace."""


def run(arguments: Sequence[str] | None) -> int:
    """Run one command; 0 = done, 1 = refused with a sentence, 2 = the command line is wrong."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options) or 0)
    except REFUSALS as error:
        print(f"membrane {options.command}: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("membrane", description="Memory for AI agents, no server.")
    commands = parser.add_subparsers(dest="command", required=True)
    add_dev(commands.add_parser("dev", help="run the whole service on this machine"))
    commands.add_parser("demo", help="show what it does, on a stack of its own").set_defaults(
        run=lambda _: run_demo(Console())
    )
    add_check(commands.add_parser("check", help="say what a deployment would refuse"))
    add_cost(commands.add_parser("cost", help="tell what a month costs, by part of the bill"))
    add_import(commands.add_parser("import", help="ingest a file of requests, one to a line"))
    add_keys(commands.add_parser("keys", help="make, list and revoke API keys"))
    add_redrive(commands.add_parser("redrive", help="send what was set aside on its way again"))
    add_reindex(commands.add_parser("reindex", help="make the whole search index anew"))
    add_salience(commands.add_parser("salience", help="draw one record's salience over time"))
    return parser
