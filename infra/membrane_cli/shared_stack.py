"""One local stack for all agents of a user: started by the first, ended after the last.

Three locks of the kernel decide, and the kernel frees the locks of a killed process:

`starting`  held while a process joins or starts the stack, and while the stack ends
`members`   shared among the members; the stack ends where the lock has been free for a while
`process`   held by the stack from birth to death; the child inherits the lock from its starter

A member takes `starting`, then `members`. Where `process` is free, no stack runs, and the member
starts a stack as a detached child. The stack ends only while holding `starting` and `members`
alone, without an address for members. The kernel frees the locks of a dying process one by one, so
a member that sees `process` taken and no address waits for the death. The store lies in a file, so
the next stack has the memories of the last.
"""

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from membrane_cli import connections
from membrane_cli.connections import PAUSE_S, Connection, take, take_by

_OWNER_ALONE, _FILE_OF_OWNER = 0o700, 0o600


@dataclass
class StackFolder:
    root: Path

    def __post_init__(self) -> None:
        self.store, self.log = self.root / "memory.db", self.root / "stack.log"
        self.address = self.root / "stack.json"

    def lock(self, name: str) -> IO[str]:
        """The file of a lock, not locked."""
        return (self.root / f"{name}.lock").open("a")

    def write_address(self, connection: Connection) -> None:
        """Write the address of this process: the whole file before the file gets its name."""
        written = self.address.with_suffix(".new")
        written.unlink(missing_ok=True)
        mode = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(written, mode, _FILE_OF_OWNER), "w") as file:
            json.dump({**connection._asdict(), "pid": os.getpid()}, file)
        written.replace(self.address)

    def read_address(self) -> Connection | None:
        try:
            written = json.loads(self.address.read_bytes())
        except FileNotFoundError:
            return None
        return Connection(written["url"], written["api_key"])

    def last_words(self) -> str:
        """The last line of the log: the reason why a stack ended."""
        lines = self.log.read_text(errors="replace").split("\n") if self.log.exists() else []
        return next((line.strip() for line in reversed(lines) if line.strip()), "no reason given")


PATIENCE_S = 60.0
"""For the start of a stack on a slow machine; two seconds are usual."""
LINGER_S = 300.0
"""How long the stack outlives its last member: the next agent needs no start."""
Join = Callable[[float], Connection]
"""Gives the address of the stack within so many seconds; raises StackNotStarted."""


class StackNotStarted(Exception):
    """The shared stack did not start; the message is a sentence for the user."""


def _join(folder: StackFolder, members: IO[str], linger_s: float, patience_s: float) -> Connection:
    """The address of the running stack, which starts where needed; raises StackNotStarted."""
    end_s = time.monotonic() + patience_s
    try:
        with folder.lock("starting") as starting:
            take_by(starting, end_s)
            take_by(members, end_s, shared=True)
            return _find_or_start(folder, linger_s, end_s)
    except TimeoutError as error:
        raise StackNotStarted(
            f"the local stack did not answer within {patience_s:g} s; see {folder.log}"
        ) from error
    except OSError as error:
        raise StackNotStarted(f"{error.filename or folder.root}: {error.strerror}") from error


def _find_or_start(folder: StackFolder, linger_s: float, end_s: float) -> Connection:
    """Wait for the address; a stack that is about to end is awaited, then followed."""
    is_started = False
    while True:
        with folder.lock("process") as process:
            if take(process):
                if is_started:
                    words = folder.last_words()
                    raise StackNotStarted(f"the local stack did not start: {words}")
                folder.address.unlink(missing_ok=True)
                _start(folder, process, linger_s)
                is_started = True
        connection = folder.read_address()
        if connection is not None:
            return connection
        if time.monotonic() > end_s:
            raise TimeoutError
        time.sleep(PAUSE_S)


def _start(folder: StackFolder, process: IO[str], linger_s: float) -> None:
    """Start a stack that outlives the member, and hand over the lock `process`.

    The working directory is an agent's project, so `-P` keeps its modules out of the stack.
    """
    module, arguments = "membrane_cli.shared_stack", (str(folder.root), str(linger_s))
    mode = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(os.open(folder.log, mode, 0o600), "wb") as log:
        subprocess.Popen(
            [sys.executable, "-P", "-m", module, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(process.fileno(),),
            start_new_session=True,
        )


@contextmanager
def agent_stack(
    url: str | None = None, api_key: str | None = None, linger_s: float = LINGER_S
) -> Iterator[Join]:
    """Joins the configured API, or the shared stack, a member of which the block is."""
    connection = connections.configured_connection(url, api_key)
    if connection is not None:
        yield lambda _patience_s: connection
        return
    folder = StackFolder(connections.data_folder())
    folder.root.mkdir(parents=True, exist_ok=True, mode=_OWNER_ALONE)
    folder.root.chmod(_OWNER_ALONE)
    with folder.lock("members") as members:  # a member until the end of the block
        yield partial(_join, folder, members, linger_s)


def serve_members(root: str, linger_s: str) -> None:
    """Serve until the last member has been gone for `linger_s` seconds, or until SIGTERM."""
    from membrane_local.dev import serve  # noqa: PLC0415 - SIGTERM may come during the load
    from membrane_local.dev_options import DevOptions  # noqa: PLC0415
    from membrane_local.refusals import Refused  # noqa: PLC0415

    folder = StackFolder(Path(root))
    starting, members = folder.lock("starting"), folder.lock("members")

    def watch() -> None:
        wait_for_loneliness(starting, members, float(linger_s))
        folder.address.unlink(missing_ok=True)  # no member may find a server that ends
        os.kill(os.getpid(), signal.SIGTERM)

    def announce(url: str, secret: str | None) -> None:
        folder.write_address(Connection(url, secret))
        threading.Thread(target=watch, daemon=True).start()

    os.chdir(folder.root)
    try:
        serve(DevOptions(port=0, store=str(folder.store)), announce)
    except Refused as refusal:
        sys.exit(str(refusal))
    finally:
        folder.address.unlink(missing_ok=True)


def wait_for_loneliness(starting: IO[str], members: IO[str], linger_s: float) -> None:
    """Return after `linger_s` without members, with both locks, which the caller keeps for good."""
    alone_since_s = time.monotonic()
    while True:
        time.sleep(min(0.5, linger_s))
        if not take(members):
            alone_since_s = time.monotonic()
            continue
        if time.monotonic() - alone_since_s >= linger_s and take(starting):
            return
        fcntl.flock(members, fcntl.LOCK_UN)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # by an exception, which closes the store
    os.umask(0o077)
    serve_members(*sys.argv[1:])
