"""Every command of `membrane`, and how a refusal ends."""

import argparse
import sys
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from membrane_cli.parser import Parser


class Command(NamedTuple):
    """The module whose `add_options` gives a parser its options and its `run`."""

    module: str
    help: str


COMMANDS: Mapping[str, Command] = {
    "demo": Command("demo.command", "show what it does, on a stack of its own"),
    "dev": Command("dev", "run the whole service on this machine"),
    "doctor": Command("doctor.command", "say what this machine lacks, and what to do about it"),
    "completion": Command("completion", "print what lets a shell complete these commands"),
    "check": Command("check.command", "say what a deployment would refuse"),
    "cost": Command("cost.command", "tell what a month costs, by part of the bill"),
    "import": Command("imports.command", "ingest a file of requests, one to a line"),
    "keys": Command("keys.command", "make, list and revoke API keys"),
    "redrive": Command("redrive.command", "send what was set aside on its way again"),
    "reindex": Command("index_jobs.reindex", "make the whole search index anew"),
    "salience": Command("salience.command", "draw one record's salience over time"),
}


def run(arguments: Sequence[str] | None) -> int:
    """Run one command; 0 = done, 1 = refused with a sentence, 2 = the command line is wrong."""
    given = sys.argv[1:] if arguments is None else arguments
    options = parser_of({*given}).parse_args(given)
    try:
        return int(options.run(options) or 0)
    except BrokenPipeError:  # an OSError, yet no refusal
        raise
    except _refusals() as error:
        print(f"membrane {options.command}: {error}", file=sys.stderr)
        return 1


def parser_of(names: Collection[str]) -> Parser:
    """The parser of all commands; those named are loaded, of the others only the names are known.

    Some commands take half a second to load.
    """
    parser = Parser("membrane", description="Memory for AI agents, no server.")
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="print the version")
    parser.show("membrane demo", "membrane dev", "membrane doctor", "membrane keys create --help")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, meaning) in COMMANDS.items():
        command = commands.add_parser(name, help=meaning, description=f"{meaning}.")
        if name in names:
            import_module(f"membrane_cli.{module}").add_options(command)
    return parser


class _ShowVersion(argparse.Action):
    """Asks for the installed version only when somebody wants to know."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version  # noqa: PLC0415 - no other command asks

        print(f"membrane {version('membrane-serverless')}")
        parser.exit()


def _refusals() -> tuple[type[Exception], ...]:
    """What is told in a sentence; anything else is a defect and shows its trace.

    Asked for once something was raised: loading these takes longer than a short command.
    """
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

    from membrane.domain.language.errors import DomainError  # noqa: PLC0415
    from membrane.wiring.environment import SettingError  # noqa: PLC0415
    from membrane_cli.demo.stage import DemoError  # noqa: PLC0415
    from membrane_local.refusals import Refused  # noqa: PLC0415

    return BotoCoreError, ClientError, DemoError, DomainError, OSError, Refused, SettingError
