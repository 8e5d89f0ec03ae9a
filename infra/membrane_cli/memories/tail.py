"""`membrane tail`: new memories, as soon as the API shows them."""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from membrane.domain.language.timestamps import from_epoch_seconds
from membrane_cli.http_client import HttpClient, now_s
from membrane_cli.memories.records import instant
from membrane_cli.options import Parser, connection, open_client
from membrane_cli.output import print_json, printable, say
from membrane_cli.shown_ids import keep, note

if TYPE_CHECKING:
    from membrane_client import Membrane, Memory

EVERY_S = 2.0
LATE = timedelta(minutes=1)
"""How long a new record may stay unseen: indexes lag, and clocks differ."""
PAGE = 100


def add_options(parser: Parser) -> None:
    parser.add_types()
    parser.add_seconds("--every", EVERY_S, "the time between retrievals")
    parser.add_client(json="a JSON object a line")
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

    query: Any = {"view": "brief", "limit": PAGE, "memory_types": types}
    begin = since = from_epoch_seconds(now())
    seen: dict[str, None] = {}
    is_out: bool | None = None  # None = no reply yet
    while True:
        asked_at = from_epoch_seconds(now())
        try:
            page = client.retrieve(**query, created_after=since.isoformat())
            found = [*page.memories]
            while page.next_cursor:
                cursor = page.next_cursor
                page = client.retrieve(**query, created_after=since.isoformat(), cursor=cursor)
                found += page.memories
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


def _print(memory: "Memory", *, as_json: bool) -> None:
    if as_json:
        print_json(memory.raw)
        return
    note(memory.id)
    cells = (instant(memory.when), str(memory.type), memory.who or "-", memory.text, memory.id)
    print("\t".join(map(printable, cells)), flush=True)
