"""The ground of every screen of the demo: a local stack, two tenants, checked answers."""

import os
import shlex
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from queue import Queue
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console

from membrane.domain.language.errors import DomainError
from membrane_cli.http_client import HttpClient
from membrane_cli.options import API_KEY, URL
from membrane_cli.output import print_rows, show_line
from membrane_local.dev_options import DevOptions

if TYPE_CHECKING:
    from membrane_client import Membrane

Rows = Sequence[Sequence[str]]
RECALLED = ("score", "when (UTC)", "text", "why")


class DemoError(DomainError):
    """An answer of the stack is wrong."""


class Tenant(NamedTuple):
    client: "Membrane"
    environment: dict[str, str]


@dataclass(frozen=True, slots=True)
class Stage:
    """A running stack with two tenants, and a count of requests by line of the price list."""

    console: Console
    owner: HttpClient
    first: Tenant
    second: Tenant
    bill: Counter[str] = field(default_factory=Counter)

    def screen(self, title: str, shows: str) -> None:
        self.console.print(f"\n[bold]{title}[/bold]\n{shows}\n", highlight=False)

    def say(self, sentence: str) -> None:
        self.console.print(sentence, markup=False, highlight=False)

    def show(self, headings: Sequence[str], rows: Rows) -> None:
        print_rows(headings, rows, self.console)

    def command(
        self, tenant: Tenant, headings: Sequence[str], *words: str, is_refused: bool = False
    ) -> Rows:
        """Run `membrane` in a new process; shows and returns the printed rows."""
        show_line(self.console, f"$ membrane {shlex.join(words)}")
        done = subprocess.run(
            [sys.executable, "-m", "membrane_cli.cli", *words],
            env=tenant.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if (done.returncode != 0) is not is_refused:
            raise DemoError(f"membrane {words[0]} ended with {done.returncode}: {done.stderr}")
        if is_refused:
            self.say(done.stderr)
            return []
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        if rows:
            self.show(headings, [row[: len(headings)] for row in rows])
        else:
            self.say("(nothing)\n")
        return rows

    def settle(self) -> None:
        """Wait until the index has every write; in AWS the index lags by about a second."""
        self.owner.ask("GET", "/_dev/queues?wait")

    def pass_hours(self, hours: int) -> None:
        """Move the stack's clock; schedules that are due run, among them the hourly sweep."""
        self.owner.ask("POST", "/_dev/clock?wait", {"advance_seconds": hours * 3_600})


def require(is_right: bool, wrong: str) -> None:  # noqa: FBT001 - reads as a sentence
    if not is_right:
        raise DemoError(wrong)


@contextmanager
def running_stage(console: Console) -> Iterator[Stage]:
    # imported here, since the stack takes seconds to load and other commands do without
    from membrane_local.dev import local_stack  # noqa: PLC0415
    from membrane_local.http.server import open_port, server_for  # noqa: PLC0415

    ready: Queue[str] = Queue()
    with closing(open_port(0)) as port, local_stack(DevOptions()) as (application, secret):
        server = server_for(application, ready.put)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [port]})
        thread.start()
        try:
            owner = HttpClient(ready.get(timeout=30), secret)
            with _tenant(owner, "tenant:a") as first, _tenant(owner, "tenant:b") as second:
                yield Stage(console, owner, first, second)
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def _tenant(owner: HttpClient, scope: str) -> Iterator[Tenant]:
    from membrane_client import Membrane  # noqa: PLC0415 - only the demo needs a client

    request = {"actor_id": f"agent of {scope}", "permissions": ["ingest", "read", "revise"]}
    key = owner.ask("POST", "/_dev/keys", {**request, "scopes": [scope], "max_sensitivity": "low"})
    environment = {**os.environ, URL: owner.url, API_KEY: key["secret"]}
    with Membrane(owner.url, key["secret"]) as client:
        yield Tenant(client, environment)
