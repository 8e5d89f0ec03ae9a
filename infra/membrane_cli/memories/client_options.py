"""Options of every command for memories, and the client made from the options."""

import argparse
from contextlib import contextmanager, suppress
from math import inf
from typing import TYPE_CHECKING, Any

from membrane.domain.language.errors import InvalidArgument, Unavailable
from membrane_cli.parser import Parser
from membrane_cli.stack_options import API_KEY, add_connection, connection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from membrane_client import Membrane


TIMEOUT_S = 30.0


def add_client(parser: Parser) -> None:
    """--url, --api-key, --timeout, --user and --scope."""
    add_connection(parser)
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=TIMEOUT_S,
        metavar="SECONDS",
        help="to connect, to send, and for the next bytes of a reply; after a passing fault, "
        "two attempts follow, so the whole may take three times as long, and pauses",
    )
    group = parser.add_argument_group("the scope: --user or --scope")
    whose = group.add_mutually_exclusive_group()
    whose.add_argument("--user", help="a user of the key: the user's scope alone")
    whose.add_argument("--scope", help="a scope; if absent, the key's own scope for writes")


@contextmanager
def open_client(options: argparse.Namespace) -> "Iterator[Membrane]":
    """A client; raises InvalidArgument without a key, Unavailable where nobody answers."""
    from membrane_client import ConnectionFailed, Membrane  # noqa: PLC0415 - help needs neither

    url, key = connection(options)
    if not key:
        raise InvalidArgument(
            f"no key: give --api-key, or set {API_KEY}; `membrane dev` prints one when it starts"
        )
    user = present_options(user=options.user)
    with Membrane(url, key, **user, scope=options.scope, timeout=options.timeout) as client:
        try:
            yield client
        except ConnectionFailed as error:
            raise Unavailable(
                f"nobody answers at {url} ({error}); `membrane dev` serves on this machine"
            ) from error


def seconds(text: str) -> float:
    """A time, as an option; raises ArgumentTypeError."""
    with suppress(ValueError):
        if 0 < float(text) < inf:
            return float(text)
    raise argparse.ArgumentTypeError("expected seconds, more than 0")


def present_options(**options: Any) -> dict[str, Any]:
    """The options of the command line without absent ones, whose defaults are the service's."""
    return {name: value for name, value in options.items() if value is not None}
