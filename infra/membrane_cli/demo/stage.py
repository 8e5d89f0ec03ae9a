"""What every act of the demo stands on: a local stack, answers that must be right, and tables."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import chain
from queue import Queue
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from membrane_cli.http_client import Answer, HttpClient
from membrane_cli.outside_text import plain
from membrane_cli.trails import audit_pages
from membrane_local.dev_options import DevOptions


class DemoError(Exception):
    """The stack did not answer as it must."""


@contextmanager
def running_stack() -> Iterator[HttpClient]:
    """A client of a local stack on a free port, which stops at the end."""
    # the stack takes seconds to load, which no other command pays for
    from membrane_local.dev import local_stack  # noqa: PLC0415
    from membrane_local.http.server import listening, server_for  # noqa: PLC0415

    ready: Queue[str] = Queue()
    with closing(listening(0)) as port, local_stack(DevOptions()) as (application, secret):
        server = server_for(application, ready.put)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [port]})
        thread.start()
        try:
            yield HttpClient(ready.get(timeout=30), secret)
        finally:
            server.should_exit = True
            thread.join()


def expect(status: int, answer: Answer) -> dict[str, Any]:
    """The body of an answer with that status; raises DemoError for another."""
    if answer.status != status:
        raise DemoError(f"expected {status}, got {answer.status}: {answer.body}")
    return dict(answer.body)


def table(title: str, *headings: str) -> Table:
    """A table whose last column alone may break its lines."""
    rows = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in headings[:-1]:
        rows.add_column(heading, no_wrap=True)
    rows.add_column(headings[-1])
    return rows


def show_audit(console: Console, client: HttpClient, record_id: str) -> None:
    """A record's trail, which must verify."""
    pages = list(
        audit_pages(lambda path: expect(200, client.call("GET", path)), record_id, verify=True)
    )
    if any(page["verified"] is not True for page in pages):
        raise DemoError("the audit chain does not verify")
    title = f"Audit of {record_id[:8]}: a hash chain, verified"
    rows = table(title, "action", "actor", "principal", "follows", "hash", "rationale")
    for entry in chain.from_iterable(page["audit_log"] for page in pages):
        hashes = entry["previous_hash"][:8] or "-", entry["hash"][:8]
        cells = entry["action"], entry["actor"], entry["principal"], *hashes, entry["rationale"]
        rows.add_row(*map(plain, cells))
    console.print(rows)
