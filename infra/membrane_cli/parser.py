"""Parsers of command lines whose help shows defaults and examples."""

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SUBCOMMANDS = argparse._SubParsersAction  # noqa: SLF001 - it has no other name


class HelpFormatter(argparse.ArgumentDefaultsHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Says the defaults of options that have a default, and keeps the line breaks of examples."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        has_default = action.default not in (None, False, [], "", argparse.SUPPRESS)
        return super()._get_help_string(action) if has_default else action.help


class Parser(argparse.ArgumentParser):
    """A parser of a command, or of a subcommand."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"formatter_class": HelpFormatter, **options})
        self.examples: tuple[str, ...] = ()

    def show(self, *examples: str) -> None:
        """Let the help end with whole command lines."""
        self.examples = examples
        self.epilog = "\n".join(("examples:", *(f"  {example}" for example in examples)))

    def and_below(self) -> "Iterator[Parser]":
        """The parser itself and the parsers of all subcommands, at any depth."""
        yield self
        for action in self._actions:
            if isinstance(action, SUBCOMMANDS):
                for each in action.choices.values():
                    yield from each.and_below()

    def arguments(self) -> list[argparse.Action]:
        """Options and arguments, without the choice of a subcommand."""
        return [each for each in self._actions if not isinstance(each, SUBCOMMANDS)]


def count(text: str) -> int:
    """A number of things, as an option; raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError("expected a number from 1")
    return int(text)
