"""The connection of an agent: options before environment before file, and a key for its URL."""

import json
from pathlib import Path
from typing import Any

import pytest

from membrane_cli.connections import Connection, configured_connection
from tests.worlds.refusals import refuses_setting


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of the user's file, which does not exist."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "membrane").mkdir()
    return tmp_path / "membrane" / "connection.json"


def write(file: Path, content: Any) -> None:
    file.touch(mode=0o600)
    file.write_text(content if isinstance(content, str) else json.dumps(content))


def test_nothing_is_configured_at_first() -> None:
    assert configured_connection() is None


def test_options_win_over_the_environment_and_the_environment_over_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(file, {"url": "http://file/", "api_key": "of-file"})
    assert configured_connection() == Connection("http://file", "of-file")

    monkeypatch.setenv("MEMBRANE_URL", "http://environment")
    monkeypatch.setenv("MEMBRANE_API_KEY", "of-environment")

    assert configured_connection() == Connection("http://environment", "of-environment")
    assert configured_connection("http://option", "k") == Connection("http://option", "k")


def test_the_key_in_the_file_goes_to_the_url_in_the_file_alone(file: Path) -> None:
    write(file, {"url": "http://file", "api_key": "of-file"})

    assert configured_connection("http://elsewhere") == Connection("http://elsewhere", None)
    assert configured_connection("http://file") == Connection("http://file", "of-file")
    assert configured_connection(api_key="k") == Connection("http://file", "k")


def test_a_key_without_a_url_goes_to_the_usual_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMBRANE_API_KEY", "k")

    assert configured_connection() == Connection("http://127.0.0.1:8765", "k")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "Expecting"),
        ([], "expected"),
        ({}, "url: expected"),
        ({"url": "example.com"}, "url: expected"),
        ({"url": "http://a", "api_key": 1}, "api_key: expected a text"),
        ({"url": "http://a", "key": "k"}, "key: unknown field"),
    ],
    ids=["half", "a list", "empty", "no address", "no text", "another field"],
)
def test_a_malformed_file_is_refused_by_its_name_and_field(
    file: Path, content: Any, words: str
) -> None:
    write(file, content)

    with refuses_setting() as refused:
        configured_connection()

    assert str(refused.value).startswith(f"{file}: ")
    assert words in str(refused.value)


def test_a_file_that_others_can_read_is_refused(file: Path) -> None:
    write(file, {"url": "http://a"})
    file.chmod(0o640)

    with refuses_setting("chmod 600"):
        configured_connection()


@pytest.mark.parametrize(
    ("url", "key", "words"),
    [("localhost:8765", "k", "MEMBRANE_URL"), ("http://a", "n\u00e9", "no header carries")],
)
def test_an_address_or_a_key_that_no_request_can_have_is_refused(
    url: str, key: str, words: str
) -> None:
    with refuses_setting(words):
        configured_connection(url, key)
