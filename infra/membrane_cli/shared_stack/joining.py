"""Join the shared stack, or start the stack."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from membrane_cli.connections import Connection
from membrane_cli.shared_stack.folder import StackFolder
from membrane_cli.shared_stack.locks import PAUSE_S, holding, open_lock, take, take_by

PATIENCE_S = 60.0
"""For the start of a stack on a slow machine; two seconds are usual."""

LINGER_S = 300.0
"""How long the stack outlives its last member: the next agent needs no start."""

SERVER = "membrane_cli.shared_stack.serving"


class StackNotStarted(Exception):
    """The shared stack did not start; the message is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Membership:
    """A place among the members, from the first `join` until the file `members` is closed."""

    folder: StackFolder
    members: IO[str]
    linger_s: float

    def join(self, patience_s: float = PATIENCE_S) -> Connection:
        """The address of the running stack, which starts where needed; raises StackNotStarted."""
        end_s = time.monotonic() + patience_s
        try:
            with holding(self.folder.lock("starting"), end_s):
                take_by(self.members, end_s, shared=True)
                return self._find_or_start(end_s)
        except TimeoutError as error:
            raise StackNotStarted(
                f"the local stack did not answer within {patience_s:g} s; see {self.folder.log}"
            ) from error
        except OSError as error:
            raise StackNotStarted(
                f"{error.filename or self.folder.root}: {error.strerror}"
            ) from error

    def _find_or_start(self, end_s: float) -> Connection:
        """Wait for the address; a stack that is about to end is awaited, then followed."""
        is_started = False
        while True:
            with open_lock(self.folder.lock("process")) as process:
                if take(process):
                    if is_started:
                        words = self.folder.last_words()
                        raise StackNotStarted(f"the local stack did not start: {words}")
                    self.folder.address.unlink(missing_ok=True)
                    _start(self.folder, process, self.linger_s)
                    is_started = True
            connection = self.folder.read_address()
            if connection is not None:
                return connection
            if time.monotonic() > end_s:
                raise TimeoutError
            time.sleep(PAUSE_S)


@contextmanager
def membership(folder: StackFolder, linger_s: float = LINGER_S) -> Iterator[Membership]:
    """A member's place until the end of the block; raises OSError without the folder."""
    folder.prepare()
    with open_lock(folder.lock("members")) as members:
        yield Membership(folder, members, linger_s)


def _start(folder: StackFolder, process: IO[str], linger_s: float) -> None:
    """Start a stack that outlives the member, and hand over the lock `process`.

    The working directory is an agent's project, so `-P` keeps its modules out of the stack.
    """
    mode = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(os.open(folder.log, mode, 0o600), "wb") as log:
        subprocess.Popen(
            [sys.executable, "-P", "-m", SERVER, str(folder.root), str(linger_s)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(process.fileno(),),
            start_new_session=True,
        )
