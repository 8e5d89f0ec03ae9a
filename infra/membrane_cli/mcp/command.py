"""`membrane mcp`."""

import argparse
import sys

from membrane_cli.options import API_KEY, URL, Parser, address, seconds
from membrane_cli.output import printable
from membrane_cli.shared_stack.joining import LINGER_S

TIMEOUT_S = 35.0
"""Longer than the 29 seconds after which the HTTP API gives up."""


def add_options(parser: Parser) -> None:
    place = parser.add_argument_group("the API; without any, a local stack starts")
    named = place.add_mutually_exclusive_group()
    named.add_argument("--url", type=address, help=f"the address; if absent {URL}")
    named.add_argument("--stack", help="a deployed CloudFormation stack")
    place.add_argument("--api-key", metavar="KEY", help=f"if absent {API_KEY}")
    parser.add_argument(
        "--profile", choices=("search", "memstate"), help="other tools than Membrane's"
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=TIMEOUT_S,
        metavar="SECONDS",
        help="for a whole answer",
    )
    parser.add_argument(
        "--linger",
        type=seconds,
        default=LINGER_S,
        metavar="SECONDS",
        help="how long a local stack that this command starts outlives its last agent",
    )
    parser.show(
        "membrane mcp",
        "membrane mcp --url https://abc123.execute-api.eu-central-1.amazonaws.com",
        "membrane mcp --stack membrane --profile memstate",
    )
    parser.set_defaults(run=_mcp)


def _mcp(options: argparse.Namespace) -> None:
    from membrane_cli.mcp.bridge import Bridge  # noqa: PLC0415
    from membrane_cli.mcp.lines import read_lines  # noqa: PLC0415
    from membrane_cli.shared_stack.joining import agent_stack  # noqa: PLC0415 - help needs no HTTP

    query = f"?profile={options.profile}" if options.profile else ""
    url = _url_of(options.stack) if options.stack else options.url
    with (
        agent_stack(url, options.api_key, options.linger) as stack,
        open(sys.stdout.fileno(), "wb", buffering=0, closefd=False) as output,
    ):
        bridge = Bridge(stack, output, _warn, query=query, timeout_s=options.timeout)
        bridge.start_joining()
        bridge.run(read_lines(sys.stdin.buffer) if sys.stdin else ())


def _url_of(stack: str) -> str:
    """The address in the outputs of the stack; raises NotFound."""
    from membrane_cli.stacks import stack_here  # noqa: PLC0415 - boto3 takes long to load

    return stack_here(stack).api_url


def _warn(line: str) -> None:
    print(printable(f"membrane mcp: {line}"), file=sys.stderr, flush=True)
