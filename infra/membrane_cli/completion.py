"""`membrane completion SHELL`."""

import argparse
from itertools import chain
from pathlib import Path

from membrane_cli.parser import Parser

SHELLS = ("bash", "zsh", "fish")


def add_options(parser: Parser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell")
    parser.show(
        'eval "$(membrane completion bash)"',
        "membrane completion zsh >~/.zfunc/_membrane",
        "membrane completion fish >~/.config/fish/completions/membrane.fish",
    )
    parser.set_defaults(run=_completion)


def _completion(options: argparse.Namespace) -> None:
    import shtab  # noqa: PLC0415 - only this command needs it

    from membrane_cli.commands import COMMANDS, parser_of  # noqa: PLC0415 - loads this module

    whole = parser_of(COMMANDS)
    for action in chain.from_iterable(each.arguments() for each in whole.and_below()):
        if action.type is Path:
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # read by shtab
    print(shtab.complete(whole, options.shell))
