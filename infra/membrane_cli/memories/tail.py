"""`membrane tail`: new memories, as soon as the API shows them."""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from math import inf
from typing import TYPE_CHECKING

from membrane.domain.language.timestamps import from_epoch_seconds
from membrane_cli.api_clock import now_s
from membrane_cli.http_client import HttpClient
from membrane_cli.memories.brief import instant
from membrane_cli.memories.connecting import add_client, connected, given
from membrane_cli.output import add_json, print_json
from membrane_cli.outside_text import printable
from membrane_cli.parser import Parser
from membrane_cli.stack_options import connection

if TYPE_CHECKING:
    from membrane_client import Membrane, Memory

EVERY_S = 2.0
LATE = timedelta(minutes=1)
"""How long a new record may stay unseen: indexes lag, and clocks differ."""
PAGE = 100


def tail_options(parser: Parser) -> None:
    """The options."""
    parser.add_argument("--type", action="append", help="of memories; more than once for several")
    parser.add_argument(
        "--every",
        type=_seconds,
        default=EVERY_S,
        metavar="SECONDS",
        help="between retrievals",
    )
    add_client(parser)
    add_json(parser, "a JSON object a line")
    parser.show("membrane tail", "membrane tail --scope project:acme --type episodic --every 10")
    parser.set_defaults(run=_tail)


def _tail(options: argparse.Namespace) -> None:
    """Ends by Ctrl-C alone."""
    try:
        ahead_s = now_s(HttpClient(*connection(options))) - time.time()
        with connected(options) as client:
            for each in coming(client, options.type, lambda: time.time() + ahead_s, options.every):
                _print(each, as_json=options.json)
    except KeyboardInterrupt:
        return


def coming(
    client: "Membrane",
    types: Sequence[str] | None,
    now: Callable[[], float],
    every_s: float,
    pause: Callable[[float], None] = time.sleep,
) -> "Iterator[Memory]":
    """Every memory made from now on, once; of a retrieval the oldest memory first.

    `now` gives seconds of the API's clock.
    """
    begin = from_epoch_seconds(now())
    seen: dict[str, None] = {}
    while True:
        since = max(begin, from_epoch_seconds(now()) - LATE)
        found = list(_made(client, types, since.isoformat()))
        for each in sorted(found, key=lambda memory: memory.when):
            if each.id not in seen:
                yield each
        seen = dict.fromkeys(each.id for each in found)
        pause(every_s)


def _made(client: "Membrane", types: Sequence[str] | None, since: str) -> "Iterator[Memory]":
    asked = given(created_after=since, view="brief", limit=PAGE, memory_types=types)
    page = client.retrieve(**asked)
    yield from page.memories
    while page.next_cursor:
        page = client.retrieve(**asked, cursor=page.next_cursor)
        yield from page.memories


def _print(memory: "Memory", *, as_json: bool) -> None:
    if as_json:
        print_json(memory.raw)
        return
    cells = (instant(memory.when), str(memory.type), memory.who or "-", memory.text, memory.id)
    print("\t".join(map(printable, cells)), flush=True)


def _seconds(text: str) -> float:
    with suppress(ValueError):
        if 0 < float(text) < inf:
            return float(text)
    raise argparse.ArgumentTypeError("expected seconds, more than 0")
