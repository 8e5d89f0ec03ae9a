"""The folder of the shared stack: the store, the locks, the log, and the address with the key."""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from membrane_cli.connections import Connection
from membrane_cli.user_folders import data_folder

_OWNER_ALONE, _FILE_OF_OWNER = 0o700, 0o600


@dataclass(frozen=True, slots=True)
class StackFolder:
    """Files of the shared stack, closed to other users."""

    root: Path

    @property
    def store(self) -> Path:
        return self.root / "memory.db"

    @property
    def address(self) -> Path:
        return self.root / "stack.json"

    @property
    def log(self) -> Path:
        return self.root / "stack.log"

    def lock(self, name: str) -> Path:
        return self.root / f"{name}.lock"

    def prepare(self) -> None:
        """Make the folder, for the user alone."""
        self.root.mkdir(parents=True, exist_ok=True, mode=_OWNER_ALONE)
        self.root.chmod(_OWNER_ALONE)

    def write_address(self, connection: Connection) -> None:
        """Write the address of this process: the whole file before the file gets its name."""
        written = self.address.with_suffix(".new")
        written.unlink(missing_ok=True)
        mode = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(written, mode, _FILE_OF_OWNER), "w") as file:
            json.dump({**connection._asdict(), "pid": os.getpid()}, file)
        written.replace(self.address)

    def read_address(self) -> Connection | None:
        """The address of the running stack; None before the stack is ready."""
        try:
            written = json.loads(self.address.read_bytes())
        except FileNotFoundError:
            return None
        return Connection(written["url"], written["api_key"])

    def last_words(self) -> str:
        """The last line of the log: the reason why a stack ended."""
        lines = self.log.read_text(errors="replace").split("\n") if self.log.exists() else []
        return next((line.strip() for line in reversed(lines) if line.strip()), "no reason given")


def users_folder() -> StackFolder:
    """The folder of the user who runs the command."""
    return StackFolder(data_folder(sys.platform, os.environ, Path.home()))
