"""The user's folders, locks between processes, and the configured connection of an agent."""

import fcntl
import json
import os
import stat
import sys
import time
from pathlib import Path
from typing import IO, Any, NamedTuple

from membrane.wiring.environment import SettingError
from membrane_cli.options import API_KEY, NO_ADDRESS, URL, USUAL_URL, is_address, require_sendable


def config_folder() -> Path:
    return _folder_by("XDG_CONFIG_HOME", ".config")


def state_folder() -> Path:
    return _folder_by("XDG_STATE_HOME", ".local/state")


def data_folder() -> Path:
    is_mac = sys.platform == "darwin"
    return _folder_by("XDG_DATA_HOME", "Library/Application Support" if is_mac else ".local/share")


def _folder_by(variable: str, usual: str) -> Path:
    """As the XDG specification says, a relative path in the variable counts as none."""
    named = Path(os.environ.get(variable, ""))
    return (named if named.is_absolute() else Path.home() / usual) / "membrane"


PAUSE_S = 0.05
"""Between two looks at a lock or a file of another process."""


def take(lock: IO[str], *, shared: bool = False) -> bool:
    """Take the lock of an open file until the file closes; False where another process has it."""
    try:
        fcntl.flock(lock, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def take_by(lock: IO[str], end_s: float, *, shared: bool = False) -> None:
    """Wait for the lock until `time.monotonic()` is `end_s`; raises TimeoutError."""
    while not take(lock, shared=shared):
        if time.monotonic() > end_s:
            raise TimeoutError(f"{lock.name} is held by another process")
        time.sleep(PAUSE_S)


class Connection(NamedTuple):
    url: str
    api_key: str | None


def configured_connection(url: str | None = None, api_key: str | None = None) -> Connection | None:
    """The configured API; None where neither a URL nor a key is configured.

    An option wins over the environment, the environment over the file. The key in the file goes to
    the URL in the file alone. A key without a URL goes to the usual port of `membrane dev`. Raises
    SettingError.
    """
    url = url or os.environ.get(URL)
    api_key = api_key or os.environ.get(API_KEY)
    from_file = None if url and api_key else _read_file(config_folder() / "connection.json")
    if from_file is not None and (not url or url.rstrip("/") == from_file.url.rstrip("/")):
        url, api_key = from_file.url, api_key or from_file.api_key
    if not url and not api_key:
        return None
    require_sendable(url, api_key)
    return Connection((url or USUAL_URL).rstrip("/"), api_key or None)


def _read_file(path: Path) -> Connection | None:
    """The connection in the file, None without a file; raises SettingError, naming the file."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise SettingError(f"{path}: other users can read the key; run chmod 600 {path}")
            return _connection_in(json.load(file))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise SettingError(f"{path}: {getattr(error, 'strerror', error)}") from error


def _connection_in(content: Any) -> Connection:
    """Raises ValueError, naming the field."""
    if not isinstance(content, dict):
        raise ValueError('expected {"url": …, "api_key": …}')  # noqa: TRY004 - as malformed as the rest
    for name in content.keys() - {"url", "api_key"}:
        raise ValueError(f"{name}: unknown field; the fields are url and api_key")
    url, key = content.get("url"), content.get("api_key")
    if not isinstance(url, str) or not is_address(url):
        raise ValueError(f"url: {NO_ADDRESS}")
    if key is not None and not isinstance(key, str):
        raise ValueError("api_key: expected a text")
    return Connection(url, key)
