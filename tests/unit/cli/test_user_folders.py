"""The user's folders, by platform and by the variables of the XDG specification."""

from pathlib import Path

import pytest

from membrane_cli.connections import config_folder, data_folder


def test_the_data_folder_follows_the_platform_and_xdg() -> None:
    home = Path("/home/ada")

    assert data_folder("linux", {}, home) == home / ".local/share/membrane"
    assert data_folder("darwin", {}, home) == home / "Library/Application Support/membrane"
    assert data_folder("linux", {"XDG_DATA_HOME": "/data"}, home) == Path("/data/membrane")
    assert data_folder("linux", {"XDG_DATA_HOME": "data"}, home) == home / ".local/share/membrane"


def test_a_relative_configuration_folder_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "project")

    assert config_folder() == Path.home() / ".config" / "membrane"
