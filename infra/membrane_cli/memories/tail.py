"""`membrane tail`: new memories, as soon as the API shows them."""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from membrane.domain.language.timestamps import from_epoch_seconds
from membrane_cli.http_client import HttpClient, now_s
from membrane_cli.memories.records import instant
from membrane_cli.options import (
    Parser,
    add_client,
    connection,
    open_client,
    present_options,
    seconds,
)
from membrane_cli.output import print_json, say
from membrane_cli.outside_text import printable
from membrane_cli.shown_ids import keep, note

if TYPE_CHECKING:
    from membrane_client import Membrane, Memory

EVERY_S = 2.0
LATE = timedelta(minutes=1)
"""How long a new record may stay unseen: indexes lag, and clocks differ."""
PAGE = 100


def add_options(parser: Parser) -> None:
    parser.add_argument(
        "--type", action="append", help="only memories of the type; more than once for several"
    )
    parser.add_argument(
        "--every",
        type=seconds,
        default=EVERY_S,
        metavar="SECONDS",
        help="the time between retrievals",
    )
    add_client(parser, json="a JSON object a line")
    parser.run_by(
        _tail, "membrane tail", "membrane tail --scope project:acme --type episodic --every 10"
    )


def _tail(options: argparse.Namespace) -> None:
    """Ends by Ctrl-C alone."""
    try:
        service = HttpClient(*connection(options), options.timeout)
        ahead_s = now_s(service) - time.time()
        with open_client(options) as client:
            for each in new_memories(
                client, options.type, lambda: time.time() + ahead_s, options.every
            ):
                _print(each, as_json=options.json)
                keep(options)
    except KeyboardInterrupt:
        return


def new_memories(
    client: "Membrane",
    types: Sequence[str] | None,
    now: Callable[[], float],
    every_s: float,
    pause: Callable[[float], None] = time.sleep,
) -> "Iterator[Memory]":
    """Every memory made from now on, once; of a retrieval the oldest memory first.

    `now` gives seconds of the API's clock. An outage after the first reply is noted on standard
    error; memories made meanwhile are shown afterwards.
    """
    from membrane_client import ConnectionFailed, ServerError, TimedOut  # noqa: PLC0415 - help needs none

    begin = since = from_epoch_seconds(now())
    seen: dict[str, None] = {}
    is_out: bool | None = None  # None = no reply yet
    while True:
        asked_at = from_epoch_seconds(now())
        try:
            found = list(_memories_since(client, types, since.isoformat()))
        except (ConnectionFailed, ServerError, TimedOut) as error:
            if is_out is None:
                raise
            if not is_out:
                say(f"membrane tail: {error}; retrying")
            is_out = True
        else:
            for each in sorted(found, key=lambda memory: memory.when):
                if each.id not in seen:
                    yield each
            seen = dict.fromkeys(each.id for each in found)
            since, is_out = max(begin, asked_at - LATE), False
        pause(every_s)


def _memories_since(
    client: "Membrane", types: Sequence[str] | None, since: str
) -> "Iterator[Memory]":
    query = present_options(created_after=since, view="brief", limit=PAGE, memory_types=types)
    page = client.retrieve(**query)
    yield from page.memories
    while page.next_cursor:
        page = client.retrieve(**query, cursor=page.next_cursor)
        yield from page.memories


def _print(memory: "Memory", *, as_json: bool) -> None:
    if as_json:
        print_json(memory.raw)
        return
    note(memory.id)
    cells = (instant(memory.when), str(memory.type), memory.who or "-", memory.text, memory.id)
    print("\t".join(map(printable, cells)), flush=True)
