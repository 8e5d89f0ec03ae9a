"""Ids that commands showed in the last day, by which a command takes the beginning of an id.

A line of the file is an instant, a digest of address and key, and an id.
"""

import argparse
import hashlib
import os
import re
import sys
import time
from collections import deque
from contextlib import suppress
from typing import IO

from membrane.domain.language.errors import InvalidArgument
from membrane.wiring.environment import SettingError
from membrane_cli.connections import state_folder, take_by
from membrane_cli.options import connection

KEPT, DAY_S, PATIENCE_S = 2_000, 86_400, 1.0
"""The most lines of the file, and the longest wait for another command that writes."""
AN_ID_HELP = "the id of a record, or its first 8 characters if shown here in the last day"
_FILE, _FILE_OF_OWNER, _FOLDER_OF_OWNER = "shown-ids", 0o600, 0o700
_ID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
"""An id that the service made; a client's own id has no beginning of a known form."""
_BEGINNING = re.compile("[0-9a-f]{8}(-[0-9a-f-]{0,26})?")
_LINE = re.compile(rf"(\d{{1,12}}) ([0-9a-f]{{16}}) ({_ID.pattern})")
_shown: deque[str] = deque(maxlen=KEPT)
"""Of this process, and not yet in the file."""


def note(record_id: str) -> None:
    if _ID.fullmatch(record_id):
        _shown.append(record_id)


def keep(options: argparse.Namespace) -> None:
    """Write the noted ids; without a writable folder or an API, the ids are dropped."""
    shown = list(dict.fromkeys(_shown))
    _shown.clear()
    if not shown or "url" not in options:
        return
    with suppress(OSError, SettingError):
        place, now_s = _place(options), int(time.time())
        state_folder().mkdir(parents=True, exist_ok=True, mode=_FOLDER_OF_OWNER)
        opened = os.open(state_folder() / _FILE, os.O_RDWR | os.O_CREAT, _FILE_OF_OWNER)
        with os.fdopen(opened, "r+", encoding="ascii", errors="replace") as file:
            lines = _read(file, now_s)
            for each in shown:
                lines.pop((place, each), None)
                lines[place, each] = now_s
            file.seek(0)
            newest = list(lines.items())[-KEPT:]
            file.writelines(f"{at} {of} {each}\n" for (of, each), at in newest)
            file.truncate()


def whole_id(options: argparse.Namespace, given: str) -> str:
    """The one shown id that begins with the given characters; any other text as given."""
    if not _BEGINNING.fullmatch(given):
        return given
    place, found = _place(options), list[str]()
    with (
        suppress(OSError),
        (state_folder() / _FILE).open("r+", encoding="ascii", errors="replace") as file,
    ):
        shown = _read(file, int(time.time()))
        found = [each for of, each in shown if of == place and each.startswith(given)]
    if len(found) > 1:
        raise InvalidArgument(f"{given} begins {len(found)} ids: {', '.join(found)}")
    if not found:
        print(f"membrane: no id shown in the last day begins with {given}", file=sys.stderr)
    return found[0] if found else given


def _read(file: IO[str], now_s: int) -> dict[tuple[str, str], int]:
    """The instants of the last day by place and id; the file stays locked until it is closed."""
    take_by(file, time.monotonic() + PATIENCE_S)
    found = (_LINE.fullmatch(line.rstrip("\n")) for line in file)
    return {
        (each[2], each[3]): int(each[1]) for each in found if each and now_s - int(each[1]) < DAY_S
    }


def _place(options: argparse.Namespace) -> str:
    url, key = connection(options)
    return hashlib.sha256(f"{url.rstrip('/')} {key}".encode()).hexdigest()[:16]
