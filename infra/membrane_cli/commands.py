"""Every command of `membrane`, how a refusal ends, and the options of `membrane dev`."""

import argparse
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

from membrane_cli.options import Parser, number_from, utf8_text
from membrane_cli.output import printable
from membrane_cli.shown_ids import keep
from membrane_local.dev_options import DEFAULT_PORT, TEMPLATE, DevOptions

COMMANDS: Mapping[str, tuple[str, str]] = {
    "demo": ("demo.screens", "show the memory at work, on a temporary local stack"),
    "dev": ("commands:dev_options", "run the whole service on this machine"),
    "mcp": ("mcp.command", "serve an agent's tools on stdin and stdout"),
    "hook": ("hooks", "run as a hook of an agent's session"),
    "remember": ("memories.records:remember_options", "store a text or a fact"),
    "recall": ("memories.recall", "show the memories that answer a question"),
    "show": ("memories.records:show_options", "show a whole record"),
    "list": ("memories.records:list_options", "list memories, the most salient first"),
    "history": ("memories.records:history_options", "show a record's earlier versions, and why"),
    "correct": ("memories.records:correct_options", "replace a wrong fact"),
    "forget": ("forget", "delete a record, or erase a person or a scope"),
    "tail": ("memories.recall:tail_options", "show new memories until Ctrl-C"),
    "stats": ("memories.records:stats_options", "count records and their salience"),
    "study": ("study.command", "let documents become topics, by section and paragraph"),
    "skills": ("memories.records:skills_options", "list the learned skills"),
    "consolidate": (
        "memories.records:consolidate_options",
        "learn from ended threads now, or show what would be",
    ),
    "doctor": ("doctor.machine", "check this machine, the API and AWS"),
    "completion": ("commands:completion_options", "print a shell's completion script"),
    "check": ("check.command", "check the parameters of a deployment"),
    "cost": ("cost.month", "estimate a month's bill, by part"),
    "export": ("exports", "write a whole memory into a file"),
    "import": ("imports", "ingest a file of requests, or restore an export"),
    "keys": ("keys", "create, list and revoke API keys"),
    "redrive": ("redrive.dead_letters", "send dead letters again"),
    "reindex": ("jobs:reindex_options", "rebuild the whole search index"),
    "recover": ("recovery", "prepare a restored table for a stack, blobs included"),
    "verify": ("jobs:verify_options", "find edits behind the service"),
    "salience": ("salience.command", "draw a record's salience over time"),
}
"""The help by command, after the module and the function for the options and for `run`.

The function is `add_options` unless named.
"""


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
    """The parser of all commands; loading every command's options would take half a second."""
    parser = Parser("membrane", description="Memory for AI agents, no server.")
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="print the version")
    parser.show("membrane demo", "membrane dev", "membrane doctor", "membrane recall --help")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (options, meaning) in COMMANDS.items():
        command = commands.add_parser(name, help=meaning, description=f"{meaning}.")
        if name in names:
            module, _, function = options.partition(":")
            add_options = function or "add_options"
            getattr(import_module(f"membrane_cli.{module}"), add_options)(command)
    return parser


class _ShowVersion(argparse.Action):
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
    from membrane_client import MembraneError  # noqa: PLC0415
    from membrane_local.refusals import Refused  # noqa: PLC0415

    of_aws = (BotoCoreError, ClientError)
    return (*of_aws, DomainError, MembraneError, OSError, Refused, SettingError)


def dev_options(parser: Parser) -> None:
    port = number_from(0, 65_535)
    parser.option("--port", "0 takes a free port", type=port, default=DEFAULT_PORT)
    meaning = "a file, the URL of a DynamoDB endpoint, or moto; if absent in memory"
    parser.option("--store", meaning)
    meaning = "folder of large documents; if absent beside the store"
    parser.option("--blobs", meaning, type=Path)
    parser.option("--api-key", "a key with every right; if absent a new key")
    parser.flag("--no-auth", "answer without keys")
    parser.option("--template", "the SAM template to run", type=Path, default=TEMPLATE)
    meaning = "how late the table removes expired items, such as 48h, as AWS may; if absent at once"
    parser.option("--ttl-lag", meaning, type=_seconds, default=0, metavar="TIME")
    parser.add_parameters("a parameter of the template, may be repeated")
    parser.run_by(
        _dev,
        "membrane dev",
        "membrane dev --port 9000 --store memory.db --api-key local-key",
        """membrane dev --parameter 'Tuning={"EpisodicHalfLifeSeconds": 86400}'""",
        "membrane dev --ttl-lag 48h",
    )


def _dev(options: argparse.Namespace) -> None:
    print(f"membrane dev: opening {options.store or 'a store in memory'}", flush=True)
    from membrane_local.dev import run_dev  # noqa: PLC0415 - the stack takes seconds to load

    given = DevOptions(
        port=options.port,
        store=options.store,
        blobs=options.blobs,
        api_key=options.api_key,
        requires_keys=not options.no_auth,
        template=options.template,
        ttl_lag_s=options.ttl_lag,
        parameters=dict(options.parameter),
    )
    run_dev(given, say=lambda line: print(line, flush=True))


def _seconds(text: str) -> int:
    found = re.fullmatch(r"([0-9]{1,6})([smhd])", text)
    if found is None:
        raise argparse.ArgumentTypeError("expected a whole number and s, m, h or d, such as 48h")
    return int(found[1]) * {"s": 1, "m": 60, "h": 3_600, "d": 86_400}[found[2]]


SHELLS = ("bash", "zsh", "fish")


def completion_options(parser: Parser) -> None:
    parser.option("shell", "the shell", choices=SHELLS)
    parser.run_by(
        _completion,
        'eval "$(membrane completion bash)"',
        "membrane completion zsh >~/.zfunc/_membrane",
        "membrane completion fish >~/.config/fish/completions/membrane.fish",
    )


def _completion(options: argparse.Namespace) -> None:
    import shtab  # noqa: PLC0415 - only this command needs it

    whole = parser_of(COMMANDS)
    for action in chain.from_iterable(each.arguments() for each in whole.and_below()):
        if action.type is Path:
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # read by shtab
    print(shtab.complete(whole, options.shell))
