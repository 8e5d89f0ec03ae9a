"""Parsers of command lines whose help shows defaults and examples."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
        self.register("type", Path, _path_of)
        self.examples: tuple[str, ...] = ()

    def show(self, *examples: str) -> None:
        """Let the help end with whole command lines."""
        self.examples = examples
        self.epilog = "\n".join(("examples:", *(f"  {example}" for example in examples)))

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """See the base class; the command, not the whole, refuses unknown options."""
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            words = (getattr(found, name, None) for name in ("command", "action"))
            prog = " ".join(filter(None, (self.prog, *words)))
            chosen = next((each for each in self.and_below() if each.prog == prog), self)
            options = [name for each in chosen.arguments() for name in each.option_strings]
            given = next((each for each in unknown if each.startswith("-")), "")
            meant = _suggestion(given.partition("=")[0], options)
            chosen.error(f"unrecognized arguments: {' '.join(unknown)}{meant}")
        return found

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += _suggestion(str(value), map(str, action.choices or ()))
            raise

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


def _suggestion(given: str, known: "Iterable[str]") -> str:
    """The end of a refusal: the known word that was probably meant."""
    from membrane.domain.language.violations import nearest  # noqa: PLC0415 - loads pydantic

    meant = nearest(given, known)
    return "" if meant is None else f"; did you mean {meant}?"


def utf8_text(argument: str) -> str:
    """The argument of the command line; its bytes are UTF-8, whatever the locale."""
    return os.fsencode(argument).decode("utf-8", "surrogateescape")


def _path_of(text: str) -> Path:
    """The path as the locale's file names are decoded: the inverse of `utf8_text`."""
    return Path(os.fsdecode(text.encode("utf-8", "surrogateescape")))


def count(text: str) -> int:
    """A number of things, as an option; raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError("expected a number from 1")
    return int(text)
