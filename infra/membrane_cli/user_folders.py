"""The user's folders for settings, state and data, by the XDG Base Directory Specification."""

import os
from collections.abc import Mapping
from pathlib import Path


def config_folder() -> Path:
    """The user's folder for settings: below XDG_CONFIG_HOME, or below `~/.config`."""
    return _absolute_or(os.environ.get("XDG_CONFIG_HOME"), Path.home() / ".config") / "membrane"


def state_folder() -> Path:
    """The user's folder for what programs remember: below XDG_STATE_HOME, or `~/.local/state`."""
    return _absolute_or(os.environ.get("XDG_STATE_HOME"), Path.home() / ".local/state") / "membrane"


def data_folder(platform: str, environment: Mapping[str, str], home: Path) -> Path:
    """The user's folder for data: below XDG_DATA_HOME, or the platform's own place."""
    usual = home / ".local" / "share"
    if platform == "darwin":
        usual = home / "Library" / "Application Support"
    return _absolute_or(environment.get("XDG_DATA_HOME"), usual) / "membrane"


def _absolute_or(named: str | None, usual: Path) -> Path:
    """The named folder; the usual folder for a relative path, as the XDG specification says."""
    return Path(named) if named and Path(named).is_absolute() else usual
