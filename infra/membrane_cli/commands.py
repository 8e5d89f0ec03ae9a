"""Every command of `membrane`, and how a refusal ends."""

import argparse
import sys
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from membrane_cli.outside_text import printable
from membrane_cli.parser import Parser, utf8_text
from membrane_cli.shown_ids import keep


class Command(NamedTuple):
    """A function as `module:name`, for the options and the `run` of a parser; and the help."""

    options: str
    help: str


COMMANDS: Mapping[str, Command] = {
    "demo": Command(
        "demo.screens:add_options", "show the memory at work, on a temporary local stack"
    ),
    "dev": Command("dev:add_options", "run the whole service on this machine"),
    "mcp": Command("mcp.command:add_options", "serve an agent's tools on stdin and stdout"),
    "hook": Command("hooks.command:add_options", "run as a hook of an agent's session"),
    "remember": Command("memories.remember:remember_options", "store a text or a fact"),
    "recall": Command("memories.recall:recall_options", "show the memories that answer a question"),
    "show": Command("memories.reading:show_options", "show a whole record"),
    "list": Command("memories.reading:list_options", "list memories, the most salient first"),
    "history": Command(
        "memories.reading:history_options", "show a record's earlier versions, and why"
    ),
    "correct": Command("memories.changing:correct_options", "replace a wrong fact"),
    "forget": Command("forget:forget_options", "delete a record, or erase a person or a scope"),
    "tail": Command("memories.tail:tail_options", "show new memories until Ctrl-C"),
    "stats": Command("memories.reading:stats_options", "count records and their salience"),
    "study": Command(
        "study.command:add_options", "let documents become topics, by section and paragraph"
    ),
    "skills": Command("memories.learning:skills_options", "list the learned skills"),
    "consolidate": Command(
        "memories.learning:consolidate_options",
        "learn from ended threads now, or show what would be",
    ),
    "doctor": Command("doctor.command:add_options", "check this machine, the API and AWS"),
    "completion": Command("completion:add_options", "print a shell's completion script"),
    "check": Command("check.command:add_options", "check the parameters of a deployment"),
    "cost": Command("cost.command:add_options", "estimate a month's bill, by part"),
    "export": Command("exports.command:add_options", "write a whole memory into a file"),
    "import": Command("imports:add_options", "ingest a file of requests, or restore an export"),
    "keys": Command("keys:add_options", "create, list and revoke API keys"),
    "redrive": Command("redrive.command:add_options", "send dead letters again"),
    "reindex": Command("index_jobs.reindex:add_options", "rebuild the whole search index"),
    "recover": Command(
        "recovery.command:add_options", "prepare a restored table for a stack, blobs included"
    ),
    "verify": Command("verification.command:add_options", "find edits behind the service"),
    "salience": Command("salience.command:add_options", "draw a record's salience over time"),
}


def run(arguments: Sequence[str] | None) -> int:
    """Run one command; 0 = done, 1 = refused with a sentence, 2 = the command line is wrong."""
    given = [utf8_text(each) for each in sys.argv[1:]] if arguments is None else arguments
    options = parser_of({*given}).parse_args(given)
    try:
        return int(options.run(options) or 0)
    except BrokenPipeError:  # an OSError, but `main` ends quietly
        raise
    except _refusals() as error:
        lines = map(printable, f"membrane {options.command}: {error}".split("\n"))
        print(*lines, sep="\n", file=sys.stderr)
        return 1
    finally:
        keep(options)


def parser_of(names: Collection[str]) -> Parser:
    """The parser of all commands, with the options of the named commands alone.

    Loading the options of every command takes half a second.
    """
    parser = Parser("membrane", description="Memory for AI agents, no server.")
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="print the version")
    parser.show("membrane demo", "membrane dev", "membrane doctor", "membrane recall --help")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (options, meaning) in COMMANDS.items():
        command = commands.add_parser(name, help=meaning, description=f"{meaning}.")
        if name in names:
            module, _, function = options.partition(":")
            getattr(import_module(f"membrane_cli.{module}"), function)(command)
    return parser


class _ShowVersion(argparse.Action):
    """Looks up the installed version only for `--version`."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version  # noqa: PLC0415 - no other command asks

        print(f"membrane {version('membrane-serverless')}")
        parser.exit()


def _refusals() -> tuple[type[Exception], ...]:
    """Errors that end a command with a sentence; any further error is a defect and shows a trace.

    Called once an error was raised: loading the types takes longer than a short command.
    """
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

    from membrane.domain.language.errors import DomainError  # noqa: PLC0415
    from membrane.wiring.environment import SettingError  # noqa: PLC0415
    from membrane_cli.demo.stage import DemoError  # noqa: PLC0415
    from membrane_client import MembraneError  # noqa: PLC0415
    from membrane_local.refusals import Refused  # noqa: PLC0415

    return (
        *(BotoCoreError, ClientError, DemoError, DomainError),
        *(MembraneError, OSError, Refused, SettingError),
    )
