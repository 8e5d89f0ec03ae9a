"""Options that tell a command where it works: on a running local stack, or on a deployed one."""

import argparse

from membrane.domain.language.errors import InvalidArgument
from membrane_cli.http_client import HttpClient


def add_stack(parser: argparse.ArgumentParser, title: str, **others: str) -> None:
    """One of --url, --stack and the `others`, which have their help as values."""
    place = parser.add_argument_group(title)
    chosen = place.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--url", type=address, help="a running `membrane dev`")
    chosen.add_argument("--stack", help="a deployed CloudFormation stack")
    for name, meaning in others.items():
        chosen.add_argument(f"--{name}", help=meaning)
    place.add_argument("--api-key", help="with --url: the key that `membrane dev` printed")


def local_stack(options: argparse.Namespace) -> HttpClient | None:
    """The local stack, where one is chosen; raises InvalidArgument for a key of none."""
    if options.url is not None:
        return HttpClient(options.url, options.api_key)
    if options.api_key is not None:
        raise InvalidArgument("--api-key goes with --url")
    return None


def address(text: str) -> str:
    """The address of an API, as an option; raises ArgumentTypeError."""
    if not text.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError("expected an address that begins with http:// or https://")
    return text


def add_parameters(parser: argparse.ArgumentParser, meaning: str) -> None:
    """--parameter NAME=VALUE, as often as wanted."""
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
