"""Options for the place where a command works: a running local stack, or a deployed one."""

import argparse
import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from membrane.domain.language.errors import InvalidArgument
from membrane.wiring.environment import SettingError
from membrane_cli.parser import Parser
from membrane_local.dev_options import DEFAULT_PORT

if TYPE_CHECKING:
    from membrane_cli.http_client import HttpClient

URL, API_KEY = "MEMBRANE_URL", "MEMBRANE_API_KEY"
"""Environment variables. As defaults of options, help would print both, the key included."""

USUAL_URL = f"http://127.0.0.1:{DEFAULT_PORT}"


def add_connection(parser: Parser) -> None:
    """--url and --api-key of an API, local or deployed."""
    place = parser.add_argument_group("the API")
    place.add_argument(
        "--url", type=address, help=f"the address; if absent {URL}, then {USUAL_URL}"
    )
    place.add_argument("--api-key", metavar="KEY", help=f"if absent {API_KEY}")


def connection(options: argparse.Namespace) -> tuple[str, str | None]:
    """The URL and the key of the API; raises SettingError for a malformed URL or key."""
    key = options.api_key or os.environ.get(API_KEY)
    if key is not None and not (key.isascii() and key.isprintable()):
        raise SettingError("the API key has a character that no header carries")
    return options.url or _usual_url() or USUAL_URL, key


def add_stack(parser: Parser, title: str, **others: str) -> None:
    """Add --url, --stack and the `others` as alternatives; values of `others` are help texts."""
    place = parser.add_argument_group(title)
    chosen = place.add_mutually_exclusive_group(required=not os.environ.get(URL))
    chosen.add_argument("--url", type=address, help=f"a running `membrane dev`; if absent {URL}")
    chosen.add_argument("--stack", help="a deployed CloudFormation stack")
    for name, meaning in others.items():
        chosen.add_argument(f"--{name}", help=meaning)
    place.add_argument(
        "--api-key",
        metavar="KEY",
        help=f"with --url: the key that `membrane dev` printed; if absent {API_KEY}",
    )
    parser.set_defaults(places=("stack", *others))


def local_stack(options: argparse.Namespace) -> "HttpClient | None":
    """The chosen local stack, else None; raises InvalidArgument for a key without a local stack."""
    from membrane_cli.http_client import HttpClient  # noqa: PLC0415 - the client takes longest to load

    if all(getattr(options, place) is None for place in options.places):
        return HttpClient(*connection(options))
    if options.api_key is not None:
        raise InvalidArgument("--api-key goes with --url")
    return None


def _usual_url() -> str | None:
    url = os.environ.get(URL)
    if url:
        try:
            address(url)
        except argparse.ArgumentTypeError as error:
            raise SettingError(f"{URL}: {error}") from error
    return url


def address(text: str) -> str:
    """The URL of an API, as an option; raises ArgumentTypeError."""
    if not is_address(text):
        raise argparse.ArgumentTypeError("expected an address that begins with http:// or https://")
    return text


def is_address(text: str) -> bool:
    """Whether the text is the URL of an API."""
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a malformed port, or unbalanced brackets
        return False


def add_parameters(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add --parameter NAME=VALUE, which may be repeated."""
    parser.add_argument(
        "--parameter",
        action="append",
        default=[],
        type=_name_and_value,
        metavar="NAME=VALUE",
        help=meaning,
    )


def _name_and_value(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError("expected NAME=VALUE")
    return name, value
