"""The user's folders, by platform and by the variables of the XDG specification."""

from pathlib import Path

import pytest

from membrane_cli.connections import config_folder, data_folder


@pytest.mark.parametrize(
    ("platform", "named", "expected"),
    [
        ("linux", "", "/home/ada/.local/share/membrane"),
        ("darwin", "", "/home/ada/Library/Application Support/membrane"),
        ("linux", "/data", "/data/membrane"),
        ("linux", "data", "/home/ada/.local/share/membrane"),
    ],
)
def test_the_data_folder_follows_the_platform_and_xdg(
    platform: str, named: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv("XDG_DATA_HOME", named)

    assert data_folder() == Path(expected)


def test_a_relative_configuration_folder_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "project")

    assert config_folder() == Path.home() / ".config" / "membrane"
