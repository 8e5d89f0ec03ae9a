"""Parsers whose help shows defaults and examples, and options for where a command works."""

import argparse
import os
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from membrane.domain.language.errors import InvalidArgument, Unavailable
from membrane.wiring.environment import SettingError
from membrane_local.dev_options import DEFAULT_PORT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from membrane_cli.http_client import HttpClient
    from membrane_client import Membrane


SUBCOMMANDS = argparse._SubParsersAction  # noqa: SLF001 - it has no other name
Place = argparse._ActionsContainer  # noqa: SLF001 - a parser, or a group of a parser
URL, API_KEY = "MEMBRANE_URL", "MEMBRANE_API_KEY"
"""Environment variables. As defaults of options, help would print both, the key included."""
NO_ADDRESS = "expected an address that begins with http:// or https://"
A_STACK = "a deployed CloudFormation stack"
USUAL_URL = f"http://127.0.0.1:{DEFAULT_PORT}"


class HelpFormatter(argparse.ArgumentDefaultsHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Says the defaults of options that have a default, and keeps the line breaks of examples."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        has_default = action.default not in (None, False, [], "", argparse.SUPPRESS)
        return super()._get_help_string(action) if has_default else action.help


class Parser(argparse.ArgumentParser):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.formatter_class = HelpFormatter
        self.register("type", Path, _path_of)
        self.examples: tuple[str, ...] = ()

    def show(self, *examples: str) -> None:
        self.examples = examples
        self.epilog = "\n".join(("examples:", *(f"  {example}" for example in examples)))

    def run_by(self, run: "Callable[[argparse.Namespace], int | None]", *examples: str) -> None:
        """Let the command run the function, which may refuse the options; see `show`."""
        self.set_defaults(run=run, refuse=self.error)
        self.show(*examples)

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
        return [each for each in self._actions if not isinstance(each, SUBCOMMANDS)]

    def option(self, name: str, meaning: str, place: Place | None = None, **more: Any) -> None:
        (place or self).add_argument(name, help=meaning, **more)

    def flag(self, name: str, meaning: str, place: Place | None = None) -> None:
        """Add an option without a value, False unless given."""
        self.option(name, meaning, place, action="store_true")

    def add_seconds(self, name: str, usual_s: float, meaning: str, **more: Any) -> None:
        self.option(name, meaning, type=seconds, default=usual_s, metavar="SECONDS", **more)

    def add_json(self, meaning: str) -> None:
        self.flag("--json", f"print {meaning}")

    def add_types(self) -> None:
        meaning = "only memories of the type; more than once for several"
        self.option("--type", meaning, action="append")

    def add_parameters(self, meaning: str) -> None:
        more: Any = {"action": "append", "default": [], "metavar": "NAME=VALUE"}
        self.option("--parameter", meaning, type=_name_and_value, **more)

    def add_connection(self) -> None:
        place = self.add_argument_group("the API")
        meaning = f"the address; if absent {URL}, then {USUAL_URL}"
        self.option("--url", meaning, place, type=address)
        self.option("--api-key", f"if absent {API_KEY}", place, metavar="KEY")

    def add_stack(self, title: str, **others: str) -> None:
        """Add --url, --stack and `others` as alternatives; values of `others` are help texts."""
        place = self.add_argument_group(title)
        chosen = place.add_mutually_exclusive_group(required=not os.environ.get(URL))
        meaning = f"a running `membrane dev`; if absent {URL}"
        self.option("--url", meaning, chosen, type=address)
        for name, meaning in {"stack": A_STACK, **others}.items():
            self.option(f"--{name}", meaning, chosen)
        meaning = f"with --url: the key that `membrane dev` printed; if absent {API_KEY}"
        self.option("--api-key", meaning, place, metavar="KEY")
        self.set_defaults(places=("stack", *others))

    def add_client(self, *, json: str | None = None) -> None:
        """Options of the client, and with the meaning of the JSON also --json."""
        self.add_connection()
        meaning = (
            "to connect, to send, and for the next bytes of a reply; after a passing fault, "
            "two attempts follow, so the whole may take three times as long, and pauses"
        )
        self.add_seconds("--timeout", 30.0, meaning)
        group = self.add_argument_group("the scope: --user or --scope")
        whose = group.add_mutually_exclusive_group()
        self.option("--user", "a user of the key: the user's scope alone", whose)
        self.option("--scope", "a scope; if absent, the key's own scope for writes", whose)
        if json is not None:
            self.add_json(json)


def _suggestion(given: str, known: "Iterable[str]") -> str:
    from membrane.domain.language.requests import nearest  # noqa: PLC0415 - loads pydantic

    meant = nearest(given, known)
    return "" if meant is None else f"; did you mean {meant}?"


def utf8_text(argument: str) -> str:
    """The argument of the command line; its bytes are UTF-8, whatever the locale."""
    return os.fsencode(argument).decode("utf-8", "surrogateescape")


def _path_of(text: str) -> Path:
    """The path as the locale's file names are decoded: the inverse of `utf8_text`."""
    return Path(os.fsdecode(text.encode("utf-8", "surrogateescape")))


def number_from(low: int, high: float = inf, expected: str = "") -> "Callable[[str], int]":
    usual = f"expected a number from {low}" + ("" if high == inf else f" to {high}")

    def number(text: str) -> int:
        if text.isascii() and text.isdigit() and low <= int(text) <= high:
            return int(text)
        raise argparse.ArgumentTypeError(expected or usual)

    return number


count = number_from(1)


def connection(options: argparse.Namespace) -> tuple[str, str | None]:
    """The URL and the key of the API; raises SettingError for a malformed URL or key."""
    url, key = options.url or os.environ.get(URL), options.api_key or os.environ.get(API_KEY)
    require_sendable(url, key)
    return url or USUAL_URL, key


def require_sendable(url: str | None, key: str | None) -> None:
    """Raises SettingError for a URL or a key, if any, that no request can have."""
    if key and not (key.isascii() and key.isprintable()):
        raise SettingError("the API key has a character that no header carries")
    if url and not is_address(url):
        raise SettingError(f"{URL}: {NO_ADDRESS}")


def local_stack(options: argparse.Namespace) -> "HttpClient | None":
    """The chosen local stack, else None; raises InvalidArgument for a key without a local stack."""
    from membrane_cli.http_client import HttpClient  # noqa: PLC0415 - the client takes longest to load

    if all(getattr(options, place) is None for place in options.places):
        return HttpClient(*connection(options))
    if options.api_key is not None:
        raise InvalidArgument("--api-key goes with --url")
    return None


def address(text: str) -> str:
    if not is_address(text):
        raise argparse.ArgumentTypeError(NO_ADDRESS)
    return text


def is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a malformed port, or unbalanced brackets
        return False


def _name_and_value(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError("expected NAME=VALUE")
    return name, value


@contextmanager
def open_client(options: argparse.Namespace) -> "Iterator[Membrane]":
    """A client; raises InvalidArgument without a key, Unavailable where nobody answers."""
    from membrane_client import ConnectionFailed, Membrane  # noqa: PLC0415 - help needs neither

    url, key = connection(options)
    if not key:
        raise InvalidArgument(
            f"no key: give --api-key, or set {API_KEY}; `membrane dev` prints one when it starts"
        )
    user = {} if options.user is None else {"user": options.user}
    with Membrane(url, key, **user, scope=options.scope, timeout=options.timeout) as client:
        try:
            yield client
        except ConnectionFailed as error:
            raise Unavailable(
                f"nobody answers at {url} ({error}); `membrane dev` serves on this machine"
            ) from error


def seconds(text: str) -> float:
    with suppress(ValueError):
        if 0 < float(text) < inf:
            return float(text)
    raise argparse.ArgumentTypeError("expected seconds, more than 0")
