"""The command `membrane`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError
from rich.console import Console

from membrane.domain.language.errors import DomainError
from membrane.wiring.environment import SettingError
from membrane_cli.demo.command import run_demo
from membrane_cli.demo.stage import DemoError
from membrane_cli.imports.command import add_import
from membrane_cli.index_jobs.reconcile import add_reconcile
from membrane_cli.index_jobs.reindex import add_reindex
from membrane_cli.keys.command import add_keys
from membrane_cli.redrive.command import add_redrive
from membrane_cli.salience.command import add_salience
from membrane_local.dev import DEFAULT_PORT, TEMPLATE, DevOptions, run_dev
from membrane_local.storage.dynoxide import DynoxideError
from membrane_local.template import TemplateError

MAX_PORT = 65_535

REFUSALS = (
    BotoCoreError,
    ClientError,
    DemoError,
    DomainError,
    DynoxideError,
    OSError,
    SettingError,
    TemplateError,
)
"""What is told in a sentence; anything else is a defect and shows its trace."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 = done, 1 = refused with a sentence, 2 = the command line is wrong."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options) or 0)
    except REFUSALS as error:
        print(f"membrane {options.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("membrane", description="Memory for AI agents, no server.")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_dev(commands.add_parser("dev", help="run the whole service on this machine"))
    commands.add_parser("demo", help="show what it does, on a stack of its own").set_defaults(
        run=lambda _: run_demo(Console())
    )
    add_import(commands.add_parser("import", help="ingest a file of requests, one to a line"))
    add_keys(commands.add_parser("keys", help="make, list and revoke API keys"))
    add_redrive(commands.add_parser("redrive", help="send what was set aside on its way again"))
    add_reconcile(commands.add_parser("reconcile", help="count anew what the metrics are made of"))
    add_reindex(commands.add_parser("reindex", help="make the whole search index anew"))
    add_salience(commands.add_parser("salience", help="draw one record's salience over time"))
    return parser


def _add_dev(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=_port, default=DEFAULT_PORT, help="0 takes a free one")
    parser.add_argument("--store", help="a file (kept), or the URL of a DynamoDB endpoint")
    parser.add_argument("--blobs", type=Path, help="folder of large documents, beside the store")
    parser.add_argument("--api-key", help="the key that opens everything; by default a new one")
    parser.add_argument("--no-auth", action="store_true", help="answer without keys")
    parser.add_argument("--template", type=Path, default=TEMPLATE)
    parser.add_argument(
        "--parameter",
        action="append",
        default=[],
        type=_name_and_value,
        metavar="NAME=VALUE",
        help="a parameter of the template",
    )
    parser.set_defaults(run=_dev)


def _dev(options: argparse.Namespace) -> None:
    run_dev(
        DevOptions(
            port=options.port,
            store=options.store,
            blobs=options.blobs,
            api_key=options.api_key,
            requires_keys=not options.no_auth,
            template=options.template,
            parameters=dict(options.parameter),
        ),
        say=lambda line: print(line, flush=True),
    )


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > MAX_PORT:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to {MAX_PORT}")
    return int(text)


def _name_and_value(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError("expected NAME=VALUE")
    return name, value
