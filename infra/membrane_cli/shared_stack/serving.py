"""The process of the shared stack: serves the store in the folder, and ends without members."""

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import IO

from membrane_cli.connections import Connection, free, open_lock, take
from membrane_cli.shared_stack.joining import StackFolder

LOOK_S = 0.5


def main(root: str, linger_s: str) -> None:
    """Serve until the last member has been gone for `linger_s` seconds, or until SIGTERM."""
    from membrane_local.dev import serve  # noqa: PLC0415 - SIGTERM may come during the load
    from membrane_local.dev_options import DevOptions  # noqa: PLC0415
    from membrane_local.refusals import Refused  # noqa: PLC0415

    folder = StackFolder(Path(root))
    starting, members = open_lock(folder.lock("starting")), open_lock(folder.lock("members"))

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
        time.sleep(min(LOOK_S, linger_s))
        if not take(members):
            alone_since_s = time.monotonic()
            continue
        if time.monotonic() - alone_since_s >= linger_s and take(starting):
            return
        free(members)


def _end(*_: object) -> None:
    """Leave by an exception, which closes the store."""
    raise SystemExit


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _end)
    os.umask(0o077)
    main(*sys.argv[1:])
